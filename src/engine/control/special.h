/* Instructions that the owner answers (special.c). */
#ifndef ENGINE_CONTROL_SPECIAL_H
#define ENGINE_CONTROL_SPECIAL_H

#include "engine/internal.h"

engine_action special_call(engine *e, engine_special_call *call);
/* The running block's instruction has been executed by the engine; the guest goes on at `next`. */
_Noreturn void special_executed(engine *e, uint32_t next);
/* A task switch has loaded CR3 and CR0.TS. */
void special_task_switched(engine *e);

#endif
