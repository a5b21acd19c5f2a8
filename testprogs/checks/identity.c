/* What a Linux guest learns of itself and its system, which is the same on every host: user, process, name of the system, limits, clocks in both
 * widths, thread-local storage of an i386, devices and file systems. */
#include "guest.h"

enum { ID = 1000, CHARACTER = 020000, PIPE = 010000, FOLDER = 040000, AT_FDCWD = -100 };

static void user(void)
{
    static const int process[] = {20, 65, 224}, users[] = {24, 47, 49, 50, 199, 200, 201, 202};
    u32 three[3] = {1, 2, 3};
    for (u32 i = 0; i < sizeof process / sizeof process[0]; i++)
        CHECK(ID, guest_syscall(process[i]));
    CHECK(ID, guest_syscall(132, 0));
    CHECK(ID, guest_syscall(147, 0));
    CHECK(1, guest_syscall(64));
    for (u32 i = 0; i < sizeof users / sizeof users[0]; i++)
        CHECK(ID, guest_syscall(users[i]));
    CHECK(0, guest_syscall(209, three, three + 1, three + 2));
    CHECK(ID, three[0]);
    CHECK(ID, three[1]);
    CHECK(ID, three[2]);
    CHECK(0, guest_syscall(208, -1, ID, -1)); /* an identity is kept */
    CHECK(-EPERM, guest_syscall(208, -1, -1, 0));
    CHECK(-EPERM, guest_syscall(203, ID + 1, -1));
    CHECK(-EPERM, guest_syscall(203, -1, ID - 1));
    CHECK(0, guest_syscall(203, ID, ID));
    CHECK(-EPERM, guest_syscall(213, 0));
    CHECK(0, guest_syscall(213, ID));
    CHECK(ID, guest_syscall(258, 0));
    CHECK(20, guest_syscall(96, 0, 0));
    CHECK(022, guest_syscall(60, 01077));
    CHECK(077, guest_syscall(60, 022));
    char name[16];
    CHECK(0, guest_syscall(172, 15, "a name of more characters"));
    CHECK(0, guest_syscall(172, 16, name));
    CHECK(1, guest_same(name, "a name of more "));
}

static void names(void)
{
    static const char *const expected[6] = {"Linux", "p5scope", "6.1.0", "#1", "i586", "(none)"};
    char text[6 * 65];
    CHECK(0, guest_syscall(SYS_uname, text));
    for (u32 i = 0; i < 6; i++)
        CHECK(1, guest_same(text + 65 * i, expected[i]));
    u32 info[16];
    CHECK(0, guest_syscall(116, info));
    CHECK(0, info[0]); /* not yet a second */
    CHECK(0, info[1] | info[2] | info[3] | info[6] | info[7] | info[8] | info[9]);
    CHECK(32 << 20, info[4]); /* --memory 32 */
    CHECK_RANGE(16 << 20, 32 << 20, info[5]);
    CHECK(0, info[5] % 4096);
    CHECK(1, info[10]);
    CHECK(1, info[13]);
    u32 mask = 0;
    CHECK(4, guest_syscall(242, 0, 4, &mask)); /* one processor */
    CHECK(1, mask);
    CHECK(-ESRCH, guest_syscall(242, ID + 1, 4, &mask));
    CHECK(4, guest_syscall(242, ID, 100, &mask));
}

static void limits(void)
{
    for (u32 which = 0; which < 16; which++) {
        const u32 expected = which == 3 ? 8 << 20 : which == 4 ? 0 : which == 7 ? 256 : 0xffffffffu;
        u32 narrow[2] = {1, 1}, wide[4] = {1, 1, 1, 1};
        CHECK(0, guest_syscall(191, which, narrow));
        CHECK(expected, narrow[0]);
        CHECK(expected, narrow[1]);
        CHECK(0, guest_syscall(75, which, narrow));
        narrow[0] = 12345;
        CHECK(-EPERM, guest_syscall(75, which, narrow));
        CHECK(0, guest_syscall(340, 0, which, 0, wide));
        CHECK(expected, wide[0]);
        CHECK(expected == 0xffffffffu ? expected : 0, wide[1]);
        CHECK(expected, wide[2]);
        CHECK(0, guest_syscall(340, ID, which, wide, 0));
        wide[0]++;
        CHECK(-EPERM, guest_syscall(340, 0, which, wide, 0));
    }
    u32 pair[4] = {0};
    CHECK(-EINVAL, guest_syscall(191, 16, pair));
    CHECK(-EINVAL, guest_syscall(75, 16, pair));
    CHECK(-EINVAL, guest_syscall(340, 0, 16, 0, pair));
    CHECK(-ESRCH, guest_syscall(340, 1, 3, 0, pair));
    int fd, last = 0; /* descriptors up to 255 */
    while ((fd = guest_syscall(SYS_dup, 1)) > 0)
        last = fd;
    CHECK(-EMFILE, fd);
    CHECK(255, last);
    while (last > 2)
        guest_syscall(SYS_close, last--);
}

