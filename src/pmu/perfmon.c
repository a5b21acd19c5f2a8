/* The monitors of later processors: PERFEVTSEL and PMCs, and in version 3 of architectural performance monitoring (ARCH3)
 * also fixed counters and global registers. Event codes are the Pentium's; the unit mask, 0 or 1, is the counter in
 * whose list they are. Version 3 also has its architectural codes, where such an event exists. */
#include "pmu/perfmon.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "pmu/internal.h"

/* The architectural events that the processor has. */
static const struct {
    uint8_t code, umask;
    uint16_t event;
} architectural[] = {
    {0x3c, 0x00, P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE}, /* unhalted core cycles */
    {0xc0, 0x00, P5_EVENT_INSTRUCTIONS_EXECUTED},              /* instructions retired */
    /* reference cycles: those of the time stamp counter, which are core cycles here */
    {0x3c, 0x01, P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE},
    {0xc4, 0x00, P5_EVENT_BRANCHES},
    {0xc5, 0x00, P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS},
};
enum { ARCHITECTURAL = sizeof architectural / sizeof architectural[0] };

/* By the number of the fixed counter: instructions retired, core cycles, reference cycles. */
static const enum p5_event fixed_events[PMU_FIXED] = {P5_EVENT_INSTRUCTIONS_EXECUTED,
                                                      P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE,
                                                      P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE};

/* Returns the number of general counters of a family with its monitor. */
static unsigned perfmon_general(unsigned family)
{
    return family & P5_MONITOR_ARCH3 ? PMU_GENERAL : PMU_P5_COUNTERS;
}

/* Returns the index of the counter that RDPMC reads, or PMU_COUNTERS if ECX selects none. Bit 30 of ECX selects fixed
 * counters. */
unsigned perfmon_rdpmc(unsigned family, uint32_t ecx)
{
    const uint32_t fixed = UINT32_C(1) << 30;
    if (family & P5_MONITOR_ARCH3 && ecx & fixed)
        return (ecx & ~fixed) < PMU_FIXED ? PMU_GENERAL + (ecx & ~fixed) : PMU_COUNTERS;
    return ecx < perfmon_general(family) ? ecx : PMU_COUNTERS;
}

/* Returns the event (enum p5_event) that a value of PERFEVTSEL selects, -1 if it selects none. */
static int perfmon_event(unsigned family, uint32_t evtsel)
{
    unsigned code = evtsel & EVTSEL_EVENT, umask = evtsel >> EVTSEL_UMASK_AT & 0xff;
    for (unsigned i = 0; i < ARCHITECTURAL && family & P5_MONITOR_ARCH3; i++)
        if (architectural[i].code == code && architectural[i].umask == umask)
            return architectural[i].event;
    return p5_event_by_code(code, umask, family & ~(unsigned)P5_MONITORS);
}

/* Returns what is counted with the PERFEVTSEL's CMASK and INV: clocks with at least, or fewer than, CMASK increments.
 * Known are the increments and the clocks that had any. The clocks with two or more are taken as the difference, which
 * is exact for an event with at most two per clock. */
static counter_mode mode_of(int event, uint32_t evtsel)
{
    bool inverted = evtsel & EVTSEL_INV;
    if (event < 0)
        return COUNTS_NOTHING;
    switch (evtsel >> EVTSEL_CMASK_AT) {
    case 0:
        return COUNTS_INCREMENTS;
    case 1:
        return inverted ? COUNTS_UNASSERTED : COUNTS_ASSERTED;
    case 2:
        return inverted ? COUNTS_NOT_TWICE : COUNTS_TWICE;
    default:
        return inverted ? COUNTS_CLOCKS : COUNTS_NOTHING;
    }
}

/* ---- counters ------------------------------------------------------------------------------------------ */

/* Returns what the registers select for general counter `i`. */
static counter_choice general_choice(const p5_pmu *pmu, unsigned i)
{
    assert(i < PMU_GENERAL);
    const perfmon *m = &pmu->perfmon;
    uint32_t evtsel = m->evtsel[i];
    bool arch3 = pmu->monitor & P5_MONITOR_ARCH3;
    bool enabled = arch3 ? evtsel & EVTSEL_EN && m->global_ctrl >> i & 1 : m->evtsel[0] & EVTSEL_EN;
    counter_choice choice = {.event = perfmon_event(pmu->family | pmu->monitor, evtsel),
                             .interrupts = evtsel & EVTSEL_INT};
    choice.mode = (uint8_t)mode_of(choice.event, evtsel);
    if (enabled)
        choice.levels = (uint8_t)((evtsel & EVTSEL_OS ? P5_CPL_MASK_KERNEL : 0) |
                                  (evtsel & EVTSEL_USR ? P5_CPL_MASK_NOT_0 : 0));
    choice.select.overflow_pin = !(evtsel & EVTSEL_PC);
    return choice;
}

