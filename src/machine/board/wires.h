/* Output pins of the processor that the board or the host uses: PM0, PM1 and IERR#. */
#ifndef MACHINE_BOARD_WIRES_H
#define MACHINE_BOARD_WIRES_H

#include "p5scope/machine.h"

/* Follows the PM pins if the model connects one or an observer requests them. Must be called when either
 * changes. */
void wires_open(p5_machine *machine);
/* Called at instruction boundaries: reports pin changes and drives the connected inputs. */
void wires_follow(p5_machine *machine);
/* Called after the processor's interrupt acknowledge cycles. */
void wires_acknowledged(p5_machine *machine);
/* Returns the clock at which a pin can next change, as p5_pmu_pin_deadline does. */
uint64_t wires_deadline(const p5_machine *machine, bool halted);
/* Returns true if a pending request or a future pin change can raise NMI. */
bool wires_may_raise_nmi(const p5_machine *machine);

#endif
