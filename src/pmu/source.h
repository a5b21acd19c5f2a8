/* The source of the performance monitor's numbers: the core model, or a test. */
#ifndef PMU_SOURCE_H
#define PMU_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/event.h"

/* All totals are those at the current instruction and never decrease. `context` is passed to each function, and
 * `cpl_mask` (P5_CPL_MASK_*) selects privilege classes. */
typedef struct pmu_source {
    void *context;
    /* Increments of the event, or with `asserted` the clocks with at least one. */
    uint64_t (*total)(void *context, enum p5_event event, unsigned cpl_mask, bool asserted);
    uint64_t (*clocks)(void *context, unsigned cpl_mask); /* clocks spent at these privilege levels */
    uint64_t (*clock)(void *context);                     /* the core's clock, for the time stamp counter */
} pmu_source;

#endif
