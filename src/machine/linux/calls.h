/* The system calls, by the file that has them. Each gets the six argument registers and answers a result or
 * -errno. */
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
linux_call linux_fstatat64, linux_statx, linux_faccessat;
/* tree.c */
linux_call linux_getdents64, linux_getcwd, linux_chdir, linux_fchdir, linux_mkdirat, linux_unlinkat,
    linux_renameat2, linux_readlinkat;
/* mman.c */
linux_call linux_brk, linux_mmap2, linux_mmap, linux_munmap, linux_mprotect, linux_mremap, linux_madvise,
    linux_msync, linux_memory_noop;
/* process.c */
linux_call linux_getresuid, linux_setresuid, linux_wait4, linux_setrlimit, linux_exit, linux_getgroups,
    linux_umask, linux_set_tid_address, linux_uname, linux_sysinfo, linux_getrandom, linux_set_thread_area,
    linux_ugetrlimit, linux_prlimit64, linux_futex, linux_prctl, linux_sched_getaffinity;
/* frame.c */
linux_call linux_sigreturn, linux_rt_sigreturn;
/* attribute.c */
linux_call linux_fchmod, linux_fchmodat, linux_fchown, linux_fchownat, linux_utime, linux_utimensat,
    linux_truncate64, linux_fallocate, linux_symlinkat, linux_linkat, linux_flock, linux_statfs,
    linux_fstatfs;
/* sigcalls.c */
linux_call linux_rt_sigaction, linux_sigaction, linux_signal_call, linux_rt_sigprocmask, linux_rt_sigpending,
    linux_rt_sigsuspend, linux_sigsuspend, linux_rt_sigtimedwait, linux_sigaltstack, linux_kill,
    linux_rt_sigqueueinfo, linux_rt_tgsigqueueinfo, linux_tgkill;
/* time.c */
linux_call linux_clock_gettime, linux_clock_getres, linux_gettimeofday, linux_time_call, linux_times,
    linux_getrusage, linux_clock_nanosleep, linux_pause, linux_alarm, linux_getitimer, linux_setitimer;

/* Shared between them. */
struct stat;
/* Answers `wrong` for what the personality leaves to a real kernel; `what` tells the user so, once for each
 * call, and how to run the program there. */
int32_t linux_refuse(linux_process *p, int32_t wrong, const char *what);
/* Puts the mask at `address`, if there is one, in the place of the blocked signals until the call under way
 * is over. 0 or -errno. */
int32_t linux_wait_mask(linux_process *p, uint32_t address, uint32_t size);
/* The call under way is one of those that came with times of 64 bits. */
bool linux_times_are_wide(const linux_process *p);
/* Writes a timespec (`divisor` 1) or timeval (1000): 0 or -EFAULT. */
int32_t linux_put_time(linux_process *p, uint32_t address, uint64_t ns, uint32_t divisor);
/* Reads a timespec or timeval as nanoseconds; values beyond the model's clock are cut off. 0 or -errno. */
int32_t linux_get_time(linux_process *p, uint32_t address, uint32_t divisor, uint64_t *ns);
/* Resolves the path argument at `address`: 0 or -errno; the caller closes the place. */
int32_t linux_place_of(linux_process *p, int32_t directory, uint32_t address, unsigned how,
                       share_place *place);
/* The same, and it may be changed: in a writable share, and not its root. */
int32_t linux_place_to_change(linux_process *p, int32_t directory, uint32_t address, unsigned how,
                              share_place *place);
/* Resolves the path of an entry that is to be made; *slash: it ends in one, so that only a folder can be meant.
 * 0 or -errno, -EEXIST if it is there. */
int32_t linux_new_entry(linux_process *p, int32_t directory, uint32_t address, share_place *place,
                        bool *slash);
/* The device of a place that has a target. */
linux_file_kind linux_device_at(const share_place *place);
/* Standard input that is a regular file of the host. Output is one-way whatever stands behind it, so that a
 * run is the same for a pipe and for a file. */
bool linux_is_input_file(const linux_open_file *file);
/* What stands at a place, as the guest is told: 0 or -errno. */
int32_t linux_stat_place(const share_place *place, struct stat *about);

#endif
