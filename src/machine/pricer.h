/* The core model in a thread of its own (p5_machine_options.threads): while nothing depends on how far the
 * model has come, the engine goes on executing while what it has executed is priced.
 *
 * All calls but those of the thread itself are made by the thread that runs the machine. Between pricer_put
 * and the next pricer_catch_up the core, the counts of the run and the observers are the model's thread's;
 * everything else, and everything behind pricer_catch_up, is the caller's. So nothing is locked. */
#ifndef MACHINE_PRICER_H
#define MACHINE_PRICER_H

#include "p5scope/core.h"
#include "p5scope/machine.h"

typedef struct pricer pricer;

/* Starts the thread. NULL: there is no memory or no thread for it, and the machine runs in one. */
pricer *pricer_open(p5_machine *machine);
/* Ends it. Everything has been caught up with. */
void pricer_close(pricer *p);

/* run_price is to be called by the model's thread for these stretches, which asks for attention if it answers
 * so. Waits if the model is far behind. False: they are too large, or there is something about one that is
 * not carried; the caller's own thread has to price them. */
bool pricer_put(pricer *p, const p5_access *accesses, const p5_value *values, const p5_retired_block *blocks,
                size_t count, unsigned instructions);
/* The same with run_price_apart. */
bool pricer_put_one(pricer *p, const p5_retired *retired);
/* Returns when all of them have been priced. */
void pricer_catch_up(pricer *p);

/* So many calls of pricer_put and pricer_put_one may not have been priced yet. */
enum { PRICER_BATCHES = 128 };

#endif
