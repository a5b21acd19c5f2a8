/* What the core asks of the machine's engine: translations, and what caches hold apart from memory. */
#ifndef MACHINE_RUN_CONTENTS_H
#define MACHINE_RUN_CONTENTS_H

#include <stdbool.h>

#include "p5scope/machine.h"

/* From now on memory behind the caches is kept apart from what the processor sees (engine_keep_memory);
 * false: out of memory. */
bool contents_keep_memory(p5_machine *machine);
#endif
