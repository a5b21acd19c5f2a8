/* Memory calls: brk, mmap, munmap, mprotect, mremap, madvise, and pointers that the kernel must not believe.
 */
#include "guest.h"

enum { READ = 1, WRITE = 2, PRIVATE = 2, FIXED = 0x10, ANONYMOUS = 0x20, PAGE = 4096 };
#define ANYWHERE ((void *)0)

static int map(void *at, u32 size, int protection, int flags)
{
    return guest_syscall(SYS_mmap2, at, size, protection, flags | PRIVATE | ANONYMOUS, -1, 0);
}

static int failed(int address)
{
    return (u32)address >= 0xfffff000u ? address : 0;
}

static void program_break(void)
{
    u32 start = (u32)guest_syscall(SYS_brk, 0);
    CHECK(0, start % PAGE);
    CHECK(start + 3 * PAGE, (u32)guest_syscall(SYS_brk, start + 3 * PAGE));
    u32 *words = (u32 *)start;
    CHECK(0, words[0]);
    words[0] = 1;
    words[3 * PAGE / 4 - 1] = 2;
    CHECK(start + PAGE, (u32)guest_syscall(SYS_brk, start + PAGE));
    CHECK(1, words[0]);
    CHECK(-EFAULT, guest_syscall(SYS_write, 2, start + PAGE, 1)); /* given back */
    CHECK(start + 3 * PAGE, (u32)guest_syscall(SYS_brk, start + 3 * PAGE));
    CHECK(0, words[3 * PAGE / 4 - 1]);                                 /* a reused page is clean */
    CHECK(start + 3 * PAGE, (u32)guest_syscall(SYS_brk, 0xbf000000u)); /* refused: stays where it is */
    CHECK(start, (u32)guest_syscall(SYS_brk, start));
}

static void mappings(void)
{
    int a = map(ANYWHERE, 5 * PAGE, READ | WRITE, 0);
    CHECK(0, failed(a));
    u8 *bytes = (u8 *)a;
    for (unsigned i = 0; i < 5; i++)
        bytes[i * PAGE] = (u8)(i + 1);
    CHECK(0, guest_syscall(SYS_munmap, a + PAGE, PAGE)); /* a hole */
    CHECK(-EFAULT, guest_syscall(SYS_write, 2, a + PAGE, 1));
    CHECK(3, bytes[2 * PAGE]);
    CHECK(a + PAGE, map((void *)(a + PAGE), PAGE, READ | WRITE, FIXED));
    CHECK(0, bytes[PAGE]);
    CHECK(0, guest_syscall(SYS_mprotect, a, 2 * PAGE, READ));
    CHECK(-EFAULT, guest_syscall(SYS_clock_gettime, 1, a)); /* the kernel may not write there either */
    CHECK(1, bytes[0]);
    CHECK(0, guest_syscall(SYS_mprotect, a, 2 * PAGE, 0));
    CHECK(-EFAULT, guest_syscall(SYS_write, 2, a, 1));
    CHECK(0, guest_syscall(SYS_mprotect, a, 2 * PAGE, READ | WRITE));
    CHECK(1, bytes[0]);                                             /* kept while it was inaccessible */
    CHECK(-ENOMEM, guest_syscall(SYS_mprotect, a, 64 << 20, READ)); /* runs over a gap */
    CHECK(-EINVAL, guest_syscall(SYS_munmap, a + 1, PAGE));
    CHECK(0, guest_syscall(SYS_madvise, a, PAGE, 4 /* DONTNEED */));
    CHECK(0, bytes[0]);
    CHECK(0, guest_syscall(SYS_munmap, a, 5 * PAGE));
    CHECK(a, map(ANYWHERE, 5 * PAGE, READ | WRITE, 0)); /* the lowest gap, again */
    CHECK(0, guest_syscall(SYS_munmap, a, 5 * PAGE));
}

