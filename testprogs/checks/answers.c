/* What Linux answers to calls about files, descriptors and the process, and to bad pointers: a line for each,
 * which has to be the same natively and as a guest. The argument is an empty directory that may be written.
 */
#include "guest.h"

enum {
    RDONLY,
    WRONLY,
    RDWR,
    CREAT = 0100,
    EXCL = 0200,
    TRUNC = 01000,
    APPEND = 02000,
    NONBLOCK = 04000,
    DIRECTORY = 0200000,
    NOFOLLOW = 0400000,
    CLOEXEC = 02000000
};
static char text[4096];
static u32 words[1024];

static void say(const char *what, int value)
{
    char number[24];
    guest_print(1, what);
    guest_print(1, " = ");
    guest_print(1, guest_number(number, value));
    guest_print(1, "\n");
}
#define SAY(...)          say(#__VA_ARGS__, __VA_ARGS__)
#define CALL(number, ...) say(#number " " #__VA_ARGS__, guest_syscall(number, __VA_ARGS__))

enum { BAD = 16, KERNEL = (int)0xc0001000, AT_FDCWD = -100 };

static const char name[] = "file", read_only[] = "read only memory";
static u32 iov_bad[4] = {(u32)text, 4, BAD, 4}, iov_first[4] = {BAD, 4, (u32)text, 4}, tick[4] = {0, 1, 0, 1};

static void pointers_to_data(int file, int pipe_in, int pipe_out)
{
    CALL(SYS_read, file, BAD, 4);
    CALL(SYS_read, file, KERNEL, 4);
    CALL(SYS_read, file, read_only, 4);
    CALL(SYS_read, file, BAD, 0);
    CALL(SYS_write, file, BAD, 4);
    CALL(SYS_write, file, BAD, 0);
    CALL(SYS_write, pipe_out, BAD, 4);
    CALL(SYS_read, pipe_in, BAD, 0);
    CALL(SYS_write, pipe_out, text, 8);
    CALL(SYS_read, pipe_in, BAD, 4);
    CALL(SYS_read, pipe_in, text, 100);
    CALL(SYS_writev, file, BAD, 1);
    CALL(SYS_writev, file, iov_bad, 2);
    CALL(SYS_writev, file, iov_first, 2);
    CALL(SYS_writev, file, iov_bad, 1025);
    CALL(SYS_writev, file, iov_bad, 0);
    CALL(SYS_writev, file, BAD, 0);
    CALL(SYS_readv, file, BAD, 1);
    CALL(SYS_readv, file, iov_first, 2);
    CALL(SYS_pread64, file, BAD, 4, 0, 0);
    CALL(SYS_pwrite64, file, BAD, 4, 0, 0);
    CALL(333, file, BAD, 1, 0, 0);
    CALL(333, file, iov_bad, 1, 0, 0);
    CALL(334, file, iov_bad, 1, 100, 0);
    CALL(SYS_open, BAD, 0);
    CALL(SYS_open, KERNEL, 0);
    CALL(8, BAD, 0600);
    CALL(9, BAD, name);
    CALL(9, name, BAD);
    CALL(SYS_unlink, BAD);
    CALL(SYS_chdir, BAD);
    CALL(SYS_time, BAD);
    CALL(15, BAD, 0600);
    CALL(SYS_access, BAD, 0);
    CALL(SYS_rename, BAD, name);
    CALL(SYS_rename, name, BAD);
    CALL(SYS_mkdir, BAD, 0700);
    CALL(SYS_rmdir, BAD);
    CALL(SYS_pipe, BAD);
    CALL(SYS_pipe, read_only);
    CALL(331, BAD, 0);
    CALL(331, text, 1);
}

static void pointers_to_structures(int file, int folder)
{
    CALL(SYS_sigaction, 10, BAD, 0);
    CALL(SYS_sigaction, 10, 0, BAD);
    CALL(75, 3, BAD);
    CALL(76, 3, BAD);
    CALL(191, 3, BAD);
    CALL(191, 99, text);
    CALL(340, 0, 3, 0, BAD);
    CALL(340, 0, 3, BAD, 0);
    CALL(340, 0, 99, 0, 0);
    CALL(SYS_getrusage, 0, BAD);
    CALL(SYS_getrusage, 5, text);
    CALL(SYS_getrusage, -1, text);
    CALL(SYS_getrusage, 1, text);
    CALL(SYS_gettimeofday, BAD, 0);
    CALL(SYS_gettimeofday, 0, BAD);
    CALL(SYS_gettimeofday, 0, 0);
    CALL(SYS_symlink, BAD, name);
    CALL(SYS_symlink, name, BAD);
    CALL(SYS_readlink, BAD, text, 10);
    CALL(SYS_readlink, "link", BAD, 10);
    CALL(92, BAD, 0);
    CALL(99, BAD, text);
    CALL(99, ".", BAD);
    CALL(100, file, BAD);
    CALL(268, ".", 84, BAD);
    CALL(268, ".", 80, text);
    CALL(269, file, 84, BAD);
    CALL(SYS_setitimer, 0, BAD, 0);
    CALL(SYS_setitimer, 0, 0, BAD);
    CALL(SYS_setitimer, 0, 0, 0);
    CALL(SYS_setitimer, 9, 0, 0);
    CALL(105, 0, BAD);
    CALL(105, 9, text);
    CALL(116, BAD);
    CALL(SYS_uname, BAD);
    CALL(126, 0, BAD, 0);
    CALL(126, 0, 0, BAD);
    CALL(126, 9, 0, 0);
    CALL(126, 9, text, 0);
    CALL(SYS_rt_sigprocmask, 9, 0, 0, 8);
    CALL(SYS_rt_sigprocmask, 9, text + 2048, 0, 8);
    CALL(SYS_rt_sigprocmask, 0, BAD, 0, 8);
    CALL(SYS_rt_sigprocmask, 0, 0, BAD, 8);
    CALL(SYS_rt_sigprocmask, 0, 0, 0, 4);
    CALL(SYS_rt_sigaction, 10, BAD, 0, 8);
    CALL(SYS_rt_sigaction, 10, 0, BAD, 8);
    CALL(SYS_rt_sigaction, 10, 0, 0, 4);
    CALL(SYS_rt_sigaction, 65, 0, 0, 8);
    CALL(SYS_rt_sigaction, 0, 0, 0, 8);
    CALL(SYS_rt_sigaction, 9, 0, text, 8);
    CALL(SYS_rt_sigpending, BAD, 8);
    CALL(SYS_rt_sigpending, text, 9);
    CALL(SYS_rt_sigpending, text, 0);
    CALL(73, BAD);
    CALL(73, text);
    CALL(SYS_rt_sigsuspend, BAD, 8);
    CALL(SYS_rt_sigsuspend, text, 4);
    CALL(177, BAD, 0, tick, 8);
    CALL(177, text + 2048, 0, BAD, 8);
    CALL(177, text + 2048, 0, tick, 4);
    CALL(178, guest_syscall(SYS_getpid), 10, BAD);
    CALL(SYS_sigaltstack, BAD, 0);
    CALL(SYS_sigaltstack, 0, BAD);
    CALL(SYS_sigaltstack, 0, 0);
    CALL(SYS_llseek, file, 0, 0, BAD, 0);
    CALL(SYS_getdents64, folder, BAD, 4096);
    CALL(SYS_getdents64, folder, text, 8);
    CALL(SYS_getdents64, file, text, 4096);
    CALL(SYS_getdents64, 99, text, 4096);
    CALL(142, 5, BAD, 0, 0, tick);
    CALL(142, 1, 0, 0, 0, BAD);
    CALL(142, -1, 0, 0, 0, tick);
    CALL(308, 1, 0, 0, 0, BAD, 0);
    CALL(308, 1, 0, 0, 0, tick, BAD);
}

