/* A PS/2 mouse that answers its commands and does not move. IBM PS/2 hardware interface technical reference, "Mouse". */
#ifndef MACHINE_BOARD_MOUSE_H
#define MACHINE_BOARD_MOUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

typedef struct mouse {
    uint8_t parameter_of; /* the command whose parameter comes next, or 0 */
    uint8_t rate;         /* samples a second */
    uint8_t resolution;   /* 0-3: counts in a millimetre as a power of 2 */
    bool reporting, remote, wraps, scales;
} mouse;

extern const snapshot_table mouse_state;

enum { MOUSE_ANSWER = 4 };

void mouse_reset(mouse *m);
/* Gives the mouse a byte. Returns the number of bytes that it answers. */
unsigned mouse_receive(mouse *m, uint8_t byte, uint8_t answer[MOUSE_ANSWER]);

#endif
