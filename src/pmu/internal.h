/* The performance monitor as a whole. */
#ifndef PMU_INTERNAL_H
#define PMU_INTERNAL_H

#include "pmu/counters.h"
#include "pmu/perfmon.h"
#include "pmu/pins_internal.h"
#include "pmu/test_registers.h"
#include "pmu/tsc.h"

struct p5_pmu {
    unsigned family;        /* P5_FAMILY_* */
    unsigned monitor;       /* P5_MONITOR_P6, P5_MONITOR_ARCH3, or 0: CESR */
    p5_cc_clocks cc_clocks; /* what CESR's CC bit 2 counts */
    pmu_source source;      /* for the guest's instructions; reading issues a pending instruction first */
    pmu_source pin_source;  /* for the pins: reading issues no pending instruction */
    pmu_source peek_source; /* for p5_pmu_peek: as pin_source, but with the clock at which the next
                               instruction would enter EX */
    pins pins;
    uint32_t cesr;                      /* the register */
    pmu_counter counters[PMU_COUNTERS]; /* 0 and 1 with CESR; those of perfmon.h with a later monitor */
    perfmon perfmon;
    tsc tsc;
    test_registers tests;
    void (*parity_error)(void *context, uint32_t array, bool shutdown); /* p5_pmu_on_parity_error */
    void *parity_context;
    void (*parity_owner)(void *context, uint32_t array, bool shutdown); /* the machine's callback, called
                                                                           first */
    void *parity_owner_context;
    uint32_t machine_check_address, machine_check_type; /* MCA, MCT */
    uint32_t scratch[2];                                /* MSRs 1Eh and 1Fh of the P54C (msr_map.c) */
};

/* Opens a performance monitor on any source, in the state after RESET: TSC, CESR and TR12 are 0, and so is
 * what the manual leaves undefined. `family` includes the monitor. The caller may replace pin_source and peek_source,
 * which are copies of `source`. P5_ERR_UNSUPPORTED for an unknown family. */
p5_status pmu_open(const pmu_source *source, unsigned family, p5_pmu **pmu, p5_error *error);

/* Returns the value of a register, by the totals of `source`. Bits that cannot be read are included. */
uint64_t pmu_value(const p5_pmu *pmu, const p5_register *r, const pmu_source *source);
/* Applies the registers to all counters and pins. The counters' values stay. */
void pmu_select(p5_pmu *pmu);
/* Set what the counters and the pins follow, as the registers say, after a snapshot was loaded. The counters' values and
 * the pins' levels are kept. */
void pmu_restore(p5_pmu *pmu);
void pins_restore(p5_pmu *pmu);
/* Sets what the pins show after the counters' selections or values have changed. p5_pmu_follow_pins must have been called
 * before that change. (pins.c) */
void pins_select(p5_pmu *pmu);
/* Asserts IERR# for one clock. (pins.c) */
void pins_parity_error(p5_pmu *pmu);

#endif