static void pointers_to_times_and_names(int file, int pipe_in)
{
    CALL(SYS_nanosleep, BAD, 0);
    CALL(SYS_clock_nanosleep, 1, 0, BAD, 0);
    CALL(SYS_clock_nanosleep, 99, 0, tick, 0);
    CALL(SYS_clock_gettime, 0, BAD);
    CALL(SYS_clock_gettime, 99, BAD);
    CALL(266, 1, BAD);
    CALL(266, 1, 0);
    CALL(403, 1, BAD);
    CALL(SYS_poll, BAD, 1, 0);
    CALL(SYS_poll, BAD, 0, 0);
    CALL(SYS_poll, BAD, 100000, 0);
    CALL(309, 0, 0, BAD, 0, 8);
    CALL(309, 0, 0, tick, BAD, 8);
    CALL(309, 0, 0, tick, text, 4);
    CALL(SYS_getcwd, BAD, 4096);
    CALL(SYS_getcwd, text, 2);
    CALL(SYS_getcwd, text, 0);
    CALL(SYS_stat64, BAD, text);
    CALL(SYS_stat64, name, BAD);
    CALL(SYS_lstat64, name, BAD);
    CALL(SYS_fstat64, file, BAD);
    CALL(300, AT_FDCWD, name, BAD, 0);
    CALL(300, AT_FDCWD, name, text, 0x80000);
    CALL(300, AT_FDCWD, "", text, 0);
    CALL(300, AT_FDCWD, "", text, 0x1000);
    CALL(SYS_statx, AT_FDCWD, name, 0, 0x7ff, BAD);
    CALL(SYS_statx, AT_FDCWD, BAD, 0, 0x7ff, text);
    CALL(SYS_getrandom, BAD, 4, 0);
    CALL(SYS_getrandom, text, 4, 8);
    CALL(205, 0, BAD);
    CALL(205, -1, BAD);
    CALL(209, BAD, text, text);
    CALL(211, BAD, text, text);
    CALL(242, 0, 4, BAD);
    CALL(242, 0, 1, text);
    CALL(SYS_set_thread_area, BAD);
    CALL(240, BAD, 0, 0, 0);
    CALL(240, text + 2048, 0, 1, 0);
    CALL(240, text + 2048, 0, 0, BAD);
    CALL(240, text + 2049, 0, 0, tick);
    CALL(172, 15, BAD);
    CALL(172, 16, BAD);
    CALL(172, 999, 0);
    CALL(320, AT_FDCWD, BAD, 0, 0);
    CALL(320, AT_FDCWD, name, BAD, 0);
    CALL(271, name, BAD);
    CALL(30, name, BAD);
    CALL(90, BAD);
    CALL(SYS_ioctl, file, 0x5401, BAD);
    CALL(SYS_ioctl, 99, 0x5401, BAD);
    CALL(SYS_ioctl, pipe_in, 0x541b, text);
    CALL(SYS_ioctl, pipe_in, 0x541b, BAD);
    CALL(SYS_fcntl64, file, 12, BAD);
}

