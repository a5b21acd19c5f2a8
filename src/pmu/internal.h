/* The performance monitor as a whole. */
#ifndef PMU_INTERNAL_H
#define PMU_INTERNAL_H

#include "pmu/counters.h"
#include "pmu/perfmon.h"
#include "pmu/pins_internal.h"
#include "pmu/test_registers.h"
#include "pmu/tsc.h"

struct p5_pmu {
    unsigned family;  /* P5_FAMILY_* */
    unsigned monitor; /* P5_MONITOR_P6, P5_MONITOR_ARCH3, or 0: CESR */
    p5_cc_clocks cc_clocks;
    pmu_source source;
    pmu_source watched; /* like `source`, but issues no pending instruction: for the pins */
    pmu_source peeked;  /* like `watched`, but its clock is that at which the next instruction would enter
                           EX */
    pins pins;
    uint32_t cesr;
    pmu_counter counters[PMU_COUNTERS];
    perfmon perfmon;
    tsc tsc;
    test_registers tests;
    void (*parity_error)(void *context, uint32_t array, bool shutdown);
    void *parity_context;
    void (*parity_owner)(void *context, uint32_t array, bool shutdown); /* the machine's callback, called
                                                                           first */
    void *parity_owner_context;
    uint32_t machine_check_address, machine_check_type; /* MCA, MCT */
    uint32_t scratch[2];                                /* P54C, undocumented */
};

/* Opens a performance monitor on any source, in the state after RESET: TSC, CESR and TR12 are 0, and so is
 * what the manual leaves undefined. */
p5_status pmu_open(const pmu_source *source, unsigned family, p5_pmu **pmu, p5_error *error);

/* Returns the value of a register, by the totals of `source`. */
uint64_t pmu_value(const p5_pmu *pmu, const p5_register *r, const pmu_source *source);
/* Make counters and pins follow the registers after these were loaded. Their values are kept. */
void pmu_follow(p5_pmu *pmu);
void pmu_pins_follow(p5_pmu *pmu);
/* Handle a changed selection and a parity error. (pins.c) */
void pins_select(p5_pmu *pmu);
void pins_parity_error(p5_pmu *pmu);

#endif
