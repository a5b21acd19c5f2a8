/* PM0, PM1 and IERR# (manual 26.4.4.3, 26.4.5): when a pin goes up and down. With 2 core clocks per bus
 * clock, bus clock n covers core clocks 2n and 2n + 1; what is on in core clock c shows, 3 clocks later (5
 * for an overflow), in the bus clock after that of c + 3. */
#include "fake_source.h"

enum { CHANGES = 32, HALF_RATIO = 4 /* 2 core clocks per bus clock */ };

typedef struct change {
    p5_pin pin;
    bool level;
    uint64_t clock;
} change;

typedef struct recorder {
    change changes[CHANGES];
    unsigned count;
} recorder;

static const uint64_t no_master = UINT64_MAX; /* no other bus master takes a turn */

static void record(void *context, p5_pin pin, bool level, uint64_t clock)
{
    recorder *r = context;
    assert_true(r->count < CHANGES);
    r->changes[r->count++] = (change){pin, level, clock};
}

static void watch(p5_pmu *pmu, recorder *r)
{
    pmu->pins.half_ratio = HALF_RATIO;
    p5_pmu_on_pin(pmu, record, r);
}

/* Declares what FAKE_PMU_AT does, and `r`, which records the pins. */
#define WATCHED_MONITOR(fake, r, pmu, family, start)                                                         \
    recorder r = {.count = 0};                                                                               \
    FAKE_PMU_AT(fake, pmu, family, start);                                                                   \
    watch(pmu, &r)
/* The same for the monitor of a P55C with this CESR. */
#define WATCHED_PMU(fake, r, pmu, start, cesr)                                                               \
    WATCHED_MONITOR(fake, r, pmu, P5_FAMILY_P55C, start);                                                    \
    fake_write(pmu, P5_MSR_CESR, cesr)

static void expect(recorder *r, unsigned i, p5_pin pin, bool level, uint64_t clock)
{
    if (i >= r->count)
        fail_msg("change %u is missing", i);
    const change *c = &r->changes[i];
    if (c->pin != pin || c->level != level || c->clock != clock)
        fail_msg("change %u: %s %d at %llu, expected %s %d at %llu", i, p5_pin_name(c->pin), c->level,
                 (unsigned long long)c->clock, p5_pin_name(pin), level, (unsigned long long)clock);
}

/* Expects one pulse and no other change. */
static void expect_pulse(recorder *r, p5_pin pin, uint64_t up, uint64_t down)
{
    assert_int_equal(r->count, 2);
    expect(r, 0, pin, true, up);
    expect(r, 1, pin, false, down);
}

static void add(fake_source *fake, enum p5_event event, uint64_t increments, uint64_t asserted)
{
    fake->increments[event][P5_CPL_KERNEL] += increments;
    fake->asserted[event][P5_CPL_KERNEL] += asserted;
}

/* Lets the core reach `clock`. */
static void follow(p5_pmu *pmu, fake_source *fake, uint64_t clock)
{
    fake->clock = clock;
    p5_pmu_follow_pins(pmu);
}

/* CESR: event `code`, any CPL, pin shows increments or overflows, of counter 0. */
static uint32_t cesr(unsigned code, bool overflow)
{
    return code | 3u << 6 | (overflow ? 1u << 9 : 0);
}

/* Core clock c with the delay d lies in bus clock (c + d) / 2; the pin is up in the next one. */
static uint64_t up_of(uint64_t clock, unsigned delay)
{
    return ((clock + delay) / 2 + 1) * 2;
}

TEST(an_occurrence_is_a_pulse)
{
    WATCHED_PMU(fake, r, pmu, 0, cesr(0x00, false)); /* data reads */
    add(&fake, P5_EVENT_DATA_READ, 1, 1);            /* in core clock 100 */
    follow(pmu, &fake, 101);
    assert_int_equal(r.count, 0); /* it is still on its way */
    assert_int_equal(p5_pmu_pin_deadline(pmu, &no_master), up_of(100, 3));
    follow(pmu, &fake, 200);
    expect_pulse(&r, P5_PIN_PM0, up_of(100, 3), up_of(100, 3) + 2);
}

