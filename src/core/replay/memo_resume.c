/* How the pipe goes on behind what was remembered. */
#include "core/profile/profile.h"
#include "core/replay/memo.h"

/* ---- how far PF is ahead of the decoders -----------------------------------------------------------------
 *
 * States of the memo do not say it (pipe/prefetch.h). It matters when a line is not in the code cache and
 * where the pipe goes on, and is worked out then, from the pieces that came since it was known. */

/* `from` and those used before it, the other way round: the first of these, as long as a new stream was not
 * the end of one; NULL if there is none. `*base`: the one before these, or NULL. Within a stream no leaf
 * comes twice, so each is in its last use; who feeds a core otherwise has a walk that comes back, and ends.
 */
static memo_leaf *turn(const memo *m, memo_leaf *from, uint64_t instructions, memo_leaf **base)
{
    memo_leaf *behind = NULL, *leaf = from;
    while (leaf && !leaf->move.known && !(leaf == m->noted.leaf && instructions == m->noted.instructions)) {
        memo_leaf *before = leaf->before;
        instructions -= leaf->instructions;
        leaf->before = behind;
        behind = leaf;
        leaf = before;
    }
    *base = leaf;
    return behind;
}

static prefetch_ahead find_ahead(p5_core *core)
{
    memo *m = &core->memo;
    memo_leaf *before;
    memo_leaf *leaf = turn(m, m->last, core->instructions, &before);
    prefetch_ahead ahead = !before              ? pipe_ahead(&core->pipe)
                           : before->move.known ? prefetch_known(&before->move)
                                                : m->noted.ahead;
    while (leaf) { /* and back again */
        memo_leaf *const next = leaf->before;
        prefetch_go_on(&ahead, &leaf->move, leaf->clocks);
        leaf->before = before;
        before = leaf;
        leaf = next;
    }
    return ahead;
}

int64_t memo_asked_code(p5_core *core, unsigned n, int64_t floor)
{
    prefetch_ahead ahead = find_ahead(core);
    /* code without a branch asks again and again */
    core->memo.noted = (memo_lead){core->memo.last, core->instructions, ahead};
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
        const memo_result *result = memo_result_of(m, m->last);
        core->pipe.pending.front = (pipe_front){.fetched = clock_later(ahead.clock, result->waiting_fetched),
                                                .f = result->waiting_f};
        core->pipe.last_u = m->last->last_u;
        if (core->timing.btb_by_pairs && m->last->groups > 1)
            core->pipe.previous_u = result->previous_u;
    }
    m->current = NULL;
    m->last = NULL;
    m->noted.leaf = NULL;
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