static void descriptors(void)
{
    int ends[2], fd;
    SAY(guest_syscall(SYS_dup, 99));
    SAY(guest_syscall(SYS_dup, -1));
    SAY(guest_syscall(SYS_dup2, 99, 5));
    SAY(guest_syscall(SYS_dup2, 1, 1));
    SAY(guest_syscall(SYS_dup2, 99, 99));
    SAY(guest_syscall(SYS_dup2, 1, -1));
    SAY(guest_syscall(SYS_dup2, 1, 1 << 20));
    SAY(guest_syscall(330, 1, 1, 0));
    SAY(guest_syscall(330, 1, 9, 1));
    SAY(guest_syscall(SYS_close, 99));
    SAY(guest_syscall(SYS_close, -1));
    SAY(guest_syscall(SYS_pipe, ends));
    SAY(ends[0]);
    SAY(ends[1]);
    SAY(guest_syscall(SYS_fcntl64, ends[0], 3));
    SAY(guest_syscall(SYS_fcntl64, ends[1], 3));
    SAY(guest_syscall(SYS_read, ends[1], text, 1));
    SAY(guest_syscall(SYS_write, ends[0], text, 1));
    SAY(guest_syscall(SYS_write, ends[1], "abc", 3));
    u32 iov[4] = {(u32)text, 3, (u32)text + 10, 3};
    SAY(guest_syscall(SYS_readv, ends[0], iov, 2)); /* does not wait for the second piece */
    SAY(guest_syscall(19, ends[0], 0, 0));
    SAY(guest_syscall(19, ends[0], 0, 99));
    SAY(guest_syscall(SYS_llseek, ends[1], 0, 0, words, 1));
    SAY(guest_syscall(SYS_pread64, ends[0], text, 1, 0, 0));
    SAY(guest_syscall(SYS_pwrite64, ends[1], text, 1, 0, 0));
    SAY(guest_syscall(SYS_ftruncate64, ends[1], 0, 0));
    SAY(guest_syscall(118, ends[1]));
    SAY(guest_syscall(148, ends[0]));
    SAY(guest_syscall(118, 99));
    SAY(guest_syscall(118, 1));
    SAY(guest_syscall(118, 0));
    SAY(guest_syscall(143, ends[0], 2));
    SAY(guest_syscall(133, ends[0]));
    SAY(guest_syscall(SYS_fcntl64, ends[0], 4, NONBLOCK));
    SAY(guest_syscall(SYS_fcntl64, ends[0], 3));
    SAY(guest_syscall(SYS_read, ends[0], text, 1));
    SAY(guest_syscall(SYS_write, ends[1], "abcdef", 6));
    SAY(guest_syscall(SYS_ioctl, ends[0], 0x541b, words));
    SAY(words[0]);
    SAY(fd = guest_syscall(SYS_dup, ends[1]));
    SAY(guest_syscall(SYS_close, ends[1]));
    SAY(guest_syscall(SYS_read, ends[0], text, 4));
    SAY(guest_syscall(SYS_read, ends[0], text, 4));
    SAY(guest_syscall(SYS_read, ends[0], text, 4));
    SAY(guest_syscall(SYS_close, fd));
    SAY(guest_syscall(SYS_read, ends[0], text, 4));
    SAY(guest_syscall(SYS_close, ends[0]));
    SAY(guest_syscall(331, ends, NONBLOCK | CLOEXEC));
    SAY(guest_syscall(SYS_fcntl64, ends[0], 1));
    SAY(guest_syscall(SYS_fcntl64, ends[1], 2, 0));
    SAY(guest_syscall(SYS_fcntl64, ends[1], 1));
    int done, sum = 0;
    while ((done = guest_syscall(SYS_write, ends[1], text, 4096)) > 0)
        sum += done;
    SAY(done);
    SAY(sum);
    SAY(guest_syscall(SYS_write, ends[1], text, 1));
    SAY(guest_syscall(SYS_read, ends[0], text, 4096));
    SAY(guest_syscall(SYS_write, ends[1], text, 4096));
    SAY(guest_syscall(SYS_close, ends[0]));
    u32 ignore[5] = {1, 0, 0, 0, 0}, old[5];
    SAY(guest_syscall(SYS_rt_sigaction, 13, ignore, old, 8));
    SAY(guest_syscall(SYS_write, ends[1], text, 1));
    SAY(guest_syscall(SYS_write, ends[1], text, 0));
    SAY(guest_syscall(SYS_close, ends[1]));
    SAY(guest_syscall(SYS_fcntl64, 1, 0, -1));
    SAY(guest_syscall(SYS_fcntl64, 1, 0, 1 << 20));
    SAY(guest_syscall(SYS_fcntl64, 1, 99, 0));
    SAY(guest_syscall(SYS_fcntl64, 99, 3));
    SAY(fd = guest_syscall(SYS_fcntl64, 1, 0, 77));
    SAY(guest_syscall(SYS_close, fd));
    SAY(fd = guest_syscall(SYS_fcntl64, 1, 1030, 33));
    SAY(guest_syscall(SYS_fcntl64, fd, 1));
    SAY(guest_syscall(SYS_close, fd));
}

static void symbolic_links(int fd, int other)
{
    SAY(guest_syscall(SYS_symlink, "b", "link"));
    SAY(guest_syscall(SYS_symlink, "b", "link"));
    SAY(guest_syscall(SYS_symlink, "loop", "loop"));
    SAY(guest_syscall(SYS_symlink, "none", "dangling"));
    SAY(guest_syscall(SYS_open, "loop", RDONLY));
    SAY(guest_syscall(SYS_stat64, "loop", words));
    SAY(guest_syscall(SYS_access, "dangling", 0));
    SAY(guest_syscall(SYS_open, "link", RDONLY | NOFOLLOW));
    SAY(guest_syscall(SYS_open, "dangling", RDWR | CREAT | EXCL, 0600));
    SAY(guest_syscall(SYS_readlink, "link", text, 0));
    SAY(guest_syscall(SYS_readlink, "link", text, -1));
    SAY(guest_syscall(SYS_readlink, "link", text, 1));
    SAY(guest_syscall(SYS_readlink, "link", text, 100));
    SAY(guest_syscall(SYS_readlink, "b", text, 100));
    SAY(guest_syscall(SYS_readlink, ".", text, 100));
    SAY(guest_syscall(SYS_readlink, "none", text, 100));
    SAY(guest_syscall(SYS_readlink, "", text, 100));
    SAY(guest_syscall(SYS_readlink, "link/", text, 100));
    SAY(guest_syscall(SYS_readlink, "/proc/self/exe", text, 0));
    SAY(guest_syscall(SYS_readlink, "/proc/self/fd/99", text, 100));
    SAY(guest_syscall(SYS_readlink, "/proc/self/fd/1", text, 0));
    SAY(guest_syscall(SYS_readlink, "/proc/self/fd/1", text, 3));
    SAY(guest_syscall(SYS_readlink, "/proc/self/fd/1", BAD, 3));
    SAY(guest_syscall(SYS_readlink, "/proc/self/maps", text, 3));
    SAY(guest_syscall(SYS_readlink, "/dev/null", text, 3));
    SAY(guest_syscall(SYS_lstat64, "link", words));
    SAY(words[11]);
    SAY(guest_syscall(SYS_chdir, "b"));
    SAY(guest_syscall(SYS_chdir, "none"));
    SAY(guest_syscall(SYS_chdir, ""));
    SAY(guest_syscall(133, fd));
    SAY(guest_syscall(133, 99));
    SAY(guest_syscall(SYS_unlink, "link"));
    SAY(guest_syscall(SYS_unlink, "loop"));
    SAY(guest_syscall(SYS_unlink, "dangling"));
    SAY(guest_syscall(SYS_unlink, "hard"));
    SAY(guest_syscall(SYS_close, fd));
    SAY(guest_syscall(SYS_close, other));
}

