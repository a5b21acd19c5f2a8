/* Linux programs as a kind of guest. */
#ifndef MACHINE_LINUX_GUEST_H
#define MACHINE_LINUX_GUEST_H

#include "machine/state.h"

extern const guest_kind linux_guest;
/* The tables of its snapshots; NULL ends the list. */
extern const snapshot_table *const linux_tables[];

/* The flags that sigreturn and a debugger may set in a Linux program: CF PF AF ZF SF TF DF OF RF AC. */
enum { EFLAGS_USER = 0x50dd5 };

#endif
