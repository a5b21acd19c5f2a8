/* Executes any sequence of RDMSR, WRMSR, RDPMC and RDTSC at any privilege level. Faults follow the privilege rules,
 * counters have 40 bits, and a counter increases by exactly what its event counted. */
#include <string.h>

#include "fuzz.h"
#include "pmu/internal.h"

typedef struct source {
    uint64_t total, clocks;
} source;

static uint64_t total(void *context, enum p5_event event, unsigned cpl_mask, bool asserted)
{
    (void)event, (void)cpl_mask, (void)asserted;
    return ((source *)context)->total;
}

static uint64_t clocks(void *context, unsigned cpl_mask)
{
    (void)cpl_mask;
    return ((source *)context)->clocks;
}

static uint64_t clock_now(void *context)
{
    return ((source *)context)->clocks;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    source totals = {0, 0};
    const pmu_source from = {.context = &totals, .total = total, .clocks = clocks, .clock = clock_now};
    unsigned family = fuzz_byte(&input) & 1 ? P5_FAMILY_P54C : P5_FAMILY_P55C;
    p5_pmu *pmu;
    p5_error error;
    if (pmu_open(&from, family, &pmu, &error) != P5_OK)
        return 0;
    while (input.size > 0) {
        uint8_t what = fuzz_byte(&input);
        p5_privilege privilege = {
            .mode = what >> 2 & 3, .cpl = what >> 4 & 3, .tsd = what >> 6 & 1, .pce = what >> 7};
        if (privilege.mode > P5_MODE_V86)
            privilege.mode = P5_MODE_PROTECTED;
        if (privilege.mode == P5_MODE_REAL)
            privilege.cpl = 0;
        else if (privilege.mode == P5_MODE_V86)
            privilege.cpl = 3;
        uint32_t ecx = fuzz_byte(&input);
        uint64_t value = 0;
        p5_fault fault;
        switch (what & 3) {
        case 0:
            fault = p5_pmu_rdmsr(pmu, &privilege, ecx, &value);
            LAW(privilege.cpl == 0 || fault == P5_FAULT_GP);
            LAW(fault != P5_NO_FAULT || ecx <= P5_MSR_CTR1);
            break;
        case 1:
            value = (uint64_t)fuzz_word(&input) << 32 | fuzz_word(&input);
            fault = p5_pmu_wrmsr(pmu, &privilege, ecx, value);
            LAW(privilege.cpl == 0 || fault == P5_FAULT_GP);
            LAW(fault != P5_NO_FAULT || ecx <= P5_MSR_CTR1);
            break;
        case 2: {
            uint64_t later;
            fault = p5_pmu_rdpmc(pmu, &privilege, ecx & 3, &value);
            LAW(fault != P5_NO_FAULT || (ecx & 3) < 2);
            if (fault != P5_NO_FAULT)
                break;
            LAW(value >> 40 == 0);
            uint8_t step = fuzz_byte(&input);
            totals.total += step;
            totals.clocks += step;
            LAW(p5_pmu_rdpmc(pmu, &privilege, ecx & 3, &later) == P5_NO_FAULT);
            later = (later - value) & 0xffffffffff;
            LAW(later == step || later == 0); /* 0: the counter counts no event or at no privilege level */
            break;
        }
        default:
            fault = p5_pmu_rdtsc(pmu, &privilege, &value);
            LAW(fault == P5_NO_FAULT || (privilege.tsd && privilege.cpl > 0));
        }
    }
    p5_pmu_close(pmu);
    return 0;
}
