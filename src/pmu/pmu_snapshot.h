/* The performance monitor in snapshots: every register, counter and pin, both directions
 * (base/snapshot.h). */
#ifndef PMU_PMU_SNAPSHOT_H
#define PMU_PMU_SNAPSHOT_H

#include "base/snapshot.h"
#include "p5scope/pmu.h"

/* Between stretches only. Who is told of pins and parity errors stays as it is. */
void pmu_transfer(p5_pmu *pmu, snapshot *s);
/* NULL behind the last. */
extern const snapshot_table *const pmu_tables[];

#endif
