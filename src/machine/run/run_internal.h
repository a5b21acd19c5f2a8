/* What the files of the run share: who is called by the engine, the core and the loop. */
#ifndef MACHINE_RUN_RUN_INTERNAL_H
#define MACHINE_RUN_RUN_INTERNAL_H

#include "core/branch/branch.h"
#include "engine/engine.h"
#include "machine/run/contents.h"
#include "machine/run/debug.h"
#include "machine/run/processor.h"
#include "machine/run/run.h"
#include "p5scope/machine.h"

/* --- run.c --- */

/* The engine's callbacks. */
bool run_retired(void *context, const p5_retired *retired);
bool run_retired_blocks(void *context, const p5_access *accesses, const p5_value *values,
                        const p5_retired_block *blocks, size_t count, unsigned instructions);
void run_catch_up(void *context);
engine_action run_attention(void *context);
engine_action run_event(void *context, const engine_event *event);
void run_delivered(void *context, const p5_exception *exception);
/* These price stretches and tell the observers; true if attention is wanted. In the model's thread, if there
 * is one; run_price_copy there only. */
bool run_price_copy(p5_machine *machine, const p5_retired *retired, p5_prediction prediction);
bool run_price(p5_machine *machine, const p5_access *accesses, const p5_value *values,
               const p5_retired_block *blocks, const p5_prediction *predictions, size_t count,
               unsigned instructions);

/* --- processor.c --- */

engine_action processor_special(void *context, engine_special_call *call);
/* Carries out `after`. */
void processor_after(p5_machine *machine);

/* --- contents.c --- */

p5_core_hooks contents_hooks(p5_machine *machine);
/* After test registers or cache control were written: runs single instructions as long as the core has to
 * look at each of them. */
void contents_look(p5_machine *machine);

/* --- debug.c --- */

/* A machine with a debugger has retired a stretch, delivered an exception. True: attention is wanted. */
bool debug_retired(debug_stops *stops, const p5_retired *retired);
void debug_delivered(p5_machine *machine, const p5_exception *exception);

#endif