/* "If an event can happen twice in one clock the counter increments by 2, however the pins are asserted only
 * once." */
TEST(two_in_a_clock_are_one_pulse)
{
    WATCHED_PMU(fake, r, pmu, 0, cesr(0x00, false));
    add(&fake, P5_EVENT_DATA_READ, 2, 1); /* two clocks would be in two bus clocks */
    follow(pmu, &fake, 102);
    follow(pmu, &fake, 200);
    assert_int_equal(fake_read(pmu, P5_MSR_CTR0), 2);
    expect_pulse(&r, P5_PIN_PM0, up_of(101, 3), up_of(101, 3) + 2);
}

/* While the processor is halted, only another bus master's turns and the passing of time move counters. */
TEST(a_halted_processor)
{
    static const struct {
        unsigned code;
        bool overflow, clocks; /* clocks: CC counts every clock */
        uint64_t left, turn, deadline;
    } rows[] = {
        {0x07, true, false, 10, 400, 400},    /* external snoops: at the next turn */
        {0x07, true, false, 4000, 400, 1100}, /* external snoops: at most 4 in a clock */
        {0x07, true, false, 10, 50, 102},     /* a turn that is due already: soon */
        {0x07, false, false, 10, 400, 400},   /* any snoop shows */
        {0x07, true, false, 10, UINT64_MAX, UINT64_MAX},
        {0x00, true, false, 10, 400, UINT64_MAX}, /* data reads: the processor's own */
        {0x00, true, true, 700, UINT64_MAX, 800},
        {0x00, false, true, 700, UINT64_MAX, UINT64_MAX}, /* a level that stays on */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        WATCHED_MONITOR(fake, r, pmu, P5_FAMILY_P55C, 100);
        p5_pmu_set_cc_clocks(pmu, P5_CC_FREE_RUNNING);
        fake_write(pmu, P5_MSR_CTR0, (UINT64_C(1) << 40) - rows[i].left);
        fake_write(pmu, P5_MSR_CESR, cesr(rows[i].code, rows[i].overflow) | (rows[i].clocks ? 1u << 8 : 0));
        uint64_t deadline = p5_pmu_pin_deadline(pmu, &rows[i].turn);
        if (deadline != rows[i].deadline)
            fail_msg("row %zu: expected clock %llu, got %llu", i, (unsigned long long)rows[i].deadline,
                     (unsigned long long)deadline);
    }
}

/* The pin is not asserted until the counter has overflowed, then some 5 clocks later. */
TEST(an_overflow)
{
    for (unsigned counter = 0; counter < 2; counter++) {
        p5_pin pin = counter == 0 ? P5_PIN_PM0 : P5_PIN_PM1;
        WATCHED_PMU(fake, r, pmu, 0, cesr(0x00, true) << 16 * counter);
        fake_write(pmu, P5_MSR_CTR0 + counter, (UINT64_C(1) << 40) - 1000);
        assert_int_equal(p5_pmu_pin_deadline(pmu, NULL),
                         (1000 - 256) / 4); /* at most 4 in a clock, and 256 ahead of it */
        assert_int_equal(p5_pmu_pin_deadline(pmu, &no_master), UINT64_MAX);
        add(&fake, P5_EVENT_DATA_READ, 999, 500);
        follow(pmu, &fake, 500);
        follow(pmu, &fake, 600);
        assert_int_equal(r.count, 0);
        add(&fake, P5_EVENT_DATA_READ, 1, 1); /* in core clock 700 */
        follow(pmu, &fake, 701);
        assert_int_equal(p5_pmu_pin_deadline(pmu, NULL), up_of(700, 5));
        follow(pmu, &fake, 800);
        expect_pulse(&r, pin, up_of(700, 5), up_of(700, 5) + 2);
        assert_int_equal(fake_read(pmu, P5_MSR_CTR0 + counter), 0);
    }
}

