/* The Linux personality: emulates a Linux kernel for a static i386 program.
 *
 * The guest runs at CPL 3 with real page tables, descriptor tables and a TSS in guest memory. The processor
 * itself delivers INT 80h, faults and timer interrupts to a kernel entry whose code is one IRET (after an ADD
 * ESP,4 if there is an error code). At that entry, before its first instruction, the host does the kernel's
 * work: it reads the registers and the frame on the kernel stack, executes the call, puts signals on the
 * user's stack, and edits the frame. So the way into the kernel and back costs what the processor's rules
 * say, and the kernel's work costs nothing. */
#ifndef MACHINE_LINUX_LINUX_INTERNAL_H
#define MACHINE_LINUX_LINUX_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/array.h"
#include "base/snapshot.h"
#include "machine/load/elf.h"
#include "machine/share/share.h"
#include "machine/state.h"

typedef struct linux_process linux_process;

/* --- memory.c: address space --- */

#define LINUX_TASK_SIZE 0xc0000000u /* end of the user's part of the address space */
enum {
    LINUX_STACK_BYTES = 8 << 20,
    LINUX_LEAST_ADDRESS = 0x10000, /* vm.mmap_min_addr */
    LINUX_MMAP_BASE = 0x40000000,  /* where the area for mappings begins */
    LINUX_REGIONS_AT_MOST = 65530, /* vm.max_map_count */
    LINUX_NO_FRAME = 0             /* no frame: physical page 0 is not used */
};

/* State of a page of RAM: in use; may contain other bytes than zeros. */
enum { FRAME_USED = 1, FRAME_DIRTY = 2 };

/* A mapping [start, end). Pages from `backed_end` on lie after the end of the mapped file; an access to them
 * is a SIGBUS. */
typedef struct linux_region {
    uint32_t start, end, backed_end;
    uint32_t protection; /* LINUX_PROT_* */
} linux_region;

typedef struct linux_memory {
    uint8_t *frames; /* FRAME_* for each page of RAM */
    uint32_t frame_count, frames_free;
    uint32_t first_free;            /* no frame with a lower number is free */
    uint32_t directory;             /* physical address of the page directory */
    ARRAY_OF(linux_region) regions; /* sorted by address */
    uint32_t brk_start, brk;        /* the heap */
} linux_memory;

/* Round an address down and up to a whole page. At the end of the address space, rounding up returns 0. */
static inline uint32_t linux_page_down(uint32_t address)
{
    return address & ~(uint32_t)(PAGE_BYTES - 1);
}
static inline uint32_t linux_page_up(uint32_t address)
{
    return linux_page_down(address + PAGE_BYTES - 1);
}
/* Makes an address space without mappings. Returns false if memory runs out. */
bool linux_memory_open(linux_process *p);
void linux_memory_close(linux_process *p);
/* Returns the physical address of a zeroed frame (page of RAM); LINUX_NO_FRAME if there is none. */
uint32_t linux_frame_allocate(linux_process *p);
/* Maps zeroed pages and replaces what was mapped there. Access to a page after the first `backed` bytes is a
 * SIGBUS. Returns 0 or -errno; a call that fails changes nothing. */
int32_t linux_map(linux_process *p, uint32_t start, uint32_t size, uint32_t backed, uint32_t protection);
/* Moves pages with their frames to the free range at `to`. The range at `from` lies in one mapping. Returns 0 or
 * -ENOMEM. */
