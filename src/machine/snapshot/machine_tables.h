/* Every table that a machine's snapshot can contain, for tests and for the description of the format. */
#ifndef MACHINE_SNAPSHOT_MACHINE_TABLES_H
#define MACHINE_SNAPSHOT_MACHINE_TABLES_H

#include "base/snapshot.h"

/* One list for each part of the program and kind of guest. NULL ends each list, and NULL ends the array of lists. */
extern const snapshot_table *const *const machine_tables[];

#endif
