/* The tables of system calls, with the numbers of arch/x86/entry/syscalls/syscall_32.tbl. */
#define _GNU_SOURCE /* AT_EMPTY_PATH */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>

#include "machine/base/notice.h"
#include "machine/linux/abi.h"
#include "machine/linux/calls.h"

static linux_call *const calls[] = {
    [1] = linux_exit,
    [3] = linux_read,
    [4] = linux_write,
    [6] = linux_close,
    [12] = linux_chdir,
    [13] = linux_time_call,
    [19] = linux_lseek,
    [27] = linux_alarm,
    [29] = linux_pause,
    [34] = linux_nice,
    [37] = linux_kill,
    [43] = linux_times,
    [45] = linux_brk,
    [48] = linux_signal_call,
    [54] = linux_ioctl,
    [55] = linux_fcntl64,
    [60] = linux_umask,
    [63] = linux_dup2,
    [72] = linux_sigsuspend,
    [75] = linux_setrlimit,
    [76] = linux_old_getrlimit,
    [77] = linux_getrusage,
    [78] = linux_gettimeofday,
    [90] = linux_mmap,
    [91] = linux_munmap,
    [94] = linux_fchmod,
    [96] = linux_getpriority,
    [97] = linux_setpriority,
    [104] = linux_setitimer,
    [105] = linux_getitimer,
    [116] = linux_sysinfo,
    [118] = linux_fsync,
    [119] = linux_sigreturn,
    [122] = linux_uname,
    [125] = linux_mprotect,
    [133] = linux_fchdir,
    [140] = linux_llseek,
    [141] = linux_getdents64, /* getdents */
    [142] = linux_newselect,
    [143] = linux_flock,
    [144] = linux_msync,
    [148] = linux_fsync,       /* fdatasync */
    [150] = linux_memory_noop, /* mlock */
    [151] = linux_memory_noop, /* munlock */
    [163] = linux_mremap,
    [168] = linux_poll,
    [172] = linux_prctl,
    [173] = linux_rt_sigreturn,
    [176] = linux_rt_sigpending,
    [177] = linux_rt_sigtimedwait,
    [178] = linux_rt_sigqueueinfo,
    [179] = linux_rt_sigsuspend,
    [183] = linux_getcwd,
    [186] = linux_sigaltstack,
    [191] = linux_ugetrlimit,
    [192] = linux_mmap2,
    [193] = linux_truncate64,
    [194] = linux_ftruncate64,
    [205] = linux_getgroups,
    [207] = linux_fchown,
    [208] = linux_setresuid,
    [209] = linux_getresuid,
    [210] = linux_setresuid, /* setresgid */
    [211] = linux_getresuid, /* getresgid */
    [219] = linux_madvise,
    [220] = linux_getdents64,
    [221] = linux_fcntl64,
    [240] = linux_futex,
    [242] = linux_sched_getaffinity,
    [243] = linux_set_thread_area,
    [252] = linux_exit, /* exit_group */
    [258] = linux_set_tid_address,
    [265] = linux_clock_gettime,
    [266] = linux_clock_getres,
    [267] = linux_clock_nanosleep,
    [270] = linux_tgkill,
    [295] = linux_openat,
    [296] = linux_mkdirat,
    [298] = linux_fchownat,
    [300] = linux_fstatat64,
    [301] = linux_unlinkat,
    [303] = linux_linkat,
    [304] = linux_symlinkat,
    [305] = linux_readlinkat,
    [306] = linux_fchmodat,
    [308] = linux_pselect6,
    [309] = linux_ppoll,
    [320] = linux_utimensat,
    [324] = linux_fallocate,
    [330] = linux_dup3,
    [331] = linux_pipe2,
    [335] = linux_rt_tgsigqueueinfo,
    [340] = linux_prlimit64,
    [353] = linux_renameat2,
    [355] = linux_getrandom,
    [383] = linux_statx,
    [403] = linux_clock_gettime,
    [406] = linux_clock_getres,
    [407] = linux_clock_nanosleep,
    [412] = linux_utimensat,
    [413] = linux_pselect6,
    [414] = linux_ppoll,
    [422] = linux_futex,
    [439] = linux_faccessat,
};

