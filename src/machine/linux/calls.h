/* The system calls, by file. Each receives the six argument registers (EBX, ECX, EDX, ESI, EDI, EBP) and returns a result
 * or -errno. A pointer is an address of the guest. */
#ifndef MACHINE_LINUX_CALLS_H
#define MACHINE_LINUX_CALLS_H

#include "machine/linux/linux_internal.h"

/* file.c */
linux_call linux_openat, linux_close, linux_dup2, linux_dup3, linux_pipe2, linux_fcntl64, linux_ioctl;
/* io.c */
linux_call linux_read, linux_write, linux_pread64, linux_readv, linux_preadv, linux_lseek, linux_llseek,
    linux_ftruncate64, linux_fsync;
/* poll.c */
linux_call linux_poll, linux_ppoll, linux_newselect, linux_pselect6;
/* stat.c */
linux_call linux_fstatat64, linux_old_stat, linux_statx, linux_faccessat;
/* tree.c */
linux_call linux_getdents64, linux_getcwd, linux_chdir, linux_fchdir, linux_mkdirat, linux_unlinkat,
    linux_renameat2, linux_readlinkat;
/* mman.c */
linux_call linux_brk, linux_mmap2, linux_mmap, linux_munmap, linux_mprotect, linux_mremap, linux_madvise,
    linux_msync, linux_memory_noop;
/* process.c */
linux_call linux_getresuid, linux_setresuid, linux_wait4, linux_setrlimit, linux_exit, linux_getgroups,
    linux_umask, linux_set_tid_address, linux_uname, linux_sysinfo, linux_getrandom, linux_set_thread_area,
    linux_ugetrlimit, linux_old_getrlimit, linux_prlimit64, linux_futex, linux_prctl, linux_sched_getaffinity,
    linux_nice, linux_getpriority, linux_setpriority;
/* frame.c */
linux_call linux_sigreturn, linux_rt_sigreturn;
/* attribute.c */
linux_call linux_fchmod, linux_fchmodat, linux_fchown, linux_fchownat, linux_utime, linux_utimensat,
    linux_truncate64, linux_fallocate, linux_symlinkat, linux_linkat, linux_flock, linux_statfs,
    linux_fstatfs;
/* sigcalls.c */
linux_call linux_rt_sigaction, linux_signal_call, linux_rt_sigprocmask, linux_rt_sigpending,
    linux_rt_sigsuspend, linux_sigsuspend, linux_rt_sigtimedwait, linux_sigaltstack, linux_kill,
    linux_rt_sigqueueinfo, linux_rt_tgsigqueueinfo, linux_tgkill;
/* time.c */
linux_call linux_clock_gettime, linux_clock_getres, linux_gettimeofday, linux_time_call, linux_times,
    linux_getrusage, linux_clock_nanosleep, linux_pause, linux_alarm, linux_getitimer, linux_setitimer;

/* Functions that several files use. */
struct stat;
/* Returns `wrong` for a call that the personality does not support. Sends the user, once per call, the message `what` and
 * how to run the program on a real kernel. */
int32_t linux_refuse(linux_process *p, int32_t wrong, const char *what);
/* Replaces the blocked signals by the mask at `address`, unless it is 0, until the current call ends. Returns
 * 0 or -errno. */
int32_t linux_wait_mask(linux_process *p, uint32_t address, uint32_t size);
/* Returns true if the current call is one of those with 64-bit times. */
bool linux_times_are_wide(const linux_process *p);
/* Writes a timespec (`divisor` 1) or timeval (1000). Returns 0 or -EFAULT. */
int32_t linux_put_time(linux_process *p, uint32_t address, uint64_t ns, uint32_t divisor);
/* Reads a timespec or timeval as nanoseconds, limited to the range of the model's clock. Returns 0 or
 * -errno. */
int32_t linux_get_time(linux_process *p, uint32_t address, uint32_t divisor, uint64_t *ns);
/* Resolves the path argument at `address`, relative to the directory of a descriptor (AT_FDCWD: the working directory).
 * `how` has bits SHARE_*. Returns 0 or -errno; the caller closes the place. */
int32_t linux_place_of(linux_process *p, int32_t directory, uint32_t address, unsigned how,
                       share_place *place);
/* Resolves the path of an entry that is to be created. Sets *slash if the path ends in a slash, which only the path of a
 * folder may. Returns 0 or -errno; -EEXIST if the entry exists. */
int32_t linux_new_entry(linux_process *p, int32_t directory, uint32_t address, share_place *place,
                        bool *slash);
/* Returns which device of /dev the place is; place->target is not empty. */
linux_file_kind linux_device_at(const share_place *place);
/* Returns true for standard input that is a regular file of the host. Standard output cannot seek, whatever
 * it leads to, so that a run is the same for a pipe and for a file. */
bool linux_is_input_file(const linux_open_file *file);
/* Reports the attributes of a place as the guest sees them. Returns 0 or -errno. */
int32_t linux_stat_place(const share_place *place, struct stat *about);

#endif
