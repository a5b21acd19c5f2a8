/* Attributes, links and locks of files: what each call answers, natively and as a guest alike. The argument
 * is a directory that may be written; standard input is a regular file that begins with "hello". */
#include "guest.h"

enum {
    RDWR = 2,
    CREAT = 0100,
    CALL_link = 9,
    CALL_chmod = 15,
    CALL_utime = 30,
    CALL_truncate = 92,
    CALL_fchmod = 94,
    CALL_statfs = 99,
    CALL_flock = 143,
    CALL_truncate64 = 193,
    CALL_lchown32 = 198,
    CALL_getuid32 = 199,
    CALL_getgid32 = 200,
    CALL_fchown32 = 207,
    CALL_chown32 = 212,
    CALL_fstatfs64 = 269,
    CALL_utimes = 271,
    CALL_fchownat = 298,
    CALL_utimensat = 320,
    CALL_fallocate = 324,
    LOCK_EX = 2,
    LOCK_UN = 8,
    PROT_READ = 1,
    MAP_PRIVATE = 2
};

static u32 about[24]; /* struct stat64 */
static u32 size_of(const char *path)
{
    return guest_syscall(SYS_stat64, path, about) == 0 ? about[11] : ~0u;
}
static u32 mode_of(const char *path)
{
    return guest_syscall(SYS_stat64, path, about) == 0 ? about[4] & 0777 : ~0u;
}
static u32 modified(const char *path)
{
    return guest_syscall(SYS_stat64, path, about) == 0 ? about[18] : ~0u;
}

/* access permits what open does. */
static void accesses(void)
{
    enum { READ = 4, WRITE = 2 };
    for (u32 mode = 0; mode <= 0600; mode += 0200) {
        CHECK(0, guest_syscall(CALL_chmod, "file", mode));
        for (u32 how = 0; how < 2; how++) { /* O_RDONLY, O_WRONLY */
            int fd = guest_syscall(SYS_open, "file", how);
            CHECK(fd < 0 ? fd : 0, guest_syscall(SYS_access, "file", how == 0 ? READ : WRITE));
            if (fd >= 0)
                guest_syscall(SYS_close, fd);
        }
    }
}

int guest_main(int argc, char **argv, char **envp)
{
    char buffer[16] = {0};
    (void)envp;
    CHECK(2, argc);
    CHECK(0, guest_syscall(SYS_chdir, argv[1]));
    int fd = guest_syscall(SYS_open, "file", RDWR | CREAT, 0644);
    CHECK_RANGE(3, 9, fd);
    CHECK(5, guest_syscall(SYS_write, fd, "12345", 5));

    CHECK(0, guest_syscall(CALL_chmod, "file", 0600));
    CHECK(0600, mode_of("file"));
    CHECK(0, guest_syscall(CALL_fchmod, fd, 0640));
    CHECK(0640, mode_of("file"));
    CHECK(-ENOENT, guest_syscall(CALL_chmod, "none", 0600));

    accesses();
    u32 user = (u32)guest_syscall(CALL_getuid32), group = (u32)guest_syscall(CALL_getgid32);
    CHECK(0, guest_syscall(CALL_chown32, "file", user, group));
    CHECK(0, guest_syscall(CALL_lchown32, "file", -1, group));
    CHECK(0, guest_syscall(CALL_fchown32, fd, user, -1));
    CHECK(0, guest_syscall(CALL_fchownat, -100 /* AT_FDCWD */, "file", user, group, 0));
    CHECK(-ENOENT, guest_syscall(CALL_chown32, "none", user, group));
    if (user != 0)
        CHECK(-EPERM, guest_syscall(CALL_chown32, "file", user + 1, -1));

    const u32 seconds[2] = {1000000, 2000000}, micro[4] = {1, 2, 3000000, 4}, nano[4] = {1, 2, 4000000, 5};
    CHECK(0, guest_syscall(CALL_utime, "file", seconds));
    CHECK(2000000, modified("file"));
    CHECK(0, guest_syscall(CALL_utimes, "file", micro));
    CHECK(3000000, modified("file"));
    CHECK(0, guest_syscall(CALL_utimensat, -100, "file", nano, 0));
    CHECK(4000000, modified("file"));
    CHECK(0, guest_syscall(CALL_utimensat, fd, 0, micro, 0));
    CHECK(3000000, modified("file"));

    CHECK(0, guest_syscall(CALL_truncate, "file", 3));
    CHECK(3, size_of("file"));
    CHECK(0, guest_syscall(CALL_truncate64, "file", 100, 0));
    CHECK(100, size_of("file"));
    CHECK(-EINVAL, guest_syscall(CALL_truncate, "file", -1));
    CHECK(0, guest_syscall(CALL_utimensat, -100, "file", nano, 0));
    CHECK(0, guest_syscall(CALL_fallocate, fd, 0, 0, 0, 5000, 0));
    CHECK(5000, size_of("file"));
    CHECK(1, modified("file") > 4000000);

    CHECK(0, guest_syscall(SYS_symlink, "file", "name"));
    CHECK(-EEXIST, guest_syscall(SYS_symlink, "file", "name"));
    CHECK(4, guest_syscall(SYS_readlink, "name", buffer, sizeof buffer));
    CHECK(1, guest_same("file", buffer));
    CHECK(0, guest_syscall(CALL_link, "file", "other"));
    CHECK(5000, size_of("other"));
    CHECK(-EEXIST, guest_syscall(CALL_link, "file", "other"));
    CHECK(-ENOENT, guest_syscall(CALL_link, "none", "third"));

    CHECK(0, guest_syscall(CALL_flock, fd, LOCK_EX));
    CHECK(0, guest_syscall(CALL_flock, fd, LOCK_UN));
    CHECK(-EBADF, guest_syscall(CALL_flock, 77, LOCK_EX));

    u32 system[21] = {0};
    CHECK(0, guest_syscall(CALL_statfs, "file", system));
    CHECK(4096, system[1]);
    CHECK(-ENOENT, guest_syscall(CALL_statfs, "none", system));
    CHECK(0, guest_syscall(CALL_fstatfs64, fd, 84, system));
    CHECK(4096, system[1]);
    CHECK(-EBADF, guest_syscall(CALL_fstatfs64, 77, 84, system));

    const char *input = (const char *)guest_syscall(SYS_mmap2, 0, 5, PROT_READ, MAP_PRIVATE, 0, 0);
    CHECK('h', (u32)input < 0xfffff000u ? input[0] : 0);
    CHECK('o', (u32)input < 0xfffff000u ? input[4] : 0);
    return guest_failures != 0;
}
