/* Connects a performance monitor to a core: the functions of its sources of numbers (pmu/source.h), the test registers'
 * operations, and parity errors.
 *
 * An instruction in D1 that still waits for a partner to pair with is *pending*; no total includes it. The guest reads
 * the monitor by an instruction (RDPMC, RDMSR, ...) that observes the counts, so the pending instruction must issue
 * alone first: the core is *settled* (p5_core_settle). The pins and p5_pmu_peek read without settling, which changes
 * nothing. */
#include "core/core.h"
#include "core/model/model.h"
#include "core/testreg/test_access.h"
#include "p5tool/core.h"
#include "pmu/internal.h"

static uint64_t settled_total(void *context, enum p5_event event, unsigned cpl_mask, bool asserted)
{
    p5_core_settle(context);
    return p5_core_event_total(context, event, cpl_mask, asserted);
}

/* Returns the clocks spent at the privilege classes of `cpl_mask`, without a pending instruction. */
static uint64_t clocks_of(p5_core *core, unsigned cpl_mask)
{
    p5_counts counts;
    p5_core_counts(core, &counts);
    return p5_counts_sum(counts.clocks, cpl_mask);
}

static uint64_t settled_clocks(void *context, unsigned cpl_mask)
{
    p5_core_settle(context);
    return clocks_of(context, cpl_mask);
}

static uint64_t settled_clock(void *context)
{
    return p5_core_clock(context); /* settles, too */
}

static uint64_t unsettled_total(void *context, enum p5_event event, unsigned cpl_mask, bool asserted)
{
    return p5_core_event_total(context, event, cpl_mask, asserted);
}

static uint64_t unsettled_clocks(void *context, unsigned cpl_mask)
{
    return clocks_of(context, cpl_mask);
}

/* Returns the clock at which the last instruction left EX. */
static uint64_t unsettled_clock(void *context)
{
    return p5_core_clock_estimate(context);
}

/* Returns the clock at which the next instruction would enter EX, which RDTSC reads, but without issuing a pending
 * instruction. */
static uint64_t next_clock(void *context)
{
    return core_next_clock(context);
}

/* The core's callback for a parity error in the array that bit `array` of TR1 names: sets TR1.PES, asserts IERR#, and
 * calls the machine's callback and the user's. */
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
    pmu_source source = {
        .context = core, .total = settled_total, .clocks = settled_clocks, .clock = settled_clock};
    p5_status status = pmu_open(&source, family, pmu, error);
    if (status != P5_OK)
        return status;
    (*pmu)->pin_source = (pmu_source){
        .context = core, .total = unsettled_total, .clocks = unsettled_clocks, .clock = unsettled_clock};
    (*pmu)->peek_source = (*pmu)->pin_source;
    (*pmu)->peek_source.clock = next_clock;
    const p5_model *model = core_model(core);
    (*pmu)->pins.half_ratio = model->half_ratio;
    (*pmu)->pins.delay_clocks = model->pin_delay_clocks;
    (*pmu)->pins.overflow_clocks = model->pin_overflow_clocks;
    (*pmu)->tests.ops = (test_ops){.context = core,
                                   .cache_write = test_cache_write,
                                   .cache_read = test_cache_read,
                                   .cache_flush = test_cache_flush,
                                   .last_fill = test_last_fill,
                                   .tlb_write = test_tlb_write,
                                   .tlb_read = test_tlb_read,
                                   .btb_write = test_btb_write,
                                   .btb_read = test_btb_read,
                                   .btb_flush = test_btb_flush,
                                   .parity = test_parity};
    test_on_parity_error(core, parity_error, *pmu);
    return P5_OK;
}
