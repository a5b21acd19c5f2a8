/* Requests to pause, and core clocks in nanoseconds. time.c also has those functions of p5scope/machine.h that return
 * clocks, instructions and counts. */
#ifndef MACHINE_BASE_TIME_H
#define MACHINE_BASE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/machine.h"

/* Returns true if the run is to pause because of p5_machine_stop or its time-out. A function that waits for the host must
 * check it again and again, and return early. Any thread may call it. */
bool machine_pause_wanted(const p5_machine *machine);
/* Converts a number of core clocks to nanoseconds, rounded down. */
uint64_t machine_clocks_to_ns(const p5_machine *machine, uint64_t clocks);
/* Returns the smallest number of core clocks that takes at least `ns` nanoseconds, or UINT64_MAX if it does not fit. */
uint64_t machine_ns_to_clocks(const p5_machine *machine, uint64_t ns);

#endif
