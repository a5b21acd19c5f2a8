/* Numbers of the i386 Linux system call interface that differ from the host's or that are used in several
 * places. Errors, open flags and signal numbers are the same on every x86 Linux and come from the host's
 * headers. */
#ifndef MACHINE_LINUX_ABI_H
#define MACHINE_LINUX_ABI_H

enum { LINUX_PROT_READ = 1, LINUX_PROT_WRITE = 2, LINUX_PROT_EXEC = 4, LINUX_PROT_ALL = 7 };
enum {
    LINUX_MAP_SHARED = 1,
    LINUX_MAP_PRIVATE = 2,
    LINUX_MAP_TYPE = 15,
    LINUX_MAP_FIXED = 0x10,
    LINUX_MAP_ANONYMOUS = 0x20,
    LINUX_MAP_FIXED_NOREPLACE = 0x100000
};
enum { LINUX_O_CLOEXEC = 02000000 };
enum { LINUX_SIG_DFL = 0, LINUX_SIG_IGN = 1 };
/* Results of a call within the kernel when a signal interrupts its wait. The call is restarted unless a
 * handler runs. LINUX_ERESTARTSYS also restarts it after a handler with SA_RESTART. Otherwise the guest gets
 * EINTR. */
enum { LINUX_ERESTARTSYS = 512, LINUX_ERESTARTNOHAND = 514 };
enum {
    LINUX_SA_SIGINFO = 4,
    LINUX_SA_RESTORER = 0x04000000,
    LINUX_SA_ONSTACK = 0x08000000,
    LINUX_SA_RESTART = 0x10000000,
    LINUX_SA_NODEFER = 0x40000000
};
#define LINUX_SA_RESETHAND 0x80000000u
enum { LINUX_SS_ONSTACK = 1, LINUX_SS_DISABLE = 2 };

/* si_code */
enum { LINUX_SI_USER = 0, LINUX_SI_KERNEL = 0x80, LINUX_SI_TKILL = -6 };
enum {
    LINUX_FPE_INTDIV = 1,
    LINUX_FPE_FLTDIV = 3,
    LINUX_FPE_FLTOVF,
    LINUX_FPE_FLTUND,
    LINUX_FPE_FLTRES,
    LINUX_FPE_FLTINV
};
enum {
    LINUX_ILL_ILLOPN = 2,
    LINUX_SEGV_MAPERR = 1,
    LINUX_SEGV_ACCERR,
    LINUX_BUS_ADRALN = 1,
    LINUX_BUS_ADRERR
};
enum { LINUX_TRAP_BRKPT = 1, LINUX_TRAP_TRACE };

enum { LINUX_NICE_MOST = 19 };

/* The guest's identity, which is the same on every host. */
enum {
    LINUX_PID = 1000,
    LINUX_PARENT_PID = 1,
    LINUX_UID = 1000, /* also the group's number */
    LINUX_HZ = 100    /* ticks of a second, as times() counts them */
};

/* The real-time clock starts at 8 January 1997, 00:00 UTC: the day the Pentium MMX was introduced. */
#define LINUX_EPOCH_SECONDS 852681600ull

#endif
