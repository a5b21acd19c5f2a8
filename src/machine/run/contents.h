/* What the core asks of the machine's engine: translations, and what caches hold apart from memory. */
#ifndef MACHINE_RUN_CONTENTS_H
#define MACHINE_RUN_CONTENTS_H

#include "engine/engine.h"
#include "p5scope/machine.h"

p5_core_hooks contents_hooks(p5_machine *machine);
/* From now on memory behind the caches is kept apart from what the processor sees (engine_keep_memory);
 * false: out of memory. */
bool contents_keep_memory(p5_machine *machine);
/* After test registers or cache control were written: runs single instructions as long as the core has to
 * look at each of them. */
void contents_look(p5_machine *machine);

#endif
