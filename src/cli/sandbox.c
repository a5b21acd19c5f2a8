/* The sandbox: Landlock restricts files, seccomp restricts system calls. Each is left out if the host or the build
 * lacks it. */
#define _GNU_SOURCE /* O_PATH, CLONE_THREAD */
#include "cli/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef P5_SECCOMP
#include <seccomp.h>
#endif

/* --- Landlock: files. The kernel's numbers and structures are repeated here, because older headers lack some. --- */

enum {
    FS_WRITE_FILE = 1 << 1,
    FS_READ_FILE = 1 << 2,
    FS_READ_DIR = 1 << 3,
    FS_REMOVE_DIR = 1 << 4,
    FS_REMOVE_FILE = 1 << 5,
    FS_MAKE_DIR = 1 << 7,
    FS_MAKE_REG = 1 << 8,
    FS_MAKE_SOCK = 1 << 9,
    FS_MAKE_SYM = 1 << 12,
    FS_REFER = 1 << 13,
    FS_TRUNCATE = 1 << 14,
    FS_FIRST = (1 << 13) - 1, /* all rights of version 1 */
    FS_READS = FS_READ_FILE | FS_READ_DIR,
    FS_WRITES = FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG | FS_MAKE_SYM |
                FS_REFER | FS_TRUNCATE,
    NET_BIND_AND_CONNECT = 3,
    SCOPE_SOCKETS_AND_SIGNALS = 3,
    RULE_PATH_BENEATH = 1,
    ASK_VERSION = 1
};
/* System calls. */
enum { LANDLOCK_CREATE = 444, LANDLOCK_ADD = 445, LANDLOCK_RESTRICT = 446 };

/* The rights that are denied unless a rule allows them. */
typedef struct landlock_ruleset {
    uint64_t fs, net, scoped;
} landlock_ruleset;

/* A rule: what is allowed for a file or below a directory, whose descriptor is `parent`. */
typedef struct landlock_path {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed)) landlock_path;

/* Returns the version of Landlock that the kernel has; below 1: none. */
static long landlock_version(void)
{
    return syscall(LANDLOCK_CREATE, NULL, 0, ASK_VERSION);
}

/* Allows the rights for a file, or for a directory and everything below it. `handled` are the rights that the kernel's
 * version of Landlock knows. */
static void allow_below(int rules, uint64_t handled, const char *path, uint64_t rights)
{
    int parent = open(path, O_PATH | O_CLOEXEC);
    if (parent < 0)
        return;
    const landlock_path rule = {.allowed = rights & handled, .parent = parent};
    syscall(LANDLOCK_ADD, rules, RULE_PATH_BENEATH, &rule, 0);
    close(parent);
}

/* Allows the rights in the folder of `file`, which may be created later. */
static void allow_beside(int rules, uint64_t handled, const char *file, uint64_t rights)
{
    char *folder = strdup(file);
    if (folder == NULL)
        return;
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[slash == folder] = '\0';
    allow_below(rules, handled, slash != NULL ? folder : ".", rights);
    free(folder);
}

/* Restricts the process to the files that it needs. From version 4 of Landlock on also denies TCP without --gdb. */
static void confine_files(const sandbox_needs *needs)
{
    long version = landlock_version();
    if (version < 1)
        return;
    landlock_ruleset set = {.fs =
                                FS_FIRST | (version >= 2 ? FS_REFER : 0u) | (version >= 3 ? FS_TRUNCATE : 0u),
                            .net = version >= 4 && needs->gdb == NULL ? NET_BIND_AND_CONNECT : 0,
                            .scoped = version >= 6 ? SCOPE_SOCKETS_AND_SIGNALS : 0};
    size_t size = version >= 6 ? sizeof set : version >= 4 ? 2 * sizeof set.fs : sizeof set.fs;
    int rules = (int)syscall(LANDLOCK_CREATE, &set, size, 0);
    if (rules < 0)
        return;
    for (size_t i = 0; i < needs->share_count; i++)
        allow_below(rules, set.fs, needs->shares[i].host,
                    FS_READS | (needs->shares[i].writable ? (uint64_t)FS_WRITES : 0));
    for (size_t i = 0; i < sizeof needs->outputs / sizeof needs->outputs[0]; i++)
        if (needs->outputs[i] != NULL)
            allow_beside(rules, set.fs, needs->outputs[i],
                         FS_READS | FS_WRITE_FILE | FS_MAKE_REG | FS_REMOVE_FILE | FS_TRUNCATE);
    for (size_t i = 0; i < needs->read_count; i++)
        if (needs->reads[i] != NULL)
            allow_below(rules, set.fs, needs->reads[i], FS_READ_FILE);
#ifdef __SANITIZE_ADDRESS__
    allow_below(rules, set.fs, "/proc", FS_READS); /* the leak checker reads it at the end */
#endif
    if (needs->gdb != NULL)
        allow_beside(rules, set.fs, needs->gdb, FS_MAKE_SOCK | FS_REMOVE_FILE | FS_WRITE_FILE);
    syscall(LANDLOCK_RESTRICT, rules, 0);
    close(rules);
}

