/* EX clocks of instructions whose cost depends on more than the encoding: mode, count, operand value,
 * direction. */
#ifndef CORE_PIPE_COST_H
#define CORE_PIPE_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pipe/operation.h"
#include "core/model/timing.h"

/* What the cost depends on besides the encoding. */
typedef struct cost_context {
    uint8_t mode;                 /* P5_MODE_* */
    uint8_t cpl, cpl_after, iopl; /* privilege levels before and after the instruction */
    bool descriptor;              /* a segment descriptor was read */
    bool taken;                   /* LOOPx, JCXZ */
    uint8_t gate;                 /* p5_gate */
    uint32_t repeats;             /* REP iterations */
    const p5_value *value;        /* NULL if the form has none */
} cost_context;

/* Returns the EX clocks of `o`, with L1 hits assumed. */
uint32_t cost_clocks(const timing *t, const op *o, const cost_context *c);
/* Returns the clocks from an exception or interrupt until the handler's first instruction enters EX. */
uint32_t cost_dispatch(const timing *t, const p5_exception *e);
/* Returns what an instruction that takes `clocks` in EX adds to event 22h (FLOPS); 0 for most. */
unsigned cost_flops(const timing *t, const op *o, uint32_t clocks);

#endif
