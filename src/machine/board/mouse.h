/* A PS/2 mouse that answers commands but never moves. IBM PS/2 hardware interface technical reference, "Mouse". */
#ifndef MACHINE_BOARD_MOUSE_H
#define MACHINE_BOARD_MOUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

typedef struct mouse {
    uint8_t parameter_of; /* command whose parameter is next, or 0 */
    uint8_t rate;         /* samples per second */
    uint8_t resolution;   /* log2 of counts per millimetre, 0-3 */
    bool reporting;       /* movement is reported */
    bool remote;          /* mode: reports only on request */
    bool wraps;           /* mode: echoes every byte */
    bool scales;          /* scaling 2:1 */
} mouse;

extern const snapshot_table mouse_state;

/* Commands that the BIOS sends, and the first byte of the answer to a valid byte. */
enum {
    MOUSE_SET_SCALING_1 = 0xe6,
    MOUSE_SET_SCALING_2 = 0xe7,
    MOUSE_SET_RESOLUTION = 0xe8,
    MOUSE_STATUS = 0xe9,
    MOUSE_READ_ID = 0xf2,
    MOUSE_SET_RATE = 0xf3,
    MOUSE_ENABLE = 0xf4,
    MOUSE_DISABLE = 0xf5,
    MOUSE_SET_DEFAULTS = 0xf6,
    MOUSE_RESET = 0xff,
    MOUSE_ACKNOWLEDGE = 0xfa
};
enum { MOUSE_ANSWER = 4 }; /* bytes of the longest answer */

/* Sets the defaults, as after a reset. */
void mouse_reset(mouse *m);
/* Sends the mouse a byte. Returns the number of bytes in its answer. */
unsigned mouse_receive(mouse *m, uint8_t byte, uint8_t answer[MOUSE_ANSWER]);

#endif
