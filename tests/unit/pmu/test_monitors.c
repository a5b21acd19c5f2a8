/* Which registers each monitor has, and of the monitors of later processors: what the registers take, and what they
 * count. Expected values: the layouts of PERFEVTSEL (Pentium Pro) and of architectural performance monitoring 3. */
#include "fake_source.h"
#include "p5scope/cmocka.h"

enum { P54C = P5_FAMILY_P54C, P5 = P5_FAMILY_P55C };

static bool among(uint32_t ecx, uint32_t first, uint32_t last)
{
    return ecx >= first && ecx <= last;
}

/* The manuals' tables; 26-1 for the Pentium. P54C steppings have erratum 33: a negative number reaches some register. */
static bool exists(unsigned family, uint32_t ecx)
{
    bool common = among(ecx, 0, 0x10) && ecx != 3 && ecx != 4 && ecx != 0xa && ecx != 0xf;
    if (family == P54C)
        return common || ecx == 4 || among(ecx, 0x11, 0x13) || ecx >= 0x80000000;
    if (family == P5)
        return common || among(ecx, 0x11, 0x13);
    if (family == P6)
        return common || among(ecx, 0xc1, 0xc2) || among(ecx, 0x186, 0x187);
    return common || among(ecx, 0xc1, 0xc4) || among(ecx, 0x186, 0x189) || among(ecx, 0x309, 0x30b) ||
           among(ecx, 0x38d, 0x390);
}

static bool counts(unsigned family, uint32_t ecx)
{
    return family == ARCH3 ? ecx < 4 || among(ecx, 0x40000000, 0x40000002) : family != P54C && ecx < 2;
}

/* What each number does at CPL 0, and that it faults at CPL 3. A value is read only where nothing faults. (The guest
 * fault_matrix.asm has the other modes and levels, and CR4's bits.) */
TEST(registers_exist)
{
    static const unsigned families[] = {P54C, P5, P6, ARCH3};
    static const uint32_t far[] = {0x40000000, 0x40000001, 0x40000002, 0x40000003, 0x40000004,
                                   0x7fffffff, 0x80000000, 0x80000011, 0x800000c1, 0xc0000000,
                                   0xffffffff, 0x10000,    0x100c1};
    static const p5_privilege cpl3 = {.mode = P5_MODE_PROTECTED, .cpl = 3};
    const uint64_t untouched = UINT64_C(0x5a5a5a5a5a5a5a5a);
    for (unsigned f = 0; f < sizeof families / sizeof families[0]; f++) {
        const p5_fault no_counter = families[f] == P54C ? P5_FAULT_UD : P5_FAULT_GP;
        FAKE_PMU_AT(fake, pmu, families[f], 1000);
        for (unsigned n = 0; n < 0x400 + sizeof far / sizeof far[0]; n++) {
            const uint32_t ecx = n < 0x400 ? n : far[n - 0x400];
            uint64_t value = untouched, counter = untouched;
            p5_fault read = p5_pmu_rdmsr(pmu, &fake_cpl0, ecx, &value);
            p5_fault write = p5_pmu_wrmsr_fault(pmu, &fake_cpl0, ecx, 0);
            p5_fault count = p5_pmu_rdpmc(pmu, &fake_cpl0, ecx, &counter);
            bool is = exists(families[f], ecx), counted = counts(families[f], ecx);
            bool status = families[f] == ARCH3 && ecx == STATUS; /* read-only */
            if (read != (is ? P5_NO_FAULT : P5_FAULT_GP) || is != (value != untouched) ||
                write != (is && !status ? P5_NO_FAULT : P5_FAULT_GP) ||
                count != (counted ? P5_NO_FAULT : no_counter) || counted != (counter != untouched))
                fail_msg("monitor %u, ECX %x: RDMSR %d, WRMSR %d, RDPMC %d", f, ecx, read, write, count);
            assert_int_equal(p5_pmu_rdmsr(pmu, &cpl3, ecx, &value), P5_FAULT_GP);
            assert_int_equal(p5_pmu_wrmsr_fault(pmu, &cpl3, ecx, 0), P5_FAULT_GP);
            assert_int_equal(p5_pmu_rdpmc(pmu, &cpl3, ecx, &value), no_counter);
        }
    }
}