/* A debugger's set-up: BP0 and BP1 show DR0 and DR1, whatever CESR selects. */
TEST(breakpoint_pins)
{
    WATCHED_PMU(fake, r, pmu, 0, cesr(0x00, false));
    p5_pmu_set_breakpoint_pins(pmu, true);
    add(&fake, P5_EVENT_DATA_READ, 1, 1);
    add(&fake, P5_EVENT_BREAKPOINT_MATCH_ON_DR1_REGISTER, 1, 1);
    follow(pmu, &fake, 101);
    follow(pmu, &fake, 200);
    assert_int_equal(r.count, 2);
    expect(&r, 0, P5_PIN_PM1, true, up_of(100, 3));
}

/* Before the model sets them, the bus clock is the core clock. */
TEST(the_usual_bus_clock)
{
    FAKE_PMU(fake, pmu, P5_FAMILY_P55C);
    uint64_t up, down;
    pmu_pin_span(pmu, 101, &up, &down);
    assert_int_equal(up, 100 + 3 + 1);
    assert_int_equal(down, up + 1);
}

/* The pin does not show what was counted before the selection. */
TEST(a_new_selection_begins_anew)
{
    WATCHED_PMU(fake, r, pmu, 100, cesr(0x00, false));
    add(&fake, P5_EVENT_DATA_WRITE, 50, 50);
    fake_write(pmu, P5_MSR_CESR, cesr(0x01, false) << 16);
    follow(pmu, &fake, 200);
    assert_int_equal(r.count, 0);
    add(&fake, P5_EVENT_DATA_WRITE, 1, 1);
    follow(pmu, &fake, 301);
    follow(pmu, &fake, 400);
    assert_int_equal(r.count, 2);
    expect(&r, 0, P5_PIN_PM1, true, up_of(300, 3));
}

/* A model of a pin without pulses and queues: the pin is up in a bus clock if its condition was true,
 * `delay` core clocks earlier, in any core clock of the bus clock before. */
enum { CLOCKS = 600, BUS_CLOCKS = CLOCKS * 2 };

typedef struct model_pin {
    unsigned half_ratio, delay;
    bool up[BUS_CLOCKS];
} model_pin;

static uint64_t core_clock(const model_pin *m, unsigned bus_clock)
{
    return (bus_clock * m->half_ratio + 1) / 2;
}

static void model_on(model_pin *m, unsigned clock)
{
    m->up[2 * (clock + m->delay) / m->half_ratio + 1] = true;
}

/* Gets the first change after core clock `clock`; UINT64_MAX: none. */
static uint64_t model_change(const model_pin *m, uint64_t clock, bool *level)
{
    for (unsigned n = 1; n < BUS_CLOCKS; n++)
        if (m->up[n] != m->up[n - 1] && core_clock(m, n) > clock) {
            *level = m->up[n];
            return core_clock(m, n);
        }
    return UINT64_MAX;
}

/* Reports what the model says has changed after `before` and up to `now`. */
static void expect_changes(const model_pin *m, p5_pin pin, uint64_t before, uint64_t now, recorder *r)
{
    bool level = false;
    unsigned i = 0;
    for (uint64_t at = before; (at = model_change(m, at, &level)) <= now;) {
        while (i < r->count && r->changes[i].pin != pin)
            i++;
        expect(r, i++, pin, level, at);
    }
    while (i < r->count)
        assert_int_not_equal(r->changes[i++].pin, pin);
}

/* Both pins, fed clock by clock, change when the model's do, for every ratio of core and bus clock. So a duration is a
 * level, and what several core clocks show in one bus clock is one pulse ("A single external clock may correspond to
 * multiple internal clocks."). The deadline of a halted processor is the next change of either. */
