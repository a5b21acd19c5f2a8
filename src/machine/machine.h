/* The machine for the floors above, beside the public headers. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include "p5scope/machine.h"

/* p5_machine_core for who does not want to be told of things by the core. */
p5_core *machine_core(const p5_machine *machine);
/* How many threads a run has. */
unsigned machine_threads(const p5_machine *machine);

#endif
