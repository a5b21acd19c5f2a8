/* The MMX pipe of the P55C: results of one clock, multiplies of three, and the switch between MMX and x87. */
#ifndef CORE_PIPE_MMX_H
#define CORE_PIPE_MMX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pipe/block.h"

enum { MMX_REGISTERS = 8, MMX_MULTIPLY_EXTRA = 2 /* a product comes two clocks after a sum would */ };

/* What the register file was last used as. */
enum { MODE_NONE /* neither since RESET */, MODE_X87, MODE_MMX };

typedef struct mmx_state {
    int16_t ready[MMX_REGISTERS];
} mmx_state;
typedef struct mmx_unit {
    int64_t ready[MMX_REGISTERS];
} mmx_unit; /* first EX clock of an instruction that may use the register */

/* The clock at which the registers that `o` reads are ready, `clock` or later. */
int64_t mmx_sources_ready(const mmx_unit *m, const op *o, int64_t clock);
/* Earliest EX clock for the sources of `o`. The part of the wait that a multiply causes ends at `*multiply`;
 * behind it, a store waits one more. */
int64_t mmx_ready(const mmx_unit *m, const op *o, int64_t clock, int64_t *multiply);
/* A product is not ready at `clock`, the end of the last EX clock: what follows would wait for it. */
bool mmx_product_awaited(const mmx_unit *m, int64_t clock);
/* `o` leaves EX at `end`. */
void mmx_issue(mmx_unit *m, const op *o, int64_t end);

#endif
