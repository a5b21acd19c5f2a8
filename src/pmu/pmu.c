/* RDTSC, RDPMC, RDMSR and WRMSR on the registers of the performance monitor. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "isa/processor.h"
#include "pmu/cesr.h"
#include "pmu/faults.h"
#include "pmu/internal.h"
#include "pmu/msr_map.h"

/* Returns what CESR selects for counter `i`. */
static counter_choice cesr_choice(const p5_pmu *pmu, unsigned i)
{
    assert(i < PMU_P5_COUNTERS);
    p5_counter_select select[PMU_P5_COUNTERS];
    p5_cesr_decode(pmu->cesr, select);
    return counter_cesr_choice(i, pmu->family, &select[i], pmu->cc_clocks);
}

/* Returns the number of the monitor's counters. */
static unsigned counters_of(const p5_pmu *pmu)
{
    return pmu->monitor != 0 ? PMU_COUNTERS : PMU_P5_COUNTERS;
}

/* Returns what the monitor's registers select for counter `i`. */
static counter_choice choice_of(const p5_pmu *pmu, unsigned i)
{
    return pmu->monitor != 0 ? perfmon_choice(pmu, i) : cesr_choice(pmu, i);
}

void pmu_select(p5_pmu *pmu)
{
    p5_pmu_follow_pins(pmu);
    for (unsigned i = 0; i < counters_of(pmu); i++) {
        counter_choice choice = choice_of(pmu, i);
        counter_select(&pmu->counters[i], &choice, &pmu->source);
    }
    pins_select(pmu);
}

