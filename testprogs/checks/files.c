/* Files: the calls do what they say, and nothing leads out of the shares. The runner prepares /share
 * (writable) with text ("hello, share\n")   sub/   link -> text   up -> ../../..   abs -> /etc/passwd   out
 * -> HOST path outside   loop -> loop fifo   deep -> sub/../text and shares the same directory read-only at
 * /ro. */
#include "guest.h"

enum {
    RDONLY = 0,
    WRONLY = 1,
    RDWR = 2,
    CREAT = 0100,
    EXCL = 0200,
    TRUNC = 01000,
    APPEND = 02000,
    DIRECTORY = 0200000,
    NOFOLLOW = 0400000,
    AT_FDCWD = -100
};

static int open(const char *path, int flags)
{
    return guest_syscall(SYS_open, path, flags, 0644);
}

static int close(int descriptor)
{
    return guest_syscall(SYS_close, descriptor);
}

static void reading(void)
{
    char buffer[64] = {0};
    int fd = open("/share/text", RDONLY);
    CHECK(3, fd);
    CHECK(5, guest_syscall(SYS_read, fd, buffer, 5));
    CHECK(1, guest_same("hello", buffer));
    CHECK(5, guest_syscall(SYS_pread64, fd, buffer, 5, 7, 0));
    CHECK(1, guest_same("share", buffer));
    u64 position = 0;
    CHECK(0, guest_syscall(SYS_llseek, fd, 0, 0, &position, 1));
    CHECK(5, position);
    CHECK(-EBADF, guest_syscall(SYS_write, fd, "x", 1));
    CHECK(4, guest_syscall(SYS_dup, fd));
    CHECK(0, close(fd));
    CHECK(8, guest_syscall(SYS_read, 4, buffer, sizeof buffer)); /* the position is shared */
    CHECK(0, guest_syscall(SYS_read, 4, buffer, sizeof buffer));
    CHECK(0, close(4));
    CHECK(-EBADF, close(4));
    u32 about[24];
    CHECK(0, guest_syscall(SYS_stat64, "/share/link", about));
    CHECK(13, about[11]);
    CHECK(0100000, about[4] & 0170000);
    CHECK(0, guest_syscall(SYS_lstat64, "/share/link", about));
    CHECK(0120000, about[4] & 0170000);
    CHECK(4, guest_syscall(SYS_readlink, "/share/link", buffer, sizeof buffer));
}

static void writing(void)
{
    char buffer[32] = {0};
    struct {
        const char *base;
        u32 length;
    } pieces[2] = {{"ab", 2}, {"cde", 3}};
    int fd = open("/share/new", RDWR | CREAT | EXCL);
    CHECK(3, fd);
    CHECK(-EEXIST, open("/share/new", RDWR | CREAT | EXCL));
    CHECK(5, guest_syscall(SYS_writev, fd, pieces, 2));
    CHECK(2, guest_syscall(SYS_pwrite64, fd, "XY", 2, 1, 0));
    CHECK(5, guest_syscall(SYS_pread64, fd, buffer, 9, 0, 0));
    CHECK(1, guest_same("aXYde", buffer));
    CHECK(0, guest_syscall(SYS_ftruncate64, fd, 2, 0));
    CHECK(0, guest_syscall(SYS_pread64, fd, buffer, 9, 2, 0));
    CHECK(0, close(fd));
    CHECK(0, guest_syscall(SYS_rename, "/share/new", "/share/sub/moved"));
    CHECK(-ENOENT, open("/share/new", RDONLY));
    CHECK(0, guest_syscall(SYS_mkdir, "/share/made/", 0755));
    CHECK(0, guest_syscall(SYS_chdir, "/share/made"));
    CHECK(12, guest_syscall(SYS_getcwd, buffer, sizeof buffer));
    CHECK(1, guest_same("/share/made", buffer));
    CHECK(3, fd = open("../sub/moved", RDONLY));
    CHECK(0, close(fd));
    CHECK(0, guest_syscall(SYS_chdir, "/"));
    CHECK(0, guest_syscall(SYS_rmdir, "/share/made"));
    CHECK(0, guest_syscall(SYS_unlink, "share/sub/moved"));
}

