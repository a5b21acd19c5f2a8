/* The contents of memory outside the caches, which differ from what the processor sees where a cache line is modified
 * (contents.c). */
#ifndef MACHINE_RUN_CONTENTS_H
#define MACHINE_RUN_CONTENTS_H

#include <stdbool.h>

#include "p5scope/machine.h"

/* Makes the engine keep what memory holds separately from what the processor sees through its caches, from now on.
 * Returns false if host memory runs out; then both stay equal. */
bool contents_keep_memory(p5_machine *machine);

#endif
