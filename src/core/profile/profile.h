/* The exact profile: what every instruction cost, by calling context. Off in normal runs.
 *
 * A *site* is an instruction in a context at a privilege class. It owns an amount of each quantity
 * (p5scope/profile.h): events, clocks by owner, executions, pairing. The amounts add up to the core's totals.
 * - As the pipe's observer it notes who counts what; profile_commit hands it to the sites.
 * - A leaf of the memo keeps what its run counted (its detail) and counts its uses by context;
 *   profile_collect multiplies the two when somebody looks. So the hot path does nothing but compare the
 *   leaf's context with the current one.
 * - What the memory side counts when it is asked on its exact path belongs to the instruction that asked.
 *
 *   profile.c      sites, contexts' costs, collection      profile_stack.c   the shadow call stack
 *   profile_sample.c   samples by counter overflow, intervals */
#ifndef CORE_PROFILE_PROFILE_H
#define CORE_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "core/branch/branch.h"
#include "core/pipe/block.h"
#include "core/event/observer.h"
#include "core/event/counts.h"
#include "p5scope/profile.h"

/* Addresses of a profile are linear, and above that stands the address space: 0 is the guest's own, and that
 * of what is mapped in all of them. */
enum { PROFILE_SPACES = 256 };
#define PROFILE_AT(space, linear) ((uint64_t)(space) << 32 | (uint32_t)(linear))
#define PROFILE_SPACE(address)    ((unsigned)((address) >> 32))

/* What one instruction added to one quantity. */
typedef struct profile_delta {
    uint64_t address;
    uint32_t quantity;
    uint32_t increments, asserted;
} profile_delta;

typedef struct profile_amount {
    uint32_t quantity;
    uint64_t increments, asserted;
} profile_amount;

typedef struct profile_site {
    uint64_t address;
    uint32_t context, cpl_class;
    uint32_t asked;          /* how often it has asked the memory side, at most PROFILE_OFTEN */
    struct profile_own *own; /* where the memory side counts for a site that asks often; NULL */
    uint64_t bus_clocks;     /* of cycles that it began and that are not among the amounts yet */
    ARRAY_OF(profile_amount) amounts;
} profile_site;

/* A function as it was reached: by this call instruction out of that context. A function that is on the stack
 * already continues its context there, so that recursion has bounded depth. */
typedef struct profile_context {
    uint32_t parent;    /* index; the root (1) is its own */
    uint64_t function;  /* address of its first instruction; 0: the root, or not known */
    uint64_t call_site; /* address of the call, jump or interrupted instruction */
} profile_context;

/* How often a call instruction in a context led into another. */
typedef struct profile_edge {
    uint64_t call_site, function;
    uint32_t from;
    uint32_t to; /* a child of `from`, or (recursion) one of its ancestors or itself */
    uint64_t calls;
} profile_edge;

/* An instruction as it was executed last. */
typedef struct profile_code {
    uint64_t address;
    uint64_t target; /* of a direct branch */
    uint8_t length;
    uint8_t branch; /* isa_branch */
    bool code32;
    uint8_t bytes[15];
} profile_code;

typedef struct profile_sample {
    uint64_t address, clock;
    uint32_t context;
} profile_sample;

/* Totals of events and owners of clocks, both privilege classes together, when `clock` had come. */
typedef struct profile_interval {
    uint64_t clock;
    uint64_t totals[P5_PROFILE_EXECUTIONS];
} profile_interval;

/* The guest has said that it begins or ends something (p5scope/guest.h). */
typedef struct profile_marker {
    uint64_t clock;
    uint32_t id;
    bool begins;
} profile_marker;

typedef struct profile_range {
    uint64_t start, end; /* [start, end) */
} profile_range;

/* Code of a program that is in memory at times: what is executed at its address is it if the bytes are the
 * same. */
typedef struct profile_text {
    uint64_t address; /* its space has one of the numbers below profile_options.spaces */
    uint32_t size;
    const uint8_t *bytes;
} profile_text;

typedef struct profile_options {
    const profile_range *functions; /* sorted, without overlaps; copied */
    size_t function_count;
    const profile_text *texts; /* the bytes are looked at until the profile is closed */
    size_t text_count;
    unsigned spaces; /* that have names: 0 is one of them */
    /* The page directory in use. Other code at CPL 3 that no function covers gets a space for each that is
     * loaded. 0: the guest has none of its own. */
    uint32_t directory;
    uint64_t interval_clocks;
    size_t most_intervals;   /* then every second is dropped and the distance doubled; 0 = none */
    int sample_quantity;     /* P5_PROFILE_NONE: no samples */
    uint64_t sample_period;  /* increments to the next overflow */
    uint32_t sample_latency; /* clocks from the overflow to the interrupt request */
    size_t most_samples;
    void *symbols; /* of the caller, given to `release` when the profile is closed */
    void (*release)(void *symbols);
    /* May be NULL: control has come to `function` (its first address; 0: none), with `depth` frames below it,
     * by a call, a return, a jump, an interrupt, or unwinding. */
    void (*moved)(void *context, size_t depth, uint64_t function, uint64_t clock);
    void *moved_context;
} profile_options;

