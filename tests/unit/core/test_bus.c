/* Bus clock arithmetic for every ratio, burst order, order of cycles, utilisation. Bus clock n begins at core
 * clock n * ratio. */
#include "fixture.h"

static const uint32_t half_ratios[] = {3, 4, 5, 6, 7};

static bus *open_bus(p5_model *model, counts *totals)
{
    static bus b;
    assert_true(bus_init(&b, model, totals));
    return &b;
}

/* ADS# at the first bus clock at or after the request; data seen at the first core clock at or after the end
 * of its bus clock. */
TEST(single_reads_are_aligned_to_bus_clocks)
{
    MODEL(model, "p55c-200");
    model->l2.bytes = 0;
    for (unsigned i = 0; i < 5; i++) {
        model->half_ratio = half_ratios[i];
        double ratio = half_ratios[i] / 2.0;
        for (uint64_t asked = 0; asked < 50; asked++) {
            counts totals = {0};
            bus *b = open_bus(model, &totals);
            uint64_t n = 0;
            while ((double)n * ratio < (double)asked)
                n++;
            uint64_t expected = 0;
            while ((double)expected < (double)(n + model->dram.closed) * ratio)
                expected++;
            uint64_t arrived = bus_read_single(b, asked, 0x1000);
            if (arrived != expected)
                fail_msg("ratio %g, asked %lu: arrived %lu, expected %lu", ratio, (unsigned long)asked,
                         (unsigned long)arrived, (unsigned long)expected);
            bus_free(b);
        }
    }
}

/* A bus that has been idle for long: the first bus clock from the request on, as integers have it, also where
 * bus_in_clocks goes over from one way of dividing to the other. */
TEST(idle_times_of_any_length)
{
    static const uint64_t around[] = {100, 1ull << 23, 1ull << 24, 1ull << 31, 1ull << 32, 1ull << 50};
    enum { NEAR = 40 };
    MODEL(model, "p55c-200");
    for (unsigned i = 0; i < 5; i++) {
        model->half_ratio = half_ratios[i];
        counts totals = {0};
        bus *b = open_bus(model, &totals);
        for (unsigned j = 0; j < sizeof around / sizeof *around; j++)
            for (uint64_t asked = around[j] - NEAR; asked < around[j] + NEAR; asked++) {
                uint64_t ratio = half_ratios[i], n = 2 * asked / ratio + (2 * asked % ratio != 0);
                assert_int_equal(bus_next_free(b, asked), n * ratio / 2 + (n * ratio) % 2);
            }
        bus_free(b);
    }
}

/* 241428's burst orders: 0,8,10,18  8,0,18,10  10,18,0,8  18,10,8,0. */
TEST(burst_order_by_first_part)
{
    static const unsigned orders[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    MODEL(model, "p55c-200");
    counts totals = {0};
    for (unsigned first = 0; first < 4; first++) {
        bus *b = open_bus(model, &totals);
        bus_line line = bus_read_line(b, 0, 0x8000 + 8 * first);
        for (unsigned n = 0; n < 4;
             n++) /* L2 miss, DRAM closed: first at `closed`, then every `next` bus clocks of 3 core clocks */
            assert_int_equal(line.part[orders[first][n]], 3 * (model->dram.closed + n * model->dram.next));
        assert_int_equal(line.last, line.part[orders[first][3]]);
        bus_free(b);
    }
}

TEST(l2_and_dram_pages)
{
    MODEL(model, "p55c-200");
    model->dram.close_idle = 0;
    counts totals = {0};
    bus *b = open_bus(model, &totals);
    const model_dram *dram = &model->dram;
    uint64_t at = 0;
    struct {
        uint32_t address, clocks;
    } steps[] = {
        {0x10000, dram->closed},    /* nothing open, not in L2 */
        {0x10000, model->l2.first}, /* now in L2 */
        {0x10020, dram->hit},       /* open page */
        {0x10000 + model->dram.page_bytes, dram->miss},
        {0x10000, model->l2.first},
        {0x10000 + model->l2.bytes, dram->miss}, /* same line of the direct-mapped L2 */
        {0x10000, dram->miss},                   /* was pushed out */
        {model->l2.cacheable_bytes, dram->miss},
        {model->l2.cacheable_bytes, dram->hit}, /* outside the L2's area */
    };
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        at += 300; /* a multiple of 3: on a bus clock */
        bus_line line = bus_read_line(b, at, steps[i].address);
        if (line.part[0] - at != 3 * steps[i].clocks)
            fail_msg("step %u, %#x: %lu core clocks, expected %u", i, steps[i].address,
                     (unsigned long)(line.part[0] - at), 3 * steps[i].clocks);
    }
    bus_free(b);
}

