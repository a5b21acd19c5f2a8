/* The MMX pipe of the P55C: one-clock operations, three-clock multiplies, and the switch between MMX and
 * x87. */
#ifndef CORE_PIPE_MMX_H
#define CORE_PIPE_MMX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pipe/operation.h"

enum { MMX_REGISTERS = 8, MMX_MULTIPLY_EXTRA = 2 /* a product is ready two clocks later than a sum */ };

/* What the registers that x87 and MMX share were last used as. */
enum { MODE_NONE /* neither since RESET */, MODE_X87, MODE_MMX };

/* For each register, the first EX clock of an instruction that may read it. mmx_unit is used while code is priced, with
 * clocks relative to pipe.start; mmx_state is its stored form in pipe_state. */
typedef struct mmx_state {
    int16_t ready[MMX_REGISTERS];
} mmx_state;
typedef struct mmx_unit {
    int64_t ready[MMX_REGISTERS];
} mmx_unit;

/* Returns the clock, `clock` or later, at which the registers that `o` reads are ready. */
int64_t mmx_sources_ready(const mmx_unit *m, const op *o, int64_t clock);
/* Returns the clock, `clock` or later, in which `o` may enter EX because of its sources. The part of the wait that a
 * multiply causes ends at `*multiply`; a store waits one more clock for any result. */
int64_t mmx_ready(const mmx_unit *m, const op *o, int64_t clock, int64_t *multiply);
/* Returns whether a product is still pending at `clock`, the end of the last EX clock, so that an instruction
 * that reads it would wait. */
bool mmx_product_awaited(const mmx_unit *m, int64_t clock);
/* Records the results of `o`, which leaves EX at `end`. */
void mmx_issue(mmx_unit *m, const op *o, int64_t end);

#endif