static void remapping(void)
{
    int a = map(ANYWHERE, 2 * PAGE, READ | WRITE, 0), b;
    u32 *words = (u32 *)a;
    words[0] = 11;
    words[PAGE / 4] = 22;
    CHECK(a, guest_syscall(SYS_mremap, a, 2 * PAGE, 4 * PAGE, 0)); /* room after it */
    CHECK(0, words[3 * PAGE / 4]);
    int wall = map((void *)(a + 4 * PAGE), PAGE, READ, FIXED);
    CHECK(-ENOMEM, guest_syscall(SYS_mremap, a, 4 * PAGE, 8 * PAGE, 0));
    b = guest_syscall(SYS_mremap, a, 4 * PAGE, 8 * PAGE, 1 /* MAYMOVE */);
    CHECK(0, failed(b));
    CHECK(1, a != b);
    CHECK(11, ((u32 *)b)[0]);
    CHECK(22, ((u32 *)b)[PAGE / 4]);
    CHECK(0, ((u32 *)b)[7 * PAGE / 4]);
    CHECK(-EFAULT, guest_syscall(SYS_write, 2, a, 1));
    CHECK(-EINVAL, guest_syscall(SYS_mremap, b, 8 * PAGE, 0, 1));
    CHECK(-EINVAL, guest_syscall(SYS_mremap, b, 8 * PAGE, PAGE, 8)); /* no such flag */
    CHECK(b, guest_syscall(SYS_mremap, b, 8 * PAGE, PAGE, 0));
    CHECK(-EFAULT, guest_syscall(SYS_write, 2, b + PAGE, 1));
    CHECK(0, guest_syscall(SYS_munmap, wall, PAGE));
    CHECK(0, guest_syscall(SYS_munmap, b, PAGE));
}

/* A guest that asks for everything gets ENOMEM, and what it has stays. */
static void exhaustion(void)
{
    CHECK(-ENOMEM, map(ANYWHERE, 0xb0000000u, READ | WRITE, 0));
    CHECK(-ENOMEM, map(ANYWHERE, 0xfffff000u, READ | WRITE, 0));
    CHECK(-EINVAL, map(ANYWHERE, 0, READ, 0));
    int reserved = map(ANYWHERE, 1 << 30, 0, 0); /* address space only */
    CHECK(0, failed(reserved));
    CHECK(0, guest_syscall(SYS_mprotect, reserved + (1 << 29), PAGE, READ | WRITE));
    *(u32 *)(reserved + (1 << 29)) = 5;
    CHECK(-ENOMEM, guest_syscall(SYS_mprotect, reserved, 1 << 30, READ | WRITE));
    CHECK(5, *(u32 *)(reserved + (1 << 29)));
    CHECK(0, guest_syscall(SYS_munmap, reserved, 1 << 30));
    int most = map(ANYWHERE, 160 << 20, READ | WRITE, 0); /* more than half of the memory */
    *(u32 *)most = 6;
    CHECK(0, guest_syscall(SYS_madvise, most, 160 << 20, 4 /* DONTNEED: needs no frames in addition */));
    CHECK(0, *(u32 *)most);
    CHECK(most, map((void *)most, 160 << 20, READ | WRITE, FIXED));
    CHECK(0, guest_syscall(SYS_munmap, most, 160 << 20));
    u32 blocks = 0;
    while (failed(map(ANYWHERE, 16 << 20, READ | WRITE, 0)) == 0)
        blocks++;
    CHECK_RANGE(1, 64, blocks);
    int one = map(ANYWHERE, PAGE, READ | WRITE, 0);
    CHECK(0, one != -ENOMEM && failed(one));
}

static void wrong_pointers(void)
{
    CHECK(-EFAULT, guest_syscall(SYS_write, 2, 0, 5));
    CHECK(-EFAULT, guest_syscall(SYS_write, 2, 0xc0000000u, 5)); /* the kernel's page */
    CHECK(-EFAULT, guest_syscall(SYS_write, 2, 0xffffffffu, 5));
    CHECK(-EFAULT, guest_syscall(SYS_clock_gettime, 1, 0xc0000800u));
    CHECK(-EFAULT, guest_syscall(SYS_open, 0xfffffff0u, 0, 0));
    CHECK(-EFAULT, guest_syscall(SYS_uname, 16));
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)argv;
    (void)envp;
    program_break();
    mappings();
    remapping();
    wrong_pointers();
    exhaustion();
    return guest_failures != 0;
}
