/* Reads the monitor's registers without disturbing them: see include/p5scope/observe.h. */
#include "p5scope/observe.h"

#include <assert.h>
#include <string.h>

#include "pmu/internal.h"
#include "pmu/msr_map.h"

/* Returns the registers of the counters and of their control. p5_registers has them in the order of their numbers: they
 * follow the TSC, up to the end or to a register that cannot be read (GLOBAL_OVF_CTRL). */
const p5_register *p5_pmu_monitor_registers(const p5_pmu *pmu, size_t *count)
{
    const p5_register *first = p5_registers(pmu->family | pmu->monitor);
    while (first->msr <= P5_MSR_TSC)
        first++;
    assert(first->msr > P5_MSR_TSC);
    *count = 0;
    while (first[*count].name != NULL && first[*count].read_mask != 0)
        ++*count;
    return first;
}

/* Recognises a counter by its only field, COUNT. */
bool p5_register_counts(const p5_register *reg)
{
    return reg->field_count == 1 && strcmp(reg->fields[0].name, "COUNT") == 0;
}

uint64_t p5_pmu_peek(const p5_pmu *pmu, uint32_t msr)
{
    const p5_register *r = msr_map_find(pmu->family | pmu->monitor, msr);
    return r != NULL ? pmu_value(pmu, r, &pmu->peek_source) & r->read_mask : 0;
}