/* Every way out that we could think of. */
static void escapes(void)
{
    static const char *const nowhere[] = {"/etc/passwd",
                                          "/share/../etc/passwd",
                                          "/share/../../../../../../etc/passwd",
                                          "/share/up/etc/passwd",
                                          "/share/up/../etc/passwd",
                                          "/share/abs",
                                          "/share/sub/../../etc/passwd",
                                          "/share/out",
                                          "/share/out/secret",
                                          "/proc/self/environ",
                                          "/share/./.././/etc//passwd",
                                          "/ro/abs",
                                          "/ro/up/etc/passwd"};
    u32 about[24];
    for (unsigned i = 0; i < sizeof nowhere / sizeof nowhere[0]; i++) {
        int fd = open(nowhere[i], RDONLY);
        if (fd >= 0)
            guest_report(nowhere[i], (int)i, "escape: open", -ENOENT, fd);
        int there = guest_syscall(SYS_stat64, nowhere[i], about);
        if (there >= 0)
            guest_report(nowhere[i], (int)i, "escape: stat", -ENOENT, there);
    }
    CHECK(-ELOOP, open("/share/loop", RDONLY));
    CHECK(-ELOOP, open("/share/link", RDONLY | NOFOLLOW));
    CHECK(-EACCES, open("/share/fifo", RDONLY)); /* and it does not wait for a writer */
    CHECK(-EROFS, open("/new", WRONLY | CREAT));
    CHECK(-EROFS, open("/ro/new", WRONLY | CREAT));
    CHECK(-EROFS, open("/ro/text", RDWR));
    CHECK(-EROFS, guest_syscall(SYS_unlink, "/ro/text"));
    CHECK(-EROFS, guest_syscall(SYS_mkdir, "/ro/d", 0755));
    CHECK(-EROFS, guest_syscall(SYS_rename, "/share/text", "/ro/text"));
    CHECK(-EROFS, guest_syscall(SYS_rename, "/ro/text", "/share/stolen"));
    CHECK(-ENOTDIR, open("/share/text/x", RDONLY));
    CHECK(-ENOTDIR, open("/share/text/", RDONLY));
    CHECK(-EISDIR, open("/share/sub", WRONLY));
    CHECK(-ENOENT, open("", RDONLY));
    int fd = open("/ro/text", RDONLY);
    CHECK(3, fd);
    CHECK(-22, guest_syscall(SYS_ftruncate64, fd, 0, 0));
    CHECK(0, close(fd));
    fd = open("/share/deep", RDONLY); /* a link with .. that stays inside */
    CHECK(3, fd);
    CHECK(0, close(fd));
    /* descriptors of directories as starting points */
    int sub = open("/share/sub", RDONLY | DIRECTORY);
    CHECK(3, sub);
    CHECK(4, fd = guest_syscall(SYS_openat, sub, "../text", RDONLY, 0));
    CHECK(0, close(fd));
    CHECK(-ENOENT, guest_syscall(SYS_openat, sub, "../../etc/passwd", RDONLY, 0));
    CHECK(0, close(sub));
}

