/* Prices a single *stretch*: what was executed of a basic block. The block consists of *pieces*. For each, the memo
 * has *paths*: one for each state of the pipe and variant (bank conflicts, operand values ...). A path's tree of
 * answers of caches, TLBs and predictor leads to a *leaf*, the outcome. Where that is impossible, the pipe runs
 * (exact path). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/replay/memo_variant.h"
#include "core/replay/memo_streak.h"
#include "core/pipe/pairing.h"

/* Returns whether the stretch made the references that the paths of its pieces expect. */
static bool has_its_accesses(const p5_retired *r)
{
    const p5_block *block = r->block;
    if (block->memo.varies)
        return r->access_count >= block->access_count;
    if (!block->memo.first.repeats)
        return r->access_count == block->access_count;
    return r->access_count == (uint64_t)r->repeats * block->ops->rep_accesses &&
           r->access_count <= BATCH_REPEATED;
}

/* Returns whether the whole block was executed in a way that the paths of its pieces expect. */
static bool is_whole(const p5_core *core, const p5_retired *r)
{
    return !memo_is_held(core) && !memo_may_not_pair(core, r->block) && r->count == r->block->count &&
           has_its_accesses(r) && r->value_count == r->block->value_count &&
           !(r->unsafe_x87 | r->interrupted);
}

/* Returns whether the pending instruction, which belongs to another block, may pair with the first
 * instruction of `p` and both make references. The piece's variant does not say whether these meet in one
 * bank. */
static bool may_meet_waiting(const pipe_pending *waiting, const piece *p)
{
    const op *first = &p->block->ops[p->first];
    return p->first == 0 && waiting->insn.access_count > 0 && first->accesses > 0 &&
           pairing_check(&waiting->operation, first) == PAIRED;
}

/* Whether looking up paths pays is decided every PAUSE_PERIOD instructions. It does not pay if something was
 * missing in more than one piece per PAUSE_MISSES instructions; a piece has about six. */
enum { PAUSE_PERIOD = 1 << 18, PAUSE_MISSES = 8 };
/* Then they pause for PAUSE_FACTOR times as long, doubled for each failure in a row, at most PAUSE_DOUBLINGS
 * times. */
enum { PAUSE_FACTOR = 4, PAUSE_DOUBLINGS = 3 };

/* Returns whether paths may be looked up now. Begins the next period when one is over. */
static bool lookups_pay(p5_core *core)
{
    memo_pause *w = &core->memo.pause;
    if (core->instructions < w->since)
        return false;
    const uint64_t passed = core->instructions - w->since;
    if (__builtin_expect(passed < PAUSE_PERIOD, 1))
        return true;
    /* the period is over */
    const bool in_vain = w->misses * PAUSE_MISSES > passed;
    *w = (memo_pause){.since = core->instructions, .in_vain = in_vain ? w->in_vain + 1 : 0};
    if (in_vain)
        w->since += (uint64_t)PAUSE_PERIOD * PAUSE_FACTOR
                    << (w->in_vain < PAUSE_DOUBLINGS ? w->in_vain : PAUSE_DOUBLINGS);
    return !in_vain;
}

/* Returns the path of `p` from the core's state in variant `key`, and makes the last leaf lead to it, so that it is
 * found without a search next time. `accesses`: the piece's first reference, before which are those of the
 * instruction pending in D1. NULL: the piece takes the exact path. */
memo_path *memo_look_up(p5_core *core, piece *p, uint32_t key, const p5_access *accesses)
{
    assert(p->memo && !memo_is_held(core));
    memo *m = &core->memo;
    if (!lookups_pay(core) || (!memo_paths(m, p) && memo_learn_later(m, p)))
        return NULL;
    memo_state *current = memo_current(m);
    if (!current)
        current = m->current = memo_intern(core);
    if (!current)
        return NULL;
    const pipe_pending *waiting = memo_waiting(core);
    if (waiting && breakpoints_within(&core->breakpoints, waiting->operation.address, 1))
        return NULL;
    const bool by_waiting = waiting && may_meet_waiting(waiting, p);
    if (by_waiting)
        key = key << 1 | banks_meet(accesses - 1, accesses);
    memo_path *path = memo_find_path(core, p, current, key);
    if (!path)
        return NULL;
    path->streak.by_waiting = by_waiting;
    if (m->last && !by_waiting)
        memo_last(m)->next_path = memo_path_number(m, path);
    return path;
}

