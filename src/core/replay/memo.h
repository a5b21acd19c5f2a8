/* What replay offers: stretches are priced from the memo, or on the exact path where that is impossible.
 * After a stretch that was priced from the memo, the core's `pipe` is not valid; memo_materialise restores it
 * for the exact path. */
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

/* Returns the last leaf. If there is none, returns leaf 0, which is never used, leads to no path, and has no
 * pending instruction. */
static inline memo_leaf *memo_last(const memo *m)
{
    return memo_leaf_at(m, m->last);
}

/* Returns the interned form of the pipe's state. NULL: only the core's `pipe` holds it. */
static inline memo_state *memo_current(const memo *m)
{
    return m->last ? (memo_state *)m->states.objects + memo_result_at(m, m->last)->to : m->current;
}

/* Returns the instruction that is pending in D1, or NULL. */
static inline const pipe_pending *memo_waiting(const p5_core *core)
{
    const memo *m = &core->memo;
    if (m->last)
        return memo_last(m)->waits ? memo_current(m)->waiting : NULL;
    if (m->current)
        return m->current->waiting;
    return core->pipe.waiting ? &core->pipe.pending : NULL;
}

/* Returns whether something needs details that leaves do not have, so that only the exact path may be
 * used. */
static inline bool memo_is_held(const p5_core *core)
{
    return core->memo.held || core->planted->on;
}

/* Returns false if memory is out. */
bool memo_open(p5_core *core);
/* Frees the memo. All blocks must have been released. */
void memo_close(memo *m);
/* Does what core_price does, for this core only (not for the checking core). */
void memo_price_alone(p5_core *core, const p5_retired *r, p5_prediction prediction);
/* Prices stretches of which only the members of a batch have to be considered. */
void memo_price_batch(p5_core *core, const p5_batch *batch);
/* Like memo_price_batch, but stops at the first stretch that may reach clock `limit`. Returns the number of
 * stretches priced. */
size_t memo_price_batch_before(p5_core *core, const p5_batch *batch, uint64_t limit);
/* Adds the counts of all used leaves to the core's deltas. */
void memo_fold(p5_core *core);
/* Forgets what is stored for a block. */
void memo_release(p5_core *core, p5_block *block);

/* memo_resume.c */
void memo_materialise(p5_core *core);
/* Returns the state that the last stretch hands to the next. */
const pipe_state *memo_pipe_state(p5_core *core);
/* Do what price_settle and price_exact do, after restoring the pipe if it is not valid. */
void memo_settle(p5_core *core);
void memo_price_exact(p5_core *core, const p5_retired *r);
/* Returns the clock, relative to now, of fetch `n` (from 1) of the piece that begins now. The fetch is known
 * not to be before `floor`. */
int64_t memo_asked_code(p5_core *core, unsigned n, int64_t floor);
/* Determines whether the memo may be used. To be called after control inputs, breakpoints, the trace or the
 * profile change. */
void memo_hold(p5_core *core);

#endif
