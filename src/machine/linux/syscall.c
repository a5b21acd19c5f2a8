/* The table of system calls: arch/x86/entry/syscalls/syscall_32.tbl's numbers. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "machine/linux/linux.h"
#include "machine/linux/calls.h"

static linux_call *const calls[] = {
    [1] = linux_exit,
    [2] = linux_no_threads, /* fork */
    [3] = linux_read,
    [4] = linux_write,
    [6] = linux_close,
    [8] = linux_creat,
    [10] = linux_unlink,
    [11] = linux_no_threads, /* execve */
    [12] = linux_chdir,
    [13] = linux_time_call,
    [19] = linux_lseek,
    [20] = linux_getpid,
    [24] = linux_getuid,
    [27] = linux_alarm,
    [29] = linux_pause,
    [30] = linux_utime,
    [36] = linux_nothing, /* sync */
    [37] = linux_kill,
    [40] = linux_rmdir,
    [41] = linux_dup,
    [42] = linux_pipe,
    [43] = linux_times,
    [45] = linux_brk,
    [47] = linux_getuid, /* getgid */
    [48] = linux_signal_call,
    [49] = linux_getuid, /* geteuid */
    [50] = linux_getuid, /* getegid */
    [54] = linux_ioctl,
    [55] = linux_fcntl64,
    [60] = linux_umask,
    [63] = linux_dup2,
    [64] = linux_getppid,
    [65] = linux_getpid, /* getpgrp */
    [67] = linux_sigaction,
    [76] = linux_ugetrlimit, /* getrlimit */
    [77] = linux_getrusage,
    [78] = linux_gettimeofday,
    [90] = linux_mmap,
    [91] = linux_munmap,
    [92] = linux_truncate,
    [93] = linux_ftruncate,
    [94] = linux_fchmod,
    [99] = linux_statfs,
    [100] = linux_fstatfs,
    [104] = linux_setitimer,
    [105] = linux_getitimer,
    [116] = linux_sysinfo,
    [118] = linux_fsync,
    [119] = linux_sigreturn,
    [120] = linux_no_threads, /* clone */
    [122] = linux_uname,
    [125] = linux_mprotect,
    [126] = linux_sigprocmask,
    [132] = linux_getpid, /* getpgid */
    [133] = linux_fchdir,
    [140] = linux_llseek,
    [142] = linux_newselect,
    [143] = linux_flock,
    [144] = linux_msync,
    [145] = linux_readv,
    [146] = linux_writev,
    [147] = linux_getpid,      /* getsid */
    [148] = linux_fsync,       /* fdatasync */
    [150] = linux_memory_noop, /* mlock */
    [151] = linux_memory_noop, /* munlock */
    [158] = linux_nothing,     /* sched_yield */
    [162] = linux_nanosleep,
    [163] = linux_mremap,
    [168] = linux_poll,
    [172] = linux_prctl,
    [173] = linux_rt_sigreturn,
    [174] = linux_rt_sigaction,
    [175] = linux_rt_sigprocmask,
    [176] = linux_rt_sigpending,
    [177] = linux_rt_sigtimedwait,
    [178] = linux_rt_sigqueueinfo,
    [179] = linux_rt_sigsuspend,
    [180] = linux_pread64,
    [181] = linux_pwrite64,
    [183] = linux_getcwd,
    [186] = linux_sigaltstack,
    [190] = linux_no_threads, /* vfork */
    [191] = linux_ugetrlimit,
    [192] = linux_mmap2,
    [193] = linux_truncate64,
    [194] = linux_ftruncate64,
    [195] = linux_stat64,
    [196] = linux_lstat64,
    [197] = linux_fstat64,
    [198] = linux_lchown,
    [199] = linux_getuid, /* getuid32 */
    [200] = linux_getuid, /* getgid32 */
    [201] = linux_getuid, /* geteuid32 */
    [202] = linux_getuid, /* getegid32 */
    [205] = linux_getgroups,
    [207] = linux_fchown,
    [212] = linux_chown,
    [219] = linux_madvise,
    [220] = linux_getdents64,
    [221] = linux_fcntl64,
    [224] = linux_getpid, /* gettid */
    [238] = linux_tkill,
    [240] = linux_futex,
    [242] = linux_sched_getaffinity,
    [243] = linux_set_thread_area,
    [250] = linux_nothing, /* fadvise64 */
    [252] = linux_exit,    /* exit_group */
    [254] = linux_epoll_create,
    [255] = linux_epoll_ctl,
    [256] = linux_epoll_wait,
    [258] = linux_set_tid_address,
    [259] = linux_timer_create,
    [260] = linux_timer_settime,
    [261] = linux_timer_gettime,
    [262] = linux_timer_getoverrun,
    [263] = linux_timer_delete,
    [265] = linux_clock_gettime,
    [266] = linux_clock_getres,
    [267] = linux_clock_nanosleep,
    [268] = linux_statfs64,
    [269] = linux_fstatfs64,
    [270] = linux_tgkill,
    [271] = linux_utimes,
    [272] = linux_nothing, /* fadvise64_64 */
    [295] = linux_openat,
    [296] = linux_mkdirat,
    [298] = linux_fchownat,
    [300] = linux_fstatat64,
    [301] = linux_unlinkat,
    [302] = linux_renameat,
    [303] = linux_linkat,
    [304] = linux_symlinkat,
    [305] = linux_readlinkat,
    [306] = linux_fchmodat,
    [307] = linux_faccessat,
    [308] = linux_pselect6,
    [309] = linux_ppoll,
    [311] = linux_nothing,    /* set_robust_list */
    [319] = linux_epoll_wait, /* epoll_pwait */
    [320] = linux_utimensat,
    [323] = linux_eventfd,
    [324] = linux_fallocate,
    [328] = linux_eventfd2,
    [329] = linux_epoll_create1,
    [330] = linux_dup3,
    [331] = linux_pipe2,
    [335] = linux_rt_tgsigqueueinfo,
    [340] = linux_prlimit64,
    [353] = linux_renameat2,
    [355] = linux_getrandom,
    [383] = linux_statx,
    [384] = linux_absent, /* arch_prctl */
    [386] = linux_absent, /* rseq */
    [403] = linux_clock_gettime,
    [406] = linux_clock_getres,
    [407] = linux_clock_nanosleep,
    [408] = linux_timer_gettime,
    [409] = linux_timer_settime,
    [412] = linux_utimensat,
    [413] = linux_pselect6,
    [414] = linux_ppoll,
    [422] = linux_futex,
    [435] = linux_no_threads, /* clone3 */
    [439] = linux_faccessat,  /* faccessat2 */
};

