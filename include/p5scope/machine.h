/* A machine: engine, core model, performance monitor, memory and a guest. A process may have several. */
#ifndef P5SCOPE_MACHINE_H
#define P5SCOPE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/core.h"
#include "p5scope/model.h"
#include "p5scope/pmu.h"
#include "p5scope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct p5_machine p5_machine;

/* A host directory that a Linux guest may access, or a drive of a DOS program. */
typedef struct p5_share {
    size_t size;        /* sizeof (p5_share) */
    const char *host;   /* path of the directory */
    const char *guest;  /* absolute guest path; NULL = the host's absolute path */
    bool writable;      /* the guest may create, change and remove files there */
    uint64_t max_bytes; /* bytes by which a writable one may grow in total: file sizes (including holes) and 4
                           KB for each new name; 0 = P5_SHARE_MAX_BYTES */
} p5_share;
#define P5_SHARE_MAX_BYTES (UINT64_C(1) << 30)

/* Options of p5_machine_open. Zero-initialise, set `size`, then set what you need. Strings are copied,
 * except where a member says otherwise. */
typedef struct p5_machine_options {
    size_t size;           /* sizeof (p5_machine_options) */
    const char *model;     /* NULL = the default model */
    double clock_mhz;      /* 0 = the model's */
    const char *agent;     /* p5_model_set_agent; NULL = the model's */
    const char *monitor;   /* p5_model_set_monitor; NULL = the model's */
    const char *wires;     /* p5_model_set_wires; NULL = the model's */
    const char *check;     /* p5_model_set_check; NULL = the model's */
    uint32_t memory_bytes; /* guest RAM; 0 = 64 MB (256 MB for Linux guests) */
    bool permissive;       /* the guest may use some instructions of later processors (--isa=permissive) */
    bool memo_off;         /* price every block on the slow path, without the memo, which remembers results of
                               earlier executions (debugging; same results) */
    bool memo_check;       /* compare the fast and the slow path after every stretch (p5_core_check_memo;
                               many times slower). P5_ERR_STATE with memo_off or a bus check, which needs the
                               slow path */
    uint64_t random_seed;  /* of what Linux guests get as random: getrandom, AT_RANDOM */
    const p5_share *shares; /* Linux guests and DOS programs; NULL = none */
    size_t share_count;     /* of `shares` */
    bool rtc_set;           /* the board's clock starts at rtc_seconds */
    int64_t rtc_seconds;    /* since 1970-01-01 00:00 */
    /* Multiboot images: the kernel's command line (NULL = its file's name), and modules, each "FILE" or "FILE
     * ARGUMENTS" (p5_module_file_length). The strings are not copied; they must live while the image is loaded. */
    const char *command_line;
    const char *const *modules;
    size_t module_count; /* of `modules` */
    /* Threads of the host. 0 and 1 = all work is done by the thread that calls p5_machine_run. 2 = the core
     * model runs in a second thread where that is faster and nothing depends on its progress; the results are
     * the same to the bit. Callbacks of the core, and of observers with counts_only, then come from that
     * thread, but never two callbacks at once. If the thread cannot be started, one thread does all.
     * P5_ERR_RANGE for more than 2. */
    unsigned threads;
    /* Images of further drives: diskettes if they have the size of one, else hard disks, two of each kind at most. The
     * strings must live while the machine is opened or loaded. */
    const char *const *disks;
    size_t disk_count;  /* of `disks` */
    bool disk_writable; /* disk images: the guest writes to the files; otherwise to memory, dropped at the
                                 end */
    bool cd_as_disk;    /* disk images: the image of a bootable CD is presented as a hard disk */
    const char *image;  /* p5_machine_restore: the disk image or DOS program that the guest has open; not
                                 copied, must live while the snapshot is loaded */
    bool look_only;     /* p5_machine_restore: load without that file; the machine must not be run */
    bool pce;           /* CR4.PCE set before a Linux guest starts */
    uint32_t cesr;      /* CESR before a Linux guest starts */
    uint32_t event_select[2]; /* PERFEVTSEL0 and 1 of a later monitor before a Linux guest starts */
    /* Guest text output of bare-metal guests (port E9h, COM1). NULL = host stdout. */
    void (*console)(void *context, const void *text, size_t size);
    void *console_context; /* first argument of `console` */
    /* Input of bare-metal guests: bytes that COM1 receives, or the keyboard of a boot-sector guest. It is
     * called when the guest waits for a byte; it writes the byte and returns 1, or returns 0 if there is none
     * now, or -1 if no more will come. `idle`: the guest is in HLT, so a short wait does no harm. A run is
     * repeatable if all calls are answered alike, as from a file. NULL = no input. */
    int (*input)(void *context, uint8_t *byte, bool idle);
    void *input_context; /* first argument of `input` */
    /* The input is typed: the sequences that terminals send for keys (ECMA-48) are these keys on the board's keyboard
     * and in DOS. Otherwise each byte is a character. */
    bool input_keys;
    /* Messages for the user (unknown system calls, unknown ports, permissive instructions), one line each
     * without newline. NULL = none. */
    void (*notice)(void *context, const char *line);
    void *notice_context; /* first argument of `notice` */
    /* Called if a run does not end within most of a second after p5_machine_stop or its time-out, because
     * something outside blocks it, such as a pipe that nobody reads. It is called once, by a thread of the
     * library, while the run continues; all it can do is to end the process. NULL: nothing is done. */
    void (*stuck)(void *context);
    void *stuck_context; /* first argument of `stuck` */
} p5_machine_options;

