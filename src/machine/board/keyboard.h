/* The PS/2 keyboard controller (8042) with a keyboard, on which the user's input is typed, and a mouse. IBM
 * PC/AT technical reference, "Keyboard controller"; PS/2 hardware interface technical reference. */
#ifndef MACHINE_BOARD_KEYBOARD_H
#define MACHINE_BOARD_KEYBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "machine/board/key_sequence.h"
#include "machine/board/mouse.h"

enum { KEYBOARD_QUEUE = 16 };

typedef struct keyboard {
    uint8_t command_byte; /* of the controller: interrupt enables, translation, disable */
    uint8_t output;       /* output buffer of the controller, read at port 60h */
    bool output_full;
    bool last_was_command;         /* the last write was to port 64h */
    uint8_t expects;               /* controller command whose data byte is the next write to 60h, or 0 */
    uint8_t parameter_of;          /* keyboard command whose parameter is next, or 0 */
    bool scanning;                 /* the keyboard reports keys; its command F5h ends that */
    bool wanted;                   /* the guest has requested keys; with one_by_one, a single key */
    bool one_by_one;               /* each key needs its own request */
    bool input_ended;              /* the user's input has ended */
    uint8_t queue[KEYBOARD_QUEUE]; /* bytes to be sent to the controller */
    unsigned queued;
    uint64_t next_at;     /* clock at which the next byte arrives, UINT64_MAX: none is being sent */
    bool output_is_mouse; /* `output` is from the mouse */
    uint16_t queue_mouse; /* bit n is set if byte n of `queue` is from the mouse */
    mouse mouse;
    uint8_t sequence[KEY_SEQUENCE_BYTES]; /* bytes of the input that are not a whole key yet */
    uint8_t sequence_bytes;
    /* Polls of the guest for a key since the input has ended, and the clock of the first one. */
    uint32_t looks_at_end;
    uint64_t looks_since;
    bool holds; /* the next key is not released at once, because the guest reads port 60h now and then */
} keyboard;

extern const snapshot_table keyboard_state;

/* Returns the scan code (set 1) of an ASCII character on a US keyboard, or 0 if it has no key. *shift and
 * *control tell which modifier keys must be held. */
uint8_t keyboard_scan_code(uint8_t character, bool *shift, bool *control);

#endif
