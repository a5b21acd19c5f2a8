/* Prediction ahead of pricing: what every branch of the P55C was told, in the order of execution.
 *
 * Its entry in the BTB is found by the branch's own address (241428, 2.2), and what is learned depends on the
 * branches executed and the instructions between them, not on clocks or pairing. So nothing that the pipe
 * does comes into it, and it can be found out before, for many stretches, by another thread than that of the
 * pipe. On the P54C a branch is looked up by the pair before it: the pipe asks (predictor_pairs.h). */
#include <string.h>

#include "core/branch/predictor_fast.h"
#include "core/core.h"
#include "core/internal.h"

/* The end of `block`, which went to `next`, `now` instructions up to it. */
static inline __attribute__((always_inline)) p5_prediction predict(predictor *p, const p5_block *block,
                                                                   uint32_t next, uint64_t now)
{
    return (p5_prediction)predictor_near(p, block->ran, next, block->fall_through, now);
}

p5_prediction core_predict(p5_core *core, const p5_retired *r)
{
    predictor *p = core->predictor;
    const p5_block *block = r->block;
    if (core->timing.btb_by_pairs || r->count == 0)
        return NOT_PREDICTED;
    p->now += (uint64_t)r->count - r->interrupted;
    return r->first + r->count == block->count ? predict(p, block, r->next, p->now) : NOT_PREDICTED;
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
        *predictions++ = predict(p, block, b->next, now);
    }
    p->now = now;
}