/* Every bit of every register of the monitor alone: kept, or #GP(0). */
TEST(reserved_bits)
{
    const uint64_t evtsel = 0xfffbffff; /* edge detection is refused */
    const struct {
        unsigned family;
        uint32_t msr;
        uint64_t takes, keeps;
    } rows[] = {
        {P6, SEL0, evtsel & ~(uint64_t)ANY, UINT64_MAX},
        {P6, SEL0 + 1, evtsel & ~(uint64_t)(ANY | EN), UINT64_MAX},
        {P6, PMC0, UINT64_MAX, 0},
        {ARCH3, SEL0, evtsel, UINT64_MAX},
        {ARCH3, SEL0 + 3, evtsel, UINT64_MAX},
        {ARCH3, PMC0 + 3, UINT64_MAX, 0},
        {ARCH3, FIXED0, (UINT64_C(1) << 40) - 1, UINT64_MAX},
        {ARCH3, FIXED_CTRL, 0xfff, UINT64_MAX},
        {ARCH3, CTRL, UINT64_C(0x70000000f), UINT64_MAX},
        {ARCH3, OVF, UINT64_C(0xc00000070000000f), 0},
        {ARCH3, STATUS, 0, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FAKE_PMU(fake, pmu, rows[i].family);
        for (unsigned bit = 0; bit < 64; bit++) {
            uint64_t value = UINT64_C(1) << bit;
            bool taken = p5_pmu_wrmsr(pmu, &fake_cpl0, rows[i].msr, value) == P5_NO_FAULT;
            if (taken != (rows[i].takes >> bit & 1))
                fail_msg("MSR %xh, bit %u: %s", rows[i].msr, bit, taken ? "taken" : "refused");
            if (taken && rows[i].keeps && fake_read(pmu, rows[i].msr) != value)
                fail_msg("MSR %xh, bit %u: not kept", rows[i].msr, bit);
        }
    }
}

/* WRMSR takes the low half and sign-extends it; fixed counters take all their bits. */
TEST(counters_are_written)
{
    for (unsigned bits = 40; bits <= 48; bits += 8) {
        FAKE_PMU(fake, pmu, bits == 40 ? P6 : ARCH3);
        p5_pmu_set_counter_bits(pmu, bits);
        uint64_t mask = (UINT64_C(1) << bits) - 1;
        fake_write(pmu, PMC0, UINT64_C(0x1234567800000005));
        assert_int_equal(fake_read(pmu, PMC0), 5);
        fake_write(pmu, PMC0, 0xfffffff0);
        assert_int_equal(fake_read(pmu, PMC0), mask & ~UINT64_C(15));
        if (bits == 48) {
            fake_write(pmu, FIXED0, UINT64_C(0x800000000000));
            assert_int_equal(fake_read(pmu, FIXED0), UINT64_C(0x800000000000));
        }
    }
}

/* OS is CPL 0, USR CPL 1 to 3. */
TEST(privilege_levels)
{
    static const unsigned expected[] = {0, 110, 1, 111};
    for (unsigned bits = 0; bits < 4; bits++)
        for (unsigned family = P6; family <= ARCH3; family += ARCH3 - P6) {
            FAKE_PMU(fake, pmu, family);
            fake_write(pmu, SEL0, 0x16 | bits << 16 | EN);
            fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_KERNEL] = 1;
            fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_INNER] = 10;
            fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER] = 100;
            assert_int_equal(fake_read(pmu, PMC0), expected[bits]);
        }
}

/* CMASK and INV, from increments and the clocks that had any. */
TEST(counter_mask)
{
    static const struct {
        uint32_t bits;
        unsigned expected;
    } rows[] = {{0, 70},        {INV, 70},
                {1u << 24, 50}, {1u << 24 | INV, 150},
                {2u << 24, 20}, {2u << 24 | INV, 180},
                {3u << 24, 0},  {255u << 24 | INV, 200}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FAKE_PMU(fake, pmu, ARCH3);
        fake_write(pmu, SEL0, 0x16 | USR | EN | rows[i].bits);
        fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER] =
            70; /* 20 clocks with two, 30 with one */
        fake.asserted[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER] = 50;
        fake.clocks[P5_CPL_USER] = 200;
        if (fake_read(pmu, PMC0) != rows[i].expected)
            fail_msg("row %u: expected %u, got %llu", i, rows[i].expected,
                     (unsigned long long)fake_read(pmu, PMC0));
    }
}

