/* Registers with their side effects, in addition to engine.h (registers.c). */
#ifndef ENGINE_CONTROL_REGISTERS_H
#define ENGINE_CONTROL_REGISTERS_H

#include "engine/internal.h"

void registers_set_eflags(engine *e, uint32_t value);
void registers_update_hidden(engine *e);
/* Stores the flags as flags, instead of the operands from which they are computed. */
void registers_settle_flags(engine *e);

#endif
