/* Machines that tests open. */
#ifndef UNIT_OPENED_H
#define UNIT_OPENED_H

#include "../unit.h"
#include "p5scope/machine.h"

static inline void close_machine(p5_machine **machine)
{
    p5_machine_close(*machine);
}

/* Declares `machine`, which is what `opened` returns. It is closed at the end of the block. */
#define MACHINE(machine, opened) CLOSED_BY(close_machine) p5_machine *machine = opened

#endif
