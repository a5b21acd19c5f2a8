/* What replay offers: stretches priced by what is remembered, and by the exact path where that cannot be
 * done. Between remembered ones the core's `pipe` is not valid; memo_materialise makes it so for who goes on
 * by the exact path. */
#ifndef CORE_REPLAY_MEMO_H
#define CORE_REPLAY_MEMO_H

#include "core/exact/price.h"
#include "core/planted/planted.h"

static inline uint32_t memo_leaf_number(const memo *m, const memo_leaf *leaf)
{
    return (uint32_t)(leaf - (memo_leaf *)m->leaves.objects);
}

static inline memo_result *memo_result_at(const memo *m, uint32_t number)
{
    return (memo_result *)m->results.objects + number;
}

static inline memo_leaf *memo_leaf_at(const memo *m, uint32_t number)
{
    return (memo_leaf *)m->leaves.objects + number;
}

/* That of number 0, if there is none: it is never used, leads to no path, and nothing waits behind it. */
static inline memo_leaf *memo_last(const memo *m)
{
    return memo_leaf_at(m, m->last);
}

/* The interned form of the pipe's state; NULL: only the core's `pipe` holds it. */
static inline memo_state *memo_current(const memo *m)
{
    return m->last ? (memo_state *)m->states.objects + memo_last(m)->to : m->current;
}

/* The instruction that waits for its partner, or NULL. */
static inline const pipe_pending *memo_waiting(const p5_core *core)
{
    const memo *m = &core->memo;
    if (m->last)
        return memo_last(m)->waits ? memo_current(m)->waiting : NULL;
    if (m->current)
        return m->current->waiting;
    return core->pipe.waiting ? &core->pipe.pending : NULL;
}

/* Somebody looks at more than the remembered answers know. */
static inline bool memo_is_held(const p5_core *core)
{
    return core->memo.held || core->planted->on;
}

/* False: out of memory. */
bool memo_open(p5_core *core);
/* All blocks have been released. */
void memo_close(memo *m);
/* core_price, of this core alone. */
void memo_price_alone(p5_core *core, const p5_retired *r, p5_prediction prediction);
/* ... for stretches of which nothing but their blocks, accesses and values is to be looked at. */
void memo_price_blocks(p5_core *core, const p5_access *accesses, const p5_value *values,
                       const p5_retired_block *blocks, const p5_prediction *predictions, size_t count);
/* Up to one that may reach clock `limit`; answers how many. */
size_t memo_price_blocks_before(p5_core *core, const p5_access *accesses, const p5_value *values,
                                const p5_retired_block *blocks, const p5_prediction *predictions,
                                size_t count, uint64_t limit);
/* Adds what the leaves stand for to the core's deltas. */
void memo_fold(p5_core *core);
/* Forgets a block. */
void memo_release(p5_core *core, p5_block *block);

/* memo_resume.c */
void memo_materialise(p5_core *core);
/* What the last stretch hands to the next. */
const pipe_state *memo_pipe_state(p5_core *core);
/* price_settle, price_exact, wherever the pipe stands. */
void memo_settle(p5_core *core);
void memo_price_exact(p5_core *core, const p5_retired *r);
/* The clock, relative to now, of fetch number `n` (from 1) of the piece that begins now, of which is known
 * that it is not before `floor`. */
int64_t memo_asked_code(p5_core *core, unsigned n, int64_t floor);
/* After a change of control inputs, breakpoints, trace or profile: may remembered answers be used? */
void memo_hold(p5_core *core);

#endif