p5_status pmu_open(const pmu_source *source, unsigned family, p5_pmu **out, p5_error *error)
{
    *out = NULL;
    if (p5_registers(family)->name == NULL)
        return error_set(error, P5_ERR_UNSUPPORTED, "there is no performance monitor for processor family %u",
                         family);
    p5_pmu *pmu = calloc(1, sizeof *pmu);
    if (pmu == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    pmu->family = family & ~(unsigned)P5_MONITORS;
    pmu->monitor = family & P5_MONITORS;
    pmu->cc_clocks = P5_CC_ASSERTED;
    pmu->source = pmu->pin_source = pmu->peek_source = *source;
    pmu->pins.half_ratio = 2; /* bus clock = core clock, no delay; p5_pmu_open sets the model's figures */
    p5_pmu_set_counter_bits(pmu, COUNTER_BITS);
    if (pmu->monitor != 0)
        pmu->perfmon.global_ctrl = (1u << PMU_GENERAL) - 1; /* RESET sets the general counters' bits */
    pmu_select(pmu);
    tsc_write(&pmu->tsc, 0, &pmu->source);
    *out = pmu;
    return P5_OK;
}

void p5_pmu_close(p5_pmu *pmu)
{
    free(pmu);
}

void p5_pmu_set_cc_clocks(p5_pmu *pmu, p5_cc_clocks meaning)
{
    pmu->cc_clocks = meaning;
    pmu_select(pmu);
}

void p5_pmu_set_counter_bits(p5_pmu *pmu, unsigned bits)
{
    assert(bits > 0 && bits < 64);
    for (unsigned i = 0; i < PMU_COUNTERS; i++)
        pmu->counters[i].bits = (uint8_t)bits;
}

uint64_t pmu_value(const p5_pmu *pmu, const p5_register *r, const pmu_source *source)
{
    assert(source->clock != NULL && source->total != NULL && source->clocks != NULL);
    if (r->msr >= P5_MSR_PMC0) /* a register of a later monitor */
        return perfmon_peek(pmu, r->msr, source);
    switch (r->msr) {
    case P5_MSR_MCA:
        return pmu->machine_check_address;
    case P5_MSR_MCT:
        return pmu->machine_check_type;
    case P5_MSR_TSC:
        return tsc_read(&pmu->tsc, source);
    case P5_MSR_CESR:
        return pmu->cesr;
    case P5_MSR_CTR0:
    case P5_MSR_CTR1:
        return counter_read(&pmu->counters[r->msr - P5_MSR_CTR0], source);
    case MSR_CONSTANT_4:
        return 4;
    case MSR_SCRATCH_0:
    case MSR_SCRATCH_1:
        return pmu->scratch[r->msr - MSR_SCRATCH_0];
    default:
        return test_register_read(&pmu->tests, r);
    }
}

/* Writes a value without bits that cannot be written. MCA, MCT and the constant ignore it. */
static void write_register(p5_pmu *pmu, const p5_register *r, uint64_t value)
{
    assert((value & ~r->write_mask) == 0);
    if (r->msr >= P5_MSR_PMC0) {
        perfmon_write(pmu, r->msr, value);
        return;
    }
    switch (r->msr) {
    case P5_MSR_MCA:
    case P5_MSR_MCT:
    case MSR_CONSTANT_4:
        break;
    case P5_MSR_TSC:
        tsc_write(&pmu->tsc, value, &pmu->source);
        break;
    case P5_MSR_CESR:
        pmu->cesr = (uint32_t)value;
        pmu_select(pmu);
        break;
    case P5_MSR_CTR0:
    case P5_MSR_CTR1:
        p5_pmu_follow_pins(pmu);
        counter_write(&pmu->counters[r->msr - P5_MSR_CTR0], value, &pmu->source);
        pins_select(pmu);
        break;
    case MSR_SCRATCH_0:
    case MSR_SCRATCH_1:
        pmu->scratch[r->msr - MSR_SCRATCH_0] = (uint32_t)value;
        break;
    default:
        test_register_write(&pmu->tests, r, pmu->family, (uint32_t)value);
        break;
    }
}

/* Latches a failed bus cycle unless one is latched already (MCT.CHK). */
bool p5_pmu_bus_check(p5_pmu *pmu, uint32_t physical, unsigned type)
{
    if ((pmu->machine_check_type & P5_MCT_CHK) != 0)
        return false;
    pmu->machine_check_address = physical;
    pmu->machine_check_type = (type & P5_MCT_CYCLE) | P5_MCT_CHK;
    return true;
}

p5_fault p5_pmu_rdtsc(p5_pmu *pmu, const p5_privilege *privilege, uint64_t *value)
{
    p5_fault fault = pmu_fault(pmu->family | pmu->monitor, PMU_RDTSC, privilege, 0);
    if (fault == P5_NO_FAULT)
        *value = tsc_read(&pmu->tsc, &pmu->source);
    return fault;
}

p5_fault p5_pmu_rdpmc(p5_pmu *pmu, const p5_privilege *privilege, uint32_t ecx, uint64_t *value)
{
    p5_fault fault = pmu_fault(pmu->family | pmu->monitor, PMU_RDPMC, privilege, ecx);
    assert(perfmon_rdpmc(pmu->monitor, ecx) < PMU_COUNTERS || fault != P5_NO_FAULT);
    if (fault == P5_NO_FAULT)
        *value = counter_read(&pmu->counters[perfmon_rdpmc(pmu->monitor, ecx)], &pmu->source);
    return fault;
}

p5_fault p5_pmu_rdmsr(p5_pmu *pmu, const p5_privilege *privilege, uint32_t ecx, uint64_t *value)
{
    p5_fault fault = pmu_fault(pmu->family | pmu->monitor, PMU_RDMSR, privilege, ecx);
    if (fault != P5_NO_FAULT)
        return fault;
    const p5_register *r = msr_map_find(pmu->family | pmu->monitor, ecx);
    if (r != NULL && r->msr == P5_MSR_GLOBAL_STATUS)
        perfmon_latch(pmu); /* records the overflows so far */
    *value = r != NULL ? pmu_value(pmu, r, &pmu->source) & r->read_mask : 0;
    if (r != NULL && r->msr == P5_MSR_MCT) /* reading clears CHK */
        pmu->machine_check_type &= ~(uint32_t)P5_MCT_CHK;
    return P5_NO_FAULT;
}

p5_fault p5_pmu_wrmsr_fault(const p5_pmu *pmu, const p5_privilege *privilege, uint32_t ecx, uint64_t value)
{
    unsigned family = pmu->family | pmu->monitor;
    p5_fault fault = pmu_fault(family, PMU_WRMSR, privilege, ecx);
    if (fault != P5_NO_FAULT)
        return fault;
    const p5_register *r = msr_map_find(family, ecx);
    return r != NULL && r->msr >= P5_MSR_PMC0 && !perfmon_accepts(pmu, r, value) ? P5_FAULT_GP : P5_NO_FAULT;
}

p5_fault p5_pmu_wrmsr(p5_pmu *pmu, const p5_privilege *privilege, uint32_t ecx, uint64_t value)
{
    p5_fault fault = p5_pmu_wrmsr_fault(pmu, privilege, ecx, value);
    if (fault != P5_NO_FAULT)
        return fault;
    const p5_register *r = msr_map_find(pmu->family | pmu->monitor, ecx);
    if (r != NULL)
        write_register(pmu, r, value & r->write_mask);
    return P5_NO_FAULT;
}

void p5_pmu_on_parity_error(p5_pmu *pmu, void (*error)(void *context, uint32_t array, bool shutdown),
                            void *context)
{
    pmu->parity_error = error;
    pmu->parity_context = context;
}

uint32_t p5_pmu_cr4_mask(unsigned family)
{
    return family == P5_FAMILY_P55C ? CR4_P55C : CR4_P54C;
}

void p5_pmu_control(const p5_pmu *pmu, p5_control *control)
{
    test_registers_control(&pmu->tests, control);
}

void pmu_restore(p5_pmu *pmu)
{
    for (unsigned i = 0; i < counters_of(pmu); i++) {
        counter_choice choice = choice_of(pmu, i);
        counter_restore(&pmu->counters[i], &choice);
    }
    pins_restore(pmu);
}
