/* The state of a core in snapshots: everything that makes its next clock. Each function does both directions
 * (base/snapshot.h). */
#ifndef CORE_SNAPSHOT_H
#define CORE_SNAPSHOT_H

#include "base/snapshot.h"
#include "p5scope/core.h"

/* The whole core. Between stretches only. */
void core_transfer(p5_core *core, snapshot *s);

#endif