/* The P5's codes with the list as unit mask, on any counter, and the architectural ones on version 3. */
TEST(event_codes)
{
    static const struct {
        uint32_t code;
        int p6, arch3;
    } rows[] = {
        {0x000, P5_EVENT_DATA_READ, P5_EVENT_DATA_READ},
        {0x100, P5_EVENT_DATA_READ, P5_EVENT_DATA_READ},
        {0x200, -1, -1},
        {0x02f, P5_EVENT_SATURATING_MMX_INSTRUCTIONS_EXECUTED, P5_EVENT_SATURATING_MMX_INSTRUCTIONS_EXECUTED},
        {0x12f, P5_EVENT_SATURATIONS_PERFORMED, P5_EVENT_SATURATIONS_PERFORMED},
        {0x010, -1, -1},
        {0x139, -1, -1},
        {0x040, -1, -1},
        {0x0c0, -1, P5_EVENT_INSTRUCTIONS_EXECUTED},
        {0x03c, -1, P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE},
        {0x13c, -1, P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE},
        {0x0c4, -1, P5_EVENT_BRANCHES},
        {0x0c5, -1, P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS},
        {0x1c5, -1, -1},
        {0x412e, -1, -1}, /* no last-level cache */
        {0x4f2e, -1, -1},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fake_source fake = {0};
        p5_pmu *p6 = fake_open(&fake, P6), *arch3 = fake_open(&fake, ARCH3);
        for (unsigned counter = 0; counter < 4; counter++) {
            if (counter < 2)
                fake_write(p6, SEL0 + counter, rows[i].code | USR | (counter == 0 ? EN : 0));
            fake_write(arch3, SEL0 + counter, rows[i].code | USR | EN);
        }
        for (unsigned e = 0; e < P5_EVENT_COUNT; e++)
            fake.increments[e][P5_CPL_USER] = 1000 + e;
        for (unsigned counter = 0; counter < 4; counter++) {
            uint64_t is = fake_read(arch3, PMC0 + counter),
                     wanted = rows[i].arch3 < 0 ? 0 : 1000u + (unsigned)rows[i].arch3;
            if (is != wanted)
                fail_msg("version 3, %xh on counter %u: %llu", rows[i].code, counter, (unsigned long long)is);
            wanted = rows[i].p6 < 0 ? 0 : 1000u + (unsigned)rows[i].p6;
            if (counter < 2 && fake_read(p6, PMC0 + counter) != wanted)
                fail_msg("Pentium Pro, %xh on counter %u", rows[i].code, counter);
        }
        p5_pmu_close(p6);
        p5_pmu_close(arch3);
    }
}

/* EN of PERFEVTSEL0 is for both counters of a Pentium Pro; version 3 has one each, and GLOBAL_CTRL. */
TEST(enabled)
{
    fake_source fake = {0};
    p5_pmu *pmu = fake_open(&fake, P6);
    uint64_t *executed = &fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER];
    fake_write(pmu, SEL0 + 1, 0x16 | USR);
    *executed = 10;
    assert_int_equal(fake_read(pmu, PMC0 + 1), 0);
    fake_write(pmu, SEL0, EN);
    *executed = 15;
    assert_int_equal(fake_read(pmu, PMC0 + 1), 5);
    p5_pmu_close(pmu);

    pmu = fake_open(&fake, ARCH3);
    assert_int_equal(fake_read(pmu, CTRL), 15);
    fake_write(pmu, SEL0 + 2, 0x16 | USR | EN | ANY); /* one thread: ANY changes nothing */
    fake_write(pmu, FIXED_CTRL, 2 | 3 << 4 | 1 << 8 | 4);
    *executed += 7;
    fake.increments[P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE][P5_CPL_USER] = 20;
    fake.increments[P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE][P5_CPL_KERNEL] = 3;
    assert_int_equal(fake_read(pmu, PMC0 + 2), 7);
    assert_int_equal(fake_read(pmu, FIXED0), 0); /* GLOBAL_CTRL has not enabled it */
    fake_write(pmu, CTRL, UINT64_C(7) << 32);
    *executed += 7;
    fake.increments[P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE][P5_CPL_USER] += 20;
    fake.increments[P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE][P5_CPL_KERNEL] += 3;
    assert_int_equal(fake_read(pmu, PMC0 + 2), 7);
    assert_int_equal(fake_read(pmu, FIXED0), 7);
    assert_int_equal(fake_read(pmu, FIXED0 + 1), 23);
    assert_int_equal(fake_read(pmu, FIXED0 + 2), 3);
    for (uint32_t i = 0; i < 3; i++) { /* RDPMC: bit 30 of ECX */
        uint64_t value;
        assert_int_equal(p5_pmu_rdpmc(pmu, &fake_cpl0, UINT32_C(1) << 30 | i, &value), P5_NO_FAULT);
        assert_int_equal(value, fake_read(pmu, FIXED0 + i));
    }
    p5_pmu_close(pmu);
}