/* Both widths of a time are the same time; the real-time clock is 1997-01-08 at the start, and its resolution a clock of 200 MHz. */
static void clocks(void)
{
    static const int kinds[] = {0, 1, 4, 5, 6, 7, 11};
    for (u32 i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        u32 narrow[2] = {0}, wide[4] = {9, 9, 9, 9};
        CHECK(0, guest_syscall(SYS_clock_gettime, kinds[i], narrow));
        CHECK(0, guest_syscall(SYS_clock_gettime64, kinds[i], wide));
        CHECK(kinds[i] == 0 || kinds[i] == 5 || kinds[i] == 11 ? 852681600u : 0, narrow[0]);
        CHECK(narrow[0], wide[0]);
        CHECK(0, wide[1]);
        CHECK(0, wide[3]);
        CHECK_RANGE(narrow[1], narrow[1] + 1000000, wide[2]);
        CHECK(0, guest_syscall(266, kinds[i], narrow));
        CHECK(0, guest_syscall(406, kinds[i], wide));
        CHECK(0, narrow[0]);
        CHECK(5, narrow[1]);
        CHECK(5, wide[2]);
    }
    u32 usage[18];
    for (u32 i = 0; i < 18; i++)
        usage[i] = 7;
    CHECK(0, guest_syscall(SYS_getrusage, -1, usage));
    for (u32 i = 0; i < 18; i++)
        CHECK(0, usage[i]); /* no children */
    CHECK(0, guest_syscall(SYS_getrusage, 0, usage));
    CHECK(1, usage[1] > 0);
    u32 zone[2] = {5, 5}, day[2];
    CHECK(0, guest_syscall(SYS_gettimeofday, day, zone));
    CHECK(0, zone[0] | zone[1]);
    CHECK(852681600u, day[0]);
}

/* Access rights of the descriptor behind a selector, as LAR reads them. */
static u32 rights(u32 entry)
{
    u32 access = 0;
    __asm__ volatile("lar %1, %0" : "=r"(access) : "r"(entry * 8 + 3));
    return access;
}

static u32 segment_limit(u32 entry)
{
    u32 limit = 0;
    __asm__ volatile("lsl %1, %0" : "=r"(limit) : "r"(entry * 8 + 3));
    return limit;
}

/* struct user_desc: entry, base, limit; seg_32bit, contents, read_exec_only, limit_in_pages, seg_not_present, useable. */
static void storage(void)
{
    static u32 there = 0x12345678;
    u32 user[4] = {(u32)-1, (u32)&there, 0xfffff, 0x51};
    for (u32 entry = 6; entry < 9; entry++) {
        user[0] = (u32)-1;
        CHECK(0, guest_syscall(SYS_set_thread_area, user));
        CHECK(entry, user[0]);
        CHECK(0xd0f200, rights(entry) & ~0x100u &
                            0xf0ff00); /* 4 KB, 32 bits, usable, present, DPL 3, data that may be written */
        CHECK(0xffffffffu, segment_limit(entry));
    }
    u32 value;
    __asm__ volatile("mov %1, %%gs\n\tmov %%gs:0, %0" : "=r"(value) : "r"(8 * 8 + 3));
    CHECK(there, value);
    user[0] = (u32)-1;
    CHECK(-ESRCH, guest_syscall(SYS_set_thread_area, user));
    user[0] = 5;
    CHECK(-EINVAL, guest_syscall(SYS_set_thread_area, user));
    user[0] = 9;
    CHECK(-EINVAL, guest_syscall(SYS_set_thread_area, user));
    u32 small[4] = {7, 0x1000, 99, 0x08 | 0x02}; /* in bytes, 16 bits, read only, expands down */
    CHECK(0, guest_syscall(SYS_set_thread_area, small));
    CHECK(0x00f400, rights(7) & ~0x100u & 0xf0ff00);
    u32 code[4] = {7, 0, 0xfffff, 0x55};
    CHECK(-EINVAL, guest_syscall(SYS_set_thread_area, code));
    u32 empty[4] = {7, 0, 0, 0x28};
    CHECK(0, guest_syscall(SYS_set_thread_area, empty));
    user[0] = (u32)-1; /* it is free again */
    CHECK(0, guest_syscall(SYS_set_thread_area, user));
    CHECK(7, user[0]);
}