int32_t linux_move(linux_process *p, uint32_t from, uint32_t size, uint32_t to);
/* Do what munmap and mprotect do. Return 0 or -errno. */
int32_t linux_unmap(linux_process *p, uint32_t start, uint32_t size);
int32_t linux_protect(linux_process *p, uint32_t start, uint32_t size, uint32_t protection);
/* Returns the lowest free range of `size` bytes in the area for mappings; 0 if there is none. */
uint32_t linux_find_range(const linux_process *p, uint32_t size);
/* Returns the mapping that contains the address; NULL if there is none. */
const linux_region *linux_region_at(const linux_process *p, uint32_t address);
/* Returns true if all of [start, end) is mapped. */
bool linux_is_mapped(const linux_process *p, uint32_t start, uint32_t end);
/* Maps a kernel page (supervisor, writable). Returns false if memory for a page table runs out. */
bool linux_map_kernel(linux_process *p, uint32_t linear, uint32_t frame);
/* Returns the frame of a present page; otherwise LINUX_NO_FRAME. */
uint32_t linux_frame_of(linux_process *p, uint32_t linear);

/* --- user.c: guest pointers. Nothing is trusted: the user's right to access each page is checked. --- */

/* Returns a host pointer to up to `*size` bytes at `address` within one page, and reduces `*size` to the
 * bytes in that page. Returns NULL if the user may not access them. */
uint8_t *linux_user_chunk(linux_process *p, uint32_t address, size_t *size, bool write);
/* Copy bytes from or to the guest. Return false at a page that the user may not access, for EFAULT; the bytes before it
 * have been copied. */
bool linux_read_user(linux_process *p, uint32_t address, void *data, size_t size);
bool linux_write_user(linux_process *p, uint32_t address, const void *data, size_t size);
/* Copies a NUL-terminated string. Returns its length, -EFAULT, or -ENAMETOOLONG if it does not fit into
 * `capacity`. */
int32_t linux_read_string(linux_process *p, uint32_t address, char *text, size_t capacity);
/* Pieces of host memory for readv and writev. */
typedef struct linux_vector {
    struct iovec pieces[256];
    int count;
} linux_vector;
/* Sets `vector` to the beginning of the guest's buffer of `size` bytes at `address`, as far as the user may
 * access it and the pieces suffice. No pieces with size > 0 mean a fault. */
void linux_user_vector(linux_process *p, uint32_t address, uint32_t size, bool write, linux_vector *vector);
/* Must be called after the host wrote `size` bytes at `address`, so that code there is decoded again. */
void linux_user_written(linux_process *p, uint32_t address, size_t size);

/* --- kernel.c: descriptor tables, kernel entry --- */

/* Returns an empty process on the machine's engine. NULL: no memory. */
linux_process *linux_process_make(p5_machine *machine);
#define LINUX_KERNEL_BASE 0xc0000000u
enum {
    LINUX_KERNEL_PAGES = 4,
    /* selectors */
    LINUX_KERNEL_CODE = 0x60,
    LINUX_KERNEL_DATA = 0x68,
    LINUX_USER_CODE = 0x73,
    LINUX_USER_DATA = 0x7b,
    LINUX_TSS = 0x80,
    /* entries of the GDT; those for thread-local storage */
    LINUX_TLS_FIRST = 6,
    LINUX_TLS_COUNT = 3,
    LINUX_GDT_ENTRIES = 17,
    /* vectors */
    LINUX_VECTOR_TIMER = 0x20,
    LINUX_VECTOR_SYSCALL = 0x80
};

/* The user's registers as saved at the kernel entry, and as they will be restored. */
typedef struct linux_registers {
    uint32_t eax, ecx, edx, ebx, esp, ebp, esi, edi;
    uint32_t eip, eflags;
    uint16_t cs, ss;
} linux_registers;

/* Makes the kernel's pages and turns paging on. Returns false if memory runs out. */
bool linux_kernel_build(linux_process *p);
/* Finds the kernel's pages in a snapshot's memory. Returns false if they are missing. */
bool linux_kernel_find(linux_process *p);
/* Returns descriptor `index` of the GDT, in guest memory. */
uint64_t *linux_gdt_entry(linux_process *p, unsigned index);
/* snapshot.c: saves or loads the personality's part of a snapshot. */
void linux_transfer(p5_machine *machine, snapshot *s);

/* --- signal.c, frame.c --- */

