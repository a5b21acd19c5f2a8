/* INT 09h moves keys from the keyboard controller to the key buffer in the data area; INT 16h returns them. */
#include "machine/base/end.h"
#include "machine/base/time.h"
#include "machine/bios/bios_internal.h"

/* CODE_*: scan codes of set 1. SHIFT_*: bits of BDA_SHIFT. */
enum {
    CODE_LEFT_SHIFT = 0x2a,
    CODE_RIGHT_SHIFT = 0x36,
    CODE_CONTROL = 0x1d,
    CODE_ALT = 0x38,
    BREAK = 0x80, /* in a scan code: the key has been released */
    SHIFT_RIGHT = 0x01,
    SHIFT_LEFT = 0x02,
    SHIFT_CONTROL = 0x04,
    SHIFT_ALT = 0x08,
    LEFT_CONTROL = 0x01, /* flags in AH that function 12h returns */
    LEFT_ALT = 0x02,
    NEW_FUNCTIONS = 0x10,     /* functions from here on are for the keyboard with 101 keys */
    LAST_WAS_EXTENDED = 0x02, /* in the data area: the last byte was E0h */
    KEY_EXTENDED = 0xe0, /* precedes the scan code of an extended key; the low byte of such a key's word */
    ALT_DIGIT = 0x76,    /* added to the scan codes of 1 to = if Alt is held */
    CODE_1 = 0x02,
    CODE_EQUALS = 0x0d,
    CODE_TAB = 0x0f,
    CODE_F1 = 0x3b,
    CODE_F10 = 0x44,
    CODE_HOME = 0x47,
    CODE_DELETE = 0x53,
    CODE_F11 = 0x57,
    CODE_F12 = 0x58
};

/* Returns the bit in BDA_SHIFT of a modifier key, or 0 for another key. */
static uint8_t key_modifier(uint8_t code)
{
    switch (code) {
    case CODE_LEFT_SHIFT:
        return SHIFT_LEFT;
    case CODE_RIGHT_SHIFT:
        return SHIFT_RIGHT;
    case CODE_CONTROL:
        return SHIFT_CONTROL;
    case CODE_ALT:
        return SHIFT_ALT;
    default:
        return 0;
    }
}

/* Returns the position in the key buffer after `at`. Positions are offsets from 400h. */
static uint16_t key_next(const bios *b, uint16_t at)
{
    at = (uint16_t)(at + 2);
    return at >= bios_load(b, BDA_KEY_END, 2) ? (uint16_t)bios_load(b, BDA_KEY_START, 2) : at;
}

bool bios_key_room(const bios *b)
{
    return key_next(b, (uint16_t)bios_load(b, BDA_KEY_TAIL, 2)) != bios_load(b, BDA_KEY_HEAD, 2);
}

bool bios_key_put(bios *b, uint16_t key)
{
    uint16_t tail = (uint16_t)bios_load(b, BDA_KEY_TAIL, 2);
    if (!bios_key_room(b))
        return false;
    bios_store(b, 0x400u + tail, 2, key);
    bios_store(b, BDA_KEY_TAIL, 2, key_next(b, tail));
    return true;
}

/* Returns the word of F1-F12, whose code depends on the modifier: none, Shift, Ctrl, Alt. IBM PS/2 and PC BIOS
 * interface technical reference, "Keyboard". */
static uint16_t function_key(uint8_t code, const key_press *key)
{
    static const uint8_t first[4] = {0x3b, 0x54, 0x5e, 0x68}, last_two[4] = {0x85, 0x87, 0x89, 0x8b};
    unsigned held = key->alt ? 3 : key->control ? 2 : key->shift ? 1 : 0;
    bool late = code >= CODE_F11;
    return (uint16_t)((late ? last_two[held] + code - CODE_F11 : first[held] + code - CODE_F1) << 8);
}