/* Returns what the registers select for fixed counter `i`. */
static counter_choice fixed_choice(const p5_pmu *pmu, unsigned i)
{
    assert(i < PMU_FIXED);
    const perfmon *m = &pmu->perfmon;
    unsigned control = m->fixed_ctrl >> FIXED_BITS * i;
    counter_choice choice = {
        .event = (int)fixed_events[i], .mode = COUNTS_INCREMENTS, .interrupts = control & FIXED_PMI};
    if (m->global_ctrl >> (32 + i) & 1)
        choice.levels = (uint8_t)((control & FIXED_OS ? P5_CPL_MASK_KERNEL : 0) |
                                  (control & FIXED_USR ? P5_CPL_MASK_NOT_0 : 0));
    return choice;
}

counter_choice perfmon_choice(const p5_pmu *pmu, unsigned i)
{
    assert(i < PMU_COUNTERS);
    return i < PMU_GENERAL ? general_choice(pmu, i) : fixed_choice(pmu, i - PMU_GENERAL);
}

/* Returns the number of a counter's bit in the global registers. */
static unsigned status_bit(unsigned counter)
{
    assert(counter < PMU_COUNTERS);
    return counter < PMU_GENERAL ? counter : 32 + counter - PMU_GENERAL;
}

/* Returns GLOBAL_STATUS: the stored bits, and those of the counters that have overflowed since. */
static uint64_t status_of(const p5_pmu *pmu, const pmu_source *source)
{
    const perfmon *m = &pmu->perfmon;
    uint64_t status = m->global_status;
    for (unsigned i = 0; i < PMU_COUNTERS; i++)
        if (counter_carries(&pmu->counters[i], source) != m->carries[i])
            status |= UINT64_C(1) << status_bit(i);
    return status;
}

void perfmon_latch(p5_pmu *pmu)
{
    perfmon *m = &pmu->perfmon;
    m->global_status = status_of(pmu, &pmu->source);
    for (unsigned i = 0; i < PMU_COUNTERS; i++)
        m->carries[i] = counter_carries(&pmu->counters[i], &pmu->source);
}

/* Writes counter `i` of p5_pmu.counters. */
static void write_counter(p5_pmu *pmu, unsigned i, uint64_t value)
{
    perfmon_latch(pmu);
    p5_pmu_follow_pins(pmu);
    counter_write(&pmu->counters[i], value, &pmu->source);
    pmu->perfmon.carries[i] = 0;
    pins_select(pmu);
}

/* ---- registers ----------------------------------------------------------------------------------------- */

/* Returns whether `msr` is one of `count` registers from number `first` on. */
static bool among(uint32_t msr, uint32_t first, unsigned count)
{
    return msr - first < count;
}

uint64_t perfmon_peek(const p5_pmu *pmu, uint32_t msr, const pmu_source *source)
{
    const perfmon *m = &pmu->perfmon;
    if (among(msr, P5_MSR_PMC0, PMU_GENERAL))
        return counter_read(&pmu->counters[msr - P5_MSR_PMC0], source);
    if (among(msr, P5_MSR_FIXED_CTR0, PMU_FIXED))
        return counter_read(&pmu->counters[PMU_GENERAL + msr - P5_MSR_FIXED_CTR0], source);
    if (among(msr, P5_MSR_PERFEVTSEL0, PMU_GENERAL))
        return m->evtsel[msr - P5_MSR_PERFEVTSEL0];
    if (msr == P5_MSR_FIXED_CTR_CTRL)
        return m->fixed_ctrl;
    if (msr == P5_MSR_GLOBAL_CTRL)
        return m->global_ctrl;
    return status_of(pmu, source); /* GLOBAL_OVF_CTRL has no readable bits */
}

