/* DOS programs as a kind of guest. */
#ifndef MACHINE_DOS_GUEST_H
#define MACHINE_DOS_GUEST_H

#include "machine/state.h"

extern const guest_kind dos_guest;
/* Tables of its snapshots, terminated by NULL. */
extern const snapshot_table *const dos_tables[];

#endif
