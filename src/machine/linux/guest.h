/* Linux programs as a kind of guest. */
#ifndef MACHINE_LINUX_GUEST_H
#define MACHINE_LINUX_GUEST_H

#include "machine/state.h"

extern const guest_kind linux_guest;
/* What its snapshots are made of; NULL behind the last. */
extern const snapshot_table *const linux_tables[];

/* What sigreturn and a debugger may set of a Linux program's: CF PF AF ZF SF TF DF OF RF AC. */
enum { EFLAGS_USER = 0x50dd5 };

#endif
