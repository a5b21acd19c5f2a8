/* The core model in a thread of its own (p5_machine_options.threads): while nothing depends on how far the
 * model has come, the engine goes on executing while what it has executed is priced. The thread that runs the
 * machine makes all calls. Until worker_wait the core, the counts of the run and the observers are the
 * model's thread's; everything else is the caller's. So nothing is locked. */
#ifndef MACHINE_PRICER_H
#define MACHINE_PRICER_H

#include "base/worker.h"
#include "p5scope/core.h"
#include "p5scope/machine.h"

/* The thread. NULL: it cannot be started, and the machine runs in one. */
worker *pricer_open(p5_machine *machine);
/* run_price is to be called by the model's thread for these stretches, which asks for attention if it answers
 * so. Waits if the model is far behind. False: they are too large, or there is something about one that is
 * not carried; the caller's own thread has to price them. */
bool pricer_put(worker *w, const p5_access *accesses, const p5_value *values, const p5_retired_block *blocks,
                const p5_prediction *predictions, size_t count, unsigned instructions);
/* The same with run_price_apart. */
bool pricer_put_one(worker *w, const p5_retired *retired, p5_prediction prediction);
#endif
