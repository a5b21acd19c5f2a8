/* CTR0 and CTR1: 40 bits wide, counting one event each (manual 26.4.3). */
#include "pmu/counters.h"

unsigned counter_levels(const pmu_counter *c)
{
    return (c->select.system ? P5_CPL_MASK_SYSTEM : 0U) | (c->select.user ? P5_CPL_MASK_USER : 0U);
}

/* The total that a counter follows (manual 26.4.4.2, field CC): events or clocks, at the privilege levels
 * enabled. A counter with neither level enabled is stopped, and one whose code selects nothing has nothing to
 * follow. */
static uint64_t followed_total(const pmu_counter *c, p5_cc_clocks meaning, const pmu_source *source)
{
    unsigned cpl_mask = counter_levels(c);
    if (cpl_mask == 0)
        return 0;
    if (c->select.clocks && meaning == P5_CC_FREE_RUNNING)
        return source->clocks(source->context, cpl_mask);
    if (c->event < 0)
        return 0;
    return source->total(source->context, (enum p5_event)c->event, cpl_mask, c->select.clocks);
}

static uint64_t unwrapped(const pmu_counter *c, p5_cc_clocks meaning, const pmu_source *source)
{
    return c->preset + (followed_total(c, meaning, source) - c->base);
}

uint64_t counter_read(const pmu_counter *c, p5_cc_clocks meaning, const pmu_source *source)
{
    return unwrapped(c, meaning, source) & COUNTER_MASK;
}

uint64_t counter_carries(const pmu_counter *c, p5_cc_clocks meaning, const pmu_source *source)
{
    return c->carries + (unwrapped(c, meaning, source) >> COUNTER_BITS);
}

void counter_write(pmu_counter *c, uint64_t value, p5_cc_clocks meaning, const pmu_source *source)
{
    c->preset = value & COUNTER_MASK;
    c->base = followed_total(c, meaning, source);
    c->carries = 0;
}

/* A write to CESR leaves the counters as they are (manual 26.4.3): the value goes over from the old selection
 * to the new one. */
void counter_select(pmu_counter *c, unsigned number, unsigned family, const p5_counter_select *select,
                    p5_cc_clocks meaning, const pmu_source *source)
{
    uint64_t reached = unwrapped(c, meaning, source);
    c->preset = reached & COUNTER_MASK;
    c->carries += reached >> COUNTER_BITS;
    c->select = *select;
    c->event = p5_event_by_code(select->code, number, family);
    c->base = followed_total(c, meaning, source);
}
