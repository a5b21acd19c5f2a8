/* The Linux personality: what a kernel would be to a static i386 program.
 *
 * The guest runs at CPL 3 under real page tables, descriptor tables and a TSS that stand in guest memory. INT
 * 80h, faults and timer interrupts are delivered by the processor itself to a kernel entry whose code is one
 * IRET (behind an ADD ESP,4 where there is an error code). At that entry, before its first instruction, the
 * host does the kernel's work: it reads the registers and the frame on the kernel stack, answers the call,
 * puts signals on the user's stack, and edits the frame. So the way into the kernel and back is charged by
 * the processor's own rules, and the kernel's work is not charged at all. */
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

#define LINUX_TASK_SIZE 0xc0000000u
enum { LINUX_STACK_BYTES = 8 << 20, LINUX_MMAP_BASE = 0x40000000, LINUX_NO_FRAME = 0 };

/* What a page of RAM is: given out, and not zeros as RAM is first. */
enum { FRAME_USED = 1, FRAME_DIRTY = 2 };

/* A mapping [start, end). Pages from `backed_end` on lie behind the end of the mapped file: touching one is a
 * SIGBUS. */
typedef struct linux_region {
    uint32_t start, end, backed_end;
    uint32_t protection; /* LINUX_PROT_* */
} linux_region;

typedef struct linux_memory {
    uint8_t *frames; /* per page of RAM: FRAME_* */
    uint32_t frame_count, frames_free, first_free;
    uint32_t directory;             /* physical address */
    ARRAY_OF(linux_region) regions; /* by address */
    uint32_t brk_start, brk;
} linux_memory;

bool linux_memory_open(linux_process *p);
void linux_memory_close(linux_process *p);
/* Frame for kernel structures, zeroed; LINUX_NO_FRAME if there is none. */
uint32_t linux_frame_allocate(linux_process *p);
/* Makes a mapping of fresh zeroed pages, replacing what was there; pages behind the first `backed` bytes are
 * a SIGBUS. 0 or -errno. */
int32_t linux_map(linux_process *p, uint32_t start, uint32_t size, uint32_t backed, uint32_t protection);
/* Moves the pages of a whole mapping to the free range at `to`. 0 or -errno. */
int32_t linux_move(linux_process *p, uint32_t from, uint32_t size, uint32_t to);
int32_t linux_unmap(linux_process *p, uint32_t start, uint32_t size);
int32_t linux_protect(linux_process *p, uint32_t start, uint32_t size, uint32_t protection);
/* The lowest free range of `size` bytes in the area for mappings, 0 if there is none. */
uint32_t linux_find_range(const linux_process *p, uint32_t size);
const linux_region *linux_region_at(const linux_process *p, uint32_t address);
/* Maps a kernel page (supervisor, writable). */
bool linux_map_kernel(linux_process *p, uint32_t linear, uint32_t frame);
/* The frame of a page that is there, LINUX_NO_FRAME if none is. */
uint32_t linux_frame_of(linux_process *p, uint32_t linear);

/* --- user.c: guest pointers. Nothing is trusted: every page is checked for the user's right to it ---
 */

/* Host pointer to up to `*size` bytes at `address` within one page, `*size` cut to what is there; NULL = the
 * user may not. */
uint8_t *linux_user_chunk(linux_process *p, uint32_t address, size_t *size, bool write);
bool linux_read_user(linux_process *p, uint32_t address, void *data, size_t size);
bool linux_write_user(linux_process *p, uint32_t address, const void *data, size_t size);
/* Copies a NUL-terminated string: its length, -EFAULT, or -ENAMETOOLONG if it does not fit into `room`. */
int32_t linux_read_string(linux_process *p, uint32_t address, char *text, size_t room);
/* Describes a guest buffer for readv/writev: number of entries used (at most `room`), *bytes covered. 0
 * entries with size > 0 = fault. */
unsigned linux_user_vector(linux_process *p, uint32_t address, uint32_t size, bool write,
                           struct iovec *vector, unsigned room, size_t *bytes);
/* The host wrote `size` bytes at `address`: code there is decoded anew. */
void linux_user_written(linux_process *p, uint32_t address, size_t size);

/* --- kernel.c: descriptor tables, kernel entry --- */

/* A process of nothing, on that machine's engine. NULL: no memory. */
linux_process *linux_process_make(p5_machine *machine);
#define LINUX_KERNEL_BASE 0xc0000000u
enum {
    LINUX_KERNEL_PAGES = 4,
    LINUX_KERNEL_CODE = 0x60,
    LINUX_KERNEL_DATA = 0x68,
    LINUX_USER_CODE = 0x73,
    LINUX_USER_DATA = 0x7b,
    LINUX_TSS = 0x80,
    LINUX_TLS_FIRST = 6,
    LINUX_TLS_COUNT = 3,
    LINUX_GDT_ENTRIES = 17,
    LINUX_VECTOR_TIMER = 0x20,
    LINUX_VECTOR_SYSCALL = 0x80
};