/* Renames the files `fd`, which is a, and `other`, which is b. */
static void renames(int fd, int other)
{
    SAY(guest_syscall(SYS_rename, "a", "b"));
    SAY(guest_syscall(SYS_open, "a", RDONLY));
    SAY(guest_syscall(SYS_stat64, "b", words));
    SAY(words[11]);
    SAY(words[5]);
    SAY(guest_syscall(SYS_fstat64, other, words));
    SAY(words[5]); /* its links */
    SAY(words[11]);
    SAY(guest_syscall(SYS_pread64, other, text, 10, 0, 0));
    SAY(guest_syscall(SYS_rename, "b", "b"));
    SAY(guest_syscall(SYS_rename, "b", "dir"));
    SAY(guest_syscall(SYS_rename, "dir", "b"));
    SAY(guest_syscall(SYS_rename, "dir", "dir/sub/x"));
    SAY(guest_syscall(SYS_rename, "dir/sub", "dir"));
    SAY(guest_syscall(SYS_rename, "none", "b"));
    SAY(guest_syscall(SYS_rename, "b", "none/b"));
    SAY(guest_syscall(SYS_rename, "b", "c/"));
    SAY(guest_syscall(SYS_rename, "b/", "c"));
    SAY(guest_syscall(SYS_rename, ".", "c"));
    SAY(guest_syscall(SYS_rename, "b", ""));
    SAY(guest_syscall(SYS_rename, "dir/", "folder/"));
    SAY(guest_syscall(SYS_rename, "folder", "dir"));
    SAY(guest_syscall(353, AT_FDCWD, "b", AT_FDCWD, "dir", 1));
    SAY(guest_syscall(353, AT_FDCWD, "b", AT_FDCWD, "c", 1));
    SAY(guest_syscall(353, AT_FDCWD, "c", AT_FDCWD, "b", 0));
    SAY(guest_syscall(353, AT_FDCWD, "b", AT_FDCWD, "dir", 8));
    SAY(guest_syscall(9, "b", "hard"));
    SAY(guest_syscall(9, "b", "hard"));
    SAY(guest_syscall(9, "dir", "hard2"));
    SAY(guest_syscall(9, "none", "hard2"));
    SAY(guest_syscall(SYS_fstat64, fd, words));
    SAY(words[5]);
    SAY(guest_syscall(SYS_rename, "b", "hard"));
    SAY(guest_syscall(SYS_access, "b", 0));
}

static void names(void)
{
    int fd, other;
    static char longest[300], path[5000];
    for (u32 i = 0; i < 299; i++)
        longest[i] = 'n';
    for (u32 i = 0; i < 4999; i++)
        path[i] = i % 2 ? '/' : '.';
    SAY(fd = guest_syscall(SYS_open, "a", RDWR | CREAT | EXCL, 0666));
    SAY(guest_syscall(SYS_open, "a", RDWR | CREAT | EXCL, 0666));
    SAY(guest_syscall(SYS_open, "a/b", RDONLY));
    SAY(guest_syscall(SYS_open, "a/", RDONLY));
    SAY(guest_syscall(SYS_open, "none/", RDWR | CREAT, 0666));
    SAY(guest_syscall(SYS_open, "none/a", RDWR | CREAT, 0666));
    SAY(guest_syscall(SYS_open, "", RDONLY));
    SAY(guest_syscall(SYS_open, ".", WRONLY));
    SAY(guest_syscall(SYS_open, ".", RDONLY | CREAT, 0666));
    SAY(guest_syscall(SYS_open, "a", RDONLY | DIRECTORY));
    SAY(guest_syscall(SYS_open, longest, RDONLY));
    SAY(guest_syscall(SYS_open, longest, RDWR | CREAT, 0600));
    SAY(guest_syscall(SYS_open, path, RDONLY));
    SAY(guest_syscall(SYS_stat64, "a/", words));
    SAY(guest_syscall(SYS_stat64, "a/.", words));
    SAY(guest_syscall(SYS_stat64, "", words));
    SAY(guest_syscall(SYS_stat64, longest, words));
    SAY(guest_syscall(SYS_stat64, "a", words));
    SAY(words[4] & 07777);
    SAY(guest_syscall(60, 077));
    SAY(guest_syscall(60, 027));
    SAY(other = guest_syscall(SYS_open, "b", RDWR | CREAT, 0666));
    SAY(guest_syscall(SYS_fstat64, other, words));
    SAY(words[4]);
    SAY(guest_syscall(SYS_mkdir, "dir", 0777));
    SAY(guest_syscall(SYS_stat64, "dir", words));
    SAY(words[4]);
    SAY(guest_syscall(60, 022));
    SAY(guest_syscall(SYS_mkdir, "dir", 0777));
    SAY(guest_syscall(SYS_mkdir, "dir/", 0777));
    SAY(guest_syscall(SYS_mkdir, "dir/sub/", 0777));
    SAY(guest_syscall(SYS_mkdir, "a", 0777));
    SAY(guest_syscall(SYS_mkdir, "a/x", 0777));
    SAY(guest_syscall(SYS_mkdir, "", 0777));
    SAY(guest_syscall(SYS_mkdir, ".", 0777));
    SAY(guest_syscall(SYS_mkdir, "..", 0777));
    SAY(guest_syscall(SYS_mkdir, longest, 0777));
    SAY(guest_syscall(SYS_rmdir, "dir"));
    SAY(guest_syscall(SYS_rmdir, "dir/sub/."));
    SAY(guest_syscall(SYS_rmdir, "dir/sub/.."));
    SAY(guest_syscall(SYS_rmdir, "a"));
    SAY(guest_syscall(SYS_rmdir, "none"));
    SAY(guest_syscall(SYS_rmdir, ""));
    SAY(guest_syscall(SYS_unlink, "dir"));
    SAY(guest_syscall(SYS_unlink, "dir/"));
    SAY(guest_syscall(SYS_unlink, "a/"));
    SAY(guest_syscall(SYS_unlink, "none"));
    SAY(guest_syscall(SYS_unlink, ""));
    SAY(guest_syscall(SYS_unlink, "."));
    SAY(guest_syscall(301, AT_FDCWD, "a", 0x200));
    SAY(guest_syscall(301, AT_FDCWD, "a", 1));
    SAY(guest_syscall(SYS_write, fd, "0123456789", 10));
    SAY(guest_syscall(SYS_write, other, "abc", 3));
    renames(fd, other);
    symbolic_links(fd, other);
}

static void rights(void)
{
    int fd;
    SAY(fd = guest_syscall(SYS_open, "r", RDWR | CREAT, 0644));
    SAY(guest_syscall(SYS_access, "r", 0));
    SAY(guest_syscall(SYS_access, "r", 4));
    SAY(guest_syscall(SYS_access, "r", 1));
    SAY(guest_syscall(SYS_access, "r", 8));
    SAY(guest_syscall(SYS_access, ".", 7));
    SAY(guest_syscall(SYS_access, "r/x", 0));
    SAY(guest_syscall(SYS_access, "", 0));
    SAY(guest_syscall(15, "r", 0755));
    SAY(guest_syscall(SYS_access, "r", 1));
    SAY(guest_syscall(94, fd, 0640));
    SAY(guest_syscall(SYS_fstat64, fd, words));
    SAY(words[4]);
    SAY(guest_syscall(15, "none", 0755));
    SAY(guest_syscall(94, 99, 0755));
    SAY(guest_syscall(SYS_close, fd));
    SAY(guest_syscall(SYS_unlink, "r"));
}