enum { PROFILE_SETS = 128 };

typedef struct profiler profiler;
struct memo_detail;

/* Starts profiling; the totals of the core go on. False: out of memory. (core_profile.c) */
bool profile_start(p5_core *core, const profile_options *options);
/* Brings sites and edges up to date. False: memory ran out at some time, and the profile is not complete.
 * (core_profile.c) */
bool profile_collect(p5_core *core);

/* Notes a marker; beyond PROFILE_MARKERS they are not kept. */
enum { PROFILE_MARKERS = 10000 };
void profile_mark(p5_core *core, const profile_marker *marker);

/* What has been collected; valid until the next instruction is priced. */
typedef struct profile_view {
    const profile_site *sites;
    size_t site_count;
    const profile_context *contexts; /* 0 is not used, 1 is the root */
    size_t context_count;
    const profile_edge *edges;
    size_t edge_count;
    const profile_code *code;
    size_t code_count;
    const profile_sample *samples;
    size_t sample_count;
    uint64_t overflows; /* samples that there would be without the bound */
    const profile_interval *intervals;
    size_t interval_count;
    const profile_marker *markers;
    size_t marker_count;
    const uint64_t *data_misses, *code_misses; /* per set, PROFILE_SETS each */
    const uint32_t *directories; /* of the spaces without a name, from number profile_options.spaces on */
    size_t directory_count;
} profile_view;
void profile_look(const p5_core *core, profile_view *view);
/* The total of an event or owner of clocks (by its quantity), of all privilege classes. */
uint64_t profile_in_total(const p5_counts *totals, unsigned quantity);
/* The options as given, without functions and texts. */
const profile_options *profile_asked(const p5_core *core);

/* ---- for the core's files; all of them only while profiling ---- */

/* profile_start and profile_collect, of the profiler alone. */
profiler *profile_open(p5_core *core, const profile_options *options);
/* It is the core's now. */
void profile_begin(p5_core *core);
void profile_close(profiler *p);
bool profile_sum_up(p5_core *core);

/* What the profiler is told as an observer of the pipe. */
core_observer *profile_observer(p5_core *core);
bool profile_takes_samples(const p5_core *core);
/* The counter that they are taken by may overflow at the next boundary between groups, or has: every one is
 * looked at, and the memo may not answer. It is found out at the clock of profile_look_clock whether that has
 * to go on. Otherwise it does not overflow before that clock. */
bool profile_is_looking(const p5_core *core);
uint64_t profile_look_clock(const p5_core *core);
/* `r` is priced next: finds out whether it may overflow by then. To be called before, while samples are
 * taken. (core_profile.c) */
void profile_expect(p5_core *core, const p5_retired *r, p5_prediction prediction);
/* What was counted since the last commit happened once, in the current context. */
void profile_commit(p5_core *core);
/* What the memory side counts from now on is due to the instruction at `who`. Call it before the memory side
 * is asked. */
void profile_asks(p5_core *core, uint32_t who);
/* Puts what the memory side has counted into the core's totals; what it counts next is due to nobody. */
void profile_gather(p5_core *core);
/* Before a stretch is priced: who is executing, and is an interval over? */
void profile_follow(p5_core *core, const p5_retired *r);
/* The same for one that is all of `block`. */
void profile_follow_block(p5_core *core, p5_block *block, uint32_t next);
/* CR3 has been loaded. */
void profile_load_cr3(profiler *p, uint32_t directory);
/* A block will be gone. */
void profile_released(profiler *p, const p5_block *block);
/* An exception or interrupt is delivered, out of this privilege class. */
void profile_delivered(p5_core *core, unsigned cpl_class, uint32_t handler);
/* Address of the instruction that was executed last. */
uint32_t profile_last(const p5_core *core);
/* ---- for the memo ---- */

/* What one use of a leaf stands for, instruction by instruction, and how often it was used in which context.
 */
typedef struct memo_detail {
    struct memo_detail *next;       /* all of them, until the memo is dropped */
    uint32_t number;                /* of this detail, for the table of uses */
    uint32_t cell;                  /* where uses in the current context go, */
    uint32_t cell_before;           /* ... and where those in the one before went */
    uint64_t taken[P5_CPL_CLASSES]; /* uses of the leaf since the last fold that have been booked */
    uint32_t count;
    profile_delta deltas[];
} memo_detail;

/* Makes the detail of a leaf from what has been counted since the last commit. NULL: out of memory. */
memo_detail *profile_detail(p5_core *core, arena *from);
/* Books the uses since the last booking; `uses` are the leaf's since the last fold. */
void profile_book(p5_core *core, memo_detail *detail, const uint64_t *uses);
/* The uses to come are in the current context. */
void profile_move(p5_core *core, memo_detail *detail);
/* The memo is dropped: hands everything to the sites. */
void profile_forget(p5_core *core);

#endif