/* --- seccomp: system calls --- */

#ifdef P5_SECCOMP
static const char used_calls[] =
    "read readv pread64 preadv write writev pwrite64 pwritev close lseek _llseek "
    "fstat stat lstat newfstatat statx fstatfs statfs access faccessat faccessat2 readlink readlinkat "
    "getdents64 open openat fcntl dup dup2 dup3 pipe pipe2 poll ppoll select pselect6 flock fsync fdatasync "
    "ftruncate fallocate memfd_create rename renameat renameat2 mkdir mkdirat rmdir fchmod unlink unlinkat "
    "symlinkat getcwd umask munmap mremap brk madvise "
    "rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait sigaltstack "
    "futex set_robust_list rseq sched_yield sched_getaffinity membarrier eventfd2 "
    "setitimer nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time times getrusage "
    "getrandom getpid gettid getppid getuid geteuid getgid getegid uname sysinfo "
    "restart_syscall exit exit_group recvfrom recvmsg shutdown";
/* For --gdb, which waits for a connection. */
static const char gdb_calls[] = "socket setsockopt bind listen accept accept4 sendto chmod fchmodat";

/* For a guest that may write to a directory of the host: attributes and names of files. */
static const char share_calls[] = "fchmodat fchmodat2 utimensat linkat fchownat";

/* Allows the system calls in `names`, with blanks between them. */
static void allow(scmp_filter_ctx filter, const char *names)
{
    char name[32];
    int length;
    for (; sscanf(names, "%31s%n", name, &length) == 1; names += length) {
        int number = seccomp_syscall_resolve_name(name);
        if (number != __NR_SCMP_ERROR)
            seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
    }
}

/* Allows system calls with certain arguments only. mmap and mprotect make no executable memory, except that mmap may
 * with `engines`: gdb opens another engine to execute backwards. clone makes threads, not processes. tgkill sends
 * signals only to this process. prlimit64 only reads limits. ioctl serves terminals. */
static void allow_partly(scmp_filter_ctx filter, bool engines)
{
    const struct scmp_arg_cmp no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    const struct scmp_arg_cmp thread = SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD);
    const struct scmp_arg_cmp itself = SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0);
    const struct scmp_arg_cmp no_new_limit = SCMP_A2(SCMP_CMP_EQ, 0, 0);
    seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), engines ? 0 : 1, &no_code);
    seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, &no_code);
    seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, &thread);
    seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &itself);
    seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, &no_new_limit);
    /* clone3 passes its flags in memory, which a filter cannot read. ENOSYS makes the C library use clone. */
    seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    static const unsigned long terminal[] = {TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGWINSZ, FIONREAD};
    for (size_t i = 0; i < sizeof terminal / sizeof terminal[0]; i++) {
        const struct scmp_arg_cmp request = SCMP_A1(SCMP_CMP_EQ, terminal[i], 0);
        seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, &request);
    }
}

/* Makes all other system calls fail with EPERM. */
static void confine_calls(const sandbox_needs *needs)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (filter == NULL)
        return;
    allow(filter, used_calls);
    if (needs->gdb != NULL)
        allow(filter, gdb_calls);
    for (size_t i = 0; i < needs->share_count; i++)
        if (needs->shares[i].writable)
            allow(filter, share_calls);
    allow_partly(filter, needs->gdb != NULL);
    seccomp_load(filter);
    seccomp_release(filter);
}
#else
static void confine_calls(const sandbox_needs *needs)
{
    (void)needs;
}
#endif

void sandbox_enter(const sandbox_needs *needs)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    confine_files(needs);
    confine_calls(needs);
}

void sandbox_describe(char *text, size_t size)
{
    const char *calls = "not built with seccomp";
#ifdef P5_SECCOMP
    calls = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0 ? "seccomp" : "no seccomp here";
#endif
    long version = landlock_version();
    if (version >= 1)
        snprintf(text, size, "%s, Landlock %ld", calls, version);
    else
        snprintf(text, size, "%s, no Landlock here", calls);
}
