/* A random guest for a whole core: code of straight stretches that end in branches of all kinds, data
 * references all over caches, TLBs and uncacheable memory, privilege changes, deliveries, HLT, control and
 * debug registers. The same seed feeds the same stream to any core. */
#ifndef PROPERTY_RANDOM_CORE_H
#define PROPERTY_RANDOM_CORE_H

#include "p5tool/core.h"

enum { RANDOM_CORE_CODE = 0x10000 }; /* linear address of the code, some 1000 bytes */

/* Opens a core of `model`, feeds it `stretches` stretches made from `seed`, and returns its totals. */
void random_core_run(const p5_model *model, bool memo, uint64_t seed, unsigned stretches, p5_counts *totals);

/* Callbacks of a run. Any may be NULL. `retire` is called in place of p5_core_retire and may postpone stretches;
 * `settle` is called before anything else is done with the core, and hands over the postponed ones. */
typedef struct random_core_observer {
    void (*begin)(void *context, p5_core *core);
    void (*end)(void *context, p5_core *core);
    void (*retire)(void *context, p5_core *core, const p5_retired *r);
    void (*settle)(void *context, p5_core *core);
    void *context;
} random_core_observer;
/* Does the same as random_core_run and calls the observer. */
void random_core_watch(const p5_model *model, bool memo, uint64_t seed, unsigned stretches, p5_counts *totals,
                       const random_core_observer *observer);

/* Before stretch `at`, `hand_over` copies the core's state to a second core, which continues the run. */
typedef struct random_core_successor {
    unsigned at;
    void (*hand_over)(void *context, p5_core *from, p5_core *to);
    void *context;
} random_core_successor;
/* Does the same as random_core_run with two cores, one after the other. */
void random_core_change(const p5_model *model, bool memo, uint64_t seed, unsigned stretches,
                        const random_core_successor *successor, p5_counts *totals);

#endif
