/* Ctrl-C: the first stops the guest, so that the report is still printed; another one, half a second later or
 * more, ends p5scope. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include "p5scope/machine.h"

/* From now on SIGINT and SIGTERM stop `machine`. */
void interrupt_stops(p5_machine *machine);
/* Before the machine is closed. Returns the signal that came, 0 if none did; then the default is back. */
int interrupt_release(void);

#endif
