/* Observation of a run: functions of yours are called at the points of a run that you name - intervals,
 * entries and exits of functions, events, executed stretches of code, exceptions, port accesses, pins - and
 * may look at counts, clock and registers there. Looking changes nothing: an observed run ends with the same
 * totals, bit by bit, as one that nobody looks at. What nobody asks for costs nothing.
 *
 * What an observation sees is exact at its point, also inside a block: the totals hold every instruction that
 * has entered EX. An instruction in D1 that still waits for a partner has not; so `instructions` can be one
 * more than event instructions_executed.
 *
 * Several observers may look at one machine. They are called in the order in which they were opened.
 *
 * Within a callback - these, and those of p5_machine_options, p5_machine_on_progress and p5_port_options - a
 * program may ask the machine, its core and its monitor whatever does not change them, and call
 * p5_machine_stop, p5_machine_nmi, p5_machine_bus_check, p5_observer_every, p5_observer_point,
 * p5_observer_close (also of the observer that is called) and p5_core_set_trace. Functions that need the
 * machine to stand still fail with P5_ERR_STATE there: p5_machine_run, p5_machine_run_gdb, p5_machine_load_*,
 * p5_machine_observe, p5_machine_attach_ports. p5_machine_close stops the run, and the machine is closed when
 * p5_machine_run returns. p5_machine_settle and the functions that feed the core would change what the run
 * costs. */
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

/* What is observed. */
typedef enum p5_observation_kind {
    P5_OBSERVE_INTERVAL, /* the first instruction boundary at or after a multiple of every_clocks or
                            every_instructions */
    P5_OBSERVE_POINT,    /* the same for points[number] */
    P5_OBSERVE_ENTRY,    /* before the instruction at addresses[number], the first that is this one */
    P5_OBSERVE_EXIT,     /* behind the return of what was entered there */
    P5_OBSERVE_BEGIN,    /* the guest's marker `begin` (p5scope/guest.h); number = its id */
    P5_OBSERVE_END,
    P5_OBSERVE_RDPMC, /* the guest's instruction; number = ECX, value = what it reads */
    P5_OBSERVE_RDMSR,
    P5_OBSERVE_WRMSR, /* value = what it has written */
    P5_OBSERVE_EVENT, /* the first instruction boundary at which the total of events[number] has come to or
                         past a multiple of its `every`; value = the total */
    P5_OBSERVE_KINDS
} p5_observation_kind;

/* "interval", "point", "entry", ...; never NULL for values below P5_OBSERVE_KINDS. */
const char *p5_observation_name(p5_observation_kind kind);

typedef struct p5_observation {
    p5_observation_kind kind;
    uint8_t cpl;           /* 0-3, of the instruction at `address` */
    uint32_t address;      /* linear, of the instruction that comes next; of the guest's marker or PMU
                              instruction itself, which has not been executed yet */
    uint64_t clock;        /* p5_machine_clock: EX is free after everything that has entered it */
    uint64_t instructions; /* completed so far */
    uint32_t number;       /* see p5_observation_kind */
    uint64_t value;
} p5_observation;

/* A single point of a run. */
typedef struct p5_point {
    bool instruction; /* `at` is a number of instructions, not a clock */
    uint64_t at;
} p5_point;

/* An event that is followed. Near a goal the machine looks behind every instruction, so a small `every` of a
 * frequent event makes a slow run. */
typedef struct p5_event_watch {
    enum p5_event event;
    uint8_t cpl_mask; /* P5_CPL_MASK_*; 0 = all */
    bool asserted;    /* clocks in which the event's signal was on, not increments (CESR's CC bit 2) */
    uint64_t every;   /* from 1 on; 1 = whenever the total changes */
} p5_event_watch;

/* Instructions that were executed one behind the other: a block of straight code, or a part of one. Where
 * code is cut into stretches is the engine's choice and differs between versions; their sums do not. */
