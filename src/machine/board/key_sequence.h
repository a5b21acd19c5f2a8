/* Keys in the user's input: characters, and the sequences that terminals send for keys without a character
 * (ECMA-48, 5.4; xterm control sequences, "PC-style function keys"; the Linux console's F1 to F5). */
#ifndef MACHINE_BOARD_KEY_SEQUENCE_H
#define MACHINE_BOARD_KEY_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

enum { KEY_SEQUENCE_BYTES = 8 };

/* A key of a US keyboard with 101 keys and the modifiers that are held. */
typedef struct key_press {
    uint8_t code;      /* scan code of set 1; 0: no key */
    uint8_t character; /* the character of the input of which this is the key; 0 if it came as a sequence */
    bool extended;     /* E0h precedes the scan code */
    bool shift, control, alt;
} key_press;

/* Returns the key of a character, with code 0 if it has none. */
key_press key_of_character(uint8_t character);

/* Decodes the first key of `count` (at least 1) bytes. Returns the number of bytes that belong to it, or 0 if more
 * bytes may complete a sequence. A byte ESC that begins no sequence is the key Esc, and so are two of them. ESC
 * with a letter or a digit is that key with Alt. */
unsigned key_decode(const uint8_t *bytes, unsigned count, key_press *key);

#endif
