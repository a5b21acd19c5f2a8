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
/* The callback p5_machine_options.stuck, for a run that must end but is blocked: ends the process after a message, with
 * the status that the run would have had. */
void interrupt_stuck(void *context);
/* To be called after a run. After `seconds`, and until the next run begins, ends the process if an output stays
 * full for about half a second, because no process reads it. */
void interrupt_at_full_output(double seconds);
/* To be called before the machine is closed. Restores the default actions, unless a signal has come. Returns the first
 * signal, or 0. */
int interrupt_release(void);

#endif
