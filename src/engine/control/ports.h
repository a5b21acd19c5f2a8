/* Port I/O (ports.c). */
#ifndef ENGINE_CONTROL_PORTS_H
#define ENGINE_CONTROL_PORTS_H

#include "engine/internal.h"

/* `size` bytes at this port are not allowed. `unseen`: makes no references to the TSS; false, too, if
 * that cannot be seen without a fault. */
bool ports_refused(engine *e, uint16_t port, unsigned size, bool unseen);

#endif
