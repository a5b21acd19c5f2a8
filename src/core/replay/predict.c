/* Prediction ahead of pricing: what every branch of the P55C was told, in the order of execution.
 *
 * Its entry in the BTB is found by the branch's own address (241428, 2.2), and what is learned depends on the
 * branches executed and the instructions between them, not on clocks or pairing. So nothing that the pipe
 * does comes into it, and it can be found out before, for many stretches, by another thread than that of the
 * pipe. On the P54C a branch is looked up by the pair before it: the pipe asks (predictor_pairs.h). */
#include <string.h>

#include "core/core.h"
#include "core/internal.h"
#include "core/branch/predictor_fast.h"

/* The branch has no entry. Not taken, nothing is learned or used. */
static inline unsigned predict_absent(predictor *p, const p5_block *block, uint32_t next, uint64_t now)
{
    branch_run *ran = block->ran;
    if (block->conditional && next == block->fall_through) {
        ran->instructions = now;
        return PREDICTED_NOTHING;
    }
    p->now = ran->instructions = now;
    return predictor_absent(p, &ran->branch, next, block->fall_through);
}

/* There is another branch's entry. */
static unsigned __attribute__((noinline))
predict_falsely(predictor *p, btb_entry *entry, const p5_block *block, uint32_t next, uint64_t now)
{
    branch_run *ran = block->ran;
    const uint64_t since_last = now - ran->instructions;
    p->now = ran->instructions = now;
    return predictor_falsely(p, entry, &ran->branch, block_taken(block, next), next, block->fall_through,
                             since_last);
}

/* The branch of `block`, if it ends in one, which went to `next`, `now` instructions up to it. */
static inline __attribute__((always_inline)) unsigned predict(predictor *p, const p5_block *block,
                                                              uint32_t next, uint64_t now)
{
    branch_run *ran = block->ran;
    size_t at = ran->branch.entry;
    if (p->btb.owner[at] != ran->branch.owner) {
        if (!block->near)
            return NOT_PREDICTED;
        btb_entry *found = btb_find(&p->btb, &ran->branch);
        if (found == NULL)
            return predict_absent(p, block, next, now);
        at = (size_t)(found - p->btb.entry);
        if (p->btb.owner[at] != ran->branch.owner)
            return predict_falsely(p, found, block, next, now);
        ran->branch.entry = (uint16_t)at;
    }
    btb_entry *entry = &p->btb.entry[at];
    const uint64_t since_last = now - ran->instructions;
    ran->instructions = entry->used = now;
    const unsigned taken = next != block->fall_through; /* of those that may fall through */
    if (entry->calm == next)
        return predictor_outcome(taken, taken, false);
    if (__builtin_expect(ran->branch.kind == ISA_JCC, 1))
        return predictor_own_jcc(p, entry, taken, next, false, since_last);
    return predictor_own(p, entry, &ran->branch, taken, next, block->fall_through, since_last);
}

p5_prediction core_predict(p5_core *core, const p5_retired *r)
{
    predictor *p = core->predictor;
    const p5_block *block = r->block;
    if (core->timing.btb_by_pairs || r->count == 0)
        return NOT_PREDICTED;
    p->now += (uint64_t)r->count - r->interrupted;
    return r->first + r->count == block->count ? (p5_prediction)predict(p, block, r->next, p->now)
                                               : NOT_PREDICTED;
}

void core_predict_blocks(p5_core *core, const p5_retired_block *blocks, size_t count,
                         p5_prediction *predictions)
{
    predictor *p = core->predictor;
    if (core->timing.btb_by_pairs) {
        memset(predictions, NOT_PREDICTED, count * sizeof *predictions);
        return;
    }
    /* before its turn: with much code it is in no cache of the host */
    const p5_retired_block *b = blocks, *end = b + count;
    for (; end - b >= 4; b += 4) {
        __builtin_prefetch(b[0].block->ran);
        __builtin_prefetch(b[1].block->ran);
        __builtin_prefetch(b[2].block->ran);
        __builtin_prefetch(b[3].block->ran);
    }
    uint64_t now = p->now;
    for (b = blocks; b < end; b++) {
        const p5_block *block = b->block;
        now += block->count;
        *predictions++ = (p5_prediction)predict(p, block, b->next, now);
    }
    p->now = now;
}
