/* The time stamp counter: 64 bits, one per core clock. Additions are modulo 2^64. */
#include <assert.h>

#include "pmu/tsc.h"

uint64_t tsc_read(const tsc *t, const pmu_source *source)
{
    assert(source->clock != NULL);
    return t->offset + source->clock(source->context);
}

void tsc_write(tsc *t, uint64_t value, const pmu_source *source)
{
    t->offset = value - source->clock(source->context);
}