/* Calls that another call implements with different arguments. `arguments` has a character for each argument of that
 * other call. A digit is the argument with this number of the guest's call. The other characters are
 *
 *   d  the working directory        -  0        c  how creat opens       p  the guest itself
 *   n  the link, not its target     +  1        e  the descriptor itself s  sign extension of the argument before
 *   r  remove a folder              m  -1       f  bytes of 32 signals
 *
 * Arguments after the last character are 0. */
static const struct {
    uint16_t number;
    const char *arguments;
    linux_call *call;
} others[] = {
    {5, "d012", linux_openat},
    {7, "012", linux_wait4},   /* waitpid */
    {8, "d0c1", linux_openat}, /* creat */
    {9, "d0d1", linux_linkat},
    {10, "d0", linux_unlinkat},
    {15, "d01", linux_fchmodat},
    {30, "d01", linux_utime},
    {33, "d01", linux_faccessat},
    {38, "d0d1", linux_renameat2},
    {39, "d01", linux_mkdirat},
    {40, "d0r", linux_unlinkat}, /* rmdir */
    {41, "0--", linux_fcntl64},  /* dup: F_DUPFD */
    {42, "0", linux_pipe2},
    {67, "012--+", linux_rt_sigaction}, /* sigaction */
    {73, "0f", linux_rt_sigpending},    /* sigpending */
    {83, "0d1", linux_symlinkat},
    {85, "d012", linux_readlinkat},
    {92, "01s", linux_truncate64},
    {93, "01s", linux_ftruncate64},
    {99, "0-1", linux_statfs},
    {100, "0-1", linux_fstatfs},
    {106, "d01", linux_old_stat},  /* stat */
    {107, "d01n", linux_old_stat}, /* lstat */
    {108, "0-1e", linux_old_stat}, /* fstat */
    {114, "012", linux_wait4},
    {126, "012--+", linux_rt_sigprocmask}, /* sigprocmask */
    {145, "012", linux_readv},
    {146, "012--+", linux_readv},         /* writev */
    {162, "+-01", linux_clock_nanosleep}, /* CLOCK_MONOTONIC */
    {174, "0123", linux_rt_sigaction},
    {175, "0123", linux_rt_sigprocmask},
    {180, "01234", linux_pread64},
    {181, "01234+", linux_pread64}, /* pwrite64 */
    {195, "d01", linux_fstatat64},
    {196, "d01n", linux_fstatat64}, /* lstat64 */
    {197, "0-1e", linux_fstatat64}, /* fstat64 */
    {198, "d012n", linux_fchownat}, /* lchown */
    {203, "01m", linux_setresuid},  /* setreuid */
    {204, "01m", linux_setresuid},  /* setregid */
    {212, "d012", linux_fchownat},
    {213, "0mm", linux_setresuid}, /* setuid */
    {214, "0mm", linux_setresuid}, /* setgid */
    {238, "p01", linux_tgkill},    /* tkill */
    {268, "012--+", linux_statfs}, /* statfs64 */
    {269, "012--+", linux_fstatfs},
    {271, "d01--+", linux_utime}, /* utimes */
    {284, "013+", linux_wait4},   /* waitid */
    {302, "0123", linux_renameat2},
    {307, "012", linux_faccessat},
    {333, "01234", linux_preadv},
    {334, "01234+", linux_preadv}, /* pwritev */
};
_Static_assert(F_DUPFD == 0 && CLOCK_MONOTONIC == 1, "arguments 0 and 1");

/* Calls whose result does not depend on their arguments. */
static const struct {
    int32_t result;
    uint16_t numbers[9]; /* 0 ends them, here and below */
} same[] = {
    {LINUX_PID, {20, 65, 132, 147, 224}},              /* getpid, getpgrp, getpgid, getsid, gettid */
    {LINUX_PARENT_PID, {64}},                          /* getppid */
    {LINUX_UID, {24, 47, 49, 50, 199, 200, 201, 202}}, /* getuid, getgid, geteuid, getegid */
    /* sync, setpgid, sched_getscheduler, sched_yield, fadvise64, fadvise64_64, set_robust_list */
    {0, {36, 57, 157, 158, 250, 272, 311}},
    {-ENOSYS, {384, 386}}, /* arch_prctl, rseq: every program tries them and works without */
};

