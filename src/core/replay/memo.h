/* What replay offers: *stretches* (what was executed of a basic block at a time) are priced from the memo, or on the
 * *exact path*, where the pipe runs, if that is impossible. The memo remembers the outcomes of *pieces*: basic blocks
 * or parts of them. A *leaf* is one outcome: clocks, counts and the next state of the pipe. A *path* is the memo's
 * entry for a piece that starts from one state in one variant (core/memo.h has the structs).
 *
 * After a stretch that was priced from the memo, the core's `pipe` is not valid, and the last leaf (memo.last) says
 * which state it would have; memo_materialise restores it for the exact path. */
#ifndef CORE_REPLAY_MEMO_H
#define CORE_REPLAY_MEMO_H

#include <assert.h>
#include "core/exact/price.h"
#include "core/planted/planted.h"

static inline uint32_t memo_leaf_number(const memo *m, const memo_leaf *leaf)
{
    assert(leaf >= (memo_leaf *)m->leaves.objects);
    return (uint32_t)(leaf - (memo_leaf *)m->leaves.objects);
}

static inline memo_result *memo_result_at(const memo *m, uint32_t number)
{
    assert(number < m->results.count);
    return (memo_result *)m->results.objects + number;
}

static inline memo_leaf *memo_leaf_at(const memo *m, uint32_t number)
{
    assert(number < m->leaves.count);
    return (memo_leaf *)m->leaves.objects + number;
}

/* Returns the leaf with which the last piece ended. If the pipe ran since, returns leaf 0, a dummy that is never
 * used, leads to no path, and has no pending instruction. */
static inline memo_leaf *memo_last(const memo *m)
{
    return memo_leaf_at(m, m->last);
}

/* Returns the pipe's state as the memo stores it. NULL: only the core's `pipe` holds it. */
static inline memo_state *memo_current(const memo *m)
{
    return m->last ? (memo_state *)m->states.objects + memo_result_at(m, m->last)->to : m->current;
}

/* Returns the instruction that is pending in D1, because its partner is not known yet, or NULL. */
static inline const pipe_pending *memo_waiting(const p5_core *core)
{
    const memo *m = &core->memo;
    if (m->last)
        return memo_last(m)->waits ? memo_current(m)->waiting : NULL;
    if (m->current)
        return m->current->waiting;
    return core->pipe.waiting ? &core->pipe.pending : NULL;
}

/* Returns whether only the exact path may be used, because something needs details that leaves do not have: a trace,
 * for example (memo_hold), or entries that test registers wrote into caches and TLBs (`planted`). */
static inline bool memo_is_held(const p5_core *core)
{
    return core->memo.held || core->planted->on;
}

/* Returns false if memory is out. */
bool memo_open(p5_core *core);
/* Frees the memo. All blocks must have been released. */
void memo_close(memo *m);
/* Prices a stretch whose branch was predicted as `prediction` says, in this core only: a second core that checks this
 * one is not called. */
void memo_price_alone(p5_core *core, const p5_retired *r, p5_prediction prediction);
/* Prices the stretches of a batch in order. */
void memo_price_batch(p5_core *core, const p5_batch *batch);
/* Like memo_price_batch, but stops before the first stretch that may reach clock `limit`, or that is not a whole
 * block. Returns the number of stretches priced. */
size_t memo_price_batch_before(p5_core *core, const p5_batch *batch, uint64_t limit);
/* Adds the counts of all uses of leaves to the core's deltas, and clears the use counters. */
void memo_fold(p5_core *core);
/* Forgets what is stored for a block that is about to be freed. */
void memo_release(p5_core *core, p5_block *block);

/* memo_resume.c */
/* Makes the core's `pipe` valid: restores it from the last leaf, if stretches were priced from the memo since it
 * ran. */
void memo_materialise(p5_core *core);
/* Returns the state of the pipe between the last stretch and the next, without making `pipe` valid. */
const pipe_state *memo_pipe_state(p5_core *core);
/* Make the pipe valid; then the first lets the pending instruction, if any, issue alone, and the second prices a
 * stretch on the exact path. */
void memo_settle(p5_core *core);
void memo_price_exact(p5_core *core, const p5_retired *r);
/* Returns the clock, relative to now, at which PF fetches block number `n` (from 1) of those that the piece that
 * begins now needs. The fetch is known not to be before `floor`. */
int64_t memo_asked_code(p5_core *core, unsigned n, int64_t floor);
/* Determines whether the memo may be used. To be called after control inputs, breakpoints, the trace or the
 * profile change. */
void memo_hold(p5_core *core);

#endif
