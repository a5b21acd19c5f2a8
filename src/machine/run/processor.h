/* Instructions that use state outside the engine, or have effects after they have been priced
 * (processor.c). */
#ifndef MACHINE_RUN_PROCESSOR_H
#define MACHINE_RUN_PROCESSOR_H

#include "p5scope/machine.h"

/* Work that an instruction has requested and that is done when the instruction has been priced. */
enum {
    AFTER_CONTROL = 1,
    AFTER_CR3 = 2,
    AFTER_INVLPG = 4,
    AFTER_INVD = 8,
    AFTER_WBINVD = 16,
    AFTER_DEBUG = 32,
    AFTER_TEST = 64,
    AFTER_CHECK = 128, /* set permanently if bus cycles can fail: then every instruction is checked */
    AFTER_ALL = 255
};

/* Passes the control inputs to the core and the monitor, from the current registers. */
void processor_set_control(p5_machine *machine);

#endif
