/* Observation of a run. Callbacks of yours are called at the points of a run that you name: intervals,
 * entries and exits of functions, events, executed stretches of code, exceptions, port accesses, pins. They
 * may read counts and clock there, and memory and registers as p5scope/inspect.h says. Observation changes
 * nothing: an observed run ends with the same totals, bit by bit. What is not requested costs nothing.
 *
 * What a callback sees is exact at its point, also inside a block: the totals include every instruction that
 * has entered EX. An instruction in D1 that still waits for a partner to pair with has not entered EX; so
 * `instructions` can be one more than event instructions_executed without the exceptions and interrupts that the event
 * counts, too.
 *
 * A machine may have several observers. They are called in the order in which they were opened.
 *
 * These callbacks, and those of p5_machine_options, p5_machine_on_progress and p5_port_options, may call
 * every function of the machine, its core and its monitor that only reads, and p5_machine_stop,
 * p5_machine_nmi, p5_machine_bus_check, p5_observer_every, p5_observer_point, p5_observer_close (also of the
 * observer that is called) and p5_core_set_trace. Functions that need a machine that is not running fail with
 * P5_ERR_STATE: p5_machine_run, p5_machine_run_gdb, p5_machine_load_*, p5_machine_observe,
 * p5_machine_attach_ports. p5_machine_close stops the run, and the machine is closed when p5_machine_run
 * returns. Don't call p5_machine_settle and the functions that feed the core: they would change the run's
 * clocks. */
#ifndef P5SCOPE_OBSERVE_H
#define P5SCOPE_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/machine.h"
#include "p5scope/pmu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kinds of observations. */
typedef enum p5_observation_kind {
    P5_OBSERVE_INTERVAL, /* the first instruction boundary at or after a multiple of every_clocks or
                            every_instructions */
    P5_OBSERVE_POINT,    /* the same for points[number] */
    P5_OBSERVE_ENTRY,    /* before an execution of the instruction at addresses[number], which is a function's
                            first */
    P5_OBSERVE_EXIT,     /* after the return of the function that was entered there. On 32-bit stacks at CPL 3 also
                            after a jump that discards its return address (longjmp, exceptions of C++) */
    P5_OBSERVE_BEGIN,    /* the guest's marker `begin` (p5scope/guest.h); number = its id */
    P5_OBSERVE_END,      /* the guest's marker `end`; number = its id */
    P5_OBSERVE_RDPMC,    /* before the guest's instruction; number = ECX, value = what it reads */
    P5_OBSERVE_RDMSR,    /* likewise */
    P5_OBSERVE_WRMSR,    /* likewise, but value = what it writes */
    P5_OBSERVE_EVENT,    /* the first instruction boundary at which the total of events[number] has reached or
                         passed a multiple of its `every`; value = the total */
    P5_OBSERVE_KINDS
} p5_observation_kind;

/* What `observed` of p5_observe_options gets. */
typedef struct p5_observation {
    size_t size; /* of this struct in the library */
    p5_observation_kind kind;
    uint8_t cpl;           /* 0-3, of the instruction at `address` */
    uint32_t address;      /* linear, of the next instruction; for a marker or a PMU instruction, that
                              instruction itself, not executed yet */
    uint64_t clock;        /* p5_machine_clock: the clock at which EX is free after all instructions that have
                              entered it */
    uint64_t instructions; /* completed so far */
    uint32_t number;       /* see p5_observation_kind */
    uint64_t value;        /* see p5_observation_kind */
} p5_observation;

/* A single point of a run. The layout is fixed. */
typedef struct p5_point {
    bool instruction; /* `at` is a number of instructions, not a clock */
    uint64_t at;      /* counted from the guest's start */
} p5_point;

/* An event whose total is watched. Near a multiple of `every` the machine checks after every instruction, so
 * a small `every` of a frequent event makes a slow run. */
typedef struct p5_event_watch {
    size_t size;         /* sizeof (p5_event_watch) */
    enum p5_event event; /* below P5_EVENT_COUNT */
    uint8_t cpl_mask;    /* P5_CPL_MASK_*; 0 = all */
    bool asserted;       /* clocks in which the event's signal was on, not increments (CESR's CC bit 2) */
    uint64_t every;      /* at least 1; 1 = whenever the total changes */
} p5_event_watch;

