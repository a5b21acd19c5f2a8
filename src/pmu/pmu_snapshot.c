/* The tables of the performance monitor's state for snapshots (base/snapshot.h). Derived members are not saved;
 * pmu_restore sets those that follow from the registers. */
#include "pmu/pmu_snapshot.h"

#include "pmu/cesr.h"
#include "pmu/internal.h"

static const snapshot_table tsc_state = {SNAPSHOT(tsc, "tsc", FIELD_ANY(offset))};

static const snapshot_table test_state = {SNAPSHOT(test_registers, "tests",
                                                   FIELD_ANY_OF([0], value, fill_buffer), FIELD_ANY(filled),
                                                   FIELD_ANY_OF([0], end_bits), FIELD_DERIVED(ops))};

static const snapshot_table monitor_state = {SNAPSHOT(
    p5_pmu, "monitor", FIELD_DERIVED(family, monitor), FIELD_MOST(P5_CC_FREE_RUNNING, cc_clocks),
    FIELD_DERIVED(source, pin_source, peek_source), FIELD_TABLE(&pins_state, pins),
    FIELD_BITS(CESR_MASK, cesr), FIELD_TABLE(&counter_state, counters), FIELD_TABLE(&perfmon_state, perfmon),
    FIELD_TABLE(&tsc_state, tsc), FIELD_TABLE(&test_state, tests),
    FIELD_DERIVED(parity_error, parity_context, parity_owner, parity_owner_context),
    FIELD_ANY(machine_check_address, machine_check_type), FIELD_ANY_OF([0], scratch))};

const snapshot_table *const pmu_tables[] = {&monitor_state, NULL};

void pmu_transfer(p5_pmu *pmu, snapshot *s)
{
    snapshot_state(s, &monitor_state, pmu);
    if (s->loading && s->status == P5_OK)
        pmu_restore(pmu);
}