/* The user's registers as the kernel entry found them and as they will be restored. */
typedef struct linux_registers {
    uint32_t eax, ecx, edx, ebx, esp, ebp, esi, edi;
    uint32_t eip, eflags;
    uint16_t cs, ss;
} linux_registers;

bool linux_kernel_build(linux_process *p);
/* Finds the kernel's pages in a snapshot's memory. False: they are not there. */
bool linux_kernel_find(linux_process *p);
/* Descriptor `index` of the GDT, in guest memory. */
uint64_t *linux_gdt_entry(linux_process *p, unsigned index);
/* snapshot.c: the personality's part of a snapshot. */
void linux_transfer(p5_machine *machine, snapshot *s);

/* --- signal.c, frame.c --- */

/* Signals from LINUX_REAL_TIME on are queued, each time that they are raised. */
enum { LINUX_SIGNALS = 64, LINUX_REAL_TIME = 32, LINUX_QUEUED = 64 };

/* The parts of siginfo that are used, by si_code. */
typedef struct linux_siginfo {
    int32_t signo, code;
    uint32_t value[3]; /* si_pid, si_uid, si_value; or si_addr */
} linux_siginfo;

typedef struct linux_action {
    uint32_t handler, flags, restorer;
    uint64_t mask;
} linux_action;

typedef struct linux_signals {
    linux_action actions[LINUX_SIGNALS + 1];
    linux_siginfo info[LINUX_SIGNALS + 1]; /* of pending ones */
    uint64_t pending, blocked;
    linux_siginfo queue[LINUX_QUEUED]; /* real-time signals behind pending ones, in their order */
    uint32_t queued;
    uint64_t saved_mask; /* of a call that waits with a mask of its own: the mask to put into the frame */
    bool mask_saved;
    uint64_t awaited; /* rt_sigtimedwait: blocked signals that it waits for, which are never dropped */
    uint32_t stack, stack_size; /* sigaltstack; size 0 = none */
    uint32_t stack_flags;
    uint32_t trap, error_code, cr2; /* of the last fault, for frames */
} linux_signals;

/* Bit of a signal number in a mask. */
#define LINUX_SIGBIT(signal) (1ull << ((signal)-1))
void linux_raise(linux_process *p, const linux_siginfo *info);
/* Takes a pending signal, of which there may be another one then: what came with it. */
linux_siginfo linux_take_signal(linux_signals *s, int signal);
/* Drops a signal, however often it is pending. */
void linux_drop_signal(linux_signals *s, int signal);
/* What is set for it drops it. */
bool linux_signal_ignored(const linux_signals *s, int signal);
/* A fault of the user's code: cannot be blocked or ignored. */
void linux_fault(linux_process *p, unsigned vector, uint32_t error_code);
/* Puts pending signals onto the user's stack, or ends the guest. */
void linux_deliver_signals(linux_process *p);
/* The default action of a signal that ends the program, which a debugger was told of first. */
void linux_end_by_signal(p5_machine *machine, int signal);
/* True if a signal would be delivered. */
bool linux_signal_waits(const linux_process *p);
/* frame.c: a frame for `signal` on the user's stack; false if the stack is no good. */
bool linux_frame_push(linux_process *p, int signal, const linux_action *action, const linux_siginfo *info,
                      uint64_t mask);
bool linux_on_signal_stack(const linux_process *p);

/* --- time.c --- */

/* The timers of setitimer, by its numbers. */
enum { LINUX_TIMERS = 3 };
typedef struct linux_timer {
    uint64_t clock;    /* model clock of its expiry, UINT64_MAX = off */
    uint64_t interval; /* clocks, 0 = once */
} linux_timer;

typedef struct linux_time {
    linux_timer timers[LINUX_TIMERS];
    uint64_t halted; /* clocks spent asleep: not CPU time */
} linux_time;

uint64_t linux_clock(const linux_process *p);
/* The guest's time of day in nanoseconds. */
uint64_t linux_wall_clock(const linux_process *p);
void linux_timers_reset(linux_process *p);
/* The model clock at which a timer is due, UINT64_MAX: none. */
uint64_t linux_next_timer(const linux_process *p);
/* Timers that are due raise their signals. */
void linux_run_timers(linux_process *p);

/* How a step of waiting ended. */
typedef enum linux_waited {
    LINUX_LOOK_AGAIN,  /* what is waited for may be there now */
    LINUX_TIME_OVER,   /* the time is over */
    LINUX_INTERRUPTED, /* a signal is to be delivered */
    LINUX_LEAVE        /* the call is left: it is made again later (p->blocked), or the guest has ended */
} linux_waited;
struct pollfd;
/* Waits until model clock `until` (UINT64_MAX: for ever), a timer, or what makes one of the `count` standard
 * streams ready. While nothing is there the model's clock stands still, and the host's time passes: as much
 * as the guest would wait for `until` or its next timer. Then the model's clock jumps there. Without streams
 * it jumps at once; if nothing can ever end such a wait, the guest ends. */
