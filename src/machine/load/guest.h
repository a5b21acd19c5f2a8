/* Kinds of guests that need only the processor: bare-metal images and case files. */
#ifndef MACHINE_LOAD_GUEST_H
#define MACHINE_LOAD_GUEST_H

#include "machine/state.h"

extern const guest_kind bare_guest, case_guest;

#endif
