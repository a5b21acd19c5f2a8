/* The fault rules of RDTSC, RDPMC, RDMSR and WRMSR as data: another processor is another row. */
#include "pmu/faults.h"

#include "pmu/msr_map.h"
#include "pmu/perfmon.h"

/* Conditions of a rule; all of them must be true. */
enum {
    IF_NOT_CPL0 = 1,
    IF_TSD = 2,    /* CR4.TSD = 1 */
    IF_NO_PCE = 4, /* CR4.PCE = 0 */
    /* ECX selects no counter; without ARCH3, ECX is above 1. All 32 bits of ECX are compared, in 16-bit code
     * too. */
    IF_NO_COUNTER = 8,
    IF_NO_MSR = 16 /* the family, with its monitor, has no register of this number */
};

/* Bits of a rule's families. A later processor's monitor (P6, ARCH3) is a bit beside P55C, so every rule of P55C
 * also applies to it. */
enum { P54C = P5_FAMILY_P54C, P55C = P5_FAMILY_P55C, P6 = P5_MONITOR_P6, ARCH3 = P5_MONITOR_ARCH3 };

typedef struct fault_rule {
    unsigned instructions; /* PMU_RDTSC | ... */
    unsigned families;     /* P54C | ... */
    unsigned conditions;   /* IF_NOT_CPL0 | ...; 0: none */
    p5_fault fault;        /* if all of them are true */
} fault_rule;

/* The first matching rule decides. */
static const fault_rule rules[] = {
    /* Manual table 26-22: RDPMC is defined only with MMX technology, and is otherwise an invalid opcode at
     * any privilege level. */
    {PMU_RDPMC, P54C, 0, P5_FAULT_UD},
    /* RDPMC of the Pentium MMX and the Pentium Pro: "ECX < 2 and (PCE or CPL 0)". */
    {PMU_RDPMC, P55C | P6 | ARCH3, IF_NO_COUNTER, P5_FAULT_GP},
    {PMU_RDPMC, P55C | P6 | ARCH3, IF_NO_PCE | IF_NOT_CPL0, P5_FAULT_GP},
    {PMU_RDTSC, P54C | P55C | P6 | ARCH3, IF_TSD | IF_NOT_CPL0, P5_FAULT_GP},
    {PMU_RDMSR | PMU_WRMSR, P54C | P55C | P6 | ARCH3, IF_NOT_CPL0, P5_FAULT_GP},
    {PMU_RDMSR | PMU_WRMSR, P54C | P55C, IF_NO_MSR, P5_FAULT_GP},
};

/* Returns whether code has the rights of CPL 0. Real mode has them, V86 mode has those of CPL 3;
 * docs/fidelity.md discusses the manuals' real-mode text. */
static bool has_cpl0(const p5_privilege *privilege)
{
    switch (privilege->mode) {
    case P5_MODE_REAL:
        return true;
    case P5_MODE_V86:
        return false;
    default:
        return privilege->cpl == 0;
    }
}

p5_fault pmu_fault(unsigned family, pmu_instruction instruction, const p5_privilege *privilege, uint32_t ecx)
{
    unsigned holds = 0; /* the conditions that are true */
    holds |= has_cpl0(privilege) ? 0 : IF_NOT_CPL0;
    holds |= privilege->tsd ? IF_TSD : 0;
    holds |= privilege->pce ? 0 : IF_NO_PCE;
    holds |= perfmon_rdpmc(family, ecx) == PMU_COUNTERS ? IF_NO_COUNTER : 0;
    holds |= msr_map_has(family, ecx) ? 0 : IF_NO_MSR;
    for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const fault_rule *rule = &rules[i];
        if ((rule->instructions & (unsigned)instruction) != 0 && (rule->families & family) != 0 &&
            (rule->conditions & ~holds) == 0)
            return rule->fault;
    }
    return P5_NO_FAULT;
}
