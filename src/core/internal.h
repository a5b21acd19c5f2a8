/* What a p5_core consists of, for the rooms above the hardware. */
#ifndef CORE_INTERNAL_H
#define CORE_INTERNAL_H

#include <stdatomic.h>

#include "base/host_line.h"
#include "core/event/counts.h"
#include "core/memo.h"
#include "core/memory/memory.h"
#include "core/memory/memory_trial.h"
#include "core/model/bound.h"
#include "core/pipe/breakpoints.h"
#include "core/pipe/pipe.h"
#include "core/branch/predictor.h"

/* Branch trace messages (TR12.TR): branch_trace.c. */
typedef struct branch_trace {
    void (*message)(void *context, const p5_branch_message *message);
    void *context;
    uint32_t last, next; /* linear addresses of the instruction executed last, and of what follows it */
} branch_trace;

struct p5_core {
    timing timing;                   /* as the model file says */
    bound bound;                     /* ... too */
    atomic_ullong most_blind_clocks; /* of all blocks so far */
    isa_decoder *decoder;
    memory *memory;
    predictor *predictor;
    p5_control control;
    /* From here on written by the second step (core_price), while the first may read what stands above. */
    BEGINS_LINE
    uint64_t now;       /* clock at which EX is free after the last group */
    unsigned cpl_class; /* of what was fed last */
    bool long_way;      /* nothing is remembered: p5_core_set_memo */
    bool asks_all;      /* usual answers are asked for like others: likewise, or planted.c watches */
    pipe pipe;          /* not valid behind what was remembered: memo_materialise */
    pipe_state state;   /* of `pipe`, where somebody wants it */
    pipe_resolver resolver;
    struct planted *planted;
    pipe_deltas deltas[P5_CPL_CLASSES]; /* everything priced on the exact path */
    counts memory_counts;               /* what the memory side counted */
    uint64_t instructions;              /* priced so far */
    uint64_t groups;                    /* P54C: likewise */
    p5_prediction prediction;           /* of the stretch that is being priced */
    memo memo;
    trace_sink trace;
    struct profiler *profile; /* NULL: none is made */
    uint32_t used_as;         /* PROFILE_PLACE of what is priced; the context is 0 without a profile */
    breakpoints breakpoints;
    uint64_t match_at; /* `instructions` behind which pipe.match_missed and match_twice hold */
    bool faulted_in_v; /* errata: an instruction in V faulted, and its handler's first has not been seen */
    p5_block *blocks;
    memory_trial trial;
    /* While a stretch is priced: */
    const p5_block *block;
    branch_trace branches;
    branch_runs ran;
    struct memo_check *check; /* NULL: the memo is not checked */
    p5_core *exact;           /* ... else the core that is fed the same */
};

/* Clocks that no block takes more of. Another thread may be making one. */
static inline uint64_t core_longest_block(const p5_core *core)
{
    return atomic_load_explicit(&core->most_blind_clocks, memory_order_relaxed);
}

/* totals.c */
/* Adds what memo, memory side and profile have counted so far to the totals. */
void totals_bring_up(p5_core *core);
/* Returns the totals in `totals`; totals_bring_up has been called. */
void totals_sum(const p5_core *core, p5_counts *totals);

#endif