linux_waited linux_wait(linux_process *p, uint64_t until, struct pollfd *streams, unsigned count);
/* Sleeps until `clock`, or until a signal comes: true if the time is over. */
bool linux_sleep_until(linux_process *p, uint64_t clock);
/* The model clock at which `ns` from now on have passed; UINT64_MAX for UINT64_MAX. */
uint64_t linux_clock_after(const linux_process *p, uint64_t ns);

/* --- file.c, stat.c --- */

enum {
    LINUX_FILES = 256,
    LINUX_WAIT_MS = 50 /* how often a call that waits for the host looks whether the run is to pause */
};

typedef enum linux_file_kind {
    LINUX_STANDARD,
    LINUX_REGULAR,
    LINUX_DIRECTORY,
    LINUX_VIRTUAL_DIRECTORY,
    LINUX_PIPE,
    LINUX_NULL,
    LINUX_ZERO,
    LINUX_RANDOM
} linux_file_kind;

/* An open file description; descriptors refer to it. */
typedef struct linux_open_file {
    unsigned references;
    linux_file_kind kind;
    int host;       /* descriptor, -1 if none */
    uint32_t flags; /* O_* of open: access mode, APPEND, NONBLOCK */
    bool writable_share;
    share_quota *quota;      /* of its share, NULL: none */
    share_scratch *scratch;  /* NULL: not there */
    uint32_t node;           /* ... which it is */
    uint64_t position;       /* of a directory: number of the next entry */
    struct dirent **entries; /* of a host's directory, when it was read from its beginning */
    int entry_count;
    char *path; /* of a directory, as the guest sees it */
    char *name; /* of a file when it was opened, for snapshots */
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

p5_status linux_files_open(linux_process *p, p5_error *error);
void linux_files_close(linux_process *p);

/* Where `path` leads from the directory of that descriptor (AT_FDCWD: the working directory). 0 or -errno. */
int32_t linux_resolve(linux_process *p, int32_t directory, const char *path, unsigned how,
                      share_place *place);
/* A file without a host's; no descriptor refers to it. NULL: no memory. */
linux_open_file *linux_file_new(linux_file_kind kind, int host, uint32_t flags);
/* Gives up a reference. */
void linux_file_release(linux_open_file *file);
/* directory.c: it is listed anew when it is read again. */
void linux_directory_forget(linux_open_file *file);
linux_open_file *linux_file_at(const linux_process *p, uint32_t descriptor);
int32_t linux_descriptor_add(linux_process *p, linux_open_file *file, unsigned lowest, bool close_on_exec);

/* --- syscall.c --- */

typedef int32_t linux_call(linux_process *p, const uint32_t a[6]);
/* Answers the call in p->registers; sets eax unless p->keep_registers. */
void linux_syscall(linux_process *p);

/* --- proc.c --- */

/* The program was started by this path of the host. */
void linux_program_is(linux_process *p, const char *path);
/* Whether `path` is that file of /proc/self. */
bool linux_proc_is(const char *path, const char *name);
/* The descriptor that `path` is a name of: /dev/stdin, /dev/fd/5, /proc/self/fd/5. -1: it is none. */
int32_t linux_proc_descriptor(const char *path);
/* Where the link /proc/self/fd/`descriptor` leads. 0 or -errno. */
int32_t linux_proc_link(const linux_process *p, uint32_t descriptor, char text[SHARE_PATH]);
/* Opens "exe" or "maps" of it, as a file of its own: the host's descriptor or -errno. */
int linux_proc_open(const linux_process *p, const char *path);

/* --- exec.c --- */

/* The next 64 bits of the guest's random source: splitmix64 from the seed. */
uint64_t linux_random(linux_process *p);

struct linux_process {
    p5_machine *machine;
    engine *engine;
    linux_memory memory;
    uint32_t kernel_frames[LINUX_KERNEL_PAGES];
    linux_signals signals;
    linux_time time;
    linux_files files;
    linux_registers registers; /* while in the kernel */
    bool entry_pending;        /* the processor is on its way to the kernel entry, or stands there */
    uint8_t entry_vector;
    bool keep_registers; /* the call replaced all registers (sigreturn) */
    bool blocked;        /* the call waits for the host; it is made again when the run goes on */
    uint32_t waited_ms;  /* so long it has waited for the host since the model's clock moved */
    uint32_t call;       /* the number of the system call under way */
    int32_t interrupted; /* LINUX_ERESTART*: a signal interrupted it; 0: none did */
    uint64_t random_state;
    uint32_t clear_tid;
    char name[16];
    char program[SHARE_PATH]; /* its path, as the guest would write it */
    int program_file;         /* of the host, -1: none */
};

#endif
