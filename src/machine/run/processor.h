/* Instructions that look outside, or ask for something that comes behind them (processor.c). */
#ifndef MACHINE_RUN_PROCESSOR_H
#define MACHINE_RUN_PROCESSOR_H

#include "p5scope/machine.h"

/* Work that an instruction asked for and that happens when it has been priced. */
enum {
    AFTER_CONTROL = 1,
    AFTER_CR3 = 2,
    AFTER_INVLPG = 4,
    AFTER_INVD = 8,
    AFTER_WBINVD = 16,
    AFTER_DEBUG = 32,
    AFTER_TEST = 64,
    AFTER_CHECK = 128, /* every instruction, if bus cycles may fail: stays set */
    AFTER_ALL = 255
};

/* Control inputs from the registers as they are now. */
void processor_set_control(p5_machine *machine);

#endif
