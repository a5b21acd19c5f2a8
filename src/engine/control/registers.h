/* Registers with what follows from them, beside engine.h (registers.c). */
#ifndef ENGINE_CONTROL_REGISTERS_H
#define ENGINE_CONTROL_REGISTERS_H

#include "engine/internal.h"

void registers_set_eflags(engine *e, uint32_t value);
void registers_update_hidden(engine *e);
/* The flags are in the state as flags, not as what they are to be computed from. */
void registers_settle_flags(engine *e);

#endif
