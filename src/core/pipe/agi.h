/* Address generation interlock. */
#ifndef CORE_PIPE_AGI_H
#define CORE_PIPE_AGI_H

#include "core/pipe/operation.h"

enum { AGI_CLOCKS = 1 };

/* Returns how many pipes of a group (0, 1 or 2) use an address register written in the clock before. D2 adds
 * base and index in that clock, but the ALU has its result only at the end of it. The wait is AGI_CLOCKS
 * whatever the producer's length, because only its last EX clock counts. */
static inline unsigned agi_count(uint8_t written, const op *u, const op *v)
{
    return ((u->address_gpr & written) != 0) + (unsigned)(v && (v->address_gpr & written) != 0);
}

#endif
