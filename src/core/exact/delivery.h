/* Transfers to a handler: the events and clocks of exceptions and interrupts, and HLT, which waits for them.
 * As in price.h, the core's `pipe` must be valid. */
#ifndef CORE_EXACT_DELIVERY_H
#define CORE_EXACT_DELIVERY_H

#include "p5scope/core.h"

/* Prices a delivery: from the boundary before the handler until the handler's first instruction can be fetched. */
void delivery_price(p5_core *core, const p5_exception *e);
/* Lets `clocks` pass in HLT at privilege level `cpl`, and ends all pending operations of the pipe's units. */
void delivery_halt(p5_core *core, uint64_t clocks, unsigned cpl);

#endif