/* Calls that need a real kernel, by purpose. */
static const struct {
    const char *what;
    uint16_t numbers[9];
} unsupported[] = {
    {"fork, clone, execve", {2, 11, 120, 190, 435}},
    {"epoll", {254, 255, 256, 319, 329, 441}},
    {"eventfd", {323, 328}},
    {"timer_create", {259, 260, 261, 262, 263, 408, 409}},
};

int32_t linux_refuse(linux_process *p, int32_t wrong, const char *what)
{
    notice_once(&p->machine->notices, NOTICE_SYSCALL, p->registers.eax,
                "%s; use a real kernel: p5scope run --kernel BZIMAGE --init PROGRAM", what);
    return wrong;
}

/* Reports a call that is not supported, and returns -ENOSYS. */
static int32_t refuse_call(linux_process *p, uint32_t number)
{
    char what[120];
    const char *name = NULL;
    for (size_t i = 0; i < sizeof unsupported / sizeof unsupported[0]; i++)
        for (const uint16_t *n = unsupported[i].numbers; *n != 0; n++)
            if (*n == number)
                name = unsupported[i].what;
    snprintf(what, sizeof what, "system call %u%s%s%s is not supported, and the guest got ENOSYS", number,
             name != NULL ? " (" : "", name != NULL ? name : "", name != NULL ? ")" : "");
    return linux_refuse(p, -ENOSYS, what);
}

/* Returns the argument for a character of others[].arguments. `before` is the argument before it. */
static uint32_t argument(char letter, const uint32_t registers[6], uint32_t before)
{
    static const uint32_t constants[128] = {['d'] = (uint32_t)AT_FDCWD,
                                            ['n'] = AT_SYMLINK_NOFOLLOW,
                                            ['e'] = AT_EMPTY_PATH,
                                            ['c'] = O_CREAT | O_WRONLY | O_TRUNC,
                                            ['p'] = LINUX_PID,
                                            ['+'] = 1,
                                            ['r'] = AT_REMOVEDIR,
                                            ['m'] = UINT32_MAX,
                                            ['f'] = 4};
    if (letter >= '0' && letter <= '5')
        return registers[letter - '0'];
    return letter == 's' ? 0u - (before >> 31) : constants[(unsigned char)letter];
}

/* Executes call `number`, which it looks up in the tables. Returns its result or -errno. */
static int32_t execute_call(linux_process *p, uint32_t number, const uint32_t registers[6])
{
    uint32_t arguments[6] = {0};
    if (number < sizeof calls / sizeof calls[0] && calls[number] != NULL)
        return calls[number](p, registers);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].number == number) {
            const char *letters = others[i].arguments;
            for (unsigned n = 0; n < 6 && letters[n] != '\0'; n++)
                arguments[n] = argument(letters[n], registers, n != 0 ? arguments[n - 1] : 0);
            return others[i].call(p, arguments);
        }
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        for (const uint16_t *n = same[i].numbers; *n != 0; n++)
            if (*n == number)
                return same[i].result;
    return refuse_call(p, number);
}

/* Executes the call in EAX. A result of LINUX_ERESTART* becomes EINTR, which linux_deliver_signals may replace by a
 * restart. */
void linux_syscall(linux_process *p)
{
    linux_registers *r = &p->registers;
    const uint32_t registers[6] = {r->ebx, r->ecx, r->edx, r->esi, r->edi, r->ebp};
    p->call = r->eax;
    int32_t result = execute_call(p, r->eax, registers);
    if (result == -LINUX_ERESTARTSYS || result == -LINUX_ERESTARTNOHAND) {
        p->interrupted = -result;
        result = -EINTR;
    }
    if (!p->keep_registers && !p->blocked)
        r->eax = (uint32_t)result;
}
