/* What the files of this folder share: the functions that the engine, the core and the run loop call. */
#ifndef MACHINE_RUN_RUN_INTERNAL_H
#define MACHINE_RUN_RUN_INTERNAL_H

#include "core/branch/branch.h"
#include "engine/engine.h"
#include "machine/run/contents.h"
#include "machine/run/debug.h"
#include "machine/run/processor.h"
#include "machine/run/run.h"
#include "p5scope/machine.h"

/* --- run.c, retire.c --- */

/* Callbacks of the engine (engine_callbacks); `context` is the machine. */
bool run_retired(void *context, const p5_retired *retired);
bool run_retired_blocks(void *context, const p5_access *accesses, const p5_value *values,
                        const p5_retired_block *blocks, size_t count, unsigned instructions);
void run_catch_up(void *context);
engine_action run_attention(void *context);
engine_action run_event(void *context, const engine_event *event);
void run_delivered(void *context, const p5_exception *exception);
/* Lets the engine deliver batches, or not, after a condition of run_may_batch may have changed. Returns whether it
 * may. */
bool run_rebatch(p5_machine *machine);
/* Price one stretch, or a batch with `instructions` in total, and notify the observers; return true if attention is
 * wanted. run_price_copy runs only in the model's thread, run_price also in the other one. */
bool run_price_copy(p5_machine *machine, const p5_retired *retired, p5_prediction prediction);
bool run_price(p5_machine *machine, const p5_batch *batch, unsigned instructions);

/* --- trial.c --- */

/* Begins the next slice of a trial, or evaluates the trial, if that is due (run_trial.until). Called at each boundary
 * where the run is planned. Sets alone_until: until then one thread runs. */
void run_try(p5_machine *machine);

/* --- processor.c --- */

engine_action processor_special(void *context, engine_special_call *call);
/* Does the work that an instruction has postponed until it is priced (p5_machine.after). */
void processor_after(p5_machine *machine);

/* --- contents.c --- */

/* Returns the callbacks by which the core asks the machine about page tables and memory. */
p5_core_hooks contents_hooks(p5_machine *machine);
/* Asks the core whether it must be fed single instructions, because test registers have left something in caches or
 * TLBs that differs from memory or page tables. Updates `watching` and `refetch`, and requests attention if the machine
 * must change between blocks and single steps. */
void contents_update_watching(p5_machine *machine);

/* --- debug.c --- */

/* Check a retired stretch or a delivered exception for a stop of the debugger (debug_stops.stop). debug_retired returns
 * true if there is one, so that attention is wanted; debug_delivered requests attention itself. */
bool debug_retired(debug_stops *stops, const p5_retired *retired);
void debug_delivered(p5_machine *machine, const p5_exception *exception);

#endif
