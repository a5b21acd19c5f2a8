/* Registers with their side effects, in addition to engine.h (registers.c). */
#ifndef ENGINE_CONTROL_REGISTERS_H
#define ENGINE_CONTROL_REGISTERS_H

#include "engine/internal.h"

/* Sets EFLAGS, without the other effects of engine_set: no checks are updated. */
void registers_set_eflags(engine *e, uint32_t value);
/* Updates the bits of Unicorn's hflags that the segments determine: sizes of code and stack, and whether data addresses
 * need a base added. */
void registers_update_hidden(engine *e);
/* Makes the processor state hold the arithmetic flags themselves, instead of the operands from which Unicorn
 * computes them when they are needed. */
void registers_settle_flags(engine *e);

#endif
