/* The time stamp counter. */
#ifndef PMU_TSC_H
#define PMU_TSC_H

#include <stdint.h>

#include "pmu/source.h"

/* Counts every core clock, in HLT too (manual 26.4.2). It is the core's clock plus an offset. */
typedef struct tsc {
    uint64_t offset; /* modulo 2^64 */
} tsc;

/* Returns the time stamp counter at the clock of `source`. */
uint64_t tsc_read(const tsc *t, const pmu_source *source);
/* Sets the time stamp counter, all 64 bits (only later families clear the upper half). */
void tsc_write(tsc *t, uint64_t value, const pmu_source *source);

#endif
