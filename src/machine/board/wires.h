/* Pins of the processor that the board or the host looks at: PM0, PM1 and IERR#. */
#ifndef MACHINE_BOARD_WIRES_H
#define MACHINE_BOARD_WIRES_H

#include "p5scope/machine.h"

/* Has the monitor's pins followed if the model wires one or an observer wants them. To be called when that
 * may have changed. */
void wires_open(p5_machine *machine);
/* At an instruction boundary: tells of changes and drives what is wired to them. */
void wires_follow(p5_machine *machine);
/* After the processor's acknowledge cycles. */
void wires_acknowledged(p5_machine *machine);
/* The clock at which a pin can next change, as p5_pmu_pin_deadline. */
uint64_t wires_deadline(const p5_machine *machine, bool halted);
/* True if a change that is on its way can raise NMI. */
bool wires_may_raise_nmi(const p5_machine *machine);

#endif