static void sizes(void)
{
    int fd, reader;
    u32 iov[6] = {(u32)text, 3, 0, 0, (u32)text + 100, 5};
    SAY(fd = guest_syscall(SYS_open, "size", RDWR | CREAT, 0644));
    SAY(reader = guest_syscall(SYS_open, "size", RDONLY));
    SAY(guest_syscall(SYS_write, fd, "0123456789", 10));
    SAY(guest_syscall(19, fd, 0, 1));
    SAY(guest_syscall(19, fd, -1, 0));
    SAY(guest_syscall(19, fd, -11, 1));
    SAY(guest_syscall(19, fd, -11, 2));
    SAY(guest_syscall(19, fd, -3, 2));
    SAY(guest_syscall(19, fd, 0, 5));
    SAY(guest_syscall(19, fd, 0, 9));
    SAY(guest_syscall(19, fd, 0, 3));
    SAY(guest_syscall(19, fd, 4, 3));
    SAY(guest_syscall(19, fd, 4, 4));
    SAY(guest_syscall(19, fd, 10, 3));
    SAY(guest_syscall(19, 99, 0, 0));
    SAY(guest_syscall(SYS_llseek, fd, 1, 0, words, 0));
    SAY(words[1]);
    SAY(guest_syscall(SYS_read, fd, text, 5));
    SAY(guest_syscall(SYS_llseek, fd, -1, -1, words, 0));
    SAY(guest_syscall(19, fd, 100, 0));
    SAY(guest_syscall(SYS_read, fd, text, 5));
    SAY(guest_syscall(SYS_write, fd, "x", 1));
    SAY(guest_syscall(SYS_fstat64, fd, words));
    SAY(words[11]);
    SAY(guest_syscall(SYS_pread64, fd, text, 3, 50, 0));
    SAY(text[0] | text[1] | text[2]);
    SAY(guest_syscall(SYS_pread64, fd, text, 3, 0, -1));
    SAY(guest_syscall(SYS_pwrite64, fd, text, 3, 0, -1));
    SAY(guest_syscall(SYS_pread64, 99, text, 3, 0, 0));
    SAY(guest_syscall(SYS_ftruncate64, fd, 5, 0));
    SAY(guest_syscall(SYS_ftruncate64, fd, 0, -1));
    SAY(guest_syscall(SYS_ftruncate64, reader, 5, 0));
    SAY(guest_syscall(SYS_ftruncate64, 99, 5, 0));
    SAY(guest_syscall(93, fd, -1));
    SAY(guest_syscall(92, "size", -1));
    SAY(guest_syscall(92, "none", 5));
    SAY(guest_syscall(92, ".", 5));
    SAY(guest_syscall(193, "size", 7, 0));
    SAY(guest_syscall(SYS_fstat64, fd, words));
    SAY(words[11]);
    SAY(guest_syscall(SYS_write, reader, "x", 1));
    SAY(guest_syscall(SYS_read, guest_syscall(SYS_open, "size", WRONLY), text, 1));
    SAY(guest_syscall(19, fd, 0, 0));
    SAY(guest_syscall(SYS_writev, fd, iov, 3));
    SAY(guest_syscall(19, fd, 0, 0));
    SAY(guest_syscall(SYS_readv, fd, iov, 3));
    SAY(guest_syscall(SYS_readv, fd, iov, -1));
    SAY(guest_syscall(SYS_readv, fd, iov, 0));
    iov[1] = 0x80000000u;
    SAY(guest_syscall(SYS_readv, fd, iov, 3));
    SAY(guest_syscall(SYS_read, fd, text, 0x7fffffff));
    SAY(guest_syscall(SYS_write, 99, text, 1));
    SAY(guest_syscall(SYS_fcntl64, fd, 4, APPEND));
    SAY(guest_syscall(19, fd, 0, 0));
    SAY(guest_syscall(SYS_write, fd, "tail", 4));
    SAY(guest_syscall(19, fd, 0, 1));
    SAY(guest_syscall(118, fd));
    SAY(guest_syscall(324, fd, 0, 0, 0, 0, 0));
    SAY(guest_syscall(324, reader, 0, 0, 0, 5, 0));
    SAY(guest_syscall(324, fd, 0, -1, -1, 5, 0));
    SAY(guest_syscall(SYS_close, fd));
    SAY(guest_syscall(SYS_close, reader));
    SAY(guest_syscall(SYS_unlink, "size"));
}

static void folder(void)
{
    int fd, got;
    static const char *const made[] = {"f1", "f2", "f3", "f4"};
    SAY(guest_syscall(SYS_mkdir, "many", 0755));
    SAY(guest_syscall(SYS_chdir, "many"));
    for (u32 i = 0; i < 4; i++)
        guest_syscall(SYS_close, guest_syscall(SYS_open, made[i], RDWR | CREAT, 0600));
    SAY(fd = guest_syscall(SYS_open, ".", RDONLY | DIRECTORY));
    u32 entries = 0;
    while ((got = guest_syscall(SYS_getdents64, fd, text, 60)) > 0)
        for (char *at = text; at < text + got; at += *(u16 *)(at + 16))
            entries++;
    SAY(got);
    SAY((int)entries);
    SAY(guest_syscall(SYS_getdents64, fd, text, 4096));
    SAY(guest_syscall(19, fd, 0, 0));
    const int page = guest_syscall(SYS_mmap2, 0, 8192, 3, 0x22, -1, 0);
    SAY(guest_syscall(SYS_munmap, page + 4096, 4096));
    SAY(guest_syscall(SYS_getdents64, fd, page + 4096 - 24, 4096)); /* one entry fits before the fault */
    for (entries = 0; (got = guest_syscall(SYS_getdents64, fd, text, 4096)) > 0; entries += (u32)got / 24)
        ;
    SAY((int)entries);
    SAY(guest_syscall(19, fd, 0, 0));
    SAY(guest_syscall(SYS_getdents64, fd, text, 4096));
    SAY(guest_syscall(SYS_getdents64, fd, text, 4096));
    SAY(guest_syscall(SYS_getdents64, fd, text, 0));
    SAY(guest_syscall(19, fd, 0, 0));
    SAY(guest_syscall(SYS_getdents64, fd, text, 0));
    SAY(guest_syscall(SYS_read, fd, text, 10));
    SAY(guest_syscall(SYS_write, fd, text, 10));
    SAY(guest_syscall(SYS_ftruncate64, fd, 0, 0));
    SAY(guest_syscall(118, fd));
    for (u32 i = 0; i < 4; i++)
        guest_syscall(SYS_unlink, made[i]);
    SAY(guest_syscall(SYS_chdir, ".."));
    SAY(guest_syscall(SYS_rmdir, "many"));
    SAY(guest_syscall(SYS_getdents64, fd, text, 4096));
    SAY(guest_syscall(SYS_openat, fd, "x", RDWR | CREAT, 0600));
    SAY(guest_syscall(SYS_openat, 99, "x", RDONLY));
    SAY(guest_syscall(SYS_openat, 1, "x", RDONLY));
    SAY(guest_syscall(SYS_close, fd));
}