TEST(idle_dram_closes_its_page)
{
    MODEL(model, "p55c-200");
    model->l2.bytes = 0;
    model->dram.close_idle = 4;
    counts totals = {0};
    for (unsigned idle = 0; idle < 8; idle++) {
        bus *b = open_bus(model, &totals);
        uint64_t end = bus_read_single(b, 0, 0x1000);
        uint64_t asked = end + 3 * idle;
        uint32_t clocks = idle < 4 ? model->dram.hit : model->dram.closed;
        assert_int_equal(bus_read_single(b, asked, 0x1008) - asked, 3 * clocks);
        bus_free(b);
    }
}

TEST(locked_sequences_keep_a_distance)
{
    MODEL(model, "p55c-200");
    model->bus.locked_idle = 5;
    counts totals = {0};
    bus *b = open_bus(model, &totals);
    uint64_t write_end = bus_locked_write(b, bus_locked_read(b, 0));
    assert_int_equal(bus_locked_read(b, write_end) - write_end, 3 * (5 + model->bus.locked_read));
    bus_free(b);
}

/* Event 18h counts core clocks of all cycles, 2Eh/0 those of own ones, by the class that runs, and only up to
 * now. */
TEST(utilisation)
{
    MODEL(model, "p55c-200");
    counts totals = {0};
    bus *b = open_bus(model, &totals);
    b->class = P5_CPL_USER;
    bus_write(b, 0);      /* bus clocks 0-1 (core 0-5), idle 2 */
    bus_foreign(b, 0, 4); /* 3-6 (core 9-20), idle 7 */
    bus_io(b, 0, false);  /* from 8 (core 24) */
    static const struct {
        uint64_t clock, all, own;
    } at[] = {{0, 0, 0}, {3, 3, 3}, {6, 6, 6}, {9, 6, 6}, {12, 9, 6}, {21, 18, 6}, {24, 18, 6}, {25, 19, 7}};
    for (unsigned i = 0; i < sizeof at / sizeof *at; i++) {
        bus_advance(b, at[i].clock);
        assert_int_equal(totals.increments[P5_EVENT_BUS_CYCLE_DURATION][P5_CPL_USER], at[i].all);
        assert_int_equal(totals.asserted[P5_EVENT_BUS_CYCLE_DURATION][P5_CPL_USER], at[i].all);
        assert_int_equal(totals.increments[P5_EVENT_BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY][P5_CPL_USER],
                         at[i].own);
    }
    b->class = P5_CPL_KERNEL;
    bus_advance(b, 26);
    assert_int_equal(totals.increments[P5_EVENT_BUS_CYCLE_DURATION][P5_CPL_KERNEL], 1);
    bus_free(b);
}

typedef struct reported {
    uint64_t end, busy, foreign;
    unsigned uses, calls;
} reported;

static void on_uses(void *context, const p5_bus_use *uses, size_t count)
{
    reported *all = context;
    assert_true(count > 0);
    all->calls++;
    for (; count > 0; count--, uses++) {
        uint64_t to = uses->to & ~P5_BUS_OTHER;
        assert_in_range(uses->from, all->end, to - 1);
        all->end = to;
        all->busy += to - uses->from;
        all->foreign += to != uses->to ? to - uses->from : 0;
        all->uses++;
    }
}

/* Each use is reported once and in order, whenever reports are requested, and counts do not depend on reports. A new
 * callback gets only uses after those that the previous one got. */
TEST(uses_are_reported_once)
{
    MODEL(model, "p55c-200");
    counts heard_totals = {0}, plain_totals = {0};
    static bus heard, plain;
    assert_true(bus_init(&heard, model, &heard_totals) && bus_init(&plain, model, &plain_totals));
    reported first = {0}, second = {0};
    uint64_t random = 88172645463325252u, clock = 0;
    enum { USES = 3000, LATER = 1000 };
    bus_write(&heard, clock);
    bus_write(&plain, clock);
    const uint64_t unheard = bus_used(&plain, UINT64_MAX).all;
    bus_on_use(&heard, on_uses, &first);
    for (unsigned i = 0; i < USES; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        clock += random % 64;
        if (random % 16 == 0) {
            assert_int_equal(bus_foreign(&heard, clock, 3), bus_foreign(&plain, clock, 3));
        } else {
            assert_int_equal(bus_write(&heard, clock), bus_write(&plain, clock));
        }
        if (random % 32 == 1) {
            bus_report(&heard);
            assert_int_equal(first.uses + second.uses, i + 1);
        }
        bus_use a = bus_used(&heard, clock), b = bus_used(&plain, clock);
        assert_int_equal(a.all, b.all);
        assert_int_equal(a.own, b.own);
        if (i == LATER)
            bus_on_use(&heard, on_uses, &second);
    }
    bus_on_use(&heard, NULL, NULL);
    assert_int_equal(first.uses, LATER + 1);
    assert_int_equal(second.uses, USES - LATER - 1);
    bus_use whole = bus_used(&plain, UINT64_MAX);
    assert_int_equal(unheard + first.busy + second.busy, whole.all);
    assert_int_equal(first.foreign + second.foreign, whole.all - whole.own);
    assert_true(first.calls > 10 && second.calls > 10);
    bus_free(&heard);
    bus_free(&plain);
}