/* Returns the word of a key of the separate cursor block, from Home (47h) to Delete (53h). */
static uint16_t cursor_key(uint8_t code, const key_press *key)
{
    static const uint8_t with_control[] = {
        0x77, 0x8d, 0x84, 0,    0x73, 0,   0x74, /* Home, up, page up, -, left, -, right */
        0,    0x75, 0x91, 0x76, 0x92, 0x93};     /* -, End, down, page down, Ins, Del */
    enum { ALT_ADDS = 0x50 };
    if (key->alt)
        return (uint16_t)((code + ALT_ADDS) << 8);
    if (key->control)
        return (uint16_t)(with_control[code - CODE_HOME] << 8 | KEY_EXTENDED);
    return (uint16_t)(code << 8 | KEY_EXTENDED);
}

uint16_t bios_key_word(const key_press *key)
{
    uint8_t code = key->code;
    if (key->character != 0 && !key->alt)
        return (uint16_t)(code << 8 | key->character);
    if ((code >= CODE_F1 && code <= CODE_F10) || code == CODE_F11 || code == CODE_F12)
        return function_key(code, key);
    if (key->extended && code >= CODE_HOME && code <= CODE_DELETE)
        return cursor_key(code, key);
    if (key->alt) /* digits have codes of their own */
        return (uint16_t)((code >= CODE_1 && code <= CODE_EQUALS ? code + ALT_DIGIT : code) << 8);
    if (code == CODE_TAB && key->shift)
        return CODE_TAB << 8;
    return (uint16_t)(code << 8 | keyboard_character(code, key->shift, key->control));
}

/* Processes the byte of the keyboard controller in AL, which INT 15h AH = 4Fh has let pass: tracks the modifier keys, and
 * stores the word of a pressed key. The user's input waits while the buffer is full: a user would stop typing at the beep. */
void bios_key_interrupt(bios *b)
{
    uint8_t code = bios_low(b, ENGINE_EAX), flags = (uint8_t)bios_load(b, BDA_SHIFT, 1);
    uint8_t kind = (uint8_t)bios_load(b, BDA_KEYBOARD, 1), modifier = key_modifier(code & (uint8_t)~BREAK);
    bool extended = (kind & LAST_WAS_EXTENDED) != 0;
    bool prefix = code == KEY_EXTENDED;
    bios_store(b, BDA_KEYBOARD, 1, prefix ? kind | LAST_WAS_EXTENDED : kind & ~(uint32_t)LAST_WAS_EXTENDED);
    if (prefix)
        return;
    if (modifier != 0) {
        bios_store(b, BDA_SHIFT, 1, (code & BREAK) != 0 ? flags & ~(uint32_t)modifier : flags | modifier);
        return;
    }
    if ((code & BREAK) != 0)
        return;
    const key_press key = {.code = code,
                           .extended = extended,
                           .shift = (flags & (SHIFT_LEFT | SHIFT_RIGHT)) != 0,
                           .control = (flags & SHIFT_CONTROL) != 0,
                           .alt = (flags & SHIFT_ALT) != 0};
    bios_key_put(b, bios_key_word(&key));
    if (!bios_key_room(b))
        keyboard_hold_keys(b->machine->devices);
}

/* Converts a key's word to what the functions of the keyboard with 83 keys return. Returns false if they do not
 * have the key. */
static bool old_key(uint16_t *key)
{
    enum { LAST_OLD = 0x84 };
    uint8_t low = (uint8_t)*key;
    if (*key >> 8 > LAST_OLD && (low == 0 || low == KEY_EXTENDED))
        return false;
    if (low == KEY_EXTENDED && *key >> 8 != 0)
        *key &= 0xff00;
    return true;
}

/* Reads the next key for function AH and leaves it in the buffer. For an old function, drops keys that it does not
 * have. Returns false if there is no key. */
