/* CTR0 and CTR1. */
#ifndef PMU_COUNTERS_H
#define PMU_COUNTERS_H

#include <stdint.h>

#include "p5scope/pmu.h"
#include "pmu/source.h"

enum { COUNTER_BITS = 40 };
#define COUNTER_MASK ((UINT64_C(1) << COUNTER_BITS) - 1)

/* One counter. Its value is not kept but derived: what it held when it was last set going, plus what the
 * selected total has grown by since. */
typedef struct pmu_counter {
    p5_counter_select select;
    int event;        /* selected event, -1 if the code selects nothing on this counter of this family */
    uint64_t preset;  /* value when it was set going, below 2^40 */
    uint64_t base;    /* the selected total at that time */
    uint64_t carries; /* carries out of bit 39 since the counter was last written, up to that time */
} pmu_counter;

/* Selects an event; the value stays. `number` is 0 or 1. */
void counter_select(pmu_counter *c, unsigned number, unsigned family, const p5_counter_select *select,
                    p5_cc_clocks meaning, const pmu_source *source);
/* Presets the value; it goes on from there. */
void counter_write(pmu_counter *c, uint64_t value, p5_cc_clocks meaning, const pmu_source *source);
uint64_t counter_read(const pmu_counter *c, p5_cc_clocks meaning, const pmu_source *source);
/* The privilege levels (P5_CPL_MASK_*) at which it counts. */
unsigned counter_levels(const pmu_counter *c);
/* Overflows since the counter was last written. */
uint64_t counter_carries(const pmu_counter *c, p5_cc_clocks meaning, const pmu_source *source);

#endif
