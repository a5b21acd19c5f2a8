/* What the core asks of the machine's engine: translations, and what caches hold apart from memory. */
#ifndef MACHINE_CONTENTS_H
#define MACHINE_CONTENTS_H

#include "machine/state.h"

p5_core_hooks contents_hooks(p5_machine *machine);
/* After test registers or cache control were written: runs single instructions as long as the core has to
 * look at each of them. */
void contents_look(p5_machine *machine);

#endif
