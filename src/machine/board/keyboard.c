/* The keyboard, whose keys the bytes of the user's input press and release. The mouse sends its bytes to the controller
 * through the same queue. */
#include "machine/base/end.h"
#include "machine/board/board_internal.h"
#include "machine/board/keyboard_internal.h"
#include "machine/state.h"

#include <string.h>

enum {
    KEY_ACKNOWLEDGE = 0xfa,
    KEY_RESEND = 0xfe,
    CODE_SHIFT = 0x2a, /* scan codes of set 1 */
    CODE_CONTROL = 0x1d,
    CODE_ALT = 0x38,
    CODE_EXTENDED = 0xe0,
    CODE_BREAK = 0x80, /* added to a scan code when the key is released */
    BYTE_HZ = 1000,    /* a byte from the keyboard takes about a millisecond */
    HELD_BYTES = 50    /* a key that is held is released after the time of so many bytes */
};

/* Characters of the keys with scan codes 1-39h, without and with shift. */
static const char keyboard_unshifted[] =
    "\0\0331234567890-=\b\tqwertyuiop[]\r\0asdfghjkl;'`\0\\zxcvbnm,./\0*\0 ";
static const char keyboard_shifted[] =
    "\0\033!@#$%^&*()_+\b\tQWERTYUIOP{}\r\0ASDFGHJKL:\"~\0|ZXCVBNM<>?\0*\0 ";
enum { KEYBOARD_CODES = sizeof keyboard_unshifted - 1 };

uint8_t keyboard_scan_code(uint8_t character, bool *shift, bool *control)
{
    *shift = *control = false;
    if (character == '\n')
        character = '\r';
    if (character == 0x7f)
        character = '\b';
    if (character == 0 || character > 0x7f)
        return 0;
    for (unsigned code = 1; code < KEYBOARD_CODES; code++) {
        *shift = keyboard_shifted[code] == (char)character && keyboard_unshifted[code] != (char)character;
        if (*shift || keyboard_unshifted[code] == (char)character)
            return (uint8_t)code;
    }
    *shift = false;
    *control = character <= 26; /* Ctrl with a letter */
    return *control ? keyboard_scan_code(character | 0x60, shift, &(bool){false}) : 0;
}

uint8_t keyboard_character(uint8_t code, bool shift, bool control)
{
    if (code >= KEYBOARD_CODES)
        return 0;
    uint8_t character = (uint8_t)(shift ? keyboard_shifted : keyboard_unshifted)[code];
    return control && character >= '@' ? character & 0x1f : character;
}

/* --- from the devices to the controller --- */

void keyboard_drive_lines(devices *b)
{
    const keyboard *k = &b->keyboard;
    devices_set_irq(b, IRQ_KEYBOARD,
                    k->output_full && !k->output_is_mouse && (k->command_byte & ENABLE_INTERRUPT) != 0);
    devices_set_irq(b, IRQ_MOUSE,
                    k->output_full && k->output_is_mouse && (k->command_byte & ENABLE_MOUSE_INTERRUPT) != 0);
}

uint64_t keyboard_byte_time(const devices *b)
{
    return b->now + devices_clock_of(b, 1, BYTE_HZ);
}

/* Queues a byte of the keyboard or the mouse for the controller. */
static void device_queue(devices *b, uint8_t byte, bool of_mouse)
{
    keyboard *k = &b->keyboard;
    if (k->queued == KEYBOARD_QUEUE)
        return; /* the device's buffer is full */
    k->queue_mouse = (uint16_t)((k->queue_mouse & ~(1u << k->queued)) | (unsigned)of_mouse << k->queued);
    k->queue[k->queued++] = byte;
    if (k->next_at == UINT64_MAX)
        k->next_at = keyboard_byte_time(b);
}

static void keyboard_queue(devices *b, uint8_t byte)
{
    device_queue(b, byte, false);
}

void keyboard_send_mouse(devices *b, uint8_t byte, uint8_t answer[MOUSE_ANSWER])
{
    mouse_receive(&b->keyboard.mouse, byte, answer);
}

void keyboard_write_mouse(devices *b, uint8_t byte)
{
    uint8_t answer[MOUSE_ANSWER];
    unsigned count = mouse_receive(&b->keyboard.mouse, byte, answer);
    for (unsigned i = 0; i < count; i++)
        device_queue(b, answer[i], true);
}

/* Returns true if the keyboard would send a key of the user's input: the guest has requested one, the input has not
 * ended, and neither the keyboard nor its interface in the controller is disabled. */
static bool keyboard_listens(const keyboard *k)
{
    return k->wanted && k->scanning && !k->input_ended && (k->command_byte & DISABLE_KEYBOARD) == 0;
}

keyboard_use keyboard_use_of(const devices *b)
{
    return b->keyboard.one_by_one && b->keyboard_use != NULL ? b->keyboard_use(b->machine) : KEYS_WAIT;
}

