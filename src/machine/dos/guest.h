/* DOS programs as a kind of guest. */
#ifndef MACHINE_DOS_GUEST_H
#define MACHINE_DOS_GUEST_H

#include "machine/state.h"

extern const guest_kind dos_guest;
/* What its snapshots are made of; NULL behind the last. */
extern const snapshot_table *const dos_tables[];

#endif