static void links(void)
{
    int fd;
    SAY(fd = guest_syscall(SYS_open, "f", RDWR | CREAT, 0600));
    SAY(guest_syscall(15, "none", 0755));
    SAY(guest_syscall(271, ".", 0));
    SAY(guest_syscall(320, AT_FDCWD, ".", 0, 0));
    SAY(guest_syscall(320, AT_FDCWD, "f", 0, 0x9999));
    SAY(guest_syscall(SYS_lstat64, "f/", words));
    SAY(guest_syscall(SYS_open, "f/../f", RDONLY));
    SAY(guest_syscall(9, "f", "g"));
    SAY(guest_syscall(9, "f", "g/"));
    SAY(guest_syscall(9, "f/", "h"));
    SAY(guest_syscall(9, "f", "none/g"));
    SAY(guest_syscall(SYS_symlink, "f", "s"));
    SAY(guest_syscall(9, "s", "hard"));
    SAY(guest_syscall(SYS_lstat64, "hard", words));
    SAY(words[4] & 0170000);
    SAY(guest_syscall(303, AT_FDCWD, "s", AT_FDCWD, "hard2", 0x400));
    SAY(guest_syscall(SYS_lstat64, "hard2", words));
    SAY(words[4] & 0170000);
    SAY(guest_syscall(303, AT_FDCWD, "s", AT_FDCWD, "hard3", 0x7000));
    SAY(guest_syscall(SYS_symlink, "x", "f"));
    SAY(guest_syscall(SYS_symlink, "x", "none/s"));
    SAY(guest_syscall(SYS_symlink, "x", "s2/"));
    SAY(guest_syscall(SYS_symlink, "", "s2"));
    SAY(guest_syscall(SYS_rmdir, "s"));
    SAY(guest_syscall(SYS_unlink, "s/"));
    SAY(guest_syscall(SYS_symlink, "dd", "dangling"));
    SAY(guest_syscall(SYS_mkdir, "dangling/", 0700));
    SAY(guest_syscall(SYS_rmdir, "dd"));
    SAY(guest_syscall(SYS_unlink, "dangling"));
    SAY(guest_syscall(SYS_mkdir, "dd", 0700));
    SAY(guest_syscall(SYS_symlink, "dd", "ds"));
    SAY(guest_syscall(SYS_rmdir, "ds"));
    SAY(guest_syscall(SYS_open, "ds", DIRECTORY | NOFOLLOW));
    SAY(guest_syscall(SYS_open, "dd", RDWR));
    SAY(guest_syscall(SYS_open, "dd", RDONLY | TRUNC));
    SAY(guest_syscall(SYS_unlink, "ds"));
    SAY(guest_syscall(SYS_rmdir, "dd"));
    SAY(guest_syscall(SYS_open, "/dev/null", DIRECTORY));
    SAY(guest_syscall(SYS_open, "/dev/null", RDWR | CREAT | EXCL, 0600));
    SAY(guest_syscall(SYS_access, "/dev/null", 1));
    SAY(guest_syscall(SYS_access, "/dev/null", 6));
    SAY(guest_syscall(SYS_stat64, "/dev/null", words));
    SAY(words[8]);
    SAY(guest_syscall(SYS_unlink, "f"));
    SAY(guest_syscall(SYS_unlink, "g"));
    SAY(guest_syscall(SYS_unlink, "s"));
    SAY(guest_syscall(SYS_unlink, "hard"));
    SAY(guest_syscall(SYS_unlink, "hard2"));
    SAY(guest_syscall(SYS_close, fd));
}

/* A bad pointer does not matter where there is nothing to read. */
static void ends_of_files(void)
{
    int fd, ends[2];
    u32 bad[2] = {BAD, 4};
    SAY(fd = guest_syscall(SYS_open, "end", RDWR | CREAT | TRUNC, 0600));
    SAY(guest_syscall(SYS_read, fd, BAD, 4));
    SAY(guest_syscall(SYS_write, fd, "abc", 3));
    SAY(guest_syscall(SYS_read, fd, BAD, 4));
    SAY(guest_syscall(SYS_readv, fd, bad, 1));
    SAY(guest_syscall(SYS_pread64, fd, BAD, 4, 3, 0));
    SAY(guest_syscall(SYS_pread64, fd, BAD, 4, 2, 0));
    SAY(guest_syscall(SYS_pread64, fd, BAD, 4, 99, 0));
    SAY(guest_syscall(19, fd, 1, 0));
    SAY(guest_syscall(SYS_read, fd, BAD, 4));
    SAY(guest_syscall(SYS_read, fd, text, 4));
    SAY(guest_syscall(SYS_close, fd));
    SAY(guest_syscall(SYS_unlink, "end"));
    SAY(guest_syscall(331, ends, NONBLOCK));
    SAY(guest_syscall(SYS_read, ends[0], BAD, 4));
    SAY(guest_syscall(SYS_write, ends[1], "abc", 3));
    SAY(guest_syscall(SYS_read, ends[0], BAD, 4));
    SAY(guest_syscall(SYS_read, ends[0], text, 4));
    SAY(guest_syscall(SYS_close, ends[1]));
    SAY(guest_syscall(SYS_read, ends[0], BAD, 4));
    SAY(guest_syscall(SYS_close, ends[0]));
}

