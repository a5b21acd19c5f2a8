/* The progress of a machine: clocks, instructions and counts. */
#ifndef MACHINE_BASE_TIME_H
#define MACHINE_BASE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/machine.h"

/* Returns true if the run is to pause (p5_machine_stop, time-out). Calls that wait for the host check it. */
bool machine_pause_wanted(const p5_machine *machine);
/* Converts core clocks to nanoseconds, rounded down. */
uint64_t machine_clocks_to_ns(const p5_machine *machine, uint64_t clocks);
/* Returns the first core clock at which `ns` nanoseconds have passed, at most UINT64_MAX. */
uint64_t machine_ns_to_clocks(const p5_machine *machine, uint64_t ns);

#endif
