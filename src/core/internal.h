/* The members of a p5_core, for the folders above the hardware units. */
#ifndef CORE_INTERNAL_H
#define CORE_INTERNAL_H

#include <stdatomic.h>

#include "base/host_line.h"
#include "core/block.h"
#include "core/event/counts.h"
#include "core/memo.h"
#include "core/memory/memory.h"
#include "core/model/bound.h"
#include "core/pipe/breakpoints.h"
#include "core/pipe/pipe.h"
#include "core/branch/predictor.h"

/* Branch trace messages (TR12.TR): branch_trace.c. */
typedef struct branch_trace {
    void (*message)(void *context, const p5_branch_message *message);
    void *context;
    uint32_t last, next; /* linear addresses of the instruction executed last and of its successor */
} branch_trace;

struct p5_core {
    timing timing;               /* from the model file */
    bound bound;                 /* likewise */
    atomic_ullong longest_block; /* of all blocks so far */
    isa_decoder *decoder;
    memory *memory;
    predictor *predictor;
    p5_control control;
    /* Members below are written by the second step (core_price), while the first may read those above. */
    BEGINS_LINE
    uint64_t now;       /* clock at which EX is free after the last group */
    unsigned cpl_class; /* privilege class of the last instructions */
    bool long_way;      /* the memo is off: p5_core_set_memo */
    bool exact_memory;  /* the memory side's fast path is not used: the memo is off or planted.c observes
                           references */
    pipe pipe;          /* not valid while the memo holds the state: memo_materialise */
    pipe_state state;   /* the stored form of `pipe`, where it is needed */
    pipe_resolver resolver;
    unsigned ideal; /* P5_IDEAL_* */
    struct planted *planted;
    pipe_deltas deltas[P5_CPL_CLASSES]; /* counts of the exact path */
    counts memory_counts;               /* counts of the memory side */
    uint64_t instructions;              /* priced so far */
    uint64_t groups;                    /* P54C: groups priced so far */
    p5_prediction prediction;           /* of the stretch that is being priced */
    memo memo;
    trace_sink trace;
    struct profiler *profile; /* NULL: no profile is being made */
    uint32_t used_as;         /* PROFILE_PLACE of what is priced; the context is 0 without a profile */
    breakpoints breakpoints;
    uint64_t match_at; /* value of `instructions` for which pipe.match_missed and match_twice hold */
    bool faulted_in_v; /* errata: an instruction in V faulted, and its handler has not begun yet */
    p5_block *blocks;
    /* The stretch that is being priced: */
    const p5_block *block;
    branch_trace branches;
    branch_runs ran;
    struct memo_check *check; /* NULL: the memo is not checked */
    p5_core *exact;           /* if `check` is not NULL: a second core, which prices the same stretches */
};

/* Returns the most clocks that any block so far can take. Atomic, because another thread may be making a block. */
static inline uint64_t core_longest_block(const p5_core *core)
{
    return atomic_load_explicit(&core->longest_block, memory_order_relaxed);
}

/* totals.c */
/* Adds the counts of memo, memory side and profile so far to the totals. */
void totals_bring_up(p5_core *core);
/* Returns the totals in `totals`. totals_bring_up must have been called. */
void totals_sum(const p5_core *core, p5_counts *totals);

#endif
