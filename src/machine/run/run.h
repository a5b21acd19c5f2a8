/* The run loop (run.c). */
#ifndef MACHINE_RUN_RUN_H
#define MACHINE_RUN_RUN_H

#include "core/branch/branch.h"
#include "engine/engine.h"
#include "p5scope/machine.h"

/* A run can begin: something is loaded, and none is under way. */
p5_status machine_check_ready(const p5_machine *machine, p5_error *error);
/* The engine's callbacks. */
bool run_retired(void *context, const p5_retired *retired);
bool run_retired_blocks(void *context, const p5_access *accesses, const p5_value *values,
                        const p5_retired_block *blocks, size_t count, unsigned instructions);
void run_catch_up(void *context);
/* These price stretches and tell the observers; true if attention is wanted. In the model's thread, if there
 * is one; run_price_copy there only. */
bool run_price_copy(p5_machine *machine, const p5_retired *retired, p5_prediction prediction);
bool run_price(p5_machine *machine, const p5_access *accesses, const p5_value *values,
               const p5_retired_block *blocks, const p5_prediction *predictions, size_t count,
               unsigned instructions);
engine_action run_attention(void *context);
engine_action run_event(void *context, const engine_event *event);
void run_delivered(void *context, const p5_exception *exception);
/* Delivers an external interrupt at this boundary, as engine_inject, and tells the observers. */
bool run_inject(p5_machine *machine, uint8_t vector, p5_transfer kind);

#endif
