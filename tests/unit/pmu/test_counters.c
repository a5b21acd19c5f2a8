/* CTR0, CTR1 and TSC: presetting, reading, overflow, changing the selection, privilege filters. */
#include "fake_source.h"

#include "pmu/pins_internal.h"

static const uint64_t WRAP = UINT64_C(1) << 40;
static const p5_privilege user_with_pce = {.mode = P5_MODE_PROTECTED, .cpl = 3, .pce = true};

/* Field CC in the manual's numbering. */
static uint32_t cesr_of(unsigned code, unsigned cc, unsigned counter)
{
    return (uint32_t)(code | cc << 6) << (counter * 16);
}

static uint32_t counter_msr(unsigned counter)
{
    return 0x12 + counter;
}

static uint64_t counted(p5_pmu *pmu, unsigned counter)
{
    uint64_t by_rdmsr = fake_read(pmu, counter_msr(counter));
    uint64_t by_rdpmc = 0;
    if (pmu->family == P5_FAMILY_P55C) {
        assert_int_equal(p5_pmu_rdpmc(pmu, &user_with_pce, counter, &by_rdpmc), P5_NO_FAULT);
        assert_int_equal(by_rdpmc, by_rdmsr);
    }
    return by_rdmsr;
}

TEST(a_preset_counts_on)
{
    for (unsigned counter = 0; counter < 2; counter++) {
        FAKE_PMU(fake, pmu, P5_FAMILY_P55C);
        assert_int_equal(fake_read(pmu, P5_MSR_CESR), 0);
        fake.increments[P5_EVENT_DATA_READ][P5_CPL_USER] = 777; /* before anybody looked */
        fake_write(pmu, P5_MSR_CESR, cesr_of(0x00, 3, counter));
        assert_int_equal(counted(pmu, counter), 0);
        fake_write(pmu, counter_msr(counter), 1000);
        assert_int_equal(counted(pmu, counter), 1000);
        fake.increments[P5_EVENT_DATA_READ][P5_CPL_USER] += 5;
        fake.increments[P5_EVENT_DATA_WRITE][P5_CPL_USER] += 100; /* another event */
        assert_int_equal(counted(pmu, counter), 1005);
        assert_int_equal(counted(pmu, counter), 1005); /* reading changes nothing */
        assert_int_equal(counted(pmu, 1 - counter), 0);
    }
}

TEST(forty_bits)
{
    FAKE_PMU(fake, pmu, P5_FAMILY_P55C);
    fake_write(pmu, P5_MSR_CTR0, UINT64_MAX);
    assert_int_equal(counted(pmu, 0), WRAP - 1);
    fake_write(pmu, P5_MSR_CTR1, UINT64_C(0x1234567890abcdef));
    assert_int_equal(counted(pmu, 1), UINT64_C(0x7890abcdef));
}

/* "Count up to": preset to 2^40 - n, the n-th event carries out of bit 39. */
TEST(overflow)
{
    FAKE_PMU(fake, pmu, P5_FAMILY_P54C);
    const pmu_counter *ctr1 = &pmu->counters[1];
    fake_write(pmu, P5_MSR_CESR, cesr_of(0x16, 3, 1));
    fake_write(pmu, P5_MSR_CTR1, WRAP - 10);
    fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_KERNEL] = 9;
    assert_int_equal(counted(pmu, 1), WRAP - 1);
    assert_int_equal(counter_carries(ctr1, &pmu->source), 0);
    fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_KERNEL] = 10;
    assert_int_equal(counted(pmu, 1), 0);
    assert_int_equal(counter_carries(ctr1, &pmu->source), 1);
    fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_KERNEL] = 10 + 2 * WRAP + 3;
    assert_int_equal(counted(pmu, 1), 3);
    assert_int_equal(counter_carries(ctr1, &pmu->source), 3);
    fake_write(pmu, P5_MSR_CESR, 0); /* stopped: what happened stays */
    assert_int_equal(counter_carries(ctr1, &pmu->source), 3);
    assert_int_equal(counted(pmu, 1), 3);
    fake_write(pmu, P5_MSR_CTR1, 0);
    assert_int_equal(counter_carries(ctr1, &pmu->source), 0);
}