static bool next_key(bios *b, uint16_t *key)
{
    bool old = bios_high(b, ENGINE_EAX) < NEW_FUNCTIONS;
    while (bios_key_there(b, key)) {
        if (!old || old_key(key))
            return true;
        bios_key_take(b, key);
    }
    return false;
}

bool bios_key_there(const bios *b, uint16_t *key)
{
    uint32_t head = bios_load(b, BDA_KEY_HEAD, 2);
    *key = (uint16_t)bios_load(b, 0x400 + head, 2);
    return head != bios_load(b, BDA_KEY_TAIL, 2);
}

bool bios_key_take(bios *b, uint16_t *key)
{
    if (!bios_key_there(b, key))
        return false;
    bios_store(b, BDA_KEY_HEAD, 2, key_next(b, (uint16_t)bios_load(b, BDA_KEY_HEAD, 2)));
    return true;
}

/* Returns true if the guest has its own timer handler, for INT 08h or 1Ch. It may end the wait for a key. */
static bool timer_hooked(const bios *b)
{
    return bios_load(b, 0x08 * 4, 4) != bios_stub_address(0x08) ||
           bios_load(b, 0x1c * 4, 4) != bios_stub_address(0x1c);
}

/* Ends the run if no key can arrive any more: at once, or after a minute of machine time if the guest's timer
 * handler may end the wait. */
static void wait_at_end(bios *b)
{
    enum { SECONDS_WITH_TIMER = 60 };
    p5_machine *machine = b->machine;
    uint64_t now = devices_now(machine->devices);
    if (!keyboard_exhausted(machine->devices)) {
        b->key_wait_until = 0;
        return;
    }
    if (b->key_wait_until == 0)
        b->key_wait_until = now + machine_ns_to_clocks(machine, SECONDS_WITH_TIMER * UINT64_C(1000000000));
    if (timer_hooked(b) && now < b->key_wait_until)
        return;
    devices_console_flush(machine->devices);
    machine_end(machine, P5_END_HALT, 0);
    machine_end_at(machine, engine_get(machine->engine, ENGINE_EIP));
    machine_end_message(machine, "the guest waits for a key, but the input has ended");
}

/* Takes a key into AX. Returns true if the stub must wait for one. */
static bool key_wait(bios *b)
{
    uint16_t key, taken;
    if (!next_key(b, &key)) {
        keyboard_request_key(b->machine->devices);
        wait_at_end(b);
        return true;
    }
    bios_key_take(b, &taken);
    b->key_wait_until = 0;
    bios_set_word(b, ENGINE_EAX, key);
    return false;
}

bool bios_keyboard(bios *b)
{
    uint16_t key;
    switch (bios_high(b, ENGINE_EAX)) {
    case 0x00:
    case 0x10:
        return key_wait(b);
    case 0x01:
    case 0x11: {
        bool there = next_key(b, &key);
        bios_set_flag(b, FLAG_ZERO, !there);
        if (there)
            bios_set_word(b, ENGINE_EAX, key);
        else {
            keyboard_request_key(b->machine->devices);
            keyboard_polled(b->machine->devices);
        }
        return false;
    }
    case 0x02:
    case 0x12: {
        uint8_t flags = (uint8_t)bios_load(b, BDA_SHIFT, 1);
        uint8_t left =
            (uint8_t)((flags & SHIFT_CONTROL ? LEFT_CONTROL : 0) | (flags & SHIFT_ALT ? LEFT_ALT : 0));
        bios_set_low(b, ENGINE_EAX, flags);
        if (bios_high(b, ENGINE_EAX) == 0x12) /* AH: left or right key; the keyboard has left ones only */
            bios_set_word(b, ENGINE_EAX, (uint16_t)(left << 8 | flags));
        return false;
    }
    case 0x05: /* store the key CX in the buffer */
        bios_set_low(b, ENGINE_EAX, !bios_key_put(b, bios_word(b, ENGINE_ECX)));
        return false;
    default:
        return false;
    }
}
