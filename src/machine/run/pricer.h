/* Runs the core model in a thread of its own (p5_machine_options.threads): while nothing depends on the
 * model's progress, the engine executes the next batch while the previous one is priced. Only the thread that
 * runs the machine calls these functions. From a put until pricer_wait returns, the core except its predictor
 * (core_predict), the counts of the run and the observers belong to the model's thread, and everything else belongs to
 * the caller. No locks are needed. */
#ifndef MACHINE_RUN_PRICER_H
#define MACHINE_RUN_PRICER_H

#include "base/worker.h"
#include "core/branch/branch.h"
#include "core/pipe/batch.h"
#include "p5scope/core.h"
#include "p5scope/machine.h"

typedef struct pricer pricer;

/* Starts the thread and makes the machine's engine write its batches into the pricer's buffers. Returns NULL if the
 * thread cannot be started or memory runs out; the machine then runs in one thread. */
pricer *pricer_open(p5_machine *machine);
/* Ends the thread. The engine must not be called any more. NULL is allowed. */
void pricer_close(pricer *p);
/* Predicts the branches of a batch and queues it. The model's thread calls run_price for it and requests
 * attention if that returns true. The batch stays where the engine wrote it, and the engine writes the next
 * one elsewhere. Call it from engine_callbacks.retired_blocks, whose arguments it takes. Waits if the model's thread is
 * far behind. */
void pricer_put(pricer *p, const p5_access *accesses, const p5_value *values, const p5_retired_block *blocks,
                size_t count, unsigned instructions);
/* Queues a copy of one stretch for run_price_copy. Returns false if the stretch is too large or has data that
 * a message cannot hold; the caller must then price it in its own thread. */
bool pricer_put_one(pricer *p, const p5_retired *retired, p5_prediction prediction);
/* Waits until everything queued has been priced. */
void pricer_wait(pricer *p);

#endif
