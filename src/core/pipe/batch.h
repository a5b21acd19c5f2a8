/* Stretches in batches, as engine and run loop hand them on. */
#ifndef CORE_PIPE_BATCH_H
#define CORE_PIPE_BATCH_H

#include "p5scope/core.h"

/* One of several stretches that follow one another, each a whole block with nothing about it but this: none
 * of the other members of p5_retired is set. */
typedef struct p5_retired_block {
    p5_block *block;
    const p5_access *accesses_end; /* behind its accesses; they begin where those of the one before end */
    const p5_value *values_end;    /* likewise */
    uint32_t next;                 /* as in p5_retired, like the rest */
    uint8_t cpl, cpl_after, mode, iopl;
} p5_retired_block;

#endif
