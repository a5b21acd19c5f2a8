/* Stretches in batches, as engine and run loop hand them on. */
#ifndef CORE_PIPE_BATCH_H
#define CORE_PIPE_BATCH_H

#include "p5scope/core.h"

/* A REP string goes into a batch if it makes no more references than these. */
enum { BATCH_REPEATED = 32 };

/* One of several stretches that follow one another, each a whole block with nothing about it but this: none
 * of the other members of p5_retired is set but `repeats` of a REP string, which its accesses tell. */
typedef struct p5_retired_block {
    p5_block *block;
    const p5_access *accesses_end; /* behind its accesses; they begin where those of the one before end */
    const p5_value *values_end;    /* likewise */
    uint32_t next;                 /* as in p5_retired, like the rest */
    uint8_t cpl, cpl_after, mode, iopl;
} p5_retired_block;

#endif
