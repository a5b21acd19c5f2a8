/* A performance monitor on a core: its registers show the core's own totals, and only the instructions that read them
 * issue a pending instruction. */
#include "core/core.h"
#include "fake_source.h"
#include "p5tool/core.h"
#include "p5scope/model.h"
#include "p5scope/observe.h"
#include "pmu/pins.h"

enum { CMASK = 1 << 24 };

typedef struct rig {
    p5_model *model;
    p5_core *core;
    p5_pmu *pmu;
} rig;

static rig open_rig(const char *name, unsigned family)
{
    rig r;
    p5_error error;
    assert_int_equal(p5_model_open(name, &r.model, &error), P5_OK);
    assert_int_equal(p5_core_open(r.model, &(p5_core_hooks){.size = sizeof(p5_core_hooks)}, &r.core, &error),
                     P5_OK);
    assert_int_equal(p5_pmu_open(r.core, family, &r.pmu, &error), P5_OK);
    return r;
}

/* The core's totals since `before`. */
static p5_counts since(rig *r, const p5_counts *before)
{
    p5_counts counts;
    p5_core_counts(r->core, &counts);
    p5_counts_subtract(&counts, before);
    return counts;
}

static void close_rig(rig *r)
{
    p5_pmu_close(r->pmu);
    p5_core_close(r->core);
    p5_model_close(r->model);
}

/* Executes `count` instructions MOV, which pair. An odd number leaves one pending: it waits for a partner. */
static void execute(rig *r, uint8_t cpl, unsigned count)
{
    static const uint8_t bytes[] = {0x89, 0xd8, 0x89, 0xd1, 0x89, 0xd8, 0x89, 0xd1};
    p5_block *block = p5_block_make(r->core, &(p5_code){bytes, 2 * count, 0x1000, 0x1000, true}, count);
    assert_non_null(block);
    p5_core_retire(r->core, &(p5_retired){.size = sizeof(p5_retired),
                                          .block = block,
                                          .count = (uint16_t)count,
                                          .next = 0x1000,
                                          .mode = P5_MODE_PROTECTED,
                                          .cpl = cpl,
                                          .cpl_after = cpl});
    p5_block_release(r->core, block);
}

/* Each mode of a counter, at each level, follows the core's totals of the same name. */
TEST(counters_are_the_totals)
{
    static const uint32_t modes[] = {0, CMASK, CMASK | INV, 2 * CMASK, 2 * CMASK | INV, 3u * CMASK | INV};
    for (unsigned mode = 0; mode < 6; mode++)
        for (unsigned levels = 1; levels < 4; levels++) {
            rig r = open_rig("p55c-200-arch3", P5_FAMILY_P55C | P5_MONITOR_ARCH3);
            fake_write(r.pmu, SEL0, 0x16 | levels << 16 | EN | modes[mode]);
            p5_counts before = since(&r, &(p5_counts){0});
            execute(&r, 0, 4);
            execute(&r, 3, 3);
            uint64_t value = fake_read(r.pmu, PMC0);
            p5_counts counts = since(&r, &before);
            unsigned mask = (levels & 1 ? P5_CPL_MASK_NOT_0 : 0) | (levels & 2 ? P5_CPL_MASK_KERNEL : 0);
            uint64_t clocks = p5_counts_sum(counts.clocks, mask);
            uint64_t all = p5_counts_sum(counts.increments[P5_EVENT_INSTRUCTIONS_EXECUTED], mask);
            uint64_t any = p5_counts_sum(counts.asserted[P5_EVENT_INSTRUCTIONS_EXECUTED], mask);
            assert_true(all == (levels == 1 ? 3u : levels == 2 ? 4u : 7u) && any > 0 && any <= clocks);
            const uint64_t expected[] = {all, any, clocks - any, all - any, clocks - (all - any), clocks};
            assert_int_equal(value, expected[mode]);
            close_rig(&r);
        }
}

/* An instruction that reads a counter or the clock issues a pending instruction alone. What a debugger
 * reads does not: the pending instruction is not counted yet. */
TEST(reading_and_peeking)
{
    rig r = open_rig("p55c-200", P5_FAMILY_P55C);
    uint64_t opened = p5_core_clock(r.core); /* the time stamp counter was 0 then */
    fake_write(r.pmu, P5_MSR_CESR, 0x16 | 3 << 6 | (0x16u | 7u << 6) << 16);
    p5_pmu_set_cc_clocks(r.pmu, P5_CC_FREE_RUNNING);
    p5_counts before = since(&r, &(p5_counts){0});
    execute(&r, 0, 3);
    p5_counts counts = since(&r, &before);
    uint64_t without = p5_counts_sum(counts.increments[P5_EVENT_INSTRUCTIONS_EXECUTED], P5_CPL_MASK_ALL);
    assert_int_equal(without, 2);
    for (unsigned again = 0; again < 2; again++) {
        assert_int_equal(p5_pmu_peek(r.pmu, P5_MSR_CTR0), without);
        assert_int_equal(p5_pmu_peek(r.pmu, P5_MSR_CTR1), p5_counts_sum(counts.clocks, P5_CPL_MASK_ALL));
        assert_int_equal(p5_pmu_peek(r.pmu, P5_MSR_TSC), core_next_clock(r.core) - opened);
    }
    assert_int_equal(p5_pmu_peek(r.pmu, 0x14), 0); /* there is no such register */
    uint64_t clock = fake_read(r.pmu, P5_MSR_TSC); /* nothing pends after it */
    assert_int_equal(p5_pmu_peek(r.pmu, P5_MSR_TSC), clock);
    assert_int_equal(fake_read(r.pmu, P5_MSR_CTR0), without + 1);
    counts = since(&r, &before);
    assert_int_equal(fake_read(r.pmu, P5_MSR_CTR1), p5_counts_sum(counts.clocks, P5_CPL_MASK_ALL));
    close_rig(&r);
}

/* Each counter issues a pending instruction itself; issuing it afterwards changes neither. */
TEST(every_reader_settles)
{
    for (unsigned counter = 0; counter < 2; counter++) {
        rig r = open_rig("p55c-200", P5_FAMILY_P55C);
        fake_write(r.pmu, P5_MSR_CESR, 0x16 | 3 << 6 | (0x16u | 7u << 6) << 16);
        p5_pmu_set_cc_clocks(r.pmu, P5_CC_FREE_RUNNING);
        execute(&r, 0, 3);
        uint64_t value = fake_read(r.pmu, P5_MSR_CTR0 + counter);
        p5_core_settle(r.core);
        assert_int_equal(fake_read(r.pmu, P5_MSR_CTR0 + counter), value);
        if (counter == 0)
            assert_int_equal(value, 3);
        close_rig(&r);
    }
}

/* The pins have the model's bus clock and delays. */
TEST(pins_of_the_model)
{
    rig r = open_rig("p55c-200", P5_FAMILY_P55C); /* 3 core clocks per bus clock */
    uint64_t up, down;
    pmu_pin_span(r.pmu, 301, &up, &down);
    assert_int_equal(down - up, 3);
    assert_int_equal(up % 3, 0);
    assert_true(up > 300);
    close_rig(&r);
}
