/* What the self-checking Linux guests share: system calls without a C library, output, checks. A guest's exit
 * status is 0 if every check held, else 1; each failed check is a line on stderr with file, line, what was
 * expected and what came. */
#ifndef GUEST_H
#define GUEST_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

int guest_syscall(int number, ...); /* up to six arguments; result or -errno */
int guest_main(int argc, char **argv, char **envp);

enum {
    SYS_exit = 1,
    SYS_fork = 2,
    SYS_read = 3,
    SYS_write = 4,
    SYS_open = 5,
    SYS_close = 6,
    SYS_unlink = 10,
    SYS_time = 13,
    SYS_getpid = 20,
    SYS_alarm = 27,
    SYS_pause = 29,
    SYS_access = 33,
    SYS_kill = 37,
    SYS_rename = 38,
    SYS_mkdir = 39,
    SYS_rmdir = 40,
    SYS_dup = 41,
    SYS_pipe = 42,
    SYS_times = 43,
    SYS_brk = 45,
    SYS_ioctl = 54,
    SYS_dup2 = 63,
    SYS_sigaction = 67,
    SYS_getrusage = 77,
    SYS_gettimeofday = 78,
    SYS_munmap = 91,
    SYS_setitimer = 104,
    SYS_sigreturn = 119,
    SYS_uname = 122,
    SYS_mprotect = 125,
    SYS_llseek = 140,
    SYS_readv = 145,
    SYS_writev = 146,
    SYS_nanosleep = 162,
    SYS_mremap = 163,
    SYS_poll = 168,
    SYS_rt_sigaction = 174,
    SYS_rt_sigprocmask = 175,
    SYS_rt_sigpending = 176,
    SYS_rt_sigsuspend = 179,
    SYS_pread64 = 180,
    SYS_pwrite64 = 181,
    SYS_getcwd = 183,
    SYS_chdir = 12,
    SYS_readlink = 85,
    SYS_sigaltstack = 186,
    SYS_mmap2 = 192,
    SYS_ftruncate64 = 194,
    SYS_stat64 = 195,
    SYS_lstat64 = 196,
    SYS_fstat64 = 197,
    SYS_madvise = 219,
    SYS_getdents64 = 220,
    SYS_fcntl64 = 221,
    SYS_gettid = 224,
    SYS_set_thread_area = 243,
    SYS_exit_group = 252,
    SYS_clock_gettime = 265,
    SYS_clock_nanosleep = 267,
    SYS_tgkill = 270,
    SYS_openat = 295,
    SYS_symlink = 83,
    SYS_getrandom = 355,
    SYS_statx = 383,
    SYS_clock_gettime64 = 403
};
enum {
    EPERM = 1,
    ENOENT = 2,
    ESRCH = 3,
    EINTR = 4,
    EBADF = 9,
    ECHILD = 10,
    EAGAIN = 11,
    ENOMEM = 12,
    EACCES = 13,
    EFAULT = 14,
    EEXIST = 17,
    ENODEV = 19,
    ENOTDIR = 20,
    EISDIR = 21,
    EINVAL = 22,
    EMFILE = 24,
    ENOTTY = 25,
    ESPIPE = 29,
    EROFS = 30,
    EPIPE = 32,
    ENAMETOOLONG = 36,
    ENOSYS = 38,
    ELOOP = 40
};

/* Text of a number, for messages; from the right end of `buffer`. */
static inline char *guest_number(char buffer[24], s64 value)
{
    char *at = buffer + 23;
    u64 rest = value < 0 ? (u64)-value : (u64)value;
    u32 high = (u32)(rest >> 32), low = (u32)rest;
    *at = '\0';
    do { /* 64 by 32 bits, digit by digit, without a library's division */
        u32 remainder = high % 10;
        high /= 10;
        __asm__("divl %2" : "+a"(low), "+d"(remainder) : "r"(10u));
        *--at = (char)('0' + remainder);
    } while (high != 0 || low != 0);
    if (value < 0)
        *--at = '-';
    return at;
}

/* a * b / c without a library's 64-bit division; the quotient must fit. */
static inline u32 guest_scale(u32 a, u32 b, u32 c)
{
    u32 low = a, high;
    __asm__("mull %2" : "+a"(low), "=d"(high) : "rm"(b));
    __asm__("divl %2" : "+a"(low), "+d"(high) : "rm"(c));
    return low;
}

static inline u32 guest_length(const char *text)
{
    u32 length = 0;
    while (text[length] != '\0')
        length++;
    return length;
}

static inline void guest_print(int descriptor, const char *text)
{
    guest_syscall(SYS_write, descriptor, text, guest_length(text));
}

static inline int guest_same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static int guest_failures;

static inline void guest_report(const char *file, int line, const char *what, s64 expected, s64 actual)
{
    char number[24];
    guest_failures++;
    guest_print(2, file);
    guest_print(2, ":");
    guest_print(2, guest_number(number, line));
    guest_print(2, ": ");
    guest_print(2, what);
    guest_print(2, ": expected ");
    guest_print(2, guest_number(number, expected));
    guest_print(2, ", got ");
    guest_print(2, guest_number(number, actual));
    guest_print(2, "\n");
}

/* Two integers that must be equal. */
#define CHECK(expected, actual)                                                                              \
    do {                                                                                                     \
        s64 expected_ = (s64)(expected), actual_ = (s64)(actual);                                            \
        if (expected_ != actual_)                                                                            \
            guest_report(__FILE__, __LINE__, #actual, expected_, actual_);                                   \
    } while (0)
/* low <= actual <= high */
#define CHECK_RANGE(low, high, actual)                                                                       \
    do {                                                                                                     \
        s64 value_ = (s64)(actual);                                                                          \
        if (value_ < (s64)(low) || value_ > (s64)(high))                                                     \
            guest_report(__FILE__, __LINE__, #actual, value_ < (s64)(low) ? (s64)(low) : (s64)(high),        \
                         value_);                                                                            \
    } while (0)

#endif