/* Opens a machine of the model in the state after RESET, without a guest. P5_ERR_NAME, P5_ERR_SYNTAX,
 * P5_ERR_RANGE or P5_ERR_IO for the model, its agent or its clock; P5_ERR_RANGE for an array that is NULL though its
 * count is not 0, for a NULL in an array of texts, and for a share without a directory; P5_ERR_STATE or
 * P5_ERR_UNSUPPORTED for the `size` of `options` or of a share (p5scope/status.h); P5_ERR_MEMORY. *machine is NULL
 * after an error. */
p5_status p5_machine_open(const p5_machine_options *options, p5_machine **machine, p5_error *error);
/* Closes a machine with everything that belongs to it. NULL is allowed. From a callback it stops the run, and
 * the machine is closed when p5_machine_run returns. */
void p5_machine_close(p5_machine *machine);

/* ---- Guests ---- */

/* The kinds of guests. */
typedef enum p5_guest_kind {
    P5_GUEST_DETECT, /* p5_guest_detect finds the kind */
    P5_GUEST_LINUX,  /* a static i386 Linux program */
    P5_GUEST_DOS, /* a DOS program, COM or MZ, in real mode under a DOS that the host emulates (docs/dos.md) */
    P5_GUEST_MULTIBOOT, /* a Multiboot image, with the modules of p5_machine_options */
    P5_GUEST_ELF,   /* a freestanding ELF file, loaded to the physical addresses of its segments: protected
                           mode, CPL 0, flat segments, no paging */
    P5_GUEST_FLAT,  /* a flat image, loaded to and entered at `address`, in the state of P5_GUEST_ELF */
    P5_GUEST_REAL,  /* a flat image, loaded to and entered at segment:offset in real mode, with a minimal BIOS
                           but without a disk; DS, ES and SS are `segment`, SP is FFFEh */
    P5_GUEST_DISK,  /* a disk image, or the image of a bootable CD (docs/board.md) */
    P5_GUEST_KERNEL /* a Linux kernel, bzImage or vmlinux */
} p5_guest_kind;

/* Finds the kind of the file at `path` by its contents, as the command line does: Multiboot header, ELF, Linux
 * kernel, DOS program (MZ, or a name that ends with .com), boot signature 55h AAh at offset 510, or a CD's boot
 * record. The boot signature takes precedence over a Multiboot header unless the file is an ELF file or a bzImage.
 * Never P5_GUEST_FLAT or P5_GUEST_REAL. P5_ERR_IO: the file cannot be read; P5_ERR_FORMAT: it is none of these. */
