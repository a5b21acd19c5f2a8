/* Ctrl-C: the first one stops the guest, so that the report is still printed; another one at least half a
 * second later ends p5scope. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

#include "p5scope/machine.h"

/* Makes SIGINT and SIGTERM stop `machine` from now on. */
void interrupt_stops(p5_machine *machine);
/* Returns true if the run must end because of such a signal or its time-out. */
bool interrupt_ending(void);
/* The callback p5_machine_options.stuck, for a run that must end but cannot: ends the process after a message, with
 * the status that the run would have had. */
void interrupt_stuck(void *context);
/* To be called after a run. From `seconds` later until the next run begins, the process ends if an output
 * stays full for half a second. */
void interrupt_written_within(double seconds);
/* To be called before the machine is closed. Restores the default actions. Returns the signal that came, or
 * 0. */
int interrupt_release(void);

#endif