TEST(writing_cesr_keeps_the_values)
{
    FAKE_PMU(fake, pmu, P5_FAMILY_P55C);
    fake_write(pmu, P5_MSR_CESR, cesr_of(0x00, 3, 0) | cesr_of(0x01, 3, 1));
    fake.increments[P5_EVENT_DATA_READ][P5_CPL_KERNEL] = 30;
    fake.increments[P5_EVENT_DATA_WRITE][P5_CPL_KERNEL] = 40;
    /* Counter 0 gets another event, counter 1 is written with what it had: both keep their values. */
    fake.increments[P5_EVENT_BRANCHES][P5_CPL_KERNEL] = 1000;
    fake_write(pmu, P5_MSR_CESR, cesr_of(0x12, 3, 0) | cesr_of(0x01, 3, 1));
    assert_int_equal(counted(pmu, 0), 30);
    assert_int_equal(counted(pmu, 1), 40);
    fake.increments[P5_EVENT_DATA_READ][P5_CPL_KERNEL] = 99;
    fake.increments[P5_EVENT_DATA_WRITE][P5_CPL_KERNEL] = 41;
    fake.increments[P5_EVENT_BRANCHES][P5_CPL_KERNEL] = 1007;
    assert_int_equal(counted(pmu, 0), 37);
    assert_int_equal(counted(pmu, 1), 41);
    /* Stopped and started again: what happens between does not count. */
    fake_write(pmu, P5_MSR_CESR, cesr_of(0x12, 0, 0) | cesr_of(0x01, 4, 1));
    fake.increments[P5_EVENT_BRANCHES][P5_CPL_KERNEL] = 2000;
    fake.increments[P5_EVENT_DATA_WRITE][P5_CPL_KERNEL] = 2000;
    assert_int_equal(counted(pmu, 0), 37);
    assert_int_equal(counted(pmu, 1), 41);
    fake_write(pmu, P5_MSR_CESR, cesr_of(0x12, 3, 0) | cesr_of(0x01, 3, 1));
    assert_int_equal(counted(pmu, 0), 37);
    fake.increments[P5_EVENT_BRANCHES][P5_CPL_KERNEL] = 2001;
    assert_int_equal(counted(pmu, 0), 38);
    assert_int_equal(counted(pmu, 1), 41);
}

/* The eight values of CC on both counters; the levels apart add up to both together. */
TEST(privilege_filters)
{
    enum { SYSTEM = 100, USER = 7, SYSTEM_CLOCKS = 60, USER_CLOCKS = 5 };
    static const unsigned expected[8] = {0, SYSTEM,        USER,        SYSTEM + USER,
                                         0, SYSTEM_CLOCKS, USER_CLOCKS, SYSTEM_CLOCKS + USER_CLOCKS};
    for (unsigned counter = 0; counter < 2; counter++)
        for (unsigned cc = 0; cc < 8; cc++) {
            FAKE_PMU(fake, pmu, P5_FAMILY_P54C);
            fake_write(pmu, P5_MSR_CESR, cesr_of(0x03, cc, counter));
            fake.increments[P5_EVENT_DATA_READ_MISS][P5_CPL_KERNEL] = SYSTEM - 11;
            fake.increments[P5_EVENT_DATA_READ_MISS][P5_CPL_INNER] = 11; /* CPL 1 and 2 are with CPL 0 */
            fake.increments[P5_EVENT_DATA_READ_MISS][P5_CPL_USER] = USER;
            fake.asserted[P5_EVENT_DATA_READ_MISS][P5_CPL_KERNEL] = SYSTEM_CLOCKS - 11;
            fake.asserted[P5_EVENT_DATA_READ_MISS][P5_CPL_INNER] = 11; /* CPL 1 and 2 are with CPL 0 */
            fake.asserted[P5_EVENT_DATA_READ_MISS][P5_CPL_USER] = USER_CLOCKS;
            fake.clocks[P5_CPL_KERNEL] = 5000;
            fake.clocks[P5_CPL_USER] = 6000;
            if (counted(pmu, counter) != expected[cc])
                fail_msg("CC %u on counter %u: expected %u, got %llu", cc, counter, expected[cc],
                         (unsigned long long)counted(pmu, counter));
        }
}

/* The other reading of "count clocks": the event does not matter. */
TEST(free_running_clocks)
{
    fake_source fake = {.clocks = {500, 80}};
    p5_pmu *pmu = fake_open(&fake, P5_FAMILY_P54C);
    fake_write(pmu, P5_MSR_CESR, cesr_of(0x03, 7, 0));
    fake.asserted[P5_EVENT_DATA_READ_MISS][P5_CPL_USER] = 11;
    assert_int_equal(counted(pmu, 0), 11);
    p5_pmu_set_cc_clocks(pmu, P5_CC_FREE_RUNNING);
    assert_int_equal(counted(pmu, 0), 11); /* the value stays */
    fake.asserted[P5_EVENT_DATA_READ_MISS][P5_CPL_USER] = 1000;
    fake.clocks[P5_CPL_KERNEL] += 20;
    fake.clocks[P5_CPL_USER] += 3;
    assert_int_equal(counted(pmu, 0), 11 + 23);
    fake_write(pmu, P5_MSR_CESR, cesr_of(0x10, 6, 0)); /* a reserved code, clocks at CPL 3 */
    fake.clocks[P5_CPL_KERNEL] += 1000;
    fake.clocks[P5_CPL_USER] += 4;
    assert_int_equal(counted(pmu, 0), 11 + 23 + 4);
    fake_write(pmu, P5_MSR_CESR, cesr_of(0x03, 3, 0)); /* events count as ever */
    fake.increments[P5_EVENT_DATA_READ_MISS][P5_CPL_USER] = 2;
    assert_int_equal(counted(pmu, 0), 11 + 23 + 4 + 2);
    p5_pmu_close(pmu);
}