/* Instructions that were executed in sequence: a block of straight code, or a part of one. The engine chooses
 * where to divide code into stretches, and versions differ in that; the sums over stretches do not. What follows the
 * last stretch of a run, such as the delivery of an exception that ends it, belongs to none. */
typedef struct p5_stretch {
    size_t size;           /* of this struct in the library */
    uint32_t address;      /* linear, of the first instruction */
    uint32_t next;         /* linear, to which control went */
    uint32_t bytes;        /* length of the code */
    uint32_t instructions; /* completed; an interrupted REP string is not, and counts 0 */
    uint32_t repeats;      /* iterations of a REP string that ends it; 0 = none */
    uint8_t cpl;           /* 0-3 while it ran */
    uint64_t clock;        /* p5_machine_clock after it */
    uint64_t clocks; /* its growth since the previous stretch (or since the observer was opened), including an
                        exception's delivery or a HLT in between */
    const p5_counts *counts; /* growth of the totals in that time; NULL without stretch_counts */
} p5_stretch;

/* An exception or interrupt, before any step of its delivery: faults, traps, INT n (also the system calls of
 * Linux guests), external interrupts, NMI, machine check. An INT n that CR4.VME redirects to the handler of a
 * virtual-8086 program is not reported. Manual: chapter on exceptions and interrupts. */
typedef struct p5_exception_info {
    size_t size; /* of this struct in the library */
    p5_transfer kind;
    uint8_t vector;      /* 0-255 */
    uint8_t cpl;         /* 0-3 */
    bool has_error_code; /* the delivery pushes one */
    uint32_t error_code; /* 0 without one */
    uint32_t cr2;        /* vector 14 as a fault: the address that faulted */
    uint16_t cs;         /* selector that is pushed */
    uint32_t eip;        /* offset that is pushed: of the instruction that faulted, or of the next one */
    uint32_t address;    /* linear, of that instruction */
    uint64_t clock, instructions; /* as in p5_observation */
} p5_exception_info;

/* A port access of IN, OUT, INS or OUTS, after it was handled. */
typedef struct p5_port_access {
    size_t size;                  /* of this struct in the library */
    uint16_t port;                /* the first one */
    uint8_t bytes;                /* 1, 2 or 4 */
    uint8_t cpl;                  /* 0-3 */
    bool write;                   /* OUT or OUTS */
    bool handled;                 /* by a handler of p5_machine_attach_ports, not by the board */
    uint32_t value;               /* the value written, or the value that the guest reads */
    uint32_t address;             /* linear, of the instruction */
    uint64_t clock, instructions; /* as in p5_observation */
} p5_port_access;

/* Options of p5_machine_observe. Zero-initialise, set `size`, then set what you need. Arrays are copied.
 * Callbacks that are NULL are not called. The others are called within p5_machine_run, on its thread (but see
 * p5_machine_options.threads), with `context`. */
typedef struct p5_observe_options {
    size_t size;                  /* sizeof (p5_observe_options) */
    uint64_t every_clocks;        /* 0 = no interval in clocks */
    uint64_t every_instructions;  /* 0 = no interval in instructions; a REP string is one */
    const p5_point *points;       /* NULL = none */
    size_t point_count;           /* of `points` */
    const uint32_t *addresses;    /* linear, of the functions whose entries and exits are observed */
    size_t address_count;         /* at most P5_OBSERVE_ADDRESSES, summed over all observers */
    const p5_event_watch *events; /* NULL = none */
    size_t event_count;           /* of `events` */
    bool markers;                 /* the guest's markers */
    bool pmu;                     /* RDPMC; RDMSR and WRMSR of TSC, CESR, CTR0 and CTR1; unless they fault */
    bool stretch_counts; /* fill in p5_stretch.counts, which takes as long as p5_machine_counts each time */
    /* Called for the observations requested above. At one boundary the order is: points and events by number;
     * the interval; exits; the entry. */
    void (*observed)(void *context, p5_machine *machine, const p5_observation *observation);
    bool counts_only; /* `observed` reads only counts, clock, monitor and its arguments, no registers, memory
                         or ports, and stops the machine only if the place does not matter. The guest may then
                         be some thousand instructions ahead when it is called, which makes the run faster.
                         What it reads is still exact */
    /* Called after a stretch has been priced: after the points, events and intervals inside it and at its
     * end, before exits there. */
    void (*retired)(void *context, p5_machine *machine, const p5_stretch *stretch);
    /* Called for an exception, after all observations before it. The delivery's clocks belong to the next
     * stretch. */
    void (*exception)(void *context, p5_machine *machine, const p5_exception_info *exception);
    /* Called after a port access. */
    void (*port)(void *context, p5_machine *machine, const p5_port_access *access);
    /* Called when PM0, PM1 or IERR# has changed, at core clock `clock`, as by p5_pmu_on_pin. It is exact to
     * the instruction: while a pin can change, the machine runs single instructions. */
    void (*pin)(void *context, p5_machine *machine, p5_pin pin, bool level, uint64_t clock);
    void *context; /* first argument of each callback */
} p5_observe_options;