TEST(overflow_status)
{
    FAKE_PMU(fake, pmu, ARCH3);
    uint64_t *executed = &fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER];
    fake_write(pmu, SEL0 + 1, 0x16 | USR | EN);
    fake_write(pmu, FIXED_CTRL, 2);
    fake_write(pmu, CTRL, 15 | UINT64_C(1) << 32);
    fake_write(pmu, PMC0 + 1, (uint32_t)-3);
    fake_write(pmu, FIXED0, (UINT64_C(1) << 40) - 5);
    *executed = 2;
    assert_int_equal(fake_read(pmu, STATUS), 0);
    *executed = 3;
    assert_int_equal(fake_read(pmu, STATUS), 2);
    *executed = 6;
    assert_int_equal(fake_read(pmu, STATUS), UINT64_C(1) << 32 | 2);
    fake_write(pmu, PMC0 + 1, 0); /* the bit stays until it is cleared */
    assert_int_equal(fake_read(pmu, STATUS), UINT64_C(1) << 32 | 2);
    fake_write(pmu, OVF, 2);
    assert_int_equal(fake_read(pmu, STATUS), UINT64_C(1) << 32);
    assert_int_equal(fake_read(pmu, OVF), 0);
    fake_write(pmu, OVF, UINT64_C(1) << 32);
    assert_int_equal(fake_read(pmu, STATUS), 0);
    *executed = 100;
    assert_int_equal(fake_read(pmu, STATUS), 0);
}

/* Each counter has a bit of its own in GLOBAL_CTRL, which enables it, and the same one in GLOBAL_STATUS. */
TEST(each_counter_has_its_bit)
{
    for (unsigned on = 0; on < 7; on++) {
        FAKE_PMU(fake, pmu, ARCH3);
        uint64_t bit = UINT64_C(1) << (on < 4 ? on : 32 + on - 4);
        fake_write(pmu, FIXED_CTRL, 0x222);
        for (uint32_t i = 0; i < 7; i++) {
            if (i < 4)
                fake_write(pmu, SEL0 + i, 0x16 | USR | EN);
            fake_write(pmu, i < 4 ? PMC0 + i : FIXED0 + i - 4,
                       i < 4 ? (uint32_t)-2 : (UINT64_C(1) << 40) - 2);
        }
        fake_write(pmu, CTRL, bit);
        fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER] = 5;
        fake.increments[P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE][P5_CPL_USER] = 5;
        for (uint32_t i = 0; i < 7; i++)
            assert_int_equal(fake_read(pmu, i < 4 ? PMC0 + i : FIXED0 + i - 4),
                             i == on ? 3 : (UINT64_C(1) << 40) - 2);
        assert_int_equal(fake_read(pmu, STATUS), bit);
        fake_write(pmu, OVF, ~bit & UINT64_C(0x70000000f));
        assert_int_equal(fake_read(pmu, STATUS), bit);
        fake_write(pmu, OVF, bit);
        assert_int_equal(fake_read(pmu, STATUS), 0);
    }
}

/* The two readings of CESR's clocks are the Pentium's; later monitors have CMASK. */
TEST(no_reading_of_clocks)
{
    FAKE_PMU(fake, pmu, ARCH3);
    fake_write(pmu, SEL0, 0x16 | USR | EN);
    p5_pmu_set_cc_clocks(pmu, P5_CC_FREE_RUNNING);
    fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER] = 5;
    fake.clocks[P5_CPL_USER] = 100;
    assert_int_equal(fake_read(pmu, PMC0), 5);
}