static void removed_folder(void)
{
    int fd;
    SAY(fd = guest_syscall(SYS_open, ".", DIRECTORY));
    SAY(guest_syscall(SYS_mkdir, "gone", 0700));
    SAY(guest_syscall(SYS_chdir, "gone"));
    SAY(guest_syscall(SYS_getcwd, text, 4096) > 0);
    SAY(guest_syscall(SYS_rmdir, "../gone"));
    SAY(guest_syscall(SYS_getcwd, text, 4096));
    SAY(guest_syscall(SYS_getcwd, text, 1));
    SAY(guest_syscall(SYS_open, "x", RDWR | CREAT, 0600));
    SAY(guest_syscall(SYS_mkdir, "x", 0700));
    SAY(guest_syscall(133, fd));
    SAY(guest_syscall(SYS_getcwd, text, 4096) > 0);
    SAY(guest_syscall(SYS_close, fd));
}

static void priorities(void)
{
    enum { NICE = 34, GETPRIORITY = 96, SETPRIORITY };
    SAY(guest_syscall(GETPRIORITY, 0, 0) > 0); /* natively it may be that of `nice` */
    SAY(guest_syscall(GETPRIORITY, 0, guest_syscall(SYS_getpid)) > 0);
    SAY(guest_syscall(GETPRIORITY, 0, 1 << 30));
    SAY(guest_syscall(GETPRIORITY, 1, 1 << 30));
    SAY(guest_syscall(GETPRIORITY, 2, 1 << 30));
    SAY(guest_syscall(GETPRIORITY, 3, 0));
    SAY(guest_syscall(SETPRIORITY, 3, 0, 0));
    SAY(guest_syscall(SETPRIORITY, 0, 1 << 30, 0));
    SAY(guest_syscall(SETPRIORITY, 0, 0, 15));
    SAY(guest_syscall(GETPRIORITY, 0, 0));
    SAY(guest_syscall(NICE, 2));
    SAY(guest_syscall(GETPRIORITY, 0, 0));
    SAY(guest_syscall(NICE, 0));
    SAY(guest_syscall(SETPRIORITY, 0, 0, 17));
    SAY(guest_syscall(SETPRIORITY, 0, 0, 1000));
    SAY(guest_syscall(GETPRIORITY, 0, 0));
    SAY(guest_syscall(NICE, 1));
    SAY(guest_syscall(GETPRIORITY, 0, 0));
}

static void process(void)
{
    SAY(guest_syscall(SYS_kill, 1 << 21, 0));
    SAY(guest_syscall(SYS_kill, guest_syscall(SYS_getpid), 65));
    SAY(guest_syscall(SYS_kill, guest_syscall(SYS_getpid), -1));
    SAY(guest_syscall(SYS_tgkill, guest_syscall(SYS_getpid), 0, 10));
    SAY(guest_syscall(SYS_tgkill, 0, 0, 10));
    SAY(guest_syscall(238, 0, 10));
    SAY(guest_syscall(238, -1, 10));
    SAY(guest_syscall(7, -1, 0, 0));
    SAY(guest_syscall(114, -1, 0, 1, 0));
    SAY(guest_syscall(284, 0, 0, text, 4, 0));
    SAY(guest_syscall(7, -1, 0, 0x1000));
    SAY(guest_syscall(SYS_brk, 0) != 0);
    SAY(guest_syscall(SYS_mprotect, 1, 1, 1));
    SAY(guest_syscall(SYS_mprotect, 0x10000, 4096, 1));
    SAY(guest_syscall(SYS_munmap, 1, 4096));
    SAY(guest_syscall(SYS_munmap, 0x10000, 0));
    SAY(guest_syscall(SYS_mmap2, 0, 0, 3, 0x22, -1, 0));
    SAY(guest_syscall(SYS_mmap2, 0, 4096, 3, 0x20, -1, 0));
    SAY(guest_syscall(SYS_mmap2, 0, 4096, 3, 2, 99, 0));
    SAY(guest_syscall(SYS_mmap2, 1, 4096, 3, 0x32, -1, 0));
    SAY(guest_syscall(SYS_mremap, 1, 4096, 8192, 1));
    SAY(guest_syscall(SYS_madvise, 1, 4096, 4));
    SAY(guest_syscall(SYS_madvise, 0x10000, 4096, 4));
    SAY(guest_syscall(SYS_madvise, (u32)text & ~4095u, 4096, 9999));
    SAY(guest_syscall(SYS_getrusage, 0, words));
    SAY(guest_syscall(116, words));
    SAY((int)(words[4] != 0));
    SAY((int)words[15] >= 1);
    u32 now[2] = {1, 1};
    SAY(guest_syscall(SYS_nanosleep, now + 0, 0) * 0);
    u32 wrong[2] = {(u32)-1, 0}, large[2] = {0, 1000000000};
    SAY(guest_syscall(SYS_nanosleep, wrong, 0));
    SAY(guest_syscall(SYS_nanosleep, large, 0));
    SAY(guest_syscall(SYS_clock_nanosleep, 2, 0, large, 0));
    SAY(guest_syscall(SYS_clock_nanosleep, 3, 0, wrong, 0));
    SAY(guest_syscall(SYS_clock_nanosleep, 77, 0, wrong, 0));
    SAY(guest_syscall(142, 0, 0, 0, 0, wrong));
    u32 micro[2] = {0, 1000000};
    SAY(guest_syscall(142, 0, 0, 0, 0, micro));
    SAY(guest_syscall(308, 0, 0, 0, 0, large, 0));
    SAY(guest_syscall(309, 0, 0, large, 0, 8));
    u32 timer[4] = {0, 1000000, 0, 0};
    SAY(guest_syscall(SYS_setitimer, 0, timer, 0));
    timer[1] = 0, timer[2] = (u32)-1;
    SAY(guest_syscall(SYS_setitimer, 0, timer, 0));
    SAY(guest_syscall(SYS_alarm, 0));
    timer[2] = 9, timer[3] = 400000; /* 9.4 s, of which alarm returns whole seconds */
    SAY(guest_syscall(SYS_setitimer, 0, timer, 0));
    SAY(guest_syscall(SYS_alarm, 0));
    timer[3] = 900000;
    SAY(guest_syscall(SYS_setitimer, 0, timer, 0));
    SAY(guest_syscall(SYS_alarm, 0));
    SAY(guest_syscall(SYS_rt_sigaction, 9, now, 0, 8));
    SAY(guest_syscall(SYS_rt_sigaction, 19, now, 0, 8));
    SAY(guest_syscall(48, 9, 1));
    SAY(guest_syscall(48, 99, 1));
    SAY(guest_syscall(73, words));
    SAY(guest_syscall(158));
    SAY(guest_syscall(205, 0, 0) >= 0);
    SAY(guest_syscall(209, words, words + 1, words + 2));
    SAY((int)words[0] == guest_syscall(199));
    SAY(guest_syscall(211, words, words + 1, words + 2));
    SAY(guest_syscall(157, 0));
    SAY(guest_syscall(57, 0, 0));
    SAY(guest_syscall(203, -1, -1));
    SAY(guest_syscall(213, guest_syscall(199)));
    SAY(guest_syscall(214, guest_syscall(200)));
    SAY(guest_syscall(9999));
}

