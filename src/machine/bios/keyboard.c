/* INT 09h moves keys from the keyboard controller to the key buffer in the data area; INT 16h returns them. */
#include "machine/base/end.h"
#include "machine/base/time.h"
#include "machine/bios/bios_internal.h"

enum {
    CODE_LEFT_SHIFT = 0x2a,
    CODE_RIGHT_SHIFT = 0x36,
    CODE_CONTROL = 0x1d,
    CODE_ALT = 0x38,
    BREAK = 0x80,
    SHIFT_RIGHT = 0x01,
    SHIFT_LEFT = 0x02,
    SHIFT_CONTROL = 0x04,
    SHIFT_ALT = 0x08,
    LEFT_CONTROL = 0x01, /* flags in AH that function 12h returns */
    LEFT_ALT = 0x02
};

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

static uint16_t key_next(const bios *b, uint16_t at)
{
    at = (uint16_t)(at + 2);
    return at >= bios_load(b, BDA_KEY_END, 2) ? (uint16_t)bios_load(b, BDA_KEY_START, 2) : at;
}

bool bios_key_put(bios *b, uint16_t key)
{
    uint16_t tail = (uint16_t)bios_load(b, BDA_KEY_TAIL, 2), next = key_next(b, tail);
    if (next == bios_load(b, BDA_KEY_HEAD, 2))
        return false;
    bios_store(b, 0x400u + tail, 2, key);
    bios_store(b, BDA_KEY_TAIL, 2, next);
    return true;
}

void bios_key_interrupt(bios *b)
{
    uint8_t code = (uint8_t)devices_read(b->machine, 0x60, 1), flags = (uint8_t)bios_load(b, BDA_SHIFT, 1);
    uint8_t modifier = key_modifier(code & (uint8_t)~BREAK);
    if (modifier != 0) {
        bios_store(b, BDA_SHIFT, 1, (code & BREAK) != 0 ? flags & ~(uint32_t)modifier : flags | modifier);
        return;
    }
    if ((code & BREAK) != 0)
        return;
    bool shift = (flags & (SHIFT_LEFT | SHIFT_RIGHT)) != 0, control = (flags & SHIFT_CONTROL) != 0;
    bios_key_put(b, (uint16_t)(code << 8 | keyboard_character(code, shift, control)));
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
    uint16_t key;
    if (!bios_key_take(b, &key)) {
        keyboard_ask(b->machine->devices);
        wait_at_end(b);
        return true;
    }
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
    case 0x11:
        bios_set_flag(b, FLAG_ZERO, !bios_key_there(b, &key));
        if (bios_key_there(b, &key))
            bios_set_word(b, ENGINE_EAX, key);
        else {
            keyboard_ask(b->machine->devices);
            keyboard_polled(b->machine->devices);
        }
        return false;
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
