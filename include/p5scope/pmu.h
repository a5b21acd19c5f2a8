/* The performance monitor and the model-specific registers, for programs and for the command `msr`. Manual:
 * chapter 26. */
#ifndef P5SCOPE_PMU_H
#define P5SCOPE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/core.h"
#include "p5scope/event.h"
#include "p5scope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct p5_pmu p5_pmu;

/* MSR numbers (ECX). Those without a number here follow their predecessor. */
enum {
    P5_MSR_MCA,
    P5_MSR_MCT,
    P5_MSR_TR1,
    P5_MSR_TR2 = 4,
    P5_MSR_TR3,
    P5_MSR_TR4,
    P5_MSR_TR5,
    P5_MSR_TR6,
    P5_MSR_TR7,
    P5_MSR_TR9 = 0x0b,
    P5_MSR_TR10,
    P5_MSR_TR11,
    P5_MSR_TR12,
    P5_MSR_TSC = 0x10,
    P5_MSR_CESR,
    P5_MSR_CTR0,
    P5_MSR_CTR1,
    /* P5_MONITOR_P6 and P5_MONITOR_ARCH3; the number of counters depends on the monitor. */
    P5_MSR_PMC0 = 0xc1,         /* to C4h */
    P5_MSR_PERFEVTSEL0 = 0x186, /* to 189h */
    P5_MSR_FIXED_CTR0 = 0x309,  /* to 30Bh */
    P5_MSR_FIXED_CTR_CTRL = 0x38d,
    P5_MSR_GLOBAL_STATUS,
    P5_MSR_GLOBAL_CTRL,
    P5_MSR_GLOBAL_OVF_CTRL
};

/* The state that decides whether RDPMC, RDTSC, RDMSR and WRMSR fault. The layout is fixed. */
typedef struct p5_privilege {
    uint8_t mode; /* P5_MODE_* */
    uint8_t cpl;  /* 0-3 */
    bool tsd;     /* CR4.TSD */
    bool pce;     /* CR4.PCE */
} p5_privilege;

/* The outcome of one of these instructions. */
typedef enum p5_fault { P5_NO_FAULT, P5_FAULT_UD /* #UD */, P5_FAULT_GP /* #GP(0) */ } p5_fault;

/* Opens a performance monitor over the totals of `core`, which must outlive it. `family` plus P5_MONITOR_P6
 * or P5_MONITOR_ARCH3 is a later monitor over the Pentium MMX's events. The caller closes it, before the core.
 * P5_ERR_MEMORY; *pmu is NULL then. */
p5_status p5_pmu_open(p5_core *core, unsigned family, p5_pmu **pmu, p5_error *error);
void p5_pmu_close(p5_pmu *pmu);

/* Execute the instructions. *value (RDTSC, RDPMC, RDMSR) is set only if the result is P5_NO_FAULT. An instruction that
 * is pending in the core, because it could pair with the next one, issues first (p5_core_settle). WRMSR ignores bits
 * that the register lacks; in registers of a later monitor they are #GP(0). */
p5_fault p5_pmu_rdtsc(p5_pmu *pmu, const p5_privilege *privilege, uint64_t *value);
p5_fault p5_pmu_rdpmc(p5_pmu *pmu, const p5_privilege *privilege, uint32_t ecx, uint64_t *value);
p5_fault p5_pmu_rdmsr(p5_pmu *pmu, const p5_privilege *privilege, uint32_t ecx, uint64_t *value);
p5_fault p5_pmu_wrmsr(p5_pmu *pmu, const p5_privilege *privilege, uint32_t ecx, uint64_t value);
/* Returns what RDMSR would read, but without its effects: a pending instruction stays pending and is not
 * counted yet. Returns 0 if there is no such register. */
uint64_t p5_pmu_peek(const p5_pmu *pmu, uint32_t msr);
/* Pins that show the state of the monitor. */
typedef enum p5_pin {
    P5_PIN_PM0,           /* PM0/BP0 */
    P5_PIN_PM1,           /* PM1/BP1 */
    P5_PIN_IERR,          /* IERR#; true means asserted, which is low */
    P5_PINS,              /* number of pins */
    P5_PIN_PMI = P5_PINS, /* not a pin: the overflow interrupt of later monitors */
    P5_PIN_SIGNALS        /* number of pins, with this one */
} p5_pin;
/* Returns the name of a pin ("PM0", ...), never NULL for values below P5_PIN_SIGNALS. */
const char *p5_pin_name(p5_pin pin);
/* Bits of MCT: the kind of the failed bus cycle (together P5_MCT_CYCLE), and CHK if one is latched. Manual: machine
 * check type register. */
enum {
    P5_MCT_CHK = 1,
    P5_MCT_WRITE = P5_CYCLE_WRITE,
    P5_MCT_DATA = P5_CYCLE_DATA,
    P5_MCT_MEMORY = P5_CYCLE_MEMORY,
    P5_MCT_LOCKED = P5_CYCLE_LOCKED,
    P5_MCT_CYCLE = 30
};
/* Fills in the fields of `control` that TR12 determines. */
void p5_pmu_control(const p5_pmu *pmu, p5_control *control);

/* One counter's half of CESR, decoded. The layout is fixed. */
typedef struct p5_counter_select {
    uint8_t code;      /* ES, 0-63 */
    bool system, user; /* CC bits 0 and 1: CPL 0-2, CPL 3 */
    bool clocks;       /* CC bit 2: asserted clocks instead of events */
    bool overflow_pin; /* PC: the pin shows overflows, not increments */
    uint8_t unit_mask; /* later monitors: 1 for an event of counter 1's list */
} p5_counter_select;

/* CESR <-> its two halves. Layout: manual 26.4.3.
 *   31..26 25 24..22 21..16 15..10 9  8..6 5..0
 *     0    PC1 CC1    ES1     0   PC0 CC0  ES0   */
void p5_cesr_decode(uint32_t cesr, p5_counter_select select[2]);
uint32_t p5_cesr_encode(const p5_counter_select select[2]);

/* Parses "name", "name:u", "r2b.0:uc" into a selection for counter `counter` of a processor of `family`.
 * Modifiers: u CPL 3, k CPL 0-2 (neither: both), c clocks, p the pin shows overflows. A raw code without .C
 * is looked up on `counter`. Errors say which counter or processor has the event. On a later monitor (its bit
 * is in `family`) any counter counts any event. */
p5_status p5_counter_parse(const char *text, unsigned counter, unsigned family, p5_counter_select *select,
                           p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
