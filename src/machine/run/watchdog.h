/* A thread that looks at the host's clock for a run: when its time is over, it asks for attention, whatever
 * the guest does meanwhile; and when a run that is to end does not, it says so (p5_machine_options.stuck). */
#ifndef MACHINE_RUN_WATCHDOG_H
#define MACHINE_RUN_WATCHDOG_H

#include "p5scope/machine.h"

typedef struct watchdog watchdog;

/* NULL: there is no thread or no memory. */
watchdog *watchdog_open(p5_machine *machine);
/* NULL is none. */
void watchdog_close(watchdog *w);
/* A run begins. From `over` on (host_now; 0: never) the machine has p5_machine.expired. */
void watchdog_run_begins(watchdog *w, double over);
void watchdog_run_ends(watchdog *w);
/* p5_machine.stop was set. Safe from signal handlers and other threads. */
void watchdog_stop_wanted(watchdog *w);

#endif
