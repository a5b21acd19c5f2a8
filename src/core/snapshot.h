/* Snapshots of a core: all state that its next clock depends on. Each function saves and loads
 * (base/snapshot.h). */
#ifndef CORE_SNAPSHOT_H
#define CORE_SNAPSHOT_H

#include "base/snapshot.h"
#include "p5scope/core.h"
#include "p5scope/model.h"

/* Transfers (saves or loads, by s->loading) a whole core. Must not be called while a stretch is priced. Sets the
 * snapshot's clock. Errors are in s->status. */
void core_transfer(p5_core *core, snapshot *s);
/* Transfers a model, key by key as in its file. Loading: returns a new model, which the caller closes, or
 * NULL after a failure. */
p5_model *core_transfer_model(const p5_model *model, snapshot *s);

/* The fields of p5_counts. */
extern const snapshot_table counts_state;
/* All tables in a core's snapshot, followed by NULL. */
extern const snapshot_table *const core_tables[];

#endif
