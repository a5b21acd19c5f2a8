/* What a p5_core consists of; core.c, price.c and memo.c share it. */
#ifndef CORE_INTERNAL_H
#define CORE_INTERNAL_H

#include "base/host_line.h"
#include "core/bound.h"
#include "core/event/counts.h"
#include "core/memo.h"
#include "core/memory/memory.h"
#include "core/memory/memory_trial.h"
#include "core/pipe/breakpoints.h"
#include "core/pipe/observer.h"
#include "core/pipe/pipe.h"
#include "core/branch/predictor.h"

/* Branch trace messages (TR12.TR): branch_trace.c. */
typedef struct branch_trace {
    void (*message)(void *context, const p5_branch_message *message);
    void *context;
    uint32_t last, next; /* linear addresses of the instruction executed last, and of what follows it */
} branch_trace;

struct p5_core {
    timing timing;              /* as the model file says */
    bound bound;                /* ... too */
    uint64_t most_blind_clocks; /* of all blocks so far */
    isa_decoder *decoder;
    memory *memory;
    predictor *predictor;
    p5_control control;
    /* From here on written by the second step (core_price), while the first may read what stands above. */
    BEGINS_LINE
    uint64_t now;           /* clock at which EX is free after the last group */
    unsigned cpl_class;     /* of what was fed last */
    pipe_state state;       /* valid unless `interned` says otherwise */
    pipe pipe;              /* the working copy, and the instruction that waits for a partner */
    pipe_resolver resolver; /* `unwatched`, or that of watch.c around it */
    pipe_resolver unwatched;
    struct watch *watch;
    pipe_deltas deltas[P5_CPL_CLASSES]; /* everything priced on the exact path */
    counts memory_counts;               /* what the memory side counted */
    uint64_t instructions;              /* priced so far */
    uint64_t groups;                    /* P54C: likewise */
    p5_prediction prediction;           /* of the stretch that is being priced */
    memo memo;
    trace_sink trace;
    struct profiler *profile; /* NULL: none is made */
    pipe_observer *observer;  /* its; or NULL */
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

/* core.c */
/* core_price, of this core alone. */
void core_price_alone(p5_core *core, const p5_retired *r, p5_prediction prediction);
/* p5_core_counts of what stands in the totals already. */
void core_sum(const p5_core *core, p5_counts *totals);
/* Whether the remembered answers may be used. */
void core_hold_memo(p5_core *core);
/* The processor waits for the bus until `done`; `cause` owns the clocks. */
void core_wait_for_bus(p5_core *core, uint64_t done, p5_stall cause);

/* Physical address of `linear`, an address within the block's lines. */
static inline uint32_t price_physical(const p5_block *block, uint32_t linear)
{
    return block->page | (linear & 0xfffu);
}

/* Address control went to, and whether that was a taken branch. */
bool price_taken(const op *o, uint32_t next);
/* What a near branch is told. */
void price_branch(p5_core *core, const branch_query *query, branch_answer *answer);
/* P54C: whether the end bit of the byte at `last_byte` was set; sets it. */
bool price_end_known(p5_core *core, const p5_block *block, uint32_t last_byte);
/* Runs a stretch through the pipe with the answers of `resolver`, adding to `deltas`. */
void price_run(p5_core *core, const p5_retired *r, const pipe_resolver *resolver, pipe_deltas *deltas);
/* The same with the answers of the structures, adding to the totals. */
void price_exact(p5_core *core, const p5_retired *r);
void price_settle(p5_core *core);
void price_open(p5_core *core);
void price_forget_matches(p5_core *core);

#endif
