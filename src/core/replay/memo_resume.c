/* Restores the pipe after stretches that were priced from the memo. */
#include "core/profile/profile.h"

#include <assert.h>
#include "core/replay/memo.h"

/* ---- how far PF is ahead of the decoders -----------------------------------------------------------------
 *
 * States of the memo do not contain this lead (pipe/prefetch.h). It matters when a line is not in the code
 * cache, and when the pipe resumes. It is worked out then, from the pieces since it was last known. */

/* Reverses the `before` links of leaf `from` and the leaves used before it, as far back as the last new
 * stream. Returns the earliest of these leaves, or 0; `*base` is the leaf before them, or 0. Within a stream
 * no leaf is used twice, so each link belongs to the leaf's last use. If an inconsistent caller violates
 * that, the walk returns along reversed links and still ends. */
static uint32_t turn(const memo *m, uint32_t from, uint64_t instructions, uint32_t *base)
{
    uint32_t after = 0, at = from;
    while (at != 0 && !memo_result_at(m, at)->move.complete &&
           !(at == m->last_lead.leaf && instructions == m->last_lead.instructions)) {
        memo_leaf *leaf = memo_leaf_at(m, at);
        const uint32_t before = leaf->before;
        instructions -= leaf->instructions;
        leaf->before = after;
        after = at;
        at = before;
    }
    *base = at;
    return after;
}

static prefetch_ahead find_ahead(p5_core *core)
{
    memo *m = &core->memo;
    uint32_t before, at = turn(m, m->last, core->instructions, &before);
    const prefetch_move *move = &memo_result_at(m, before)->move;
    prefetch_ahead ahead = before == 0      ? pipe_ahead(&core->pipe)
                           : move->complete ? prefetch_complete(move)
                                            : m->last_lead.ahead;
    while (at != 0) { /* restores the links */
        memo_leaf *leaf = memo_leaf_at(m, at);
        const uint32_t next = leaf->before;
        prefetch_go_on(&ahead, &memo_result_at(m, at)->move, leaf->clocks);
        leaf->before = before;
        before = at;
        at = next;
    }
    return ahead;
}

int64_t memo_asked_code(p5_core *core, unsigned n, int64_t floor)
{
    assert(n > 0);
    prefetch_ahead ahead = find_ahead(core);
    /* code without a branch asks again and again */
    core->memo.last_lead = (memo_lead){core->memo.last, core->instructions, ahead};
    while (n-- > 0)
        prefetch_take_buffer(&ahead, 1);
    return clock_later(ahead.clock, floor);
}

/* ---- the pipe ------------------------------------------------------------------------------------------ */

void memo_materialise(p5_core *core)
{
    memo *m = &core->memo;
    if (m->last) {
        const memo_state *state = memo_current(m);
        const prefetch_ahead ahead = find_ahead(core);
        pipe_load(&core->pipe, &state->state, &core->timing);
        pipe_go_on_ahead(&core->pipe, &ahead);
        pipe_load_pending(&core->pipe, state->waiting);
        const memo_result *result = memo_result_at(m, m->last);
        core->pipe.pending.front = (pipe_front){.fetched = clock_later(ahead.clock, result->waiting_fetched),
                                                .f = result->waiting_f};
        core->pipe.last_u = result->last_u;
        if (core->timing.btb_by_pairs && memo_last(m)->groups > 1)
            core->pipe.previous_u = result->previous_u;
    }
    m->current = NULL;
    m->last = 0;
    m->last_lead.leaf = 0;
}

const pipe_state *memo_pipe_state(p5_core *core)
{
    const memo_state *current = memo_current(&core->memo);
    if (current)
        return &current->state;
    pipe_store(&core->pipe, &core->state);
    return &core->state;
}

void memo_settle(p5_core *core)
{
    if (!memo_waiting(core))
        return;
    memo_materialise(core);
    price_settle(core);
}

void memo_price_exact(p5_core *core, const p5_retired *r)
{
    memo_materialise(core);
    price_exact(core, r);
}

void memo_hold(p5_core *core)
{
    const p5_control *c = &core->control;
    core->memo.held = core->trace.insn != NULL || c->single_pipe || c->trap_flag || c->branch_trace ||
                      (core->breakpoints.active && !breakpoints_count_only(&core->breakpoints)) ||
                      (core->profile && profile_is_looking(core));
}
