/* What ends or interrupts a run from within (leave.c). */
#ifndef ENGINE_STRETCH_LEAVE_H
#define ENGINE_STRETCH_LEAVE_H

#include "engine/internal.h"

/* Stops the engine with ENGINE_FAILED at the next boundary. */
void engine_fail(engine *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void engine_fail_memory(engine *e);
/* Leaves uc_emu_start with `stop`; EIP is as it stands in the state. Only from within a run. */
_Noreturn void engine_leave(engine *e, engine_stop stop);
/* Goes on at the EIP that stands in the state. Only from within a run. */
_Noreturn void engine_resume(engine *e);
/* Raises `vector` at the EIP that stands in the state. Only from within a run. */
_Noreturn void engine_raise(engine *e, int vector, uint32_t error_code);

#endif
