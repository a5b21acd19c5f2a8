/* CESR and the counters for somebody who must not disturb: see include/p5scope/observe.h. */
#include "p5scope/observe.h"

#include "pmu/internal.h"

static uint64_t peek_total(void *context, enum p5_event event, unsigned cpl_mask, bool asserted)
{
    const p5_counts *counts = context;
    return p5_counts_sum(asserted ? counts->asserted[event] : counts->increments[event], cpl_mask);
}

static uint64_t peek_clocks(void *context, unsigned cpl_mask)
{
    const p5_counts *counts = context;
    return p5_counts_sum(counts->clocks, cpl_mask);
}

uint32_t p5_pmu_peek_cesr(const p5_pmu *pmu)
{
    return pmu->cesr;
}

uint64_t p5_pmu_peek_counter(const p5_pmu *pmu, unsigned counter, const p5_counts *counts)
{
    pmu_source source = {
        .context = (void *)(uintptr_t)counts, .total = peek_total, .clocks = peek_clocks, .clock = NULL};
    return counter_read(&pmu->counters[counter], &source);
}
