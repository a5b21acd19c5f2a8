/* Ctrl-C: the first stops the guest, so that the report is still printed; another one, half a second later or
 * more, ends p5scope. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

#include "p5scope/machine.h"

/* From now on SIGINT and SIGTERM stop `machine`. */
void interrupt_stops(p5_machine *machine);
/* The run is to end: by such a signal, or its time is over. */
bool interrupt_ending(void);
/* p5_machine_options.stuck: ends the process, with the status that the run would have had. */
void interrupt_stuck(void *context);
/* Behind a run: so many seconds from now, and until the next run begins, who finds an output full twice in
 * half a second ends the process. */
void interrupt_written_within(double seconds);
/* Before the machine is closed. Returns the signal that came, 0 if none did; then the default is back. */
int interrupt_release(void);

#endif
