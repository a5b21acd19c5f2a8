/* Batches of stretches, as the engine and the run loop pass them on. */
#ifndef CORE_PIPE_BATCH_H
#define CORE_PIPE_BATCH_H

#include "p5scope/core.h"

/* Most references with which a REP string may be part of a batch. */
enum { BATCH_REPEATED = 32 };

/* One of several consecutive stretches. Each is a whole block without anything special: of the other members
 * of p5_retired, only `repeats` of a REP string may be set, and its accesses determine it. */
typedef struct p5_retired_block {
    p5_block *block;
    const p5_access *accesses_end; /* end of its accesses; they begin where those of the stretch before end */
    const p5_value *values_end;    /* likewise for its values */
    uint32_t next;                 /* as in p5_retired, like the rest */
    uint8_t cpl, cpl_after, mode, iopl;
} p5_retired_block;

#endif
