/* A share that may grow by 1 MB: what fits, what does not, and what gives back. The argument is the share.
 * With a second one it is the guest's own /tmp in 4 MB of memory, which has half of that, and what is deleted
 * gives back, too. */
#include "guest.h"

enum {
    RDWR = 2,
    CREAT = 0100,
    TRUNC = 01000,
    APPEND = 02000,
    NOSPC = 28,
    KEEP_SIZE = 1,
    PUNCH_HOLE = 2,
    ZERO_RANGE = 16,
    INSERT_RANGE = 32,
    OPNOTSUPP = 95,
    CALL_link = 9,
    CALL_truncate64 = 193,
    CALL_fallocate = 324,
    MEGA = 1 << 20,
    NAME = 4096 /* of the quota for each new name */
};

static char block[64 << 10];

/* Writes blocks until one does not fit: bytes. */
static int fill(int fd)
{
    int done = 0, put;
    while ((put = guest_syscall(SYS_write, fd, block, sizeof block)) > 0)
        done += put;
    CHECK(-NOSPC, put);
    return done;
}

static void own(void)
{
    char name[] = "000";
    for (int again = 0; again < 2; again++) {
        int fd = guest_syscall(SYS_open, "big", RDWR | CREAT, 0644);
        CHECK(2 * MEGA - NAME, fill(fd));
        u32 about[24] = {0}, now = (u32)guest_syscall(SYS_time, 0);
        CHECK(0, guest_syscall(SYS_fstat64, fd, about));
        CHECK_RANGE(0, 1, now - about[18]); /* modified: by the guest's clock */
        CHECK(-NOSPC, guest_syscall(SYS_mkdir, "folder", 0755));
        CHECK(0, guest_syscall(SYS_rename, "big", "other"));
        CHECK(0, guest_syscall(SYS_unlink, "other"));
        CHECK(0, guest_syscall(SYS_mkdir, "folder", 0755)); /* by the name's bytes: the file is open */
        CHECK(-NOSPC, guest_syscall(SYS_mkdir, "another", 0755));
        CHECK(0, guest_syscall(SYS_close, fd));
        CHECK(0, guest_syscall(SYS_rmdir, "folder"));
    }
    int made = 0, fd;
    for (; made < 1000; made++) {
        name[0] = (char)('0' + made / 100), name[1] = (char)('0' + made / 10 % 10),
        name[2] = (char)('0' + made % 10);
        if ((fd = guest_syscall(SYS_open, name, RDWR | CREAT, 0644)) < 0)
            break;
        guest_syscall(SYS_close, fd);
    }
    CHECK(2 * MEGA / NAME, made);
    CHECK(-NOSPC, fd);
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)envp;
    CHECK_RANGE(2, 3, argc);
    CHECK(0, guest_syscall(SYS_chdir, argv[1]));
    if (argc == 3) {
        own();
        return guest_failures != 0;
    }
    int a = guest_syscall(SYS_open, "a", RDWR | CREAT, 0644);
    CHECK(MEGA - NAME, fill(a));
    CHECK(-NOSPC, guest_syscall(SYS_open, "b", RDWR | CREAT, 0644));
    CHECK(-NOSPC, guest_syscall(SYS_mkdir, "d", 0755));
    CHECK(-NOSPC, guest_syscall(SYS_symlink, "a", "s"));
    CHECK(-NOSPC, guest_syscall(CALL_link, "a", "l"));
    CHECK(10, guest_syscall(SYS_pwrite64, a, block, 10, 100, 0)); /* nothing grows */
    CHECK(-NOSPC, guest_syscall(SYS_pwrite64, a, block, 1, MEGA, 0));
    CHECK(0, guest_syscall(SYS_ftruncate64, a, 0, 0)); /* gives back */
    CHECK(-NOSPC, guest_syscall(SYS_ftruncate64, a, 0, 1));
    CHECK(-NOSPC, guest_syscall(CALL_truncate64, "a", MEGA, 0));
    CHECK(-NOSPC, guest_syscall(CALL_fallocate, a, 0, 0, 0, MEGA, 0));
    CHECK(-NOSPC, guest_syscall(CALL_fallocate, a, KEEP_SIZE, 0, 0, MEGA, 0));
    CHECK(-OPNOTSUPP, guest_syscall(CALL_fallocate, a, ZERO_RANGE, 0, 0, 2 * MEGA, 0));
    CHECK(-OPNOTSUPP, guest_syscall(CALL_fallocate, a, INSERT_RANGE, 0, 0, 2 * MEGA, 0));
    CHECK(1, guest_syscall(SYS_pwrite64, a, block, 1, MEGA / 2 - 1, 0));               /* a hole counts */
    CHECK(0, guest_syscall(CALL_fallocate, a, KEEP_SIZE | PUNCH_HOLE, 0, 0, MEGA, 0)); /* also a new one */
    CHECK(0, guest_syscall(SYS_mkdir, "d", 0755));
    int b = guest_syscall(SYS_open, "d/b", RDWR | CREAT | APPEND, 0644);
    CHECK(MEGA / 2 - 3 * NAME, fill(b));
    CHECK(0, guest_syscall(SYS_unlink, "a")); /* may still be open, as it is */
    CHECK(-NOSPC, guest_syscall(SYS_write, b, block, 1));
    CHECK(0, guest_syscall(SYS_close, b));
    b = guest_syscall(SYS_open, "d/b", RDWR | TRUNC, 0);
    CHECK(MEGA / 2 - 3 * NAME, fill(b));
    return guest_failures != 0;
}