TEST(pins_follow_every_clock)
{
    uint64_t seed = 1;
    for (unsigned half_ratio = 2; half_ratio <= 7; half_ratio++)
        for (unsigned delay = 0; delay < 48; delay += 9) {
            static model_pin models[2];
            memset(models, 0, sizeof models);
            WATCHED_PMU(fake, r, pmu, 0, cesr(0x00, false) | cesr(0x1a, false) << 16);
            pmu->pins.half_ratio = half_ratio;
            pmu->pins.delay_clocks = delay;
            for (unsigned clock = 0; clock < CLOCKS / 2; clock++) {
                for (unsigned pin = 0; pin < 2; pin++) {
                    models[pin].half_ratio = half_ratio;
                    models[pin].delay = delay;
                    if (unit_random(&seed) % 12 >= clock / 25)
                        continue; /* seldom at first, always in the end */
                    add(&fake,
                        pin == 0 ? P5_EVENT_DATA_READ : P5_EVENT_WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION,
                        1, 1);
                    model_on(&models[pin], clock);
                }
                follow(pmu, &fake, clock + 1);
                expect_changes(&models[0], P5_PIN_PM0, clock, clock + 1, &r);
                expect_changes(&models[1], P5_PIN_PM1, clock, clock + 1, &r);
                bool level;
                uint64_t next = model_change(&models[0], clock + 1, &level);
                uint64_t other = model_change(&models[1], clock + 1, &level);
                assert_int_equal(p5_pmu_pin_deadline(pmu, &no_master), next < other ? next : other);
                assert_int_equal(p5_pmu_pin_deadline(pmu, NULL), clock + 1);
                r.count = 0;
            }
            p5_pmu_settle_pins(pmu);
            expect_changes(&models[0], P5_PIN_PM0, CLOCKS / 2, UINT64_MAX - 1, &r);
            expect_changes(&models[1], P5_PIN_PM1, CLOCKS / 2, UINT64_MAX - 1, &r);
        }
}

/* A stretch of several clocks counts as being at its end. */
TEST(a_stretch_is_at_its_end)
{
    for (unsigned on = 1; on <= 50; on++) {
        WATCHED_PMU(fake, r, pmu, 100, cesr(0x00, false));
        add(&fake, P5_EVENT_DATA_READ, on, on);
        follow(pmu, &fake, 140);
        p5_pmu_settle_pins(pmu);
        /* The pin is on for at most the clocks of the stretch. */
        expect_pulse(&r, P5_PIN_PM0, up_of(140 - (on < 40 ? on : 40), 3), up_of(139, 3) + 2);
    }
}

/* Later monitors: while the processor is halted, a counter of clocks still overflows and requests its interrupt,
 * whatever its pin shows. */
TEST(an_interrupt_while_halted)
{
    enum { CMASK_3 = 3 << 24 };
    for (unsigned counter = 0; counter < 3; counter++) {
        WATCHED_MONITOR(fake, r, pmu, ARCH3, 100);
        fake_write(pmu, 0x38f, UINT64_C(0x70000000f));
        fake_write(pmu, 0x186 + counter, 0x16 | OS | PC | INT | EN | INV | CMASK_3);
        fake_write(pmu, 0xc1 + counter, (uint32_t)((UINT64_C(1) << 40) - 700));
        assert_int_equal(p5_pmu_pin_deadline(pmu, &no_master), 800);
    }
}

/* Later monitors: an overflow of a counter whose INT bit is set is one pulse of the request, whichever
 * counter it is. The deadline is of the enabled counter that is nearest to its overflow. */
