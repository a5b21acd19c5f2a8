/* Instructions before which the engine's owner is called (special.c). */
#ifndef ENGINE_CONTROL_SPECIAL_H
#define ENGINE_CONTROL_SPECIAL_H

#include "engine/internal.h"

/* Calls the owner before the running instruction. Returns only if the instruction is to be executed; otherwise raises a
 * fault, leaves the run or continues elsewhere, as the owner requests. */
void special_call(engine *e, engine_special_call *call);
/* Retires the running block, whose only instruction the engine has executed; the guest continues at EIP `next`. */
_Noreturn void special_executed(engine *e, uint32_t next);
/* Reports to the owner that a task switch has set CR0.TS and may have loaded CR3. */
void special_task_switched(engine *e);

#endif
