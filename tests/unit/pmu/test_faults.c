/* The whole fault matrix of RDTSC, RDPMC, RDMSR and WRMSR: every combination of processor, mode, privilege
 * level, CR4 bits and ECX against a second statement of the rules, written down from the manual's text. */
#include "fake_source.h"

#include "pmu/faults.h"

typedef struct situation {
    unsigned family;
    pmu_instruction instruction;
    p5_privilege privilege;
    uint32_t ecx;
} situation;

/* Manual table 26-1. */
static bool documented_register(unsigned family, uint32_t ecx)
{
    switch (ecx) {
    case 0x00: /* machine check address, type */
    case 0x01:
    case 0x02: /* TR1 */
    case 0x05: /* TR3-TR7 */
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x09:
    case 0x0b: /* TR9-TR12 */
    case 0x0c:
    case 0x0d:
    case 0x0e:
    case 0x10: /* TSC, CESR, CTR0, CTR1 */
    case 0x11:
    case 0x12:
    case 0x13:
        return true;
    case 0x04: /* TR2: reserved with MMX technology */
        return family == P5_FAMILY_P54C;
    default: /* 03, 0A, 0F, 14 and above */
        return false;
    }
}

static p5_fault expected(const situation *s)
{
    bool real = s->privilege.mode == P5_MODE_REAL;
    bool virtual_8086 = s->privilege.mode == P5_MODE_V86;
    /* "privileged": level 0, and real mode, which has no levels; V86 code is at level 3 */
    bool privileged = real || (!virtual_8086 && s->privilege.cpl == 0);
    switch (s->instruction) {
    case PMU_RDTSC: /* the TSD bit takes the instruction away from everyone but level 0 */
        return privileged || !s->privilege.tsd ? P5_NO_FAULT : P5_FAULT_GP;
    case PMU_RDPMC:
        if (s->family == P5_FAMILY_P54C) /* not defined there: invalid opcode */
            return P5_FAULT_UD;
        /* if (ECX < 2) and (CR4.PCE = 1 or (CR4.PCE = 0 and CPL = 0)) then read else #GP(0) */
        if (s->ecx < 2 && (s->privilege.pce || privileged))
            return P5_NO_FAULT;
        return P5_FAULT_GP;
    default:
        if (!privileged)
            return P5_FAULT_GP;
        if (s->family == P5_FAMILY_P54C && s->ecx >= 0x80000000) /* erratum 33 */
            return P5_NO_FAULT;
        return documented_register(s->family, s->ecx) ? P5_NO_FAULT : P5_FAULT_GP;
    }
}

static p5_fault execute(p5_pmu *pmu, const situation *s, uint64_t *value)
{
    switch (s->instruction) {
    case PMU_RDTSC:
        return p5_pmu_rdtsc(pmu, &s->privilege, value);
    case PMU_RDPMC:
        return p5_pmu_rdpmc(pmu, &s->privilege, s->ecx, value);
    case PMU_RDMSR:
        return p5_pmu_rdmsr(pmu, &s->privilege, s->ecx, value);
    default:
        return p5_pmu_wrmsr(pmu, &s->privilege, s->ecx, *value);
    }
}

static const char *words(const situation *s)
{
    static char text[160];
    snprintf(text, sizeof text, "family %u instruction %d mode %u CPL %u PCE %d TSD %d ECX %08Xh", s->family,
             s->instruction, s->privilege.mode, s->privilege.cpl, s->privilege.pce, s->privilege.tsd, s->ecx);
    return text;
}

static void check_values(p5_pmu *pmu, const situation *s)
{
    const uint64_t untouched = UINT64_C(0x5a5a5a5a5a5a5a5a);
    uint64_t value = untouched;
    p5_fault should = expected(s);
    p5_fault is = execute(pmu, s, &value);
    if (is != should)
        fail_msg("%s: expected fault %d, got %d", words(s), should, is);
    bool writes_value = should == P5_NO_FAULT && s->instruction != PMU_WRMSR;
    if ((value != untouched) != writes_value)
        fail_msg("%s: expected the value %s, got %016llX", words(s), writes_value ? "written" : "left alone",
                 (unsigned long long)value);
}

/* Calls `check` for every situation of a family. */
static void every_situation(unsigned family, void (*check)(p5_pmu *pmu, const situation *s), p5_pmu *pmu,
                            unsigned instructions)
{
    static const uint32_t far_numbers[] = {0x40000000, 0x40000001, 0x7fffffff,
                                           0x80000000, 0x80000011, 0xffffffff};
    static const p5_privilege levels[] = {
        {.mode = P5_MODE_REAL},
        {.mode = P5_MODE_V86, .cpl = 3},
        {.mode = P5_MODE_PROTECTED, .cpl = 0},
        {.mode = P5_MODE_PROTECTED, .cpl = 1},
        {.mode = P5_MODE_PROTECTED, .cpl = 2},
        {.mode = P5_MODE_PROTECTED, .cpl = 3},
    };
    enum { NEAR_NUMBERS = 0x40, FAR_NUMBERS = sizeof far_numbers / sizeof far_numbers[0] };
    for (unsigned instruction = PMU_RDTSC; instruction <= PMU_WRMSR; instruction <<= 1)
        for (unsigned level = 0; level < sizeof levels / sizeof levels[0]; level++)
            for (unsigned cr4 = 0; cr4 < 4; cr4++)
                for (unsigned n = 0; n < NEAR_NUMBERS + FAR_NUMBERS; n++) {
                    situation s = {.family = family, .instruction = (pmu_instruction)instruction};
                    if ((instruction & instructions) == 0)
                        continue;
                    s.privilege = levels[level];
                    s.privilege.pce = (cr4 & 1) != 0;
                    s.privilege.tsd = (cr4 & 2) != 0;
                    s.ecx = n < NEAR_NUMBERS ? n : far_numbers[n - NEAR_NUMBERS];
                    check(pmu, &s);
                }
}

static void matrix_of(unsigned family)
{
    FAKE_PMU_AT(fake, pmu, family, 1000);
    every_situation(family, check_values, pmu, PMU_RDTSC | PMU_RDPMC | PMU_RDMSR | PMU_WRMSR);
}

TEST(matrix_p54c)
{
    matrix_of(P5_FAMILY_P54C);
}

TEST(matrix_p55c)
{
    matrix_of(P5_FAMILY_P55C);
}

static void check_rule(p5_pmu *pmu, const situation *s)
{
    (void)pmu;
    p5_fault is = pmu_fault(s->family, s->instruction, &s->privilege, s->ecx);
    if (is != expected(s))
        fail_msg("%s: expected fault %d, got %d", words(s), expected(s), is);
}

/* The Pentium Pro's rules stand in the same table, before it has a register map. */
TEST(matrix_pentium_pro)
{
    every_situation(P5_MONITOR_P6, check_rule, NULL, PMU_RDPMC | PMU_RDTSC);
}

TEST(cr4_bits_by_family)
{
    /* VME 0, PVI 1, TSD 2, DE 3, PSE 4, MCE 6; PCE 8 came with RDPMC */
    assert_int_equal(p5_pmu_cr4_mask(P5_FAMILY_P54C), 0x05f);
    assert_int_equal(p5_pmu_cr4_mask(P5_FAMILY_P55C), 0x15f);
}
