/* Stretches one after the other, as p5_core_retire of each of them, but as batches are priced. */
#ifndef TEST_RETIRE_BLOCKS_H
#define TEST_RETIRE_BLOCKS_H

#include "core/core.h"

static inline void retire_blocks(p5_core *core, const p5_access *accesses, const p5_value *values,
                                 const p5_retired_block *blocks, size_t count)
{
    enum { AT_ONCE = 256 };
    p5_prediction predictions[AT_ONCE];
    while (count > 0) {
        size_t n = count < AT_ONCE ? count : AT_ONCE;
        core_predict_blocks(core, blocks, n, predictions);
        core_price_batch(core, &(p5_batch){accesses, values, blocks, predictions, n});
        blocks += n;
        count -= n;
        accesses = blocks[-1].accesses_end;
        values = blocks[-1].values_end;
    }
}

#endif
