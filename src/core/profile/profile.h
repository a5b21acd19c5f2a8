/* The exact profile: the cost of every instruction, by calling context. It is off in normal runs.
 *
 * A *site* is an instruction in a context at a privilege class. It has an amount of each quantity
 * (p5tool/profile.h) that is not zero: events, clocks by cause, executions, pairing. The amounts add up to the core's
 * totals.
 * - While the pipe runs, the profiler is its observer and records the quantities with the instructions that cause them.
 *   profile_commit adds this to the sites.
 * - A leaf of the memo is the stored outcome of a piece of code, and replaces further runs of the pipe. The leaf's detail
 *   has the quantities of the one run, by instruction; a *cell* has the number of the leaf's uses in one context.
 *   profile_collect multiplies the two on request. The hot path therefore only compares the leaf's context with the
 *   current one.
 * - What the memory side (caches, TLBs, bus) counts on its slow path belongs to the instruction whose reference it
 *   looks up.
 *
 *   profile.c          sites, contexts' costs, collection
 *   profile_memory.c   counts of the memory side
 *   profile_stack.c    the shadow call stack, from which contexts follow
 *   profile_sample.c   samples by counter overflow, intervals */
#ifndef CORE_PROFILE_PROFILE_H
#define CORE_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "core/branch/branch.h"
#include "core/block.h"
#include "core/event/observer.h"
#include "core/event/counts.h"
#include "p5tool/profile.h"

/* The addresses of a profile are linear addresses with the number of an address space above them. Space 0 has the guest's
 * program or kernel, and everything else that is mapped in all spaces. */
enum { PROFILE_SPACES = 256 };
#define PROFILE_AT(space, linear) ((uint64_t)(space) << 32 | (uint32_t)(linear))
#define PROFILE_SPACE(address)    ((unsigned)((address) >> 32))

/* What one instruction added to one quantity (enum p5_event, or P5_PROFILE_* of p5tool/profile.h). */
typedef struct profile_delta {
    uint64_t address; /* PROFILE_AT */
    uint32_t quantity;
    uint64_t increments, asserted; /* as for deltas_add */
} profile_delta;

/* The total of one quantity at a site. */
typedef struct profile_amount {
    uint32_t quantity;
    uint64_t increments, asserted;
} profile_amount;

/* An instruction in a context at a privilege class. */
typedef struct profile_site {
    uint64_t address;            /* PROFILE_AT */
    uint32_t context, cpl_class; /* index of profile_view.contexts; P5_CPL_* */
    uint32_t lookups;            /* lookups on the memory side, counted up to PROFILE_OFTEN (profiler.h) */
    struct profile_own *own;     /* counts of the memory side for a site with many lookups, or NULL */
    uint64_t bus_clocks;         /* of bus cycles that it began, not yet part of the amounts */
    ARRAY_OF(profile_amount) amounts;
} profile_site;

/* A function together with the call instruction and context from which it was reached. A recursive call
 * continues the context that the function already has on the stack, so that recursion has bounded depth. */
typedef struct profile_context {
    uint32_t parent;    /* index; the root (1) is its own parent */
    uint64_t function;  /* address of its first instruction; 0: the root, or unknown */
    uint64_t call_site; /* address of the call, jump or interrupted instruction */
} profile_context;

/* How often a call instruction in a context led into another context. */
typedef struct profile_edge {
    uint64_t call_site, function; /* as in profile_context */
    uint32_t from;                /* context of the call instruction */
    uint32_t to; /* a child of `from`; in a recursion, an ancestor of `from` or `from` itself */
    uint64_t calls;
} profile_edge;

/* An instruction as it was last executed. */
typedef struct profile_code {
    uint64_t address; /* PROFILE_AT, like target */
    uint64_t target;  /* target of a direct branch */
    uint8_t length;
    uint8_t branch; /* isa_branch */
    bool code32;
    uint8_t bytes[15];
} profile_code;

/* A sample: the instruction before which the interrupt of an overflow was taken, and when. */
typedef struct profile_sample {
    uint64_t address, clock;
    uint32_t context;
} profile_sample;

/* Totals of events and clocks by cause at `clock`, all privilege classes together. */
typedef struct profile_interval {
    uint64_t clock;
    uint64_t totals[P5_PROFILE_EXECUTIONS];
} profile_interval;

