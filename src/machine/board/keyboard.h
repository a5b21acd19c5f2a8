/* The keyboard controller (8042) of a PS/2: a keyboard whose keys the user's input presses, and a mouse. IBM PC/AT
 * technical reference, "Keyboard controller"; PS/2 hardware interface technical reference. */
#ifndef MACHINE_BOARD_KEYBOARD_H
#define MACHINE_BOARD_KEYBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "machine/board/mouse.h"

enum { KEYBOARD_QUEUE = 16 };

typedef struct keyboard {
    uint8_t command_byte; /* interrupt enables, translation, disable */
    uint8_t output;       /* what port 60h reads */
    bool output_full;
    bool last_was_command; /* the last write was to port 64h */
    uint8_t expects;       /* a controller command whose data byte comes with the next write to 60h */
    uint8_t parameter_of;  /* a keyboard command that takes one */
    bool scanning;
    bool wanted;     /* the guest has shown that it wants keys */
    bool one_by_one; /* ... and does so for each */
    bool input_ended;
    uint8_t queue[KEYBOARD_QUEUE]; /* on its way to `output` */
    unsigned queued;
    uint64_t next_at;     /* clock at which the next byte can arrive, UINT64_MAX = nothing on its way */
    bool output_is_mouse; /* the byte in `output` */
    uint16_t queue_mouse; /* which bytes of `queue` are the mouse's: bit 0 the first */
    mouse mouse;
    /* Since the input ended: how often the guest has looked for a key, and from which clock on. */
    uint32_t looks_at_end;
    uint64_t looks_since;
} keyboard;

extern const snapshot_table keyboard_state;

/* Scan code (set 1) of an ASCII character on a US keyboard, 0 if it has no key; *shift and *control say what
 * must be held. */
uint8_t keyboard_scan_code(uint8_t character, bool *shift, bool *control);

#endif
