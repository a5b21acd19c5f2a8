/* Batches of stretches, as the engine and the run loop pass them on. A *stretch* is what was executed of a block at a
 * time (p5_retired). */
#ifndef CORE_PIPE_BATCH_H
#define CORE_PIPE_BATCH_H

#include <assert.h>
#include <stddef.h>

#include "core/branch/branch.h"
#include "p5scope/core.h"

/* The most data references that a REP string in a batch may make. */
enum { BATCH_REPEATED = 32 };

/* One stretch of a batch. It is a whole block. The members of p5_retired that are missing here are 0, except
 * `repeats` of a REP string, which follows from the number of its accesses. */
typedef struct p5_retired_block {
    p5_block *block;
    const p5_access *accesses_end; /* end of its accesses; they begin where those of the stretch before end */
    const p5_value *values_end;    /* likewise for its values */
    uint32_t next;                 /* as in p5_retired, like the rest */
    uint8_t cpl, cpl_after, mode, iopl;
} p5_retired_block;

/* Consecutive stretches. */
typedef struct p5_batch {
    const p5_access *accesses; /* of the first stretch */
    const p5_value *values;    /* of the first stretch */
    const p5_retired_block *blocks;
    const p5_prediction *predictions; /* one for each stretch */
    size_t count;
} p5_batch;

/* Returns the stretches of a batch after the first `n`. */
static inline p5_batch batch_rest(const p5_batch *batch, size_t n)
{
    assert(n <= batch->count);
    if (n == 0)
        return *batch;
    const p5_retired_block *rest = batch->blocks + n;
    return (p5_batch){rest[-1].accesses_end, rest[-1].values_end, rest, batch->predictions + n,
                      batch->count - n};
}

#endif
