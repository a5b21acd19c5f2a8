/* Bus cycles that fail: the board's BUSCHK#. */
#ifndef MACHINE_BOARD_BUS_CHECK_H
#define MACHINE_BOARD_BUS_CHECK_H

#include "p5scope/core.h"
#include "p5scope/machine.h"

/* p5_core_hooks.bus_cycle of machines whose model has a cycle to fail (section [check]). */
void bus_check_cycle(void *machine, uint32_t physical, uint32_t size, unsigned type);
/* After each instruction of such a machine: one that refers to the place does not wait for a partner, so that
 * #MC comes behind it and not behind the next one. */
void bus_check_retired(p5_machine *machine, const p5_retired *retired);

#endif
