#include "machine/board/key_sequence.h"

#include <ctype.h>
#include <stddef.h>

#include "machine/board/keyboard.h"

/* CODE_*: scan codes of set 1. A control sequence ends with a character from FIRST_FINAL to LAST_FINAL. */
enum { ESC = 0x1b, CODE_ESC = 0x01, CODE_TAB = 0x0f, FIRST_FINAL = 0x40, LAST_FINAL = 0x7e };

/* A key by the final character of its sequence, and by the number before a final '~'. */
typedef struct sequence_key {
    char final;
    uint8_t number;
    uint8_t code; /* scan code of set 1 */
    bool extended;
} sequence_key;

/* A-D: up, down, right, left. H, F: Home, End. P-S: F1-F4. ~ with 1-8: Home, Ins, Del, End, page up, page down, Home,
 * End; with 11-24: F1-F12. */
static const sequence_key keys[] = {
    {'A', 0, 0x48, true},   {'B', 0, 0x50, true},   {'C', 0, 0x4d, true},   {'D', 0, 0x4b, true},
    {'H', 0, 0x47, true},   {'F', 0, 0x4f, true},   {'P', 0, 0x3b, false},  {'Q', 0, 0x3c, false},
    {'R', 0, 0x3d, false},  {'S', 0, 0x3e, false},  {'~', 1, 0x47, true},   {'~', 2, 0x52, true},
    {'~', 3, 0x53, true},   {'~', 4, 0x4f, true},   {'~', 5, 0x49, true},   {'~', 6, 0x51, true},
    {'~', 7, 0x47, true},   {'~', 8, 0x4f, true},   {'~', 11, 0x3b, false}, {'~', 12, 0x3c, false},
    {'~', 13, 0x3d, false}, {'~', 14, 0x3e, false}, {'~', 15, 0x3f, false}, {'~', 17, 0x40, false},
    {'~', 18, 0x41, false}, {'~', 19, 0x42, false}, {'~', 20, 0x43, false}, {'~', 21, 0x44, false},
    {'~', 23, 0x57, false}, {'~', 24, 0x58, false}};

key_press key_of_character(uint8_t character)
{
    key_press key = {.character = character};
    key.code = keyboard_scan_code(character, &key.shift, &key.control);
    return key;
}

/* Sets *key to the key of a sequence. Returns false if no key has this sequence. `modifiers` is 0, or 1 plus a sum of
 * 1 for shift, 2 for Alt and 4 for Ctrl. */
static bool key_named(char final, unsigned number, unsigned modifiers, key_press *key)
{
    unsigned held = modifiers > 0 ? modifiers - 1 : 0;
    *key = (key_press){.shift = (held & 1) != 0, .alt = (held & 2) != 0, .control = (held & 4) != 0};
    if (final == 'Z') {
        key->code = CODE_TAB;
        key->shift = true;
        return true;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].final == final && (final != '~' || keys[i].number == number)) {
            key->code = keys[i].code;
            key->extended = keys[i].extended;
            return true;
        }
    return false;
}

/* Decodes ESC [, numbers with semicolons, and the final character. Returns as key_decode; 1 means that only ESC
 * itself is a key, because this is no known sequence. */
static unsigned decode_control(const uint8_t *bytes, unsigned count, key_press *key)
{
    unsigned numbers[3] = {0, 0, 0}, at = 0, i = 2; /* the last is for further numbers, which name no key */
    if (count > 3 && bytes[2] == '[' && bytes[3] >= 'A' &&
        bytes[3] <= 'E') { /* the Linux console's F1 to F5 */
        *key = (key_press){.code = (uint8_t)(0x3b + bytes[3] - 'A')};
        return 4;
    }
    if (count == 3 && bytes[2] == '[')
        return 0;
    for (; i < count && (isdigit(bytes[i]) || bytes[i] == ';'); i++) {
        if (bytes[i] == ';')
            at += at < 2;
        else
            numbers[at] = numbers[at] % 100 * 10 + bytes[i] - '0';
    }
    if (i == count)
        return count < KEY_SEQUENCE_BYTES ? 0 : 1;
    bool final = bytes[i] >= FIRST_FINAL && bytes[i] <= LAST_FINAL;
    return final && key_named((char)bytes[i], numbers[0], numbers[1], key) ? i + 1 : 1;
}

unsigned key_decode(const uint8_t *bytes, unsigned count, key_press *key)
{
    unsigned used = 1;
    if (bytes[0] != ESC) {
        *key = key_of_character(bytes[0]);
        return 1;
    }
    if (count == 1)
        return 0;
    if (bytes[1] == ESC) {
        used = 2;
    } else if (isalnum(bytes[1]) && bytes[1] != 'O') {
        *key = key_of_character(bytes[1]);
        key->character = 0;
        key->alt = true;
        return 2;
    } else if (bytes[1] == '[' || bytes[1] == 'O') {
        if (count == 2)
            return 0;
        if (bytes[1] == '[')
            used = decode_control(bytes, count, key);
        else
            used = key_named((char)bytes[2], 0, 0, key) ? 3 : 1;
        if (used != 1)
            return used;
    }
    *key = (key_press){.code = CODE_ESC, .character = ESC};
    return used;
}