/* Calls of old programs, and the files of /proc by stat and access. */
static void old_calls(void)
{
    enum {
        GETDENTS = 141,
        OLD_STAT = 106,
        OLD_LSTAT,
        OLD_FSTAT,
        FACCESSAT2 = 439,
        FIONCLEX = 0x5450,
        FIOCLEX,
        GETFD = 1
    };
    static u32 old[16];
    int fd;
    SAY(fd = guest_syscall(SYS_open, "old", RDWR | CREAT, 0640));
    SAY(guest_syscall(SYS_write, fd, "abcde", 5));
    SAY(guest_syscall(SYS_symlink, "none", "dangles"));
    SAY(guest_syscall(OLD_STAT, "old", old));
    SAY(guest_syscall(SYS_stat64, "old", words));
    SAY(old[1] == words[3] && (old[3] & 0xffff) == words[6] && old[3] >> 16 == words[7]);
    SAY(old[10] == words[18] && old[11] == words[19]);
    SAY(old[2]);
    SAY(old[5]);
    SAY(guest_syscall(OLD_LSTAT, "dangles", old));
    SAY(old[2]);
    SAY(old[5]);
    SAY(guest_syscall(OLD_FSTAT, fd, old));
    SAY(old[5]);
    SAY(guest_syscall(OLD_FSTAT, 99, old));
    SAY(guest_syscall(OLD_STAT, "dangles", old));
    SAY(guest_syscall(OLD_STAT, "old", BAD));
    SAY(guest_syscall(SYS_ioctl, fd, FIOCLEX));
    SAY(guest_syscall(SYS_fcntl64, fd, GETFD));
    SAY(guest_syscall(SYS_ioctl, fd, FIONCLEX));
    SAY(guest_syscall(SYS_fcntl64, fd, GETFD));
    SAY(guest_syscall(SYS_ioctl, 99, FIOCLEX));
    SAY(guest_syscall(FACCESSAT2, AT_FDCWD, "dangles", 0, 0));
    SAY(guest_syscall(FACCESSAT2, AT_FDCWD, "dangles", 4, 0x100));
    SAY(guest_syscall(FACCESSAT2, AT_FDCWD, "old", 4, 0x200));
    SAY(guest_syscall(FACCESSAT2, AT_FDCWD, "old", 4, 0x8000));
    SAY(guest_syscall(FACCESSAT2, fd, "", 4, 0x1000));
    SAY(guest_syscall(FACCESSAT2, 99, "", 4, 0x1000));
    SAY(guest_syscall(SYS_statx, AT_FDCWD, "old", 0x6000, 0x7ff, words));
    SAY(guest_syscall(SYS_statx, AT_FDCWD, "old", 0, 0x80000000u, words));
    SAY(guest_syscall(SYS_mprotect, (u32)words & ~4095u, 4096, 0x103));
    SAY(guest_syscall(SYS_mprotect, (u32)words & ~4095u, 4096, 8 | 3));
    SAY(guest_syscall(SYS_close, fd));
    SAY(guest_syscall(SYS_mkdir, "listed", 0755));
    SAY(guest_syscall(SYS_close, guest_syscall(SYS_open, "listed/three", RDWR | CREAT, 0600)));
    SAY(fd = guest_syscall(SYS_open, "listed", RDONLY));
    SAY(guest_syscall(GETDENTS, fd, text, 10));
    int size = 0, got;
    while ((got = guest_syscall(GETDENTS, fd, text + size, 20)) > 0)
        size += got;
    SAY(got);
    SAY(size);
    for (u32 at = 0; at < (u32)size; at += *(const u16 *)(text + at + 8))
        if (guest_same("three", text + at + 10))
            SAY(text[at + *(const u16 *)(text + at + 8) - 1]);
    SAY(guest_syscall(SYS_close, fd));
    SAY(guest_syscall(SYS_unlink, "listed/three"));
    SAY(guest_syscall(SYS_rmdir, "listed"));
    SAY(guest_syscall(SYS_unlink, "old"));
    SAY(guest_syscall(SYS_unlink, "dangles"));
    SAY(guest_syscall(SYS_access, "/proc/self/exe", 5));
    SAY(guest_syscall(SYS_access, "/proc/self/maps", 4));
    SAY(guest_syscall(SYS_access, "/proc/self/maps", 1));
    SAY(guest_syscall(SYS_stat64, "/proc/self/exe", words));
    SAY(words[4] & 0170000);
    SAY(guest_syscall(SYS_lstat64, "/proc/self/exe", words));
    SAY(words[4]);
    SAY(guest_syscall(SYS_stat64, "/proc/self/maps", words));
    SAY(words[4]);
}

int guest_main(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)envp;
    int ends[2];
    if (guest_syscall(SYS_chdir, argv[1]) != 0)
        return 2;
    for (u32 fd = 3; fd < 40; fd++)
        guest_syscall(SYS_close, fd);
    int file = guest_syscall(SYS_open, "file", RDWR | CREAT, 0600);
    guest_syscall(SYS_write, file, "0123456789abcdef", 16);
    guest_syscall(19, file, 0, 0);
    guest_syscall(SYS_symlink, "file", "link");
    int folder_ = guest_syscall(SYS_open, ".", RDONLY);
    guest_syscall(SYS_pipe, ends);
    guest_syscall(SYS_fcntl64, ends[0], 4, NONBLOCK);
    pointers_to_data(file, ends[0], ends[1]);
    pointers_to_structures(file, folder_);
    pointers_to_times_and_names(file, ends[0]);
    guest_syscall(SYS_close, ends[0]);
    guest_syscall(SYS_close, ends[1]);
    guest_syscall(SYS_close, file);
    guest_syscall(SYS_close, folder_);
    guest_syscall(SYS_unlink, "file");
    guest_syscall(SYS_unlink, "link");
    descriptors();
    names();
    rights();
    sizes();
    folder();
    links();
    ends_of_files();
    removed_folder();
    priorities();
    process();
    old_calls();
    return 0;
}
