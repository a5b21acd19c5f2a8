#include "pmu/pmu_snapshot.h"

#include "pmu/internal.h"

static const snapshot_field tsc_fields[] = {
    FIELD_ANY(tsc, offset),
};
static const snapshot_table tsc_state = {SNAPSHOT_TABLE(tsc, "tsc", tsc_fields)};

static const snapshot_field test_fields[] = {
    FIELD_ANY(test_registers, value, [0]), FIELD_ANY(test_registers, fill_buffer, [0]),
    FIELD_ANY(test_registers, filled),     FIELD_ANY(test_registers, end_bits, [0]),
    FIELD_DERIVED(test_registers, ops),
};
static const snapshot_table test_state = {SNAPSHOT_TABLE(test_registers, "tests", test_fields)};

enum { CESR_BITS = 0x3ff << 16 | 0x3ff };

static const snapshot_field monitor_fields[] = {
    FIELD_DERIVED(p5_pmu, family),
    FIELD_DERIVED(p5_pmu, monitor),
    FIELD_MOST(p5_pmu, cc_clocks, P5_CC_FREE_RUNNING),
    FIELD_DERIVED(p5_pmu, source),
    FIELD_DERIVED(p5_pmu, watched),
    FIELD_TABLE(p5_pmu, pins, &pins_state),
    FIELD_BITS(p5_pmu, cesr, CESR_BITS),
    FIELD_TABLE(p5_pmu, counters, &counter_state),
    FIELD_TABLE(p5_pmu, perfmon, &perfmon_state),
    FIELD_TABLE(p5_pmu, tsc, &tsc_state),
    FIELD_TABLE(p5_pmu, tests, &test_state),
    FIELD_DERIVED(p5_pmu, parity_error),
    FIELD_DERIVED(p5_pmu, parity_context),
    FIELD_DERIVED(p5_pmu, parity_owner),
    FIELD_DERIVED(p5_pmu, parity_owner_context),
    FIELD_ANY(p5_pmu, machine_check_address),
    FIELD_ANY(p5_pmu, machine_check_type),
    FIELD_ANY(p5_pmu, scratch, [0]),
};

static const snapshot_table monitor_state = {SNAPSHOT_TABLE(p5_pmu, "monitor", monitor_fields)};

const snapshot_table *const pmu_tables[] = {&monitor_state, NULL};

void pmu_transfer(p5_pmu *pmu, snapshot *s)
{
    snapshot_state(s, &monitor_state, pmu);
    if (s->loading && s->status == P5_OK)
        pmu_follow(pmu);
}
