/* How far a machine has come. */
#ifndef MACHINE_BASE_TIME_H
#define MACHINE_BASE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/machine.h"

/* For calls that wait for the host: true if the run is to pause (p5_machine_stop, time-out). */
bool machine_pause_wanted(const p5_machine *machine);
/* Model time <-> nanoseconds, rounded down. */
uint64_t machine_clocks_to_ns(const p5_machine *machine, uint64_t clocks);
/* The first clock at which `ns` have passed. */
uint64_t machine_ns_to_clocks(const p5_machine *machine, uint64_t ns);

#endif
