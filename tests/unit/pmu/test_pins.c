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

static void record(void *context, p5_pin pin, bool level, uint64_t clock)
{
    recorder *r = context;
    assert_true(r->count < CHANGES);
    r->changes[r->count++] = (change){pin, level, clock};
}

static p5_pmu *open_watched(fake_source *fake, recorder *r, uint32_t cesr)
{
    p5_pmu *pmu = fake_open(fake, P5_FAMILY_P55C);
    pmu->pins.half_ratio = HALF_RATIO;
    p5_pmu_on_pin(pmu, record, r);
    fake_write(pmu, P5_MSR_CESR, cesr);
    return pmu;
}

static void expect(recorder *r, unsigned i, p5_pin pin, bool level, uint64_t clock)
{
    if (i >= r->count)
        fail_msg("change %u is missing", i);
    const change *c = &r->changes[i];
    if (c->pin != pin || c->level != level || c->clock != clock)
        fail_msg("change %u: %s %d at %llu, expected %s %d at %llu", i, p5_pin_name(c->pin), c->level,
                 (unsigned long long)c->clock, p5_pin_name(pin), level, (unsigned long long)clock);
}

static void add(fake_source *fake, enum p5_event event, uint64_t increments, uint64_t asserted)
{
    fake->increments[event][P5_CPL_KERNEL] += increments;
    fake->asserted[event][P5_CPL_KERNEL] += asserted;
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

static void an_occurrence_is_a_pulse(void **state)
{
    (void)state;
    fake_source fake = {0};
    recorder r = {.count = 0};
    p5_pmu *pmu = open_watched(&fake, &r, cesr(0x00, false)); /* data reads */
    fake.clock = 101;
    add(&fake, P5_EVENT_DATA_READ, 1, 1); /* in core clock 100 */
    p5_pmu_follow_pins(pmu);
    assert_int_equal(r.count, 0); /* it is still on its way */
    assert_int_equal(p5_pmu_pin_deadline(pmu, true), up_of(100, 3));
    fake.clock = 200;
    p5_pmu_follow_pins(pmu);
    assert_int_equal(r.count, 2);
    expect(&r, 0, P5_PIN_PM0, true, up_of(100, 3));
    expect(&r, 1, P5_PIN_PM0, false, up_of(100, 3) + 2);
    p5_pmu_close(pmu);
}

/* "If an event can happen twice in one clock the counter increments by 2, however the pins are asserted only
 * once." */
static void two_in_a_clock_are_one_pulse(void **state)
{
    (void)state;
    fake_source fake = {0};
    recorder r = {.count = 0};
    p5_pmu *pmu = open_watched(&fake, &r, cesr(0x00, false));
    fake.clock = 102;
    add(&fake, P5_EVENT_DATA_READ, 2, 1); /* two clocks would be in two bus clocks */
    p5_pmu_follow_pins(pmu);
    fake.clock = 200;
    p5_pmu_follow_pins(pmu);
    assert_int_equal(fake_read(pmu, P5_MSR_CTR0), 2);
    assert_int_equal(r.count, 2);
    expect(&r, 0, P5_PIN_PM0, true, up_of(101, 3));
    expect(&r, 1, P5_PIN_PM0, false, up_of(101, 3) + 2);
    p5_pmu_close(pmu);
}

/* Pulses that wait for their time keep their order, however many wait. */
static void pulses_wait_in_order(void **state)
{
    (void)state;
    fake_source fake = {0};
    recorder r = {.count = 0};
    p5_pmu *pmu = open_watched(&fake, &r, cesr(0x00, false));
    pmu->pins.delay_clocks = 40;
    for (unsigned i = 0; i < 3; i++) {
        fake.clock = 101 + 8 * i;
        add(&fake, P5_EVENT_DATA_READ, 1, 1);
        p5_pmu_follow_pins(pmu);
    }
    assert_int_equal(r.count, 0);
    fake.clock = 200;
    p5_pmu_follow_pins(pmu);
    assert_int_equal(r.count, 6);
    for (unsigned i = 0; i < 3; i++) {
        expect(&r, 2 * i, P5_PIN_PM0, true, up_of(100 + 8 * i, 40));
        expect(&r, 2 * i + 1, P5_PIN_PM0, false, up_of(100 + 8 * i, 40) + 2);
    }
    p5_pmu_close(pmu);
}

/* "A single external clock may correspond to multiple internal clocks." */
static void clocks_of_one_bus_clock_are_one_pulse(void **state)
{
    (void)state;
    fake_source fake = {0};
    recorder r = {.count = 0};
    p5_pmu *pmu = open_watched(&fake, &r, cesr(0x00, false));
    for (unsigned clock = 101; clock <= 102;
         clock++) { /* core clocks 100 and 101: bus clocks of 103 and 104 */
        fake.clock = clock;
        add(&fake, P5_EVENT_DATA_READ, 1, 1);
        p5_pmu_follow_pins(pmu);
    }
    fake.clock = 200;
    p5_pmu_follow_pins(pmu);
    assert_int_equal(r.count, 2);
    expect(&r, 0, P5_PIN_PM0, true, up_of(100, 3));
    expect(&r, 1, P5_PIN_PM0, false, up_of(101, 3) + 2);
    p5_pmu_close(pmu);
}

static void a_duration_is_a_level(void **state)
{
    (void)state;
    fake_source fake = {0};
    recorder r = {.count = 0};
    p5_pmu *pmu = open_watched(&fake, &r, cesr(0x1a, false)); /* waiting for data reads */
    for (unsigned clock = 110; clock <= 150; clock += 10) {   /* on from 100 to 150, fed in five stretches */
        fake.clock = clock;
        add(&fake, P5_EVENT_WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION, 10, 10);
        p5_pmu_follow_pins(pmu);
    }
    fake.clock = 300;
    p5_pmu_follow_pins(pmu);
    assert_int_equal(r.count, 2);
    expect(&r, 0, P5_PIN_PM0, true, up_of(100, 3));
    expect(&r, 1, P5_PIN_PM0, false, up_of(149, 3) + 2);
    p5_pmu_close(pmu);
}

/* The pin is not asserted until the counter has overflowed, then some 5 clocks later. */
static void an_overflow(void **state)
{
    (void)state;
    fake_source fake = {0};
    recorder r = {.count = 0};
    p5_pmu *pmu = open_watched(&fake, &r, cesr(0x00, true));
    fake_write(pmu, P5_MSR_CTR0, (UINT64_C(1) << 40) - 1000);
    assert_int_equal(p5_pmu_pin_deadline(pmu, false), 1000 / 4); /* at most 4 in a clock */
    assert_int_equal(p5_pmu_pin_deadline(pmu, true), UINT64_MAX);
    fake.clock = 500;
    add(&fake, P5_EVENT_DATA_READ, 999, 500);
    p5_pmu_follow_pins(pmu);
    fake.clock = 600;
    p5_pmu_follow_pins(pmu);
    assert_int_equal(r.count, 0);
    fake.clock = 701;
    add(&fake, P5_EVENT_DATA_READ, 1, 1); /* in core clock 700 */
    p5_pmu_follow_pins(pmu);
    fake.clock = 800;
    p5_pmu_follow_pins(pmu);
    assert_int_equal(r.count, 2);
    expect(&r, 0, P5_PIN_PM0, true, up_of(700, 5));
    expect(&r, 1, P5_PIN_PM0, false, up_of(700, 5) + 2);
    assert_int_equal(fake_read(pmu, P5_MSR_CTR0), 0);
    p5_pmu_close(pmu);
}

/* A debugger's set-up: BP0 and BP1 show DR0 and DR1, whatever CESR selects. */
static void breakpoint_pins(void **state)
{
    (void)state;
    fake_source fake = {0};
    recorder r = {.count = 0};
    p5_pmu *pmu = open_watched(&fake, &r, cesr(0x00, false));
    p5_pmu_set_breakpoint_pins(pmu, true);
    fake.clock = 101;
    add(&fake, P5_EVENT_DATA_READ, 1, 1);
    add(&fake, P5_EVENT_BREAKPOINT_MATCH_ON_DR1_REGISTER, 1, 1);
    p5_pmu_follow_pins(pmu);
    fake.clock = 200;
    p5_pmu_follow_pins(pmu);
    assert_int_equal(r.count, 2);
    expect(&r, 0, P5_PIN_PM1, true, up_of(100, 3));
    p5_pmu_close(pmu);
}

/* What was counted before the selection does not show. */
static void a_new_selection_begins_anew(void **state)
{
    (void)state;
    fake_source fake = {0};
    recorder r = {.count = 0};
    add(&fake, P5_EVENT_DATA_WRITE, 50, 50);
    fake.clock = 100;
    p5_pmu *pmu = open_watched(&fake, &r, cesr(0x00, false));
    fake_write(pmu, P5_MSR_CESR, cesr(0x01, false) << 16);
    fake.clock = 200;
    p5_pmu_follow_pins(pmu);
    assert_int_equal(r.count, 0);
    fake.clock = 301;
    add(&fake, P5_EVENT_DATA_WRITE, 1, 1);
    p5_pmu_follow_pins(pmu);
    fake.clock = 400;
    p5_pmu_follow_pins(pmu);
    assert_int_equal(r.count, 2);
    expect(&r, 0, P5_PIN_PM1, true, up_of(300, 3));
    p5_pmu_close(pmu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_occurrence_is_a_pulse),
        cmocka_unit_test(pulses_wait_in_order),
        cmocka_unit_test(two_in_a_clock_are_one_pulse),
        cmocka_unit_test(clocks_of_one_bus_clock_are_one_pulse),
        cmocka_unit_test(a_duration_is_a_level),
        cmocka_unit_test(an_overflow),
        cmocka_unit_test(breakpoint_pins),
        cmocka_unit_test(a_new_selection_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