typedef struct p5_stretch {
    uint32_t address;      /* linear, of the first instruction */
    uint32_t next;         /* linear, where control went */
    uint32_t bytes;        /* of code, from `address` on */
    uint32_t instructions; /* completed; a REP string that was interrupted is not, and counts 0 */
    uint32_t repeats;      /* iterations of a REP string that ends it; 0 = none */
    uint8_t cpl;           /* 0-3 while it ran */
    uint64_t clock;        /* p5_machine_clock behind it */
    uint64_t clocks; /* by how much that grew since the stretch before (or since the observer was opened):
                        with the delivery of an exception or a HLT in between, if there was one */
    const p5_counts *counts; /* what the totals gained meanwhile; NULL without stretch_counts */
} p5_stretch;

/* An exception or interrupt, before anything of its delivery happens: faults, traps, INT n (also the system
 * calls of Linux guests), external interrupts, NMI, machine check. Not told: INT n that CR4.VME sends to the
 * handler of a virtual-8086 program. Manual: chapter on exceptions and interrupts. */
typedef struct p5_exception_info {
    p5_transfer kind;
    uint8_t vector;
    uint8_t cpl; /* 0-3 */
    bool has_error_code;
    uint32_t error_code;
    uint32_t cr2;     /* vector 14 as a fault: the address that faulted */
    uint16_t cs;      /* selector, and ... */
    uint32_t eip;     /* ... offset that are pushed: of the instruction that faulted, or that comes next */
    uint32_t address; /* linear */
    uint64_t clock, instructions; /* as in p5_observation */
} p5_exception_info;

/* A port access of IN, OUT, INS or OUTS, when it has been answered. */
typedef struct p5_port_access {
    uint16_t port;
    uint8_t size; /* 1, 2 or 4 bytes */
    uint8_t cpl;
    bool write;
    bool handled;     /* by a handler of p5_machine_attach_ports, not by the board */
    uint32_t value;   /* written, or as the guest reads it */
    uint32_t address; /* linear, of the instruction */
    uint64_t clock, instructions;
} p5_port_access;

/* Zero-initialise, set `size`, then what you need. Arrays are copied. Callbacks that are NULL are not called;
 * all of them are called within p5_machine_run, on its thread, with `context`. */
typedef struct p5_observe_options {
    size_t size;                 /* sizeof (p5_observe_options) */
    uint64_t every_clocks;       /* 0 = no interval in clocks */
    uint64_t every_instructions; /* 0 = no interval in instructions; a REP string is one */
    const p5_point *points;
    size_t point_count;
    const uint32_t *addresses; /* linear; functions whose entry and exit are observed */
    size_t address_count;      /* at most P5_OBSERVE_ADDRESSES, of all observers together */
    const p5_event_watch *events;
    size_t event_count;
    bool markers;        /* the guest's markers */
    bool pmu;            /* RDPMC; RDMSR and WRMSR of TSC, CESR, CTR0 and CTR1, that do not fault */
    bool stretch_counts; /* p5_stretch.counts; takes as long as p5_machine_counts, each time */
    /* What is asked for above. At one boundary in this order: points and events, as they are numbered; the
     * interval; exits; the entry. */
    void (*observed)(void *context, p5_machine *machine, const p5_observation *observation);
    bool counts_only; /* `observed` looks at counts, clock, monitor and what it is told, and not at registers,
                         memory or ports, and only stops the machine if it does not matter where: the guest
                         may have executed some thousand further instructions when it is called, which makes
                         the run faster. What it looks at is exact all the same */
    /* A stretch has been priced. Behind the points, events and intervals inside it and at its end, before
     * exits there. */
    void (*retired)(void *context, p5_machine *machine, const p5_stretch *stretch);
    /* Everything before it has been told. Its own clocks come with the next stretch. */
    void (*exception)(void *context, p5_machine *machine, const p5_exception_info *exception);
    void (*port)(void *context, p5_machine *machine, const p5_port_access *access);
    /* PM0, PM1 or IERR# has changed, at core clock `clock`, as p5_pmu_on_pin. Exact to the instruction: while
     * something can change, the machine runs single instructions. */
    void (*pin)(void *context, p5_machine *machine, p5_pin pin, bool level, uint64_t clock);
    void *context;
} p5_observe_options;