/* A marker of the guest: the begin or end of a region (p5scope/guest.h). */
typedef struct profile_marker {
    uint64_t clock;
    uint32_t id;
    bool begins;
} profile_marker;

/* The addresses of a function: [start, end). A start of 0 marks code that belongs to none. */
typedef struct profile_range {
    uint64_t start, end;
} profile_range;

/* Code of a program that is not always in memory. Code executed at its address belongs to it if the bytes are
 * the same. */
typedef struct profile_text {
    uint64_t address; /* its space number is below profile_options.spaces */
    uint32_t size;
    const uint8_t *bytes;
} profile_text;

typedef struct profile_options {
    const profile_range *functions; /* sorted, without overlaps; copied */
    size_t function_count;
    const profile_text *texts; /* the bytes are read until the profile is closed */
    size_t text_count;
    unsigned spaces; /* number of spaces that have names, space 0 included */
    /* The page directory in use at the start. Code at CPL 3 that is in no function or text gets a space for each
     * directory that is loaded. 0: the guest has loaded none. */
    uint32_t directory;
    uint64_t interval_clocks; /* distance of intervals at first */
    /* At this number of intervals, every second one is dropped and the distance doubled. 0: no intervals. */
    size_t most_intervals;
    int sample_quantity;     /* what the sampling counter counts; P5_PROFILE_NONE: no samples */
    uint64_t sample_period;  /* increments to the next overflow */
    uint32_t sample_latency; /* clocks from the overflow to the interrupt request */
    size_t most_samples;
    void *symbols; /* owned by the caller, passed to `release` when the profile is closed */
    void (*release)(void *symbols);
    /* Called when control has reached `function` (its first address; 0: none) by a call, a return, a jump, an
     * interrupt, or unwinding. `depth`: 1 for the outermost function, 2 for one that it called, and so on; 0 when the
     * outermost one has ended, too. May be NULL. */
    void (*moved)(void *context, size_t depth, uint64_t function, uint64_t clock);
    void *moved_context;
} profile_options;

enum { PROFILE_SETS = 128 }; /* sets of each cache */

typedef struct profiler profiler;
struct memo_detail;

/* Starts profiling; the core's totals continue. Returns false if memory runs out. (core_profile.c) */
bool profile_start(p5_core *core, const profile_options *options);
/* Brings sites and edges up to date. Returns false if memory ran out at some time, so that the profile is
 * incomplete. (core_profile.c) */
bool profile_collect(p5_core *core);

enum { PROFILE_MARKERS = 10000 }; /* most markers; profile_mark drops later ones */
/* Records a marker. */
void profile_mark(p5_core *core, const profile_marker *marker);

/* The collected profile; valid until the next instruction is priced. */
typedef struct profile_view {
    const profile_site *sites;
    size_t site_count;
    const profile_context *contexts; /* element 0 is not used, 1 is the root */
    size_t context_count;
    const profile_edge *edges;
    size_t edge_count;
    const profile_code *code;
    size_t code_count;
    const profile_sample *samples;
    size_t sample_count;
    uint64_t overflows; /* number of samples that there would be without profile_options.most_samples */
    const profile_interval *intervals;
    size_t interval_count;
    const profile_marker *markers;
    size_t marker_count;
    const uint64_t *data_misses, *code_misses; /* per set, PROFILE_SETS each */
    const uint32_t *directories;               /* page directories of the spaces without a name, from space
                                    profile_options.spaces on */
    size_t directory_count;
} profile_view;
/* Sets `view` to the profile as profile_collect has left it. */
void profile_get_view(const p5_core *core, profile_view *view);
/* Returns the total of an event or a cause of clocks (by its quantity) over all privilege classes. */
uint64_t profile_in_total(const p5_counts *totals, unsigned quantity);
/* Makes no further calls of profile_options.moved, so that its context may be freed. Does nothing without a profile. */
void profile_end_moved(p5_core *core);
/* Returns false if memory has run out, so that something is missing in the profile and its calls of `moved`. The core
 * must have a profile. */
