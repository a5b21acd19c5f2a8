/* The performance monitor of a core. Reading it is done by an instruction that observes the counts, so a
 * pending instruction that waits for a partner is issued alone. */
#include "core/core.h"
#include "core/model/model.h"
#include "core/testreg/test_access.h"
#include "p5tool/core.h"
#include "pmu/internal.h"

static uint64_t total(void *context, enum p5_event event, unsigned cpl_mask, bool asserted)
{
    p5_core_settle(context);
    return p5_core_event_total(context, event, cpl_mask, asserted);
}

static uint64_t clocks_of(p5_core *core, unsigned cpl_mask)
{
    p5_counts counts;
    p5_core_counts(core, &counts);
    return p5_counts_sum(counts.clocks, cpl_mask);
}

static uint64_t clocks(void *context, unsigned cpl_mask)
{
    p5_core_settle(context);
    return clocks_of(context, cpl_mask);
}

static uint64_t clock_now(void *context)
{
    return p5_core_clock(context);
}

/* Returns totals without issuing a pending instruction, so that reading them changes nothing. */
static uint64_t watched_total(void *context, enum p5_event event, unsigned cpl_mask, bool asserted)
{
    return p5_core_event_total(context, event, cpl_mask, asserted);
}

static uint64_t watched_clocks(void *context, unsigned cpl_mask)
{
    return clocks_of(context, cpl_mask);
}

static uint64_t watched_clock(void *context)
{
    return p5_core_clock_estimate(context);
}

/* Returns the clock that RDTSC would read, but without issuing a pending instruction. */
static uint64_t next_clock(void *context)
{
    return core_next_clock(context);
}

static void parity_error(void *context, uint32_t array)
{
    p5_pmu *pmu = context;
    bool shutdown = test_registers_parity_error(&pmu->tests);
    pins_parity_error(pmu);
    if (pmu->parity_owner != NULL)
        pmu->parity_owner(pmu->parity_owner_context, array, shutdown);
    if (pmu->parity_error != NULL)
        pmu->parity_error(pmu->parity_context, array, shutdown);
}

p5_status p5_pmu_open(p5_core *core, unsigned family, p5_pmu **pmu, p5_error *error)
{
    pmu_source source = {.context = core, .total = total, .clocks = clocks, .clock = clock_now};
    p5_status status = pmu_open(&source, family, pmu, error);
    if (status != P5_OK)
        return status;
    (*pmu)->watched = (pmu_source){
        .context = core, .total = watched_total, .clocks = watched_clocks, .clock = watched_clock};
    (*pmu)->peeked = (*pmu)->watched;
    (*pmu)->peeked.clock = next_clock;
    const p5_model *model = core_model(core);
    (*pmu)->pins.half_ratio = model->half_ratio;
    (*pmu)->pins.delay_clocks = model->pin_delay_clocks;
    (*pmu)->pins.overflow_clocks = model->pin_overflow_clocks;
    (*pmu)->tests.ops = (test_ops){.context = core,
                                   .cache_write = test_cache_write,
                                   .cache_read = test_cache_read,
                                   .cache_flush = test_cache_flush,
                                   .filled = test_filled,
                                   .tlb_write = test_tlb_write,
                                   .tlb_read = test_tlb_read,
                                   .btb_write = test_btb_write,
                                   .btb_read = test_btb_read,
                                   .btb_flush = test_btb_flush,
                                   .parity = test_parity};
    test_on_parity_error(core, parity_error, *pmu);
    return P5_OK;
}