/* With every event at its own count, each code shows its event's on the counters that have it, and nothing
 * elsewhere. */
TEST(every_code_on_every_counter)
{
    for (unsigned family = P5_FAMILY_P54C; family <= P5_FAMILY_P55C; family++)
        for (unsigned code = 0; code < 64; code++)
            for (unsigned counter = 0; counter < 2; counter++) {
                FAKE_PMU(fake, pmu, family);
                fake_write(pmu, P5_MSR_CESR, cesr_of(code, 3, counter));
                for (unsigned i = 0; i < P5_EVENT_COUNT; i++)
                    fake.increments[i][P5_CPL_USER] = 1000 + i;
                uint64_t expected = 0;
                for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
                    const p5_event_info *info = p5_event_describe((enum p5_event)i);
                    if (info->code == code && (info->counters & (1U << counter)) != 0 &&
                        (info->families & family) != 0)
                        expected = 1000 + i;
                }
                if (counted(pmu, counter) != expected)
                    fail_msg("code %02Xh on counter %u of family %u: expected %llu, got %llu", code, counter,
                             family, (unsigned long long)expected, (unsigned long long)counted(pmu, counter));
            }
}

TEST(time_stamp_counter)
{
    FAKE_PMU_AT(fake, pmu, P5_FAMILY_P54C, 500); /* the core ran before the monitor was made */
    uint64_t value;
    assert_int_equal(p5_pmu_rdtsc(pmu, &user_with_pce, &value), P5_NO_FAULT);
    assert_int_equal(value, 0);
    fake.clock = 800;
    assert_int_equal(fake_read(pmu, P5_MSR_TSC), 300);
    fake_write(pmu, P5_MSR_TSC, UINT64_C(0xfedcba9876543210)); /* all 64 bits */
    fake.clock = 803;
    assert_int_equal(p5_pmu_rdtsc(pmu, &user_with_pce, &value), P5_NO_FAULT);
    assert_int_equal(value, UINT64_C(0xfedcba9876543213));
    fake_write(pmu, P5_MSR_TSC, UINT64_MAX);
    fake.clock = 805;
    assert_int_equal(fake_read(pmu, P5_MSR_TSC), 1);
    fake_write(pmu, P5_MSR_TSC, 0);
    assert_int_equal(fake_read(pmu, P5_MSR_TSC), 0);
}

TEST(pin_functions)
{
    FAKE_PMU(fake, pmu, P5_FAMILY_P55C);
    static const struct {
        unsigned code, cc, pc;
        pin_function expected;
    } rows[] = {
        {0x00, 3, 0, PIN_PULSE}, /* an occurrence */
        {0x18, 3, 0, PIN_LEVEL}, /* a duration */
        {0x00, 7, 0, PIN_LEVEL}, /* the clocks of an occurrence */
        {0x00, 1, 1, PIN_OVERFLOW}, {0x18, 2, 1, PIN_OVERFLOW}, {0x00, 0, 0, PIN_IDLE}, /* stopped */
        {0x00, 4, 1, PIN_IDLE},     {0x10, 3, 0, PIN_IDLE},                             /* reserved */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned counter = 0; counter < 2; counter++) {
            fake_write(pmu, P5_MSR_CESR, cesr_of(rows[i].code | rows[i].pc << 9, rows[i].cc, counter));
            pin_function is = pin_function_of(&pmu->counters[counter]);
            if (is != rows[i].expected)
                fail_msg("row %zu on counter %u: expected %d, got %d", i, counter, rows[i].expected, is);
        }
}

TEST(unknown_family)
{
    pmu_source source = {0};
    p5_pmu *pmu = (p5_pmu *)&source;
    p5_error error;
    assert_int_equal(pmu_open(&source, 64, &pmu, &error), P5_ERR_UNSUPPORTED);
    assert_null(pmu);
}
