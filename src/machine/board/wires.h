/* Output pins of the processor that the board or the host uses: PM0, PM1, PMI (performance monitor) and IERR#. */
#ifndef MACHINE_BOARD_WIRES_H
#define MACHINE_BOARD_WIRES_H

#include "p5scope/machine.h"

/* Simulates the pins from now on if the model connects one or an observer requests them, else no longer. Must be
 * called when either changes. Also sets the handler of parity errors. */
void wires_open(p5_machine *machine);
/* Called at instruction boundaries: reports pin changes and drives the connected inputs. */
void wires_follow(p5_machine *machine);
/* Called after the processor's interrupt acknowledge cycles: withdraws the acknowledged request of a pin. */
void wires_acknowledged(p5_machine *machine);
/* Returns the earliest clock at which a pin can change; UINT64_MAX: none is simulated, or none can. */
uint64_t wires_deadline(const p5_machine *machine, bool halted);
/* Returns true if a pending request or a future pin change can raise NMI. */
bool wires_may_raise_nmi(const p5_machine *machine);

#endif