void keyboard_expect(devices *b)
{
    keyboard *k = &b->keyboard;
    if (!k->wanted && !k->input_ended && k->queued == 0)
        k->wanted = pic_open(&b->pic, IRQ_KEYBOARD) && keyboard_use_of(b) == KEYS_TO_HANDLER;
    if (b->input == INPUT_KEYBOARD && keyboard_listens(k) && k->queued == 0 && k->next_at == UINT64_MAX)
        k->next_at = keyboard_byte_time(b);
}

/* Queues the codes of the modifier keys that are held with `key`: pressed (0) or `released` (CODE_BREAK). */
static void press_held(devices *b, const key_press *key, uint8_t released)
{
    const struct {
        bool held;
        uint8_t code;
    } modifiers[] = {{key->shift, CODE_SHIFT}, {key->control, CODE_CONTROL}, {key->alt, CODE_ALT}};
    for (unsigned i = 0; i < sizeof modifiers / sizeof modifiers[0]; i++)
        if (modifiers[i].held)
            keyboard_queue(b, modifiers[i].code | released);
}

/* Presses a key and its modifiers, and releases them. */
static void keyboard_press(devices *b, const key_press *key)
{
    if (key->code == 0)
        return;
    press_held(b, key, 0);
    for (unsigned released = 0; released <= CODE_BREAK; released += CODE_BREAK) {
        if (key->extended)
            keyboard_queue(b, CODE_EXTENDED);
        keyboard_queue(b, (uint8_t)(key->code | released));
    }
    press_held(b, key, CODE_BREAK);
}

/* Collects bytes in `sequence` until key_decode finds a key, because terminals send some keys as several bytes. */
int keyboard_take_key(devices *b, int (*input)(devices *b, uint8_t *byte), key_press *key)
{
    keyboard *k = &b->keyboard;
    uint8_t byte;
    if (!b->machine->options.input_keys && k->sequence_bytes == 0) {
        int got = input(b, &byte);
        if (got == 1)
            *key = key_of_character(byte);
        return got;
    }
    for (;;) {
        unsigned used = k->sequence_bytes != 0 ? key_decode(k->sequence, k->sequence_bytes, key) : 0;
        int got = used == 0 ? input(b, &byte) : 0;
        if (got == 1) {
            k->sequence[k->sequence_bytes++] = byte;
            continue;
        }
        if (k->sequence_bytes == 0)
            return got;
        if (used == 0) { /* no byte follows at once: it is the key Esc, and no sequence */
            *key = key_of_character(k->sequence[0]);
            used = 1;
        }
        k->sequence_bytes = (uint8_t)(k->sequence_bytes - used);
        memmove(k->sequence, k->sequence + used, k->sequence_bytes);
        return 1;
    }
}

/* Takes a byte of the input if it is directed to the keyboard. */
static int own_input(devices *b, uint8_t *byte)
{
    return devices_input(b, INPUT_KEYBOARD, byte);
}

/* Returns the clock at which the next byte of the queue arrives. The release of a key that is held comes later. */
static uint64_t next_byte_time(devices *b)
{
    keyboard *k = &b->keyboard;
    uint8_t code = k->queue[k->queue[0] == CODE_EXTENDED];
    if (!k->holds || (code & CODE_BREAK) == 0)
        return keyboard_byte_time(b);
    k->holds = false;
    return b->now + devices_clock_of(b, HELD_BYTES, BYTE_HZ);
}

/* Handles the arrival of a byte at the clock next_at: takes the next key of the input if nothing is queued, and moves
 * a queued byte into the controller's output buffer. */
static void keyboard_arrive(devices *b)
{
    keyboard *k = &b->keyboard;
    if (k->output_full) /* the controller holds the keyboard's clock until the byte has been read */
        return;
    k->next_at = UINT64_MAX;
    if (k->queued == 0 && keyboard_listens(k)) {
        key_press key;
        int got = keyboard_take_key(b, own_input, &key);
        k->input_ended = got < 0;
        k->wanted &= got == 0 || !k->one_by_one;
        if (got == 0) /* no input yet: try again later */
            k->next_at = b->now + devices_clock_of(b, 16, BYTE_HZ);
        else if (got == 1)
            keyboard_press(b, &key);
        if (k->queued == 0)
            return;
    }
    if (k->queued == 0)
        return;
    k->output = k->queue[0];
    k->output_is_mouse = (k->queue_mouse & 1) != 0;
    k->output_full = true;
    k->queued--;
    k->queue_mouse >>= 1;
    memmove(k->queue, k->queue + 1, k->queued);
    k->next_at = k->queued != 0 ? next_byte_time(b) : UINT64_MAX;
}

static void keyboard_advance(devices *b)
{
    if (b->now >= b->keyboard.next_at)
        keyboard_arrive(b);
    keyboard_expect(b);
    keyboard_drive_lines(b);
}

static uint64_t keyboard_deadline(const devices *b)
{
    return b->keyboard.output_full ? UINT64_MAX : b->keyboard.next_at;
}

/* The mouse has a timer of its own because it has another interrupt line, which may be the only one that is not
 * masked. */
static uint64_t mouse_deadline(const devices *b)
{
    return (b->keyboard.queue_mouse & 1) != 0 ? keyboard_deadline(b) : UINT64_MAX;
}

