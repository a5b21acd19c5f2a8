/* The members of a p5_core, for the folders above the hardware units. A *stretch* is what was executed of a block at
 * a time. It is priced either on the *exact path*, where the pipe runs, or from the *memo*, which remembers what the
 * pipe did. */
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
    atomic_ullong longest_block; /* core_most_clocks */
    isa_decoder *decoder;
    memory *memory;
    predictor *predictor;
    p5_control control;
    /* Members below are written when stretches are priced (core_price). Meanwhile another thread may predict branches of
     * later stretches (core_predict), which uses those above. */
    BEGINS_LINE
    uint64_t now;            /* clock at which EX is free after the last group */
    unsigned cpl_class;      /* privilege class of the last instructions: P5_CPL_* */
    bool memo_off;           /* switched off by p5_core_set_memo */
    bool exact_memory;       /* the memory side's fast path is not used: the memo is off or planted.c observes
                           references */
    pipe pipe;               /* not valid while the memo holds the state: memo_materialise makes it valid */
    pipe_state state;        /* buffer for the stored form of `pipe` (pipe_store, pipe_load) */
    pipe_resolver resolver;  /* callbacks by which the pipe looks up caches, TLBs and predictor: price_open */
    unsigned ideal;          /* P5_IDEAL_* */
    struct planted *planted; /* what test registers left in caches and TLBs: planted.h */
    pipe_deltas deltas[P5_CPL_CLASSES]; /* counts of the pipe; totals_bring_up adds those of the memo */
    counts memory_counts;               /* counts of the memory side */
    uint64_t instructions;              /* priced so far */
    /* P54C: groups priced so far, plus BRANCH_RUN_RECENT. So a branch that never ran (branch_run.groups is 0) did not run
     * recently. */
    uint64_t groups;
    p5_prediction prediction; /* of the stretch that is being priced */
    memo memo;
    trace_sink trace;
    struct profiler *profile; /* NULL: no profile is being made */
    /* PROFILE_USED_AS (profiler.h) of what is priced: the profile's calling context (0 without a profile) in bits 31-2,
     * cpl_class in bits 1-0. */
    uint32_t used_as;
    breakpoints breakpoints;
    uint64_t match_at;     /* value of `instructions` for which pipe.match_missed and match_twice are valid */
    bool faulted_in_v;     /* errata: an instruction in V faulted, and its handler has not begun yet */
    p5_block *blocks;      /* list of all blocks, by p5_block.next */
    const p5_block *block; /* of the stretch that goes through the pipe; not valid after price_run */
    branch_trace branches; /* state of branch trace messages */
    branch_runs ran;       /* when each branch last ran */
    struct memo_check *check; /* NULL: the memo is not checked */
    p5_core *exact;           /* if `check` is not NULL: a second core, which prices the same stretches */
};

/* Returns the most clocks that any block so far can take. Atomic, because another thread may be making a block. */
static inline uint64_t core_longest_block(const p5_core *core)
{
    return atomic_load_explicit(&core->longest_block, memory_order_relaxed);
}

/* core.c: Keeps the blocks at which a code breakpoint may match out of the memo. Must be called after breakpoints were
 * added. */
void core_exclude_breakpoints(p5_core *core);

/* totals.c */
/* Adds the counts that memo, memory side and profile hold back to `deltas` and `memory_counts`. */
void totals_bring_up(p5_core *core);
/* Sets `totals` to the sum of `deltas` and `memory_counts`. totals_bring_up must have been called before. */
void totals_sum(const p5_core *core, p5_counts *totals);

#endif
