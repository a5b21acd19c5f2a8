/* Transfers to a handler: the events and clocks of exceptions and interrupts, and HLT, which waits for them.
 * As in price.h, the core's `pipe` must be valid. */
#ifndef CORE_EXACT_DELIVERY_H
#define CORE_EXACT_DELIVERY_H

#include "p5scope/core.h"

void delivery_price(p5_core *core, const p5_exception *e);
void delivery_halt(p5_core *core, uint64_t clocks, unsigned cpl);

#endif
