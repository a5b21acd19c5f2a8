/* System calls with arguments that hurt: wrong pointers, huge sizes, odd descriptors. Nothing is checked but
 * that the emulator neither falls over nor stops answering, and that the program's own memory is not touched
 * where no call was told to. Calls that end, stop or unmap the program itself are left out, and pipes never
 * block: a read from an empty one would wait for ever. Argument: number of calls. */
#include "guest.h"

static u32 seed = 12345;

static u32 random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

static const u16 left_out[] = {1,   29,  37,  42,  48,  67,  119, 142, 162, 168, 173, 174, 177, 179,
                               238, 240, 252, 267, 270, 308, 309, 407, 413, 414, 422, 104, 27,  72};

static int is_left_out(u32 number)
{
    for (u32 i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
        if (left_out[i] == number)
            return 1;
    return 0;
}

static u8 arena[65536] __attribute__((aligned(4096)));
static volatile u32 guard[4] = {0x11111111, 0x22222222, 0x33333333, 0x44444444};

static u32 argument(void)
{
    static const u32 sizes[] = {0,          1,          2,           3,           4,          5,
                                8,          16,         100,         4095,        4096,       65536,
                                0x10000000, 0x7fffffff, 0x80000000u, 0xffffffffu, 0xfffff000u};
    switch (random() % 6) {
    case 0:
        return sizes[random() % (sizeof sizes / sizeof sizes[0])];
    case 1:
        return 0xc0000000u + (random() & 0x3fff);
    case 2:
        return 0x60000000u + (random() & ~0xfffu) % 0x1000000;
    case 3:
        return random();
    default:
        return (u32)arena + random() % sizeof arena;
    }
}

int guest_main(int argc, char **argv, char **envp)
{
    u32 calls = 0, answered = 0;
    (void)envp;
    for (const char *digit = argc > 1 ? argv[1] : "1000"; *digit != '\0'; digit++)
        calls = calls * 10 + (u32)(*digit - '0');
    guest_syscall(SYS_close, 0);
    guest_syscall(SYS_close, 1);
    for (u32 i = 0; i < calls; i++) {
        u32 number = random() % 450, a[6];
        if (is_left_out(number))
            continue;
        for (u32 j = 0; j < 6; j++)
            a[j] = argument();
        if (random() % 2 == 0) /* often a small number: a descriptor, an enumeration */
            a[0] = random() % 20 == 2 ? 3 : random() % 20;
        if (a[0] == 2)
            a[0] = 3;
        int moves_memory = number == SYS_munmap || number == SYS_mremap || number == SYS_mmap2 ||
                           number == SYS_mprotect || number == 90 || number == SYS_madvise ||
                           number == SYS_brk;
        if (moves_memory) {
            a[0] = 0x60000000u + (random() & 0xffffff);
            a[3] &= ~0x100010u; /* not FIXED over the program */
        }
        if (number == 90)
            continue;
        enum { FCNTL = 55, FCNTL64 = 221, F_SETFL = 4, PIPE2 = 331, NONBLOCK = 04000 };
        if (number == PIPE2)
            a[1] = NONBLOCK;
        if ((number == FCNTL || number == FCNTL64) && a[1] == F_SETFL)
            a[2] |= NONBLOCK;
        if (random() % 4 == 0) { /* a path */
            static const char *const paths[] = {"/share/text",
                                                "/share/../x",
                                                "/",
                                                "",
                                                ".",
                                                "..",
                                                "/share/loop/x",
                                                "/share/fifo",
                                                "/dev/zero",
                                                "/share/f",
                                                "////share//sub/..//g"};
            const char *path = paths[random() % (sizeof paths / sizeof paths[0])];
            a[random() % 2] = (u32)path;
        }
        u32 result = (u32)guest_syscall((int)number, a[0], a[1], a[2], a[3], a[4], a[5]);
        answered += result != (u32)-ENOSYS;
    }
    return guard[0] != 0x11111111 || guard[1] != 0x22222222 || guard[2] != 0x33333333 ||
           guard[3] != 0x44444444 || answered == 0;
}
