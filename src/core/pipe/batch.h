/* Batches of stretches, as the engine and the run loop pass them on. */
#ifndef CORE_PIPE_BATCH_H
#define CORE_PIPE_BATCH_H

#include "p5scope/core.h"

/* The most references that a REP string in a batch may have. */
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

#endif
