/* The timers of a Yamaha YMF262 (OPL3) at 388h, which programs use to detect an AdLib or Sound Blaster. It makes
 * no sound. Yamaha YMF262 application manual, "Timers". */
#ifndef MACHINE_BOARD_OPL_H
#define MACHINE_BOARD_OPL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

enum { OPL_TIMERS = 2 };

typedef struct opl_timer {
    uint8_t preset;
    bool running, masked;
    bool overflowed; /* the flag in the status register */
    uint64_t since;  /* the clock at which it was started or last overflowed */
} opl_timer;

typedef struct opl {
    uint8_t index;
    bool second_bank; /* the index was written to the second pair of ports */
    opl_timer timers[OPL_TIMERS];
} opl;

extern const snapshot_table opl_state;

#endif