bool profile_is_complete(const p5_core *core);
/* A profile has at most this many sites, calls between contexts, and instructions. Without a limit, a guest that calls
 * ever new code would take all memory of the host. The boot of a Linux kernel has a million sites. */
enum { PROFILE_MOST_KEYS = 1 << 22 };
/* Returns whether the profile is not complete because of that limit. */
bool profile_is_too_large(const p5_core *core);
/* Returns the options of profile_start, without functions and texts. */
const profile_options *profile_options_of(const p5_core *core);

/* ---- for the core's files; all of them only while profiling ---- */

/* Steps of profile_start: makes a profiler (NULL: memory is out), which the caller attaches to the core, and begins
 * profiling. */
profiler *profile_open(p5_core *core, const profile_options *options);
void profile_begin(p5_core *core);
/* Frees a profiler; NULL is allowed. */
void profile_close(profiler *p);
/* The last step of profile_collect, after the memo's uses were booked; has its result. */
bool profile_sum_up(p5_core *core);

/* Returns the profiler as an observer of the pipe. */
core_observer *profile_observer(p5_core *core);
/* Returns whether profile_options ask for samples. */
bool profile_takes_samples(const p5_core *core);
/* Returns whether the sampling counter may overflow soon, or has overflowed: every boundary between groups is then
 * checked, and the memo is bypassed. At the clock of profile_look_clock, this is decided anew. While the profile is not
 * looking, the counter does not overflow before that clock. */
bool profile_is_looking(const p5_core *core);
uint64_t profile_look_clock(const p5_core *core);
/* Decides whether the profile is looking while `r` (NULL: the pending instruction alone), which is priced next, runs.
 * Must be called before it while samples are taken. (core_profile.c) */
void profile_expect(p5_core *core, const p5_retired *r);
/* Adds what the pipe counted since the last commit to the sites of the current context. */
void profile_commit(p5_core *core);
/* Attributes what the memory side counts from now on to the instruction at the linear address `instruction`, whose
 * lookup follows. */
void profile_asks(p5_core *core, uint32_t instruction);
/* Adds what the memory side has counted to the core's totals. What it counts next is attributed to no
 * instruction. */
void profile_gather(p5_core *core);
/* Updates the calling context before a stretch (what is executed of a block at a time) is priced, and takes an interval
 * if one is over. */
void profile_follow(p5_core *core, const p5_retired *r);
/* Does the same for a stretch that is all of `block`. `next`: linear address at which control goes on. */
void profile_follow_block(p5_core *core, p5_block *block, uint32_t next);
/* Records that CR3 was loaded. */
void profile_load_cr3(profiler *p, uint32_t directory);
/* Forgets a block that is about to be freed. */
void profile_released(profiler *p, const p5_block *block);
/* Records the delivery of an exception or interrupt from this privilege class. */
void profile_delivered(p5_core *core, unsigned cpl_class, uint32_t handler);
/* Returns the linear address of the last executed instruction. */
uint32_t profile_last(const p5_core *core);

/* ---- for the memo ---- */

/* The quantities of one use of a leaf, by instruction. */
typedef struct memo_detail {
    struct memo_detail *next; /* list of all details, until the memo is dropped */
    uint32_t number;          /* distinguishes details in profiler.cell_table */
    uint32_t cell;            /* index in profiler.cells of the current context's cell; UINT32_MAX: none */
    uint32_t cell_before;     /* the same for the context before */
    uint64_t taken[P5_CPL_CLASSES]; /* how many of the uses that profile_book gets are in cells already */
    uint32_t count;                 /* of `deltas` */
    profile_delta deltas[];
} memo_detail;

/* Makes the detail of a leaf, in memory of the arena `from`, from what was counted since the last commit. Returns
 * NULL if memory runs out. */
memo_detail *profile_detail(p5_core *core, arena *from);
/* Adds the uses since the last booking to the detail's cell. `uses`, by privilege class, are the leaf's uses since totals
 * were last formed. */
void profile_book(p5_core *core, memo_detail *detail, const uint64_t *uses);
/* Makes the current context's cell the detail's, for further uses. Uses so far must have been booked. */
void profile_move(p5_core *core, memo_detail *detail);
/* Adds everything in cells to the sites and frees details and cells, because the memo is dropped. */
void profile_forget(p5_core *core);

#endif
