/* The monitors of later processors as register maps over the Pentium's counters and events: the Pentium Pro's (P6), and
 * Intel's architectural performance monitoring, version 3 (ARCH3). */
#ifndef PMU_PERFMON_H
#define PMU_PERFMON_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/counters.h"

/* PERFEVTSEL (SDM volume 3, performance monitoring). On a Pentium Pro, EN of the first one enables both counters. ANY
 * exists in version 3.
 *
 *   31   24  23  22  21  20  19 18 17  16 15     8 7      0
 *  +-------+---+---+---+---+---+--+--+---+--------+--------+
 *  | CMASK |INV|EN |ANY|INT|PC |E |OS|USR| umask  | event  |
 *  +-------+---+---+---+---+---+--+--+---+--------+--------+ */
enum {
    EVTSEL_EVENT = 0xff,
    EVTSEL_UMASK_AT = 8,          /* number of the lowest bit */
    EVTSEL_USR = 1 << 16,         /* counts at CPL 1-3 */
    EVTSEL_OS = EVTSEL_USR << 1,  /* counts at CPL 0 */
    EVTSEL_E = EVTSEL_OS << 1,    /* counts edges */
    EVTSEL_PC = EVTSEL_E << 1,    /* the pin shows increments, not overflows */
    EVTSEL_INT = EVTSEL_PC << 1,  /* an overflow is an interrupt request */
    EVTSEL_ANY = EVTSEL_INT << 1, /* of any thread: no effect */
    EVTSEL_EN = EVTSEL_ANY << 1,
    EVTSEL_INV = EVTSEL_EN << 1, /* inverts the comparison with CMASK */
    EVTSEL_CMASK_AT = 24         /* number of the lowest bit */
};
/* The accepted bits. E is missing because edges cannot be counted; a selection with E is refused. */
#define EVTSEL_ARCH3 (UINT32_MAX & ~(uint32_t)EVTSEL_E)
#define EVTSEL_P6    (EVTSEL_ARCH3 & ~(uint32_t)EVTSEL_ANY)

/* Numbers of counters. In p5_pmu.counters the general ones come first, then the fixed ones from index PMU_GENERAL on. */
enum {
    PMU_P5_COUNTERS = 2, /* of the Pentium and the Pentium Pro */
    PMU_GENERAL = 4,     /* of version 3: the event can be selected */
    PMU_FIXED = 3,       /* of version 3: each has its event */
    PMU_COUNTERS = PMU_GENERAL + PMU_FIXED
};

/* FIXED_CTR_CTRL: FIXED_BITS bits for each fixed counter, of which OS enables CPL 0, USR CPL 1-3, and PMI makes an
 * overflow an interrupt request. FIXED_MASK: all bits that exist. */
enum { FIXED_OS = 1, FIXED_USR = 2, FIXED_ANY = 4, FIXED_PMI = 8, FIXED_BITS = 4, FIXED_MASK = 0xfff };

/* The global registers have a bit for each counter: general ones from bit 0, fixed ones from bit 32 on. GLOBAL_STATUS
 * also has OvfBuffer (bit 62) and CondChgd (bit 63), which are never set here. */
#define GLOBAL_COUNTERS (UINT64_C(7) << 32 | 15)
/* The bits of GLOBAL_STATUS that GLOBAL_OVF_CTRL clears. */
#define GLOBAL_CLEARED (GLOBAL_COUNTERS | UINT64_C(3) << 62)

/* The registers of a later monitor other than the counters. */
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

/* Returns what the monitor's registers select for counter `i` of p5_pmu.counters. */
counter_choice perfmon_choice(const p5_pmu *pmu, unsigned i);
extern const snapshot_table perfmon_state;
/* Sets the bits of GLOBAL_STATUS for the counters that have overflowed since the previous call. Must be called before
 * a counter is written or bits of GLOBAL_STATUS are cleared. */
void perfmon_latch(p5_pmu *pmu);
/* Returns the value of register `msr` of a later monitor. Counters and overflows are computed from the totals of
 * `source`. */
uint64_t perfmon_peek(const p5_pmu *pmu, uint32_t msr, const pmu_source *source);
/* Returns whether WRMSR may write `value` to register `r` of a later monitor; otherwise it raises #GP(0). */
bool perfmon_accepts(const p5_pmu *pmu, const p5_register *r, uint64_t value);
/* Writes an accepted value to the monitor's register `msr`. */
void perfmon_write(p5_pmu *pmu, uint32_t msr, uint64_t value);

#endif
