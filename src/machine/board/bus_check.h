/* Bus cycles that fail: the board's BUSCHK#. */
#ifndef MACHINE_BOARD_BUS_CHECK_H
#define MACHINE_BOARD_BUS_CHECK_H

#include "p5scope/core.h"
#include "p5scope/machine.h"

/* The callback p5_core_hooks.bus_cycle for models with a failing bus cycle, which section [check] of the model
 * describes. `size` is that of the access, or of the line for a line fill or write-back; `type` has P5_CYCLE_*. */
void bus_check_cycle(void *machine, uint32_t physical, uint32_t size, unsigned type);
/* Called after each instruction of such a machine. An instruction that refers to the address is not held back
 * for pairing, so that #MC follows it and not the next instruction. */
void bus_check_retired(p5_machine *machine, const p5_retired *retired);

#endif