enum { P5_OBSERVE_ADDRESSES = 1024 };

/* An observer belongs to its machine and is closed with it. */
typedef struct p5_observer p5_observer;

/* Adds an observer with `options`, from here on. *observer may be NULL: it then stays until the machine is
 * closed. The machine must have a guest and must not be running: otherwise P5_ERR_STATE. P5_ERR_RANGE for too
 * many addresses, an invalid event, an `every` of 0, or an array that is NULL though its count is not 0;
 * P5_ERR_MEMORY. */
p5_status p5_machine_observe(p5_machine *machine, const p5_observe_options *options, p5_observer **observer,
                             p5_error *error);
/* Closes an observer; NULL is allowed. It is not called any more and must not be used. */
void p5_observer_close(p5_observer *observer);
/* Changes the observer's intervals; 0 and 0: no intervals. The next one ends at the next multiple of
 * its length, not a whole length from here on. */
void p5_observer_every(p5_observer *observer, uint64_t clocks, uint64_t instructions);
/* Moves the observer's point `number`, which may have been reached already. Does nothing if there is no such
 * point. */
void p5_observer_point(p5_observer *observer, size_t number, const p5_point *point);

/* ---- Ports: devices of the caller ---- */

/* Ports that the caller handles before the board's devices. Zero-initialise, set `size`. */
typedef struct p5_port_options {
    size_t size;          /* sizeof (p5_port_options) */
    uint16_t first, last; /* an access belongs to the range that contains its first port, whatever its size */
    /* IN: stores the value, of which the low `size` bytes count, and returns true; or returns false to pass
     * the access to the handler attached before it, finally to the board. NULL = passes all. */
    bool (*read)(void *context, p5_machine *machine, uint16_t port, unsigned size, uint32_t *value);
    /* OUT: returns true if it handled the write. NULL = passes all. */
    bool (*write)(void *context, p5_machine *machine, uint16_t port, unsigned size, uint32_t value);
    void *context; /* first argument of both */
} p5_port_options;

/* Attaches a handler until the machine is closed. Of several at one port, the last one attached is called
 * first. The guest's rights (IOPL, TSS) have been checked before the call, and the access costs what every
 * I/O bus cycle costs. A run is repeatable if the handler answers all calls alike. P5_ERR_RANGE for first >
 * last, P5_ERR_STATE from a callback, P5_ERR_MEMORY. */
p5_status p5_machine_attach_ports(p5_machine *machine, const p5_port_options *options, p5_error *error);

/* Reads up to `size` bytes of the guest's memory at linear `address` through its current page tables into
 * `bytes`; fewer if a page is not present. *code32 (may be NULL) gets whether the current code segment has
 * 32-bit operands. Returns the number of bytes. Counts nothing. */
size_t p5_machine_read_code(const p5_machine *machine, uint32_t address, void *bytes, size_t size,
                            bool *code32);

/* Finds a place in the guest by `text`: a symbol of its ELF file at `path`, as the file or a report names it
 * (C++ with or without parameters), FILE:NAME where several files have the name, NAME@0xADDRESS, NAME+OFFSET;
 * sub_ADDRESS, the name in reports of code without a symbol; or an address such as 0x8048000. P5_ERR_NAME
 * with similar names, or with a list if the name is ambiguous. *size (may be NULL) gets the symbol's size, 0
 * if unknown. */
p5_status p5_symbol_find(const char *path, const char *text, uint32_t *address, uint32_t *size,
                         p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
