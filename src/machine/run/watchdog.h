/* A thread that watches the host's clock during a run. It requests attention when the run's time is over,
 * whatever the guest does; and it reports a run that was asked to end and does not
 * (p5_machine_options.stuck). */
#ifndef MACHINE_RUN_WATCHDOG_H
#define MACHINE_RUN_WATCHDOG_H

#include "p5scope/machine.h"

typedef struct watchdog watchdog;

/* Returns NULL if the thread cannot be started or memory runs out. */
watchdog *watchdog_open(p5_machine *machine);
/* NULL is allowed. */
void watchdog_close(watchdog *w);
/* Begins a run that times out at host time `over` (host_now; 0: never). p5_machine.expired is set then, and reset by
 * watchdog_run_ends. */
void watchdog_run_begins(watchdog *w, double over);
void watchdog_run_ends(watchdog *w);
/* Wakes the thread after p5_machine.stop was set. Safe in signal handlers and other threads. */
void watchdog_stop_wanted(watchdog *w);

#endif