/* CPUID leaf 0AH: version 3, four counters, 48 bits, seven events of which two (last-level cache) are not
 * there. */
TEST(announced)
{
    FAKE_PMU(fake, pmu, ARCH3);
    p5_pmu_set_counter_bits(pmu, 48);
    uint32_t leaf[4] = {~0U, ~0U, ~0U, ~0U};
    p5_pmu_cpuid_0a(pmu, leaf);
    assert_int_equal(leaf[0], 7 << 24 | 48 << 16 | 4 << 8 | 3);
    assert_int_equal(leaf[1], 1 << 3 | 1 << 4);
    assert_int_equal(leaf[2], 0);
    assert_int_equal(leaf[3], 48 << 5 | 3);
}

/* The fields of PERFEVTSEL in words. */
TEST(described)
{
    static const struct {
        uint32_t value;
        const char *text;
    } rows[] = {
        {0x16 | USR, "counts instructions_executed at CPL 1-3"},
        {0x16 | OS, "counts instructions_executed at CPL 0"},
        {0x16 | USR | OS | INV, "counts instructions_executed at any CPL"},
        {0x16, "counts instructions_executed at no CPL"},
        {0xc4 | OS, "counts branches at CPL 0"},
        {0x16 | USR | 1u << 24, "counts the clocks with at least 1 of instructions_executed at CPL 1-3"},
        {0x16 | USR | 3u << 24 | INV,
         "counts the clocks with fewer than 3 of instructions_executed at CPL 1-3"},
        {0x16 | USR | EDGE, "is refused: edges are not counted"},
        {0xfe7e | USR, "counts nothing: there is no event 7Eh with unit mask FEh"},
        {0x412e | USR, "counts nothing: there is no event 2Eh with unit mask 41h"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[200];
        p5_evtsel_describe(rows[i].value, ARCH3, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

/* A fixed counter that is enabled for CPL 3 alone counts nothing at CPL 0, and the reverse. */
TEST(fixed_counters_have_levels)
{
    static const unsigned expected[] = {0, 1, 110, 111}; /* bit 0 of the control: CPL 0; bit 1: CPL 1-3 */
    for (unsigned control = 0; control < 4; control++) {
        FAKE_PMU(fake, pmu, ARCH3);
        fake_write(pmu, FIXED_CTRL, control);
        fake_write(pmu, CTRL, UINT64_C(1) << 32);
        fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_KERNEL] = 1;
        fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_INNER] = 10;
        fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER] = 100;
        assert_int_equal(fake_read(pmu, FIXED0), expected[control]);
    }
}

/* The assertions of p5scope/cmocka.h, on the counters of each monitor. */
TEST(assertions)
{
    static const struct {
        unsigned family;
        uint32_t select, value, counter;
    } monitors[] = {{P5, P5_MSR_CESR, 0x96, P5_MSR_CTR0},
                    {P6, SEL0, 0x16 | USR | EN, PMC0},
                    {ARCH3, SEL0, 0x16 | USR | EN, PMC0}};
    for (size_t i = 0; i < sizeof monitors / sizeof monitors[0]; i++) {
        FAKE_PMU(fake, pmu, monitors[i].family);
        p5_program(pmu, monitors[i].counter, 100);
        p5_program(pmu, monitors[i].select, monitors[i].value);
        fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER] = 8;
        fake.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_KERNEL] = 2;
        p5_assert_msr(pmu, monitors[i].counter, 108);
    }
}

FAILING_TEST(wrong_value)
{
    FAKE_PMU(fake, pmu, P6);
    p5_assert_msr(pmu, PMC0, 1);
}
FAILING_TEST(wrong_register)
{
    FAKE_PMU(fake, pmu, P6);
    p5_program(pmu, P5_MSR_CESR, 0);
}

TEST(wrong_assertions)
{
    static const char *const lines[] = {"register C1h: expected 1, came 0",
                                        "WRMSR of 0h to register 11h faults", NULL};
    unit_failures(lines);
}