TEST(an_overflow_requests_an_interrupt)
{
    for (unsigned counter = 0; counter < 7; counter++) {
        WATCHED_MONITOR(fake, r, pmu, ARCH3, 0);
        fake_write(pmu, 0x38f, UINT64_C(0x70000000f)); /* GLOBAL_CTRL */
        assert_int_equal(p5_pmu_pin_deadline(pmu, NULL), UINT64_MAX);
        uint64_t start = (UINT64_C(1) << 40) - 100;
        if (counter < 4) {
            fake_write(pmu, SEL0 + counter,
                       0x16 | OS | INT | EN | 1 << 19); /* PC: the pin shows increments */
            fake_write(pmu, PMC0 + counter, (uint32_t)start);
        } else { /* FIXED_CTR_CTRL: CPL 0 and PMI; fixed counter 0 counts instructions, 1 and 2 clocks */
            fake_write(pmu, 0x38d, UINT64_C(9) << 4 * (counter - 4));
            fake_write(pmu, 0x309 + counter - 4, start);
        }
        enum p5_event event =
            counter < 5 ? P5_EVENT_INSTRUCTIONS_EXECUTED : P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE;
        if (counter >= 2) /* the first two have a pin, which can change in any clock */
            assert_int_equal(p5_pmu_pin_deadline(pmu, NULL),
                             0); /* its 100 may be counted ahead of the clock */
        add(&fake, event, 99, 50);
        follow(pmu, &fake, 60);
        follow(pmu, &fake, 80);
        for (unsigned i = 0; i < r.count; i++)
            assert_int_not_equal(r.changes[i].pin, P5_PIN_PMI);
        r.count = 0;
        add(&fake, event, 1, 1); /* in core clock 100 */
        follow(pmu, &fake, 101);
        follow(pmu, &fake, 200);
        unsigned first = counter < 2 ? 2 : 0; /* after the pin's own pulse */
        assert_int_equal(r.count, first + 2);
        expect(&r, first, P5_PIN_PMI, true, up_of(100, 5));
        expect(&r, first + 1, P5_PIN_PMI, false, up_of(100, 5) + 2);
    }
}

/* Two overflows at once, of one counter or of two, are one pulse. */
TEST(two_overflows_are_one_pulse)
{
    for (unsigned of_two = 0; of_two < 2; of_two++) {
        WATCHED_MONITOR(fake, r, pmu, ARCH3, 0);
        for (uint32_t i = 2; i < 3 + of_two; i++) { /* these have no pin */
            fake_write(pmu, SEL0 + i, 0x16 | OS | INT | EN);
            fake_write(pmu, PMC0 + i, (uint32_t)-1);
        }
        add(&fake, P5_EVENT_INSTRUCTIONS_EXECUTED, of_two ? 1 : (UINT64_C(1) << 40) + 1, 1);
        follow(pmu, &fake, 100);
        p5_pmu_settle_pins(pmu);
        expect_pulse(&r, P5_PIN_PMI, up_of(99, 5), up_of(99, 5) + 2);
    }
}

/* IERR#: a parity error is a pulse of the clock in which it is seen, if a callback watches the pins. */
TEST(a_parity_error)
{
    WATCHED_PMU(fake, r, pmu, 100, 0);
    pins_parity_error(pmu);
    assert_int_equal(p5_pmu_pin_deadline(pmu, &no_master), up_of(100, 3));
    assert_false(pmu_pin_level(pmu, P5_PIN_IERR));
    follow(pmu, &fake, up_of(100, 3));
    assert_true(pmu_pin_level(pmu, P5_PIN_IERR));
    p5_pmu_settle_pins(pmu);
    expect_pulse(&r, P5_PIN_IERR, up_of(100, 3), up_of(100, 3) + 2);
}

/* Without a callback p5scope simulates no pins. */
TEST(nobody_watches)
{
    FAKE_PMU(fake, pmu, P5_FAMILY_P55C);
    fake_write(pmu, P5_MSR_CESR, cesr(0x00, false));
    add(&fake, P5_EVENT_DATA_READ, 1, 1);
    follow(pmu, &fake, 101);
    pins_parity_error(pmu);
    assert_int_equal(p5_pmu_pin_deadline(pmu, NULL), UINT64_MAX);
    recorder r = {.count = 0};
    fake.clock = 120;
    p5_pmu_on_pin(pmu, record, &r);
    p5_pmu_settle_pins(pmu);
    assert_int_equal(r.count, 0);
}
