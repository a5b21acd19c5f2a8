/* Every table that a machine's snapshot can be made of: for tests, and for the description of the format. */
#ifndef MACHINE_SNAPSHOT_MACHINE_TABLES_H
#define MACHINE_SNAPSHOT_MACHINE_TABLES_H

#include "base/snapshot.h"

/* Lists by floor and kind of guest, each with NULL behind its last table; NULL behind the last list. */
extern const snapshot_table *const *const machine_tables[];

#endif