/* A signal from LINUX_REAL_TIME on is queued each time it is raised. */
enum { LINUX_SIGNALS = 64, LINUX_REAL_TIME = 32, LINUX_QUEUED = 64 };

/* The members of siginfo that are used, by si_code. */
typedef struct linux_siginfo {
    int32_t signo, code; /* code: LINUX_SI_* and the like */
    uint32_t value[3];   /* si_pid, si_uid, si_value; or si_addr */
} linux_siginfo;

/* struct sigaction. */
typedef struct linux_action {
    uint32_t handler, flags, restorer; /* handler: an address, or LINUX_SIG_*; flags: LINUX_SA_* */
    uint64_t mask;
} linux_action;

typedef struct linux_signals {
    linux_action actions[LINUX_SIGNALS + 1]; /* by signal number */
    linux_siginfo info[LINUX_SIGNALS + 1];   /* of pending signals */
    uint64_t pending, blocked;               /* sets of LINUX_SIGBIT */
    linux_siginfo queue[LINUX_QUEUED];       /* more real-time signals with a pending number, in order */
    uint32_t queued;
    uint64_t saved_mask; /* if mask_saved: `blocked` as it was before a call that waits with its own mask */
    bool mask_saved;
    uint64_t awaited; /* signals for which rt_sigtimedwait waits; though blocked, they are never dropped */
    uint32_t stack, stack_size;     /* sigaltstack; size 0 = none */
    uint32_t stack_flags;           /* always 0; snapshots have a field for it */
    uint32_t trap, error_code, cr2; /* of the last fault, for signal frames */
} linux_signals;

/* The bit of a signal number in a mask. */
#define LINUX_SIGBIT(signal) (1ull << ((signal)-1))
#define LINUX_UNBLOCKABLE    (LINUX_SIGBIT(SIGKILL) | LINUX_SIGBIT(SIGSTOP))
/* Makes a signal pending, unless the program ignores it. */
void linux_raise(linux_process *p, const linux_siginfo *info);
/* Removes a pending signal and returns its information. Another one with its number may remain pending. */
linux_siginfo linux_take_signal(linux_signals *s, int signal);
/* Drops all pending instances of a signal. */
void linux_drop_signal(linux_signals *s, int signal);
/* Returns true if the signal is dropped when raised, by its action. */
bool linux_signal_ignored(const linux_signals *s, int signal);
/* Raises the signal for a fault of the user's code, which cannot be blocked or ignored. */
void linux_fault(linux_process *p, unsigned vector, uint32_t error_code);
/* Performs the actions of the pending signals that are not blocked: makes the user continue in a handler, or ends the
 * guest. Also restarts an interrupted call. */
void linux_deliver_signals(linux_process *p);
/* Performs the default action of a signal that ends the program, after a debugger has let it through. */
void linux_end_by_signal(p5_machine *machine, int signal);
/* Returns true if a signal would be delivered. */
bool linux_signal_waits(const linux_process *p);
/* frame.c: pushes a frame for `signal` onto the user's stack, and makes the user continue in the handler. `mask` has the
 * blocked signals that the return from the handler restores. Returns false if the stack cannot be written. */
bool linux_frame_push(linux_process *p, int signal, const linux_action *action, const linux_siginfo *info,
                      uint64_t mask);
/* Returns true if the user runs on the stack of sigaltstack. */
bool linux_on_signal_stack(const linux_process *p);
/* Returns ss_flags of that stack, as sigaltstack and the signal frames report it. */
uint32_t linux_signal_stack_flags(const linux_process *p);

/* --- time.c --- */

/* The timers of setitimer, in the order of its numbers. */
enum { LINUX_TIMERS = 3 };
typedef struct linux_timer {
    uint64_t clock;    /* model clock of its expiry, UINT64_MAX = off */
    uint64_t interval; /* clocks, 0 = once */
} linux_timer;