/* Prices `r`, a run of one piece, which has the path `path`: follows its tree, and learns where the tree ends. */
static void price_along(p5_core *core, const p5_retired *r, memo_path *path)
{
    assert(path->streak.piece->block == r->block);
    const memo_execution executed = {r->accesses, r->next,
                                     memo_prediction(path->streak.piece, core->prediction)};
    memo_leaf *leaf = memo_walk(core, path, &executed, NULL);
    if (__builtin_expect(leaf != NULL, 1)) {
        memo_use(core, leaf, path->streak.piece);
        if (leaf->waits)
            memo_keep_waiting(core, leaf, r->accesses + r->access_count); /* the buffer is the caller's */
    } else {
        memo_learn(core, r, path);
    }
}

/* Returns the path of this execution of `p`: the one that followed last time, or another one. NULL: the piece takes
 * the exact path. `taken`: the direction of the block's branch. */
static memo_path *path_of(p5_core *core, const p5_retired *r, piece *p, bool taken)
{
    uint32_t key = 0;
    if (!p->memo || (p->has_variants && !memo_variant(core, r, p, taken, &key)))
        return NULL;
    memo_path *path = memo_next_path(core);
    if (path->streak.piece == p && path->streak.variant == key)
        return path;
    return memo_look_up(core, p, key, r->accesses);
}

/* If an instruction is pending in D1, copies the stretch's references to a buffer after those of that instruction, as
 * the tree of a path expects them. Returns false if memory is out. */
static bool join(p5_core *core, p5_retired *r)
{
    memo *m = &core->memo;
    const pipe_pending *waiting = memo_waiting(core);
    if (!waiting || waiting->insn.access_count == 0)
        return true;
    const unsigned n = waiting->insn.access_count, wanted = n + r->access_count;
    assert(n <= WAITING_ACCESSES);
    if (wanted > m->joined_capacity) {
        p5_access *joined = realloc(m->joined, wanted * sizeof *joined);
        if (!joined)
            return false;
        m->joined = joined;
        m->joined_capacity = wanted;
    }
    memcpy(m->joined, core->pipe.pending.accesses, n * sizeof *m->joined);
    r->accesses = memcpy(m->joined + n, r->accesses, r->access_count * sizeof *m->joined);
    return true;
}

/* Prices a stretch piece by piece. All of it takes the exact path if it is not a whole block or the memo is held. */
static void price_pieces(p5_core *core, const p5_retired *r)
{
    p5_retired whole = *r;
    if (!is_whole(core, r) || !join(core, &whole)) {
        memo_price_exact(core, r);
        return;
    }
    bool taken = block_taken(r->block, r->next);
    const p5_access *accesses = whole.accesses;
    const p5_value *values = r->values;
    for (piece *p = &r->block->memo.first; p; p = p->next) {
        const p5_retired part = piece_retired(&whole, p, accesses, values);
        memo_path *path = path_of(core, &part, p, taken);
        if (__builtin_expect(path != NULL, 1))
            price_along(core, &part, path);
        else
            memo_price_exact(core, &part);
        accesses += part.access_count;
        values += part.value_count;
    }
}

/* Prices a stretch before which something else has to be done, because the privilege class changes, the memo is
 * off, or the profile needs to look at it. */
static void __attribute__((noinline)) retire_unusual(p5_core *core, const p5_retired *r)
{
    if (r->count == 0)
        return;
    core->faulted_in_v = false;
    if (counts_class(r->cpl) != core->cpl_class)
        memo_settle(core);
    price_enter_class(core, r->cpl);
    if (core->profile)
        profile_follow(core, r);
    if (core->memo_off)
        memo_price_exact(core, r);
    else
        price_pieces(core, r);
}

/* Prices a stretch that does not come in a batch. */
void memo_price_alone(p5_core *core, const p5_retired *r, p5_prediction prediction)
{
    core->prediction = prediction;
    if (__builtin_expect(r->count == r->block->count && memo_prices(core, r->cpl) &&
                             memo_reports(core, r->block, r->next),
                         1))
        price_pieces(core, r);
    else
        retire_unusual(core, r);
}
