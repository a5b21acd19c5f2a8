/* Saves and restores the performance monitor: every register, counter and pin (base/snapshot.h). */
#ifndef PMU_PMU_SNAPSHOT_H
#define PMU_PMU_SNAPSHOT_H

#include "base/snapshot.h"
#include "p5scope/pmu.h"

/* Saves or restores the monitor, between stretches only. Callbacks are kept. */
void pmu_transfer(p5_pmu *pmu, snapshot *s);
/* Ends with NULL. */
extern const snapshot_table *const pmu_tables[];

#endif