typedef struct linux_time {
    linux_timer timers[LINUX_TIMERS];
    uint64_t halted; /* clocks spent asleep, which are not CPU time */
} linux_time;

/* Returns the model's clock. An instruction that waits for a partner to pair with is issued first. */
uint64_t linux_clock(const linux_process *p);
/* Returns the guest's time of day in nanoseconds since 1970. */
uint64_t linux_wall_clock(const linux_process *p);
/* Turns all timers off. */
void linux_timers_reset(linux_process *p);
/* Returns the model clock at which a timer is due; UINT64_MAX if there is none. */
uint64_t linux_next_timer(const linux_process *p);
/* Raises the signals of the timers that are due. */
void linux_run_timers(linux_process *p);

/* The outcome of one step of waiting. */
typedef enum linux_waited {
    LINUX_LOOK_AGAIN,  /* the awaited event may have occurred */
    LINUX_TIME_OVER,   /* the time is over */
    LINUX_INTERRUPTED, /* a signal is to be delivered */
    LINUX_LEAVE        /* the call is abandoned: it is restarted later (p->blocked), or the guest has ended */
} linux_waited;
struct pollfd;
/* Waits until model clock `until` (UINT64_MAX: for ever), a timer, or until one of the `count` standard
 * streams is ready. While no stream is ready, the model's clock stops and the host waits as long as the guest
 * would wait for `until` or its next timer; then the model's clock jumps there. Without streams it jumps at
 * once. If nothing can ever end the wait, the guest ends. */
linux_waited linux_wait(linux_process *p, uint64_t until, struct pollfd *streams, unsigned count);
/* Sleeps until `clock` or until a signal arrives. Returns true if the time is over. */
bool linux_sleep_until(linux_process *p, uint64_t clock);
/* Returns the model clock `ns` nanoseconds from now; UINT64_MAX for UINT64_MAX. */
uint64_t linux_clock_after(const linux_process *p, uint64_t ns);

/* --- file.c, stat.c --- */

enum {
    LINUX_FILES = 256, /* descriptors */
    LINUX_WAIT_MS = 50 /* how often a call that waits for the host checks whether the run is to pause */
};

typedef enum linux_file_kind {
    LINUX_STANDARD,          /* standard input, output or error of the host */
    LINUX_REGULAR,           /* in a share or in the tree in memory */
    LINUX_DIRECTORY,         /* likewise */
    LINUX_VIRTUAL_DIRECTORY, /* exists only because a share lies below it */
    LINUX_PIPE,              /* of the guest, or a text of /proc */
    LINUX_NULL,
    LINUX_ZERO,
    LINUX_RANDOM
} linux_file_kind;

/* An open file description, to which descriptors refer. */
typedef struct linux_open_file {
    unsigned references;
    linux_file_kind kind;
    int host;                /* descriptor of the host, -1 if none */
    uint32_t flags;          /* O_* of open: access mode, APPEND, NONBLOCK */
    bool writable_share;     /* it lies in a share that the guest may change */
    share_quota *quota;      /* of its share; NULL: none */
    share_scratch *scratch;  /* NULL: not in memory */
    uint32_t node;           /* in memory: its node */
    uint64_t position;       /* of a directory: number of the next entry */
    struct dirent **entries; /* of a host's directory: its entries when it was last read from its beginning */
    int entry_count;
    char *path; /* path of a directory, as the guest sees it */
    char *name; /* path of a file when it was opened, for snapshots */
} linux_open_file;

typedef struct linux_descriptor {
    linux_open_file *file; /* NULL = closed */
    bool close_on_exec;
} linux_descriptor;

typedef struct linux_files {
    linux_descriptor descriptors[LINUX_FILES];
    share_tree tree;
    char cwd[SHARE_PATH]; /* absolute, normalised */
    uint32_t umask;
} linux_files;

/* Opens the standard streams and the shares, with /tmp in memory. linux_files_close must follow, even after an error. */
p5_status linux_files_open(linux_process *p, p5_error *error);
void linux_files_close(linux_process *p);