static void directories(void)
{
    u8 entries[4096];
    u32 found = 0;
    int fd = open("/share", RDONLY | DIRECTORY), got;
    CHECK(3, fd);
    while ((got = guest_syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0)
        for (int at = 0; at < got; at += *(u16 *)&entries[at + 16])
            found += guest_same((char *)&entries[at + 19], "text") != 0;
    CHECK(1, found);
    /* from the beginning, one call for each: in order of names, and positions count up */
    char third[9] = "", before[9] = "";
    long long position;
    u32 count = 0;
    CHECK(0, guest_syscall(SYS_llseek, fd, 0, 0, &position, 0));
    CHECK(-EINVAL, guest_syscall(SYS_getdents64, fd, entries, 23));
    for (; (got = guest_syscall(SYS_getdents64, fd, entries, 32)) > 0; count++) {
        const char *name = (char *)&entries[19];
        if (count < 2)
            CHECK(1, guest_same(name, count == 0 ? "." : ".."));
        for (int i = 0; i < 8 && count >= 2; i++) {
            if (name[i] != before[i]) {
                CHECK(1, name[i] > before[i]);
                break;
            }
        }
        for (int i = 0; i < 8 && count >= 2; i++)
            before[i] = name[i];
        for (int i = 0; i < 8 && count == 2; i++)
            third[i] = name[i];
        CHECK((int)count + 1, *(int *)&entries[8]);
        CHECK(0, *(int *)&entries[12]);
    }
    CHECK(0, got);
    CHECK(1, count > 4);
    CHECK(0, guest_syscall(SYS_llseek, fd, 0, 2, &position, 0));
    CHECK(24, guest_syscall(SYS_getdents64, fd, entries, 32)); /* "abs" */
    CHECK(1, guest_same((char *)&entries[19], third));
    CHECK(0, close(fd));
    fd = open("/", RDONLY | DIRECTORY); /* the virtual root shows the shares */
    found = 0;
    got = guest_syscall(SYS_getdents64, fd, entries, sizeof entries);
    for (int at = 0; at < got; at += *(u16 *)&entries[at + 16])
        found += guest_same((char *)&entries[at + 19], "share") + guest_same((char *)&entries[at + 19], "ro");
    CHECK(2, found);
    CHECK(0, close(fd));
}

static void bounds(void)
{
    int fd, last = -1;
    while ((fd = open("/dev/null", RDWR)) >= 0)
        last = fd;
    CHECK(-EMFILE, fd);
    CHECK(255, last);
    for (fd = 3; fd <= last; fd++)
        close(fd);
    /* /dev/zero, a private mapping of a file, SIGBUS territory is only in signals */
    char buffer[8] = "xxxxxxx";
    CHECK(3, fd = open("/dev/zero", RDONLY));
    CHECK(8, guest_syscall(SYS_read, fd, buffer, 8));
    CHECK(0, buffer[7]);
    CHECK(0, close(fd));
    CHECK(3, fd = open("/share/text", RDONLY));
    int mapped = guest_syscall(SYS_mmap2, 0, 4096, 3, 2, fd, 0);
    CHECK(1, ((char *)mapped)[0] == 'h' && ((char *)mapped)[12] == '\n' && ((char *)mapped)[13] == 0);
    ((char *)mapped)[0] = 'H'; /* private: the file does not change */
    CHECK(1, guest_syscall(SYS_pread64, fd, buffer, 1, 0, 0));
    CHECK('h', buffer[0]);
    CHECK(0, close(fd));
    /* pipes */
    int ends[2];
    CHECK(0, guest_syscall(SYS_pipe, ends));
    CHECK(3, guest_syscall(SYS_write, ends[1], "abc", 3));
    CHECK(3, guest_syscall(SYS_read, ends[0], buffer, 8));
    CHECK(-ESPIPE, guest_syscall(SYS_llseek, ends[0], 0, 0, buffer, 0));
    CHECK(0, guest_syscall(SYS_fcntl64, ends[0], 4 /* F_SETFL */, 04000 /* O_NONBLOCK */));
    CHECK(-EAGAIN, guest_syscall(SYS_read, ends[0], buffer, 8));
    close(ends[0]);
    close(ends[1]);
    CHECK(-ENOSYS, guest_syscall(SYS_fork));
    CHECK(-ENOSYS, guest_syscall(9999));
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)argv;
    (void)envp;
    reading();
    writing();
    escapes();
    directories();
    bounds();
    return guest_failures != 0;
}
