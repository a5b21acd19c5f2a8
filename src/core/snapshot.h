/* The state of a core in snapshots: everything that makes its next clock. Each function does both directions
 * (base/snapshot.h). */
#ifndef CORE_SNAPSHOT_H
#define CORE_SNAPSHOT_H

#include "base/snapshot.h"
#include "p5scope/core.h"
#include "p5scope/model.h"

/* The whole core. Between stretches only. Sets the snapshot's clock. */
void core_transfer(p5_core *core, snapshot *s);
/* A model, key by key as its file has them. Loading: a new one, which the caller closes; NULL after a
 * failure. */
p5_model *core_transfer_model(const p5_model *model, snapshot *s);

extern const snapshot_table counts_state;
/* All that stand in a core's snapshot, NULL behind the last. */
extern const snapshot_table *const core_tables[];

#endif