/* Resolves `path` relative to the directory of a descriptor (AT_FDCWD: the working directory). Returns 0 or
 * -errno. */
int32_t linux_resolve(linux_process *p, int32_t directory, const char *path, unsigned how,
                      share_place *place);
/* Makes an open file to which no descriptor refers yet. It owns `host`, unless that is a standard stream.
 * NULL: no memory. */
linux_open_file *linux_file_new(linux_file_kind kind, int host, uint32_t flags);
/* Drops a reference; frees the file with the last one, or if it has none yet. */
void linux_file_release(linux_open_file *file);
/* directory.c: discards the list of entries, so that the directory is listed again at the next read. */
void linux_directory_forget(linux_open_file *file);
/* Returns the open file of a descriptor; NULL if that is closed or out of range. */
linux_open_file *linux_file_at(const linux_process *p, uint32_t descriptor);
/* Gives `file` the lowest free descriptor from `lowest` on, and returns it. If there is none, returns -EMFILE and frees a
 * new file. `file` may be NULL, which means that memory has run out. */
int32_t linux_descriptor_add(linux_process *p, linux_open_file *file, unsigned lowest, bool close_on_exec);

/* --- syscall.c --- */

/* A system call with its six arguments. Returns the result or -errno. */
typedef int32_t linux_call(linux_process *p, const uint32_t a[6]);
/* Executes the call in p->registers; sets eax unless p->keep_registers. */
void linux_syscall(linux_process *p);

/* --- proc.c --- */

#define LINUX_PROC_SELF "1000" /* where the link /proc/self leads: LINUX_PID */
/* Opens the program's file for /proc/self/exe, and records its path as the guest sees it. `path` is the host's. */
void linux_set_program(linux_process *p, const char *path);
/* Returns true if `path` is the file `name` of /proc/self. */
bool linux_proc_is(const char *path, const char *name);
/* Returns the descriptor that `path` names: /dev/stdin, /dev/fd/5, /proc/self/fd/5. Returns -1 for other
 * paths. */
int32_t linux_proc_descriptor(const char *path);
/* Returns in `text` where the link /proc/self/fd/`descriptor` leads. Returns 0 or -errno. */
int32_t linux_proc_link(const linux_process *p, uint32_t descriptor, char text[SHARE_PATH]);
/* Opens "exe" or "maps" of /proc/self as a separate file. Returns the host's descriptor or -errno. */
int linux_proc_open(const linux_process *p, const char *path);

/* --- exec.c --- */

/* Returns the next 64 bits of the guest's random numbers: splitmix64 from the seed. */
uint64_t linux_random(linux_process *p);

struct linux_process {
    p5_machine *machine;
    engine *engine;
    linux_memory memory;
    uint32_t kernel_frames[LINUX_KERNEL_PAGES]; /* physical addresses of the kernel's pages */
    linux_signals signals;
    linux_time time;
    linux_files files;
    linux_registers registers; /* valid while in the kernel */
    bool entry_pending;   /* the processor is about to enter the kernel, or is before its first instruction */
    uint8_t entry_vector; /* by which it enters */
    bool keep_registers;  /* the call has replaced all registers (sigreturn) */
    bool blocked;         /* the call waits for the host and is restarted when the run continues */
    uint32_t waited_ms;   /* host time that the call has waited since the model's clock last moved */
    uint32_t call;        /* number of the current system call */
    int32_t interrupted;  /* LINUX_ERESTART* if a signal has interrupted the call; else 0 */
    uint64_t random_state;    /* of linux_random */
    uint8_t nice;             /* 0 to 19, because only the superuser may lower it */
    uint32_t clear_tid;       /* address of set_tid_address, which has no effect */
    char name[16];            /* of the process (prctl) */
    char program[SHARE_PATH]; /* path of the program, as the guest would write it */
    int program_file;         /* descriptor of the host, -1: none */
};

#endif
