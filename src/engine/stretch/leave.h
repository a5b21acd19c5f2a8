/* What ends or interrupts a run from within (leave.c). */
#ifndef ENGINE_STRETCH_LEAVE_H
#define ENGINE_STRETCH_LEAVE_H

#include "engine/internal.h"

/* Stops the engine with ENGINE_FAILED at the next boundary. */
void engine_fail(engine *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void engine_fail_memory(engine *e);
/* Leaves uc_emu_start with `stop`; the state's EIP must be current. May only be called from within a run. */
_Noreturn void engine_leave(engine *e, engine_stop stop);
/* Continues at the state's EIP. May only be called from within a run. */
_Noreturn void engine_resume(engine *e);
/* Raises `vector` at the state's EIP. May only be called from within a run. */
_Noreturn void engine_raise(engine *e, int vector, uint32_t error_code);

#endif