p5_status p5_guest_detect(const char *path, p5_guest_kind *kind, p5_error *error);

/* Options of p5_machine_load. The strings and arrays are used during the call only. */
typedef struct p5_load_options {
    size_t size;        /* sizeof (p5_load_options) */
    p5_guest_kind kind; /* P5_GUEST_DETECT, or the kind that the file is taken for */
    /* Linux and DOS programs: the words that the program gets, NULL-terminated, and "NAME=VALUE" strings. The
     * first word is passed unchanged. NULL: the file's name without its directory, so that no count depends on
     * where the file is; and an empty environment. */
    const char *const *arguments;
    const char *const *environment;
    uint32_t address;         /* P5_GUEST_FLAT: physical */
    uint16_t segment, offset; /* P5_GUEST_REAL */
    const char *append;       /* Linux kernels: the command line; NULL = "console=ttyS0,115200" */
    const char *initrd;       /* Linux kernels: a file; NULL = none */
    const char *init; /* Linux kernels: a static Linux program that replaces an initrd. An initrd is built
                                  from it, from what the machine's shares hold now, and from a first process that
                                  runs the program and ends the run with its status. NULL = none */
} p5_load_options;

/* Loads the guest in the file at `path` into a machine that has none yet. `options` may be NULL: the kind is
 * detected.
 *
 *     p5_machine_load(machine, "./guest", NULL, &error);
 *
 * P5_ERR_STATE: the machine has a guest, or is running; P5_ERR_IO: a file cannot be read; P5_ERR_FORMAT: it is not
 * what `kind` says, or of no known kind; P5_ERR_RANGE: the guest does not fit into the memory, or has too many
 * arguments; P5_ERR_UNSUPPORTED: arguments for a guest that takes none (ELF, FLAT, REAL, DISK), or append, initrd or
 * init for another guest than a Linux kernel; P5_ERR_MEMORY.
 * After an error of loading, close the machine. */
p5_status p5_machine_load(p5_machine *machine, const char *path, const p5_load_options *options,
                          p5_error *error);

/* Options of p5_machine_load_code and p5_count_code. Everything is copied. */
typedef struct p5_code_options {
    size_t size;            /* sizeof (p5_code_options) */
    const char *model;      /* p5_count_code: NULL = the default model */
    uint32_t address;       /* linear and physical, of the code; 0 = 100000h */
    const void *data;       /* bytes that the code finds at data_address; NULL = none */
    size_t data_size;       /* of `data` */
    uint32_t data_address;  /* 0 = 200000h */
    bool system;            /* the code runs at CPL 0, not at CPL 3 */
    uint32_t cr4;           /* control register 4 at the start */
    double timeout_seconds; /* p5_count_code: of host time; 0 = 10 s, negative: P5_ERR_RANGE */
} p5_code_options;

/* Loads machine code for 32-bit protected mode with flat segments, entered at its first byte, with ESP at the end
 * of a 64 KB stack. The memory is 32 MB, which is mapped one to one; page tables, descriptors and the stack take its
 * last 112 KB. The run ends with status 0 when control reaches the end of the code, where p5scope puts two bytes more;
 * nothing of that end is counted. An exception or interrupt ends it with P5_END_FAILED, because the code has no handlers.
 * `code` may be NULL if `size` is 0, `options` always. P5_ERR_FORMAT: code or data reach into the last 112 KB, or
 * overlap; P5_ERR_RANGE: the model lacks a bit of cr4, or `code` is NULL and `size` is not 0;
 * P5_ERR_STATE; P5_ERR_MEMORY. */
p5_status p5_machine_load_code(p5_machine *machine, const void *code, size_t size,
                               const p5_code_options *options, p5_error *error);

