/* A random guest for a whole core: code of straight stretches that end in branches of all kinds, data
 * references all over caches, TLBs and uncacheable memory, privilege changes, deliveries, HLT, control and
 * debug registers. The same seed feeds the same stream to any core. */
#ifndef PROPERTY_RANDOM_CORE_H
#define PROPERTY_RANDOM_CORE_H

#include "p5scope/core.h"

enum { RANDOM_CORE_CODE = 0x10000 }; /* linear address of the code, some 1000 bytes */

/* Opens a core of `model`, feeds it about `stretches` stretches made from `seed`, and answers its totals. */
void random_core_run(const p5_model *model, bool memo, uint64_t seed, unsigned stretches, p5_counts *totals);

/* The same with somebody who may look at the core before, after, and around each stretch. */
typedef struct random_core_observer {
    void (*begin)(void *context, p5_core *core);
    void (*end)(void *context, p5_core *core);
    void (*retire)(void *context, p5_core *core, const p5_retired *r); /* in place of p5_core_retire; */
    void (*settle)(void *context, p5_core *core); /* ... what it put off is done before anything else is */
    void *context;
} random_core_observer;
void random_core_watch(const p5_model *model, bool memo, uint64_t seed, unsigned stretches, p5_counts *totals,
                       const random_core_observer *observer);

/* The same with another core from stretch `at` on: `hand_over` makes it go on where the first one stands. */
void random_core_change(const p5_model *model, bool memo, uint64_t seed, unsigned stretches, unsigned at,
                        void (*hand_over)(void *context, p5_core *from, p5_core *to), void *context,
                        p5_counts *totals);

#endif
