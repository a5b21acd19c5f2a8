/* The performance monitor over a core. Who asks is an instruction that observes: what waits for a partner
 * goes alone. */
#include "p5scope/core.h"
#include "pmu/monitor.h"

static uint64_t total(void *context, enum p5_event event, unsigned cpl_mask, bool asserted)
{
    p5_core_settle(context);
    return p5_core_event_total(context, event, cpl_mask, asserted);
}

static uint64_t clocks(void *context, unsigned cpl_mask)
{
    p5_counts counts;
    uint64_t sum = 0;
    p5_core_settle(context);
    p5_core_counts(context, &counts);
    for (unsigned i = 0; i < P5_CPL_CLASSES; i++)
        if ((cpl_mask & (1U << i)) != 0)
            sum += counts.clocks[i];
    return sum;
}

static uint64_t clock_now(void *context)
{
    return p5_core_clock(context);
}

p5_status p5_pmu_open(p5_core *core, unsigned family, p5_pmu **pmu, p5_error *error)
{
    pmu_source source = {.context = core, .total = total, .clocks = clocks, .clock = clock_now};
    return pmu_open(&source, family, pmu, error);
}
