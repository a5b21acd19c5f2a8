/* Saves and restores the performance monitor: every register, counter and pin (base/snapshot.h). */
#ifndef PMU_PMU_SNAPSHOT_H
#define PMU_PMU_SNAPSHOT_H

#include "base/snapshot.h"
#include "p5scope/pmu.h"

/* Saves or restores the monitor, by s->loading. To be called only when everything that was executed has been priced.
 * Callbacks are kept. */
void pmu_transfer(p5_pmu *pmu, snapshot *s);
/* The tables that pmu_transfer uses, for the description of the format. Ends with NULL. */
extern const snapshot_table *const pmu_tables[];

#endif
