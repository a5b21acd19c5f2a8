/* Ctrl-C: the first stops the guest, so that the report is still printed; the second ends p5scope. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include "p5scope/machine.h"

/* From now on SIGINT and SIGTERM stop `machine`. */
void interrupt_stops(p5_machine *machine);
/* Back to the default, before the machine is closed. Returns the signal that came, 0 if none did. */
int interrupt_release(void);

#endif