/* Runs machine code on a new machine and returns what it counted. The caller frees *counts, which is NULL after an
 * error. `options` may be NULL. Several threads may call this at once.
 *
 *     p5_counts *counts;
 *     if (p5_count_code("\x83\xc0\x01\x83\xc3\x01", 6, NULL, &counts, NULL) == P5_OK)
 *         printf("%d clocks\n", (int)p5_counts_clocks(counts, P5_CPL_MASK_ALL));
 *     p5_counts_free(counts);
 *
 * Errors: those of p5_machine_open and p5_machine_load_code; P5_ERR_STATE if the code ends in another way than at
 * its end (an exception that no handler takes, HLT), or not within the time-out. */
p5_status p5_count_code(const void *code, size_t size, const p5_code_options *options, p5_counts **counts,
                        p5_error *error);

/* ---- Running ---- */

/* Why a run ended. */
typedef enum p5_end {
    P5_END_EXIT,         /* the guest exited: status is valid */
    P5_END_SIGNAL,       /* a fatal signal (Linux): signal, address, instruction */
    P5_END_HALT,         /* HLT with nothing that could wake it */
    P5_END_SHUTDOWN,     /* triple fault, or the error in `message` */
    P5_END_INSTRUCTIONS, /* --max-instructions reached */
    P5_END_CLOCKS,       /* --max-clocks reached */
    P5_END_TIMEOUT,      /* timeout_seconds of host time have passed */
    P5_END_STOPPED,      /* p5_machine_stop */
    P5_END_FAILED,       /* the engine failed, or code of p5_machine_load_code raised an exception; `message`
                            says which */
    P5_END_RESET         /* the guest reset the processor (port 92h, keyboard controller) */
} p5_end;

/* Limits of a run. Those of instructions and clocks are counted from the guest's start. NULL instead of a pointer to
 * this struct means no limits. */
typedef struct p5_limits {
    size_t size;               /* sizeof (p5_limits) */
    uint64_t max_instructions; /* completed ones */
    uint64_t max_clocks;       /* of the core */
    double timeout_seconds;    /* of host time, from the call on; for all three: 0 = no limit */
} p5_limits;

/* How a run ended. The caller sets `size`. */
typedef struct p5_run_result {
    size_t size; /* sizeof (p5_run_result) */
    p5_end end;
    int status;           /* P5_END_EXIT: exit status, 0-255 */
    int signal;           /* P5_END_SIGNAL: the signal's number */
    uint32_t address;     /* linear, of the instruction at which it ended */
    char instruction[96]; /* its disassembly, may be empty */
    char message[200];    /* why it ended, in words, may be empty */
} p5_run_result;

/* Runs until the guest ends or a limit is reached. It may be called again after P5_END_INSTRUCTIONS, CLOCKS,
 * TIMEOUT or STOPPED: a run in pieces gives the same results as one call. `result` may be NULL. P5_ERR_STATE without
 * a guest or from a callback (p5scope/observe.h lists what callbacks may do); P5_ERR_RANGE for a negative time-out. */
p5_status p5_machine_run(p5_machine *machine, const p5_limits *limits, p5_run_result *result,
                         p5_error *error);
/* Waits for gdb at a TCP port of this host ("1234") or at a new socket file, and lets it control the guest:
 * registers with a target description, memory, breakpoints, watchpoints, single steps, `monitor` commands.
 * Returns when the guest has ended or gdb has killed it (P5_END_STOPPED). If gdb detaches, the guest
 * continues within `limits`. Reading changes nothing: the totals exclude an instruction that still waits for
 * a partner. `result` may be NULL. */
p5_status p5_machine_run_gdb(p5_machine *machine, const char *where, const p5_limits *limits,
                             p5_run_result *result, p5_error *error);
/* Ends a run at the next block, or the next run as soon as it begins if there is none now; safe from signal handlers
 * and other threads. */
