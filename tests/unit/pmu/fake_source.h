/* A pmu_source for tests of the performance monitor: tests set what a core would have counted. */
#ifndef FAKE_SOURCE_H
#define FAKE_SOURCE_H

#include <stdio.h>
#include <string.h>

#include "../unit.h"
#include "pmu/internal.h"

/* What the functions of pmu_source return. */
typedef struct fake_source {
    uint64_t increments[P5_EVENT_COUNT][P5_CPL_CLASSES];
    uint64_t asserted[P5_EVENT_COUNT][P5_CPL_CLASSES]; /* clocks with at least one increment */
    uint64_t clocks[P5_CPL_CLASSES];                   /* spent at these privilege levels */
    uint64_t clock;                                    /* the present one */
} fake_source;

static inline uint64_t fake_sum(const uint64_t by_cpl[P5_CPL_CLASSES], unsigned cpl_mask)
{
    uint64_t sum = 0;
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++)
        sum += cpl_mask >> class & 1 ? by_cpl[class] : 0;
    return sum;
}

static inline uint64_t fake_total(void *context, enum p5_event event, unsigned cpl_mask, bool asserted)
{
    fake_source *fake = context;
    return fake_sum(asserted ? fake->asserted[event] : fake->increments[event], cpl_mask);
}

static inline uint64_t fake_clocks(void *context, unsigned cpl_mask)
{
    return fake_sum(((fake_source *)context)->clocks, cpl_mask);
}

static inline uint64_t fake_clock(void *context)
{
    return ((fake_source *)context)->clock;
}

/* Opens a monitor of `fake` with delays of the pins that differ from each other and from those of the models. `family`
 * includes the monitor. */
static inline p5_pmu *fake_open(fake_source *fake, unsigned family)
{
    pmu_source source = {.context = fake, .total = fake_total, .clocks = fake_clocks, .clock = fake_clock};
    p5_pmu *pmu;
    p5_error error;
    assert_int_equal(pmu_open(&source, family, &pmu, &error), P5_OK);
    pmu->pins.delay_clocks = 3;
    pmu->pins.overflow_clocks = 5;
    return pmu;
}

static inline void fake_close(p5_pmu **pmu)
{
    p5_pmu_close(*pmu);
}

/* Declares `fake`, a source with totals of 0 whose clock is `start`, and `pmu`, a monitor of it, which is closed at the
 * end of the block. */
#define FAKE_PMU_AT(fake, pmu, family, start)                                                                \
    fake_source fake = {.clock = start};                                                                     \
    CLOSED_BY(fake_close) p5_pmu *pmu = fake_open(&fake, family)
#define FAKE_PMU(fake, pmu, family) FAKE_PMU_AT(fake, pmu, family, 0)

/* Families with a monitor of later processors in place of CESR (pmu/perfmon.h), and that monitor's MSRs and bits of its
 * event selects. */
enum { P6 = P5_FAMILY_P55C | P5_MONITOR_P6, ARCH3 = P5_FAMILY_P55C | P5_MONITOR_ARCH3 };
enum {
    PMC0 = 0xc1,
    SEL0 = 0x186,
    FIXED0 = 0x309,
    FIXED_CTRL = 0x38d,
    STATUS = 0x38e,
    CTRL = 0x38f,
    OVF = 0x390
};
enum {
    USR = 1 << 16,
    OS = 1 << 17,
    EDGE = 1 << 18,
    PC = 1 << 19,
    INT = 1 << 20,
    ANY = 1 << 21,
    EN = 1 << 22,
    INV = 1 << 23
};

static const p5_privilege fake_cpl0 = {.mode = P5_MODE_PROTECTED, .cpl = 0};

static inline uint64_t fake_read(p5_pmu *pmu, uint32_t msr)
{
    uint64_t value = 0xbadbadbadbadbad;
    assert_int_equal(p5_pmu_rdmsr(pmu, &fake_cpl0, msr, &value), P5_NO_FAULT);
    return value;
}

static inline void fake_write(p5_pmu *pmu, uint32_t msr, uint64_t value)
{
    assert_int_equal(p5_pmu_wrmsr(pmu, &fake_cpl0, msr, value), P5_NO_FAULT);
}

#endif
