/* Port I/O (ports.c). */
#ifndef ENGINE_CONTROL_PORTS_H
#define ENGINE_CONTROL_PORTS_H

#include "engine/internal.h"

/* Returns whether TR holds a 32-bit TSS that reaches as far as the field with the offset of the I/O permission
 * bitmap. */
bool ports_have_bitmap(const uc_env *env);
/* Returns whether IOPL and the TSS's bitmap forbid access to `size` bytes (1, 2 or 4) at this port. `unseen`: makes no
 * references to the TSS, and returns false if it cannot be read without a fault. */
bool ports_refused(engine *e, uint16_t port, unsigned size, bool unseen);

#endif
