/* The monitors of later processors as register maps over the same counters and events: the Pentium Pro's, and
 * architectural performance monitoring, version 3. */
#ifndef PMU_PERFMON_H
#define PMU_PERFMON_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/counters.h"

/* PERFEVTSEL. On a Pentium Pro, EN of the first one enables both counters. ANY exists in version 3.
 *
 *   31   24  23  22  21  20  19 18 17  16 15     8 7      0
 *  +-------+---+---+---+---+---+--+--+---+--------+--------+
 *  | CMASK |INV|EN |ANY|INT|PC |E |OS|USR| umask  | event  |
 *  +-------+---+---+---+---+---+--+--+---+--------+--------+ */
enum {
    EVTSEL_EVENT = 0xff,
    EVTSEL_UMASK_AT = 8,
    EVTSEL_USR = 1 << 16,
    EVTSEL_OS = EVTSEL_USR << 1,
    EVTSEL_E = EVTSEL_OS << 1,
    EVTSEL_PC = EVTSEL_E << 1, /* the pin shows increments, not overflows */
    EVTSEL_INT = EVTSEL_PC << 1,
    EVTSEL_ANY = EVTSEL_INT << 1,
    EVTSEL_EN = EVTSEL_ANY << 1,
    EVTSEL_INV = EVTSEL_EN << 1,
    EVTSEL_CMASK_AT = 24
};
/* The accepted bits. E is missing because edges cannot be counted; a selection with E is refused. */
#define EVTSEL_ARCH3 (UINT32_MAX & ~(uint32_t)EVTSEL_E)
#define EVTSEL_P6    (EVTSEL_ARCH3 & ~(uint32_t)EVTSEL_ANY)

/* Counters: general ones, then fixed ones. */
enum { PMU_P5_COUNTERS = 2, PMU_GENERAL = 4, PMU_FIXED = 3, PMU_COUNTERS = PMU_GENERAL + PMU_FIXED };

/* FIXED_CTR_CTRL: four bits for each. */
enum { FIXED_OS = 1, FIXED_USR = 2, FIXED_ANY = 4, FIXED_PMI = 8, FIXED_BITS = 4, FIXED_MASK = 0xfff };

/* The global registers have a bit for each counter. GLOBAL_STATUS also has OvfBuffer and CondChgd, which are
 * never set here. */
#define GLOBAL_COUNTERS (UINT64_C(7) << 32 | 15)
#define GLOBAL_CLEARED                                                                                       \
    (GLOBAL_COUNTERS | UINT64_C(3) << 62) /* bits of GLOBAL_STATUS that GLOBAL_OVF_CTRL clears */

typedef struct perfmon {
    uint32_t evtsel[PMU_GENERAL];
    uint32_t fixed_ctrl;
    uint64_t global_ctrl;
    uint64_t global_status;
    uint64_t carries[PMU_COUNTERS]; /* overflows of each counter that global_status already includes */
} perfmon;

/* Returns the index of the counter that RDPMC's ECX selects; PMU_COUNTERS: none. Only the P5_MONITOR_* bits of
 * `family` matter. */
unsigned perfmon_rdpmc(unsigned family, uint32_t ecx);

/* Returns what the monitor's registers select for counter `i`. */
counter_choice perfmon_choice(const p5_pmu *pmu, unsigned i);
extern const snapshot_table perfmon_state;
/* Resets the monitor as RESET does. */
void perfmon_reset(p5_pmu *pmu);
/* Sets the bits of GLOBAL_STATUS for the counters that have overflowed since the previous call. Must be called before
 * a counter is written or bits of GLOBAL_STATUS are cleared. */
void perfmon_latch(p5_pmu *pmu);
/* Returns the value of the monitor's register `msr`. Counters and overflows are computed from the totals of
 * `source`. */
uint64_t perfmon_peek(const p5_pmu *pmu, uint32_t msr, const pmu_source *source);
/* Returns whether WRMSR may write `value`; otherwise it causes #GP. */
bool perfmon_accepts(const p5_pmu *pmu, const p5_register *r, uint64_t value);
/* Writes an accepted value to the monitor's register `msr`. */
void perfmon_write(p5_pmu *pmu, uint32_t msr, uint64_t value);

#endif