static void devices(void)
{
    static const struct {
        const char *name;
        u32 mode, minor;
    } rows[] = {{"/dev/null", CHARACTER | 0666, 3},
                {"/dev/zero", CHARACTER | 0666, 5},
                {"/dev/urandom", CHARACTER | 0666, 9},
                {"/dev/random", CHARACTER | 0666, 9}};
    u32 about[24], all[64];
    for (u32 i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK(0, guest_syscall(SYS_stat64, rows[i].name, about));
        CHECK(rows[i].mode, about[4]);
        CHECK(1, about[5]);
        CHECK(ID, about[6]);
        CHECK(ID, about[7]);
        CHECK(1 << 8 | rows[i].minor, about[8]);
        CHECK(0, guest_syscall(SYS_statx, AT_FDCWD, rows[i].name, 0, 0x7ff, all));
        CHECK(0x7ff, all[0]);
        CHECK(4096, all[1]);
        CHECK(1, all[4]);
        CHECK(ID, all[5]);
        CHECK(ID, all[6]);
        CHECK(rows[i].mode, all[7] & 0xffff);
        CHECK(1, all[32]);
        CHECK(rows[i].minor, all[33]);
    }
    int ends[2];
    CHECK(0, guest_syscall(SYS_pipe, ends));
    CHECK(0, guest_syscall(SYS_fstat64, ends[0], about));
    CHECK(PIPE | 0600, about[4]);
    CHECK(0, guest_syscall(SYS_stat64, "/", about)); /* nothing is there but what is made up */
    CHECK(FOLDER | 0555, about[4]);
    CHECK(4096, about[13]);
    CHECK(0, guest_syscall(SYS_stat64, "/tmp", about));
    CHECK(FOLDER, about[4] & 0170000);
    u32 narrow[16], wide[21];
    CHECK(0, guest_syscall(99, "/tmp", narrow));
    CHECK(0, guest_syscall(268, "/tmp", 84, wide));
    static const u32 expected[] = {0x01021994, 4096, 1 << 20, 1 << 20, 1 << 20, 1 << 20,
                                   1 << 20,    0,    0,       255,     4096};
    for (u32 i = 0; i < 11; i++)
        CHECK(expected[i], narrow[i]);
    CHECK(expected[0], wide[0]);
    CHECK(4096, wide[1]);
    for (u32 i = 2; i < 12; i += 2)
        CHECK(1 << 20, wide[i]);
    for (u32 i = 3; i < 12; i += 2)
        CHECK(0, wide[i]);
    CHECK(255, wide[14]);
    CHECK(4096, wide[15]);
}

static void others(void)
{
    static const int nothing[] = {36, 158, 250, 272, 311, 34, 57, 97, 157, 150, 151};
    for (u32 i = 0; i < sizeof nothing / sizeof nothing[0]; i++)
        CHECK(0, guest_syscall(nothing[i], 0, 0, 0, 0, 0, 0));
    CHECK(-ENOSYS, guest_syscall(384, 0, 0));
    CHECK(-ENOSYS, guest_syscall(386, 0, 0));
    CHECK(-ECHILD, guest_syscall(7, -1, 0, 1 | 2));
    CHECK(-ECHILD, guest_syscall(114, -1, 0, 8, 0));
    CHECK(-EINVAL, guest_syscall(114, -1, 0, 4, 0));
    CHECK(-ECHILD, guest_syscall(284, 0, 0, 0, 4 | 0x01000000, 0));
    CHECK(-EINVAL, guest_syscall(284, 0, 0, 0, 0x10, 0));
    CHECK(0, guest_syscall(205, 0, 0));
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)argv;
    (void)envp;
    user();
    names();
    limits();
    clocks();
    storage();
    devices();
    others();
    return guest_failures != 0;
}