/* Older calls that name no directory, as later ones that do: the working directory takes the places of
 * `directories`, bit n for argument n. */
static const struct {
    uint8_t number, directories;
    linux_call *call;
} without_directory[] = {
    {5, 1, linux_openat},    {9, 5, linux_linkat},   {15, 1, linux_fchmodat},  {33, 1, linux_faccessat},
    {38, 5, linux_renameat}, {39, 1, linux_mkdirat}, {83, 2, linux_symlinkat}, {85, 1, linux_readlinkat},
};

static linux_call *find(uint32_t number, const uint32_t given[6], uint32_t arguments[6])
{
    memcpy(arguments, given, 6 * sizeof *given);
    for (size_t i = 0; i < sizeof without_directory / sizeof without_directory[0]; i++) {
        if (without_directory[i].number != number)
            continue;
        for (unsigned n = 0; n < 6; n++)
            arguments[n] = without_directory[i].directories >> n & 1 ? (uint32_t)AT_FDCWD : *given++;
        return without_directory[i].call;
    }
    return number < sizeof calls / sizeof calls[0] ? calls[number] : NULL;
}

void linux_syscall(linux_process *p)
{
    linux_registers *r = &p->registers;
    uint32_t number = r->eax;
    const uint32_t given[6] = {r->ebx, r->ecx, r->edx, r->esi, r->edi, r->ebp};
    uint32_t arguments[6];
    linux_call *call = find(number, given, arguments);
    int32_t result = -ENOSYS;
    if (call != NULL)
        result = call(p, arguments);
    else
        notice_once(&p->machine->notices, NOTICE_SYSCALL, number,
                    "system call %u is not there: the guest got ENOSYS", number);
    if (!p->keep_registers && !p->blocked)
        r->eax = (uint32_t)result;
}
