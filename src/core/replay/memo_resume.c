/* Restores the core's pipe after pieces of code that were priced from the memo, so that the exact path, where the
 * pipe runs, can continue. A *leaf* of the memo is the outcome of a piece; memo.last is the number of the leaf with
 * which the last piece ended, or 0 if the pipe ran since. `now` is the clock at the end of that piece. */
#include "core/profile/profile.h"

#include <assert.h>
#include "core/replay/memo.h"

/* ---- how far PF is ahead of the decoders -----------------------------------------------------------------
 *
 * The memo's states do not contain this lead, on the P55C (see prefetch_leads in pipe/prefetch.h). Each leaf
 * contains how its piece changes the lead (memo_result.move). It is needed only when a fetch misses the code cache,
 * and when the exact path continues. It is then computed: from a leaf after which it is known, forward over the
 * pieces that were priced since. */

/* Follows the `before` links back from leaf `from` to the last leaf after which the lead is known, and reverses
 * the links of the leaves in between. The lead is known after a leaf that contains the beginning of a new
 * stream, and after the leaf of `last_lead`. `instructions` is the core's count after `from`. Sets `*base` to
 * the leaf with the known lead; 0 means that the pipe holds the lead. Returns the leaf used directly after
 * `*base`, or 0 if `*base` is `from`.
 *
 * Within a stream no leaf is used twice, so each link belongs to the leaf's last use. If the caller supplies
 * inconsistent stretches and a leaf does occur twice, the loop comes back along reversed links and still
 * ends. */
static uint32_t reverse_links(const memo *m, uint32_t from, uint64_t instructions, uint32_t *base)
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

/* Returns how far PF is ahead after the last leaf, with clocks relative to now. */
static prefetch_ahead find_ahead(p5_core *core)
{
    memo *m = &core->memo;
    uint32_t before, at = reverse_links(m, m->last, core->instructions, &before);
    const prefetch_move *move = &memo_result_at(m, before)->move;
    prefetch_ahead ahead = before == 0      ? pipe_ahead(&core->pipe)
                           : move->complete ? prefetch_complete(move)
                                            : m->last_lead.ahead;
    while (at != 0) { /* goes forward again and restores the links */
        memo_leaf *leaf = memo_leaf_at(m, at);
        const uint32_t next = leaf->before;
        prefetch_advance(&ahead, &memo_result_at(m, at)->move, leaf->clocks);
        leaf->before = before;
        before = at;
        at = next;
    }
    return ahead;
}

/* Returns the clock, relative to now, at which PF fetches block number `n` (from 1) of the piece that begins now; not
 * before `floor`. */
int64_t memo_asked_code(p5_core *core, unsigned n, int64_t floor)
{
    assert(n > 0);
    prefetch_ahead ahead = find_ahead(core);
    /* Code without branches calls this again and again. The next call begins at this leaf. */
    core->memo.last_lead = (memo_lead){core->memo.last, core->instructions, ahead};
    while (n-- > 0)
        prefetch_take_buffer(&ahead, 1); /* one block per clock */
    return clock_later(ahead.clock, floor);
}

/* ---- the pipe ------------------------------------------------------------------------------------------ */

/* Makes the core's `pipe` valid by restoring it from the last leaf; does nothing if the pipe ran since. */
void memo_materialise(p5_core *core)
{
    memo *m = &core->memo;
    if (m->last) {
        const memo_state *state = memo_current(m);
        const prefetch_ahead ahead = find_ahead(core);
        pipe_load(&core->pipe, &state->state, &core->timing);
        pipe_set_ahead(&core->pipe, &ahead);
        pipe_load_pending(&core->pipe, state->waiting);
        const memo_result *result = memo_result_at(m, m->last);
        /* waiting_fetched is INT32_MIN if the pending instruction's last byte came with the last fetch. */
        core->pipe.pending.front = (pipe_front){.fetched = clock_later(ahead.clock, result->waiting_fetched),
                                                .f = result->waiting_f};
        core->pipe.last_u = result->last_u;
        /* The result's previous_u is valid only if the piece had more than one group. */
        if (core->timing.btb_by_pairs && memo_last(m)->groups > 1)
            core->pipe.previous_u = result->previous_u;
    }
    m->current = NULL; /* the pipe's state is going to change */
    m->last = 0;
    m->last_lead.leaf = 0;
}

/* Returns the pipe's state between the last stretch and the next, from the memo or from the valid pipe. */
const pipe_state *memo_pipe_state(p5_core *core)
{
    const memo_state *current = memo_current(&core->memo);
    if (current)
        return &current->state;
    pipe_store(&core->pipe, &core->state);
    return &core->state;
}

/* Lets the instruction that is pending in D1, if any, issue without a partner. */
void memo_settle(p5_core *core)
{
    if (!memo_waiting(core))
        return;
    memo_materialise(core);
    price_settle(core);
}

/* Prices a stretch on the exact path. */
void memo_price_exact(p5_core *core, const p5_retired *r)
{
    memo_materialise(core);
    price_exact(core, r);
}

/* Determines whether only the exact path may be used, because something changes the pipe's behaviour or needs details
 * that leaves do not have. */
void memo_hold(p5_core *core)
{
    const p5_control *c = &core->control;
    core->memo.held = core->trace.insn != NULL || c->single_pipe || c->trap_flag || c->branch_trace ||
                      (core->breakpoints.active && !breakpoints_count_only(&core->breakpoints)) ||
                      (core->profile && profile_is_looking(core));
}
