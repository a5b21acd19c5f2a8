/* Instructions that use state outside the engine, or have effects after they have been priced
 * (processor.c). */
#ifndef MACHINE_RUN_PROCESSOR_H
#define MACHINE_RUN_PROCESSOR_H

#include "p5scope/machine.h"

/* Work that an instruction has requested and that is done when the instruction has been priced: bits of
 * p5_machine.after. */
enum {
    AFTER_CONTROL = 1, /* pass the control inputs to the core: CR0, TR12, EFLAGS.TF */
    AFTER_CR3 = 2,     /* flush the model's TLBs, as a load of CR3 does */
    AFTER_INVLPG = 4,  /* of after_linear */
    AFTER_INVD = 8,
    AFTER_WBINVD = 16,
    AFTER_DEBUG = 32,  /* pass the debug registers to the core */
    AFTER_TEST = 64,   /* a WRMSR of after_value to the test register after_msr */
    AFTER_CHECK = 128, /* set permanently if bus cycles can fail (BUSCHK#): every instruction is checked */
    AFTER_ALL = 255
};

/* Passes the control inputs of the model (p5_control) to the core and the monitor, from the current registers. Call it
 * after the host has changed one. */
void processor_set_control(p5_machine *machine);

#endif
