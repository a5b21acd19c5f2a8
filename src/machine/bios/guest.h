/* Boot-sector images as a kind of guest. */
#ifndef MACHINE_BIOS_GUEST_H
#define MACHINE_BIOS_GUEST_H

#include "machine/state.h"

extern const guest_kind boot_guest;
/* Tables of its snapshots, terminated by NULL. */
extern const snapshot_table *const boot_tables[];

#endif