void p5_machine_stop(p5_machine *machine);
/* Returns true if the run is about to end because of p5_machine_stop or its time-out. Callbacks that wait for
 * something should then return. */
bool p5_machine_ending(const p5_machine *machine);
/* Calls `progress` about every `period_seconds` of host time from within p5_machine_run, for progress lines.
 * NULL = never. */
void p5_machine_on_progress(p5_machine *machine, void (*progress)(void *context, const p5_machine *machine),
                            void *context, double period_seconds);

/* Raises the NMI pin. The NMI is taken at the next instruction boundary, or after the IRET of the NMI that is
 * being handled; one more is remembered meanwhile. To be called between runs or from a callback. */
void p5_machine_nmi(p5_machine *machine);
/* Reports that a bus cycle at physical address `physical` failed: BUSCHK#, or a parity error with PEN#. MCA
 * and MCT (`type`: P5_MCT_*, p5scope/pmu.h) latch it unless they hold an earlier one; with CR4.MCE it raises
 * #MC (vector 18) at the next instruction boundary. To be called like p5_machine_nmi. */
void p5_machine_bus_check(p5_machine *machine, uint32_t physical, unsigned type);

/* The picture on the screen of a guest on the board, in any mode. Scan lines that only repeat a line are left
 * out. The caller frees it with p5_picture_free. P5_ERR_STATE: there is no board with a screen (Linux
 * programs, case files), or no guest yet. To be called between runs, and from the callbacks of
 * p5_machine_on_progress and of an observer. */
typedef struct p5_picture {
    size_t size;            /* sizeof (p5_picture) */
    unsigned width, height; /* pixels */
    bool text;              /* a text mode: p5_machine_screen has its characters */
    unsigned char *rgb;     /* height * width pixels of three bytes, red first */
} p5_picture;
p5_status p5_machine_picture(const p5_machine *machine, p5_picture *picture, p5_error *error);
void p5_picture_free(p5_picture *picture);

/* The text screen of a guest on the board: 80 x 25 cells of memory at B8000h, starting where the VGA's
 * registers say. To be read between runs and from p5_machine_on_progress. */
enum { P5_SCREEN_COLUMNS = 80, P5_SCREEN_ROWS = 25 };
typedef struct p5_screen {
    size_t size;                                /* sizeof (p5_screen) */
    struct {                                    /* by row and column, from the top left */
        uint8_t character;                      /* code page 437 */
        uint8_t attribute;                      /* bits 3-0 foreground, 6-4 background, 7 blink */
    } cells[P5_SCREEN_ROWS][P5_SCREEN_COLUMNS]; /* from the top left */
    unsigned row, column;                       /* of the cursor; may be outside the screen */
} p5_screen;
/* Reads the text screen. Returns false if the machine has no board with a screen (Linux programs, case files) or
 * no guest yet. */
bool p5_machine_screen(const p5_machine *machine, p5_screen *screen);

/* Parts of the machine, for functions of their headers. They live as long as the machine. */
p5_core *p5_machine_core(p5_machine *machine);
p5_pmu *p5_machine_pmu(p5_machine *machine);
const p5_model *p5_machine_model(const p5_machine *machine);
/* Issues a pending instruction. An instruction that could pair with the next one waits for it, and no total
 * includes it before that one is known. If none comes, it issues alone: p5_machine_run does that when the
 * guest ends. Call this for the totals of a run that a limit stopped and that is not continued; a run that is
 * continued may miss one pairing. */
void p5_machine_settle(p5_machine *machine);
/* Gets all totals at the current instruction, without a pending one. Reading changes nothing. */
void p5_machine_counts(p5_machine *machine, p5_counts *counts);
/* Return the number of completed instructions, and the model's clock (core clocks). Both are cheap. The event
 * instructions_executed also counts exceptions and interrupts that enter their handlers. */
uint64_t p5_machine_instructions(const p5_machine *machine);
uint64_t p5_machine_clock(const p5_machine *machine);

#ifdef __cplusplus
}
#endif
#endif
