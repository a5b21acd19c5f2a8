/* The performance monitor over a core. Who asks is an instruction that observes: what waits for a partner
 * goes alone. */
#include "core/test_access.h"
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

static void parity_error(void *context, uint32_t array)
{
    p5_pmu *pmu = context;
    bool shutdown = test_registers_parity_error(&pmu->tests);
    if (pmu->parity_error != NULL)
        pmu->parity_error(pmu->parity_context, array, shutdown);
}

p5_status p5_pmu_open(p5_core *core, unsigned family, p5_pmu **pmu, p5_error *error)
{
    pmu_source source = {.context = core, .total = total, .clocks = clocks, .clock = clock_now};
    p5_status status = pmu_open(&source, family, pmu, error);
    if (status != P5_OK)
        return status;
    (*pmu)->tests.ops = (test_ops){.context = core,
                                   .cache_write = test_cache_write,
                                   .cache_read = test_cache_read,
                                   .cache_flush = test_cache_flush,
                                   .tlb_write = test_tlb_write,
                                   .tlb_read = test_tlb_read,
                                   .btb_write = test_btb_write,
                                   .btb_read = test_btb_read,
                                   .btb_flush = test_btb_flush,
                                   .parity = test_parity};
    test_on_parity_error(core, parity_error, *pmu);
    return P5_OK;
}
