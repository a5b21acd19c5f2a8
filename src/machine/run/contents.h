/* What the core asks of the machine's engine: translations, and cached data that differs from memory. */
#ifndef MACHINE_RUN_CONTENTS_H
#define MACHINE_RUN_CONTENTS_H

#include <stdbool.h>

#include "p5scope/machine.h"

/* Keeps the contents of memory separate from what the processor sees through its caches, from now on
 * (engine_keep_memory). Returns false if memory runs out. */
bool contents_keep_memory(p5_machine *machine);
#endif
