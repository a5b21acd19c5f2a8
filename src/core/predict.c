/* Predicts branches of the P55C before they are priced, in the order of execution. A *stretch* is what was executed of a
 * block at a time.
 *
 * A branch's entry in the BTB is found by its own address (241428, 2.2), and what the BTB learns depends on
 * the branches executed and the instructions between them, not on clocks or pairing. So predictions do not
 * depend on the pipe, and another thread can make them beforehand for many stretches. On the P54C a branch is
 * looked up by the preceding pair, so the pipe asks (predictor_pairs.h). */
#include <string.h>

#include "core/branch/predictor_fast.h"
#include "core/core.h"
#include "core/internal.h"

/* Predicts the branch at the end of `block`, if any, and updates the BTB with its outcome: control went to `next`.
 * `now` is the number of instructions executed so far, the branch included. */
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
    p->now += (uint64_t)r->count - r->interrupted; /* an interrupted REP string has not completed */
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
    /* prefetched because the records of a large program's branches are in none of the host's caches */
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