void keyboard_attach_timers(devices *b)
{
    devices_attach_timer(b, &(device_timer){IRQ_KEYBOARD, keyboard_deadline, keyboard_advance});
    devices_attach_timer(b, &(device_timer){IRQ_MOUSE, mouse_deadline, keyboard_advance});
}

void keyboard_set_one_by_one(devices *b)
{
    b->keyboard.one_by_one = true;
    b->keyboard.wanted = false;
}

void keyboard_attach_use(devices *b, keyboard_use (*use)(const p5_machine *machine))
{
    b->keyboard_use = use;
}

void keyboard_request_key(devices *b)
{
    b->keyboard.wanted = true;
    keyboard_expect(b);
}

void keyboard_hold_keys(devices *b)
{
    b->keyboard.wanted = false;
}

bool keyboard_exhausted(const devices *b)
{
    const keyboard *k = &b->keyboard;
    return k->input_ended && k->queued == 0 && !k->output_full;
}

void keyboard_polled(devices *b)
{
    enum { LOOKS = 1000000, SECONDS = 10 };
    keyboard *k = &b->keyboard;
    if (b->input != INPUT_KEYBOARD || !keyboard_exhausted(b))
        return;
    if (k->looks_at_end == 0)
        k->looks_since = b->now;
    if (k->looks_at_end < LOOKS)
        k->looks_at_end++;
    else if (b->now - k->looks_since >= devices_clock_of(b, SECONDS, 1)) {
        devices_console_flush(b);
        machine_end(b->machine, P5_END_HALT, 0);
        machine_end_at(b->machine, engine_get(b->machine->engine, ENGINE_EIP));
        machine_end_message(b->machine, "the guest keeps polling for a key, but the input has ended");
    }
}

void keyboard_input_again(devices *b)
{
    b->keyboard.input_ended = false;
    b->keyboard.looks_at_end = 0;
}

/* Returns true if a requested key will be taken from the input, or if a byte on its way to the guest is the code of a
 * pressed key. */
bool keyboard_sends_key(const devices *b)
{
    const keyboard *k = &b->keyboard;
    bool requested = k->one_by_one && keyboard_listens(k) && k->next_at != UINT64_MAX && k->queued == 0;
    bool sends = requested || (k->output_full && (k->output & CODE_BREAK) == 0);
    for (unsigned i = 0; i < k->queued; i++)
        sends |= (k->queue[i] & CODE_BREAK) == 0;
    return sends;
}

/* --- commands to the keyboard --- */

void keyboard_command(devices *b, uint8_t byte)
{
    keyboard *k = &b->keyboard;
    uint8_t of = k->parameter_of;
    k->parameter_of = 0;
    /* The parameter, which is not a new command: LEDs, typematic rate, or scan code set (0: report it). */
    if (of != 0 && byte < 0xed) {
        keyboard_queue(b, KEY_ACKNOWLEDGE);
        if (of == 0xf0 && byte == 0)
            keyboard_queue(b, (k->command_byte & TRANSLATE) != 0 ? 0x41 : 2);
        return;
    }
    switch (byte) {
    case 0xee: /* echo */
        keyboard_queue(b, 0xee);
        return;
    case 0xed: /* set LEDs, scan code set, typematic rate */
    case 0xf0:
    case 0xf3:
        k->parameter_of = byte;
        keyboard_queue(b, KEY_ACKNOWLEDGE);
        return;
    case 0xf2: /* identify: 101 keys */
        keyboard_queue(b, KEY_ACKNOWLEDGE);
        keyboard_queue(b, 0xab);
        keyboard_queue(b, (k->command_byte & TRANSLATE) != 0 ? 0x41 : 0x83);
        return;
    case 0xf4: /* enable, disable, set defaults */
    case 0xf5:
    case 0xf6:
        k->scanning = byte != 0xf5;
        k->wanted |= byte == 0xf4;
        keyboard_queue(b, KEY_ACKNOWLEDGE);
        return;
    case 0xff: /* reset and self-test */
        k->queued = 0;
        k->scanning = true;
        keyboard_queue(b, KEY_ACKNOWLEDGE);
        keyboard_queue(b, 0xaa);
        return;
    default:
        keyboard_queue(b, KEY_RESEND);
    }
}

/* --- snapshots --- */

const snapshot_table keyboard_state = {SNAPSHOT(
    keyboard, "keyboard", FIELD_ANY(command_byte, output), FIELD_FLAG(output_full, last_was_command),
    FIELD_ANY(expects, parameter_of), FIELD_FLAG(scanning, wanted, one_by_one, input_ended),
    FIELD_ANY_OF([0], queue), FIELD_MOST(KEYBOARD_QUEUE, queued), FIELD_DEADLINE(next_at),
    FIELD_SINCE(2, FIELD_FLAG(output_is_mouse), FIELD_ANY(queue_mouse), FIELD_TABLE(&mouse_state, mouse),
                FIELD_ANY_OF([0], sequence), FIELD_MOST(KEY_SEQUENCE_BYTES - 1, sequence_bytes),
                FIELD_ANY(looks_at_end), FIELD_TIME(looks_since)),
    FIELD_SINCE(4, FIELD_FLAG(holds)))};
