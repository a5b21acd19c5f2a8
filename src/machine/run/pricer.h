/* The core model in a thread of its own (p5_machine_options.threads): while nothing depends on how far the
 * model has come, the engine goes on executing while what it has executed is priced. The thread that runs the
 * machine makes all calls. Until pricer_wait the core, the counts of the run and the observers are the
 * model's thread's; everything else is the caller's. So nothing is locked. */
#ifndef MACHINE_RUN_PRICER_H
#define MACHINE_RUN_PRICER_H

#include "base/worker.h"
#include "core/branch/branch.h"
#include "core/pipe/batch.h"
#include "p5scope/core.h"
#include "p5scope/machine.h"

typedef struct pricer pricer;

/* The thread, and room for batches: the machine's engine puts them there from now on. NULL: there is no
 * thread or no memory, and the machine runs in one. */
pricer *pricer_open(p5_machine *machine);
/* Behind the last call of the engine; NULL is none. */
void pricer_close(pricer *p);
/* Predicts the branches of this batch; run_price is to be called for it by the model's thread, which asks for
 * attention if it answers so. The batch stays where the engine has put it, and the next one goes elsewhere:
 * from retired_blocks. Waits if the model is far behind. */
void pricer_put(pricer *p, const p5_access *accesses, const p5_value *values, const p5_retired_block *blocks,
                size_t count, unsigned instructions);
/* The same with run_price_copy for a copy of this stretch. False: it is too large, or there is something
 * about it that is not carried; the caller's own thread has to price it. */
bool pricer_put_one(pricer *p, const p5_retired *retired, p5_prediction prediction);
/* Returns when all of it has been priced. */
void pricer_wait(pricer *p);
#endif
