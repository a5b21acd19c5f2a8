/* The monitor's registers for somebody who must not disturb: see include/p5scope/observe.h. */
#include "p5scope/observe.h"

#include <string.h>

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

static pmu_source peek_source(const p5_counts *counts)
{
    return (pmu_source){
        .context = (void *)(uintptr_t)counts, .total = peek_total, .clocks = peek_clocks, .clock = NULL};
}

/* Registers stand in the order of their numbers: the monitor's are behind the TSC, and one that cannot be
 * read is the last. */
const p5_register *p5_pmu_monitor_registers(const p5_pmu *pmu, size_t *count)
{
    const p5_register *first = p5_registers(pmu->family | pmu->monitor);
    while (first->msr <= P5_MSR_TSC)
        first++;
    *count = 0;
    while (first[*count].name != NULL && first[*count].read_mask != 0)
        ++*count;
    return first;
}

bool p5_register_counts(const p5_register *reg)
{
    return reg->field_count == 1 && strcmp(reg->fields[0].name, "COUNT") == 0;
}

uint64_t p5_pmu_peek_register(const p5_pmu *pmu, const p5_register *reg, const p5_counts *counts)
{
    const pmu_source source = peek_source(counts);
    if (reg->msr == P5_MSR_CESR)
        return pmu->cesr;
    if (reg->msr - P5_MSR_CTR0 < PMU_P5_COUNTERS)
        return counter_read(&pmu->counters[reg->msr - P5_MSR_CTR0], &source);
    return perfmon_peek(pmu, reg->msr, &source);
}
