/* Address generation interlock. */
#ifndef CORE_PIPE_AGI_H
#define CORE_PIPE_AGI_H

#include "core/pipe/operation.h"

enum { AGI_CLOCKS = 1 };

/* Returns how many pipes of a group (0, 1 or 2) use an address register that the group before wrote in its last EX
 * clock (`written`, bit n: isa_gpr n). `v` is NULL if the group has no instruction in V. D2 adds base and index in
 * that clock, but the ALU has its result only at the end of it. The wait is AGI_CLOCKS whatever the producer's
 * length, because only its last EX clock counts. */
static inline unsigned agi_count(uint8_t written, const op *u, const op *v)
{
    return ((u->address_gpr & written) != 0) + (unsigned)(v && (v->address_gpr & written) != 0);
}

#endif
