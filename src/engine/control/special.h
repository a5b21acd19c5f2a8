/* Instructions for which the owner is called (special.c). */
#ifndef ENGINE_CONTROL_SPECIAL_H
#define ENGINE_CONTROL_SPECIAL_H

#include "engine/internal.h"

engine_action special_call(engine *e, engine_special_call *call);
/* Ends the running block, whose instruction the engine has executed; the guest continues at `next`. */
_Noreturn void special_executed(engine *e, uint32_t next);
/* Reports that a task switch has loaded CR3 and CR0.TS. */
void special_task_switched(engine *e);

#endif