bool perfmon_accepts(const p5_pmu *pmu, const p5_register *r, uint64_t value)
{
    if (among(r->msr, P5_MSR_PMC0, PMU_GENERAL))
        return true; /* EDX is ignored */
    if (among(r->msr, P5_MSR_FIXED_CTR0, PMU_FIXED))
        return value >> pmu->counters[0].bits == 0;
    return r->write_mask != 0 && (value & ~r->write_mask) == 0;
}

void perfmon_write(p5_pmu *pmu, uint32_t msr, uint64_t value)
{
    perfmon *m = &pmu->perfmon;
    if (among(msr, P5_MSR_PMC0, PMU_GENERAL)) {
        const uint64_t extended = (uint64_t)(int64_t)(int32_t)value; /* from bit 31 */
        write_counter(pmu, msr - P5_MSR_PMC0, extended);
        return;
    }
    if (among(msr, P5_MSR_FIXED_CTR0, PMU_FIXED)) {
        write_counter(pmu, PMU_GENERAL + msr - P5_MSR_FIXED_CTR0, value);
        return;
    }
    if (among(msr, P5_MSR_PERFEVTSEL0, PMU_GENERAL)) {
        m->evtsel[msr - P5_MSR_PERFEVTSEL0] = (uint32_t)value;
    } else if (msr == P5_MSR_FIXED_CTR_CTRL) {
        m->fixed_ctrl = (uint32_t)value;
    } else if (msr == P5_MSR_GLOBAL_CTRL) {
        m->global_ctrl = value;
    } else if (msr == P5_MSR_GLOBAL_OVF_CTRL) {
        perfmon_latch(pmu);
        m->global_status &= ~value;
        return;
    }
    pmu_select(pmu);
}

void p5_pmu_cpuid_0a(const p5_pmu *pmu, uint32_t leaf[4])
{
    unsigned bits = pmu->counters[0].bits;
    /* EAX: version, number and width of general counters, number of bits in EBX. */
    leaf[0] = 3 | PMU_GENERAL << 8 | bits << 16 | 7 << 24;
    leaf[1] = 3 << 3; /* of the seven events, the last-level cache's two are missing: it is on the board */
    leaf[2] = 0;
    /* EDX: number and width of fixed counters. */
    leaf[3] = PMU_FIXED | bits << 5;
}

/* ---- as text ------------------------------------------------------------------------------------------ */

uint32_t p5_evtsel_encode(const p5_counter_select *select, unsigned number, unsigned family)
{
    uint32_t value = select->code | (uint32_t)select->unit_mask << EVTSEL_UMASK_AT;
    value |= number == 0 || family & P5_MONITOR_ARCH3 ? EVTSEL_EN : 0;
    value |= select->user ? EVTSEL_USR : 0;
    value |= select->system ? EVTSEL_OS : 0;
    value |= select->overflow_pin ? 0 : EVTSEL_PC;
    return value | (select->clocks ? UINT32_C(1) << EVTSEL_CMASK_AT : 0);
}

void p5_evtsel_describe(uint32_t value, unsigned family, char *text, size_t size)
{
    /* By the bits OS and USR. */
    static const char *const levels[] = {"at no CPL", "at CPL 1-3", "at CPL 0", "at any CPL"};
    int event = perfmon_event(family, value);
    unsigned threshold = value >> EVTSEL_CMASK_AT;
    const char *where = levels[value >> 16 & 3];
    if ((value & EVTSEL_E) != 0)
        snprintf(text, size, "is refused: edges are not counted");
    else if (event < 0)
        snprintf(text, size, "counts nothing: there is no event %02" PRIX32 "h with unit mask %02" PRIX32 "h",
                 value & EVTSEL_EVENT, value >> EVTSEL_UMASK_AT & 0xff);
    else if (threshold == 0)
        snprintf(text, size, "counts %s %s", p5_event_describe((enum p5_event)event)->name, where);
    else
        snprintf(text, size, "counts the clocks with %s %u of %s %s",
                 value & EVTSEL_INV ? "fewer than" : "at least", threshold,
                 p5_event_describe((enum p5_event)event)->name, where);
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

const snapshot_table perfmon_state = {
    SNAPSHOT(perfmon, "perfmon", FIELD_ANY_OF([0], evtsel), FIELD_BITS(FIXED_MASK, fixed_ctrl),
             FIELD_BITS(GLOBAL_COUNTERS, global_ctrl, global_status), FIELD_ANY_OF([0], carries))};