enum { P5_OBSERVE_ADDRESSES = 1024 };

/* One who looks; belongs to its machine and goes with it. */
typedef struct p5_observer p5_observer;

/* Observes what `options` say from here on, beside what is observed already. *observer may be NULL: it stays
 * until the machine is closed. Needs a loaded guest that does not run. P5_ERR_STATE without one or from a
 * callback; P5_ERR_RANGE for too many addresses, or an event that is none or watched every 0;
 * P5_ERR_MEMORY. */
p5_status p5_machine_observe(p5_machine *machine, const p5_observe_options *options, p5_observer **observer,
                             p5_error *error);
/* Ends it; NULL is none. It is not called any more, and must not be used. */
void p5_observer_close(p5_observer *observer);
/* Changes its intervals, which count from here on; 0 and 0: no intervals. */
void p5_observer_every(p5_observer *observer, uint64_t clocks, uint64_t instructions);
/* Moves its point `number`, which may have been reached already; does nothing if there is no such point. */
void p5_observer_point(p5_observer *observer, size_t number, const p5_point *point);

/* ---- Ports: devices of yours ---- */

/* Ports that the caller answers in front of the board's devices. Zero-initialise, set `size`. */
typedef struct p5_port_options {
    size_t size;          /* sizeof (p5_port_options) */
    uint16_t first, last; /* an access belongs to the range of its first port, whatever its size */
    /* IN: writes the value, of which the low `size` bytes count, and returns true; or leaves it to whoever
     * was attached before, at last the board, and returns false. NULL = leaves all. */
    bool (*read)(void *context, p5_machine *machine, uint16_t port, unsigned size, uint32_t *value);
    /* OUT: returns true if the write was for it. NULL = leaves all. */
    bool (*write)(void *context, p5_machine *machine, uint16_t port, unsigned size, uint32_t value);
    void *context;
} p5_port_options;

/* Attaches a handler for as long as the machine lives. Of several at one port that which was attached last is
 * asked first. The guest's rights (IOPL, TSS) have been checked when one is called, and the access costs what
 * every I/O bus cycle costs. A run is the same again if every call is answered the same. P5_ERR_RANGE for
 * first > last, P5_ERR_STATE from a callback, P5_ERR_MEMORY. */
p5_status p5_machine_attach_ports(p5_machine *machine, const p5_port_options *options, p5_error *error);

/* The registers of the monitor that this one is, in the order of their numbers: CESR, CTR0 and CTR1, or those
 * of a later monitor that can be read; *count of them, at most P5_MONITOR_REGISTERS. */
enum { P5_MONITOR_REGISTERS = 16 };
const p5_register *p5_pmu_monitor_registers(const p5_pmu *pmu, size_t *count);
/* What RDMSR would read, without its effects: what waits for a partner goes on waiting, and is not counted
 * yet. 0 if there is no such register. */
uint64_t p5_pmu_peek(const p5_pmu *pmu, uint32_t msr);
/* True for those that count. */
bool p5_register_counts(const p5_register *reg);

/* Reads up to `size` bytes of the guest's memory at linear `address`, as its current page tables have it,
 * into `bytes`; less at a page that is not present. *code32 (may be NULL): the code segment that is running
 * has 32-bit operands. Returns the number of bytes. Nothing is counted. */
size_t p5_machine_read_code(const p5_machine *machine, uint32_t address, void *bytes, size_t size,
                            bool *code32);

/* Finds a place of the guest: a symbol of its ELF file at `path`, as the file or a report has it (C++ with or
 * without parameters), FILE:NAME where several files have the name, NAME@0xADDRESS, NAME+OFFSET; sub_ADDRESS,
 * as reports call code without a symbol; or 0x8048000. P5_ERR_NAME with near names, or with a list of those
 * that the name is of. *size (may be NULL) gets the symbol's size, 0 if unknown. */
p5_status p5_symbol_find(const char *path, const char *text, uint32_t *address, uint32_t *size,
                         p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
