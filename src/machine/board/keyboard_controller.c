/* The keyboard controller (8042): its commands, its output port and its two ports on the bus. */
#include "machine/board/board_internal.h"
#include "machine/board/keyboard_internal.h"

enum {
    DATA_PORT = 0x60,
    COMMAND_PORT = 0x64,
    STATUS_OUTPUT_FULL = 0x01,
    STATUS_COMMAND = 0x08,  /* the last write was to port 64h */
    STATUS_UNLOCKED = 0x10, /* the keyboard's lock is open */
    STATUS_MOUSE = 0x20,    /* the byte in the output buffer is from the mouse */
    OUTPUT_NO_RESET = 0x01,
    OUTPUT_A20 = 0x02
};

/* --- commands to the controller --- */

/* Puts a byte of the controller's own into the output buffer. */
static void keyboard_answer(keyboard *k, uint8_t byte)
{
    k->output = byte;
    k->output_is_mouse = false;
    k->output_full = true;
}

/* Returns the output port. Bits 4 and 5 are the interrupt lines of keyboard and mouse. */
static uint8_t keyboard_output_port(const devices *b)
{
    const keyboard *k = &b->keyboard;
    unsigned full = !k->output_full ? 0 : k->output_is_mouse ? 0x20 : 0x10;
    return (uint8_t)(OUTPUT_NO_RESET | (b->a20 ? OUTPUT_A20 : 0) | full);
}

/* Executes a command that was written to port 64h. */
static void controller_command(devices *b, uint8_t command)
{
    keyboard *k = &b->keyboard;
    k->expects = 0;
    switch (command) {
    case 0x20: /* read the command byte */
        keyboard_answer(k, k->command_byte);
        break;
    case 0x60: /* commands with a data byte: data_write */
    case 0xd1:
    case 0xd2:
    case 0xd3:
    case 0xd4:
        k->expects = command;
        break;
    case 0xaa: /* self-test: 55h, passed */
        k->command_byte |= SYSTEM_FLAG;
        keyboard_answer(k, 0x55);
        break;
    case 0xa7: /* disable and enable the mouse; ADh and AEh: the keyboard */
        k->command_byte |= DISABLE_MOUSE;
        break;
    case 0xa8:
        k->command_byte &= (uint8_t)~DISABLE_MOUSE;
        break;
    case 0xa9:
    case 0xab:
        keyboard_answer(k, 0x00); /* the interface test has passed */
        break;
    case 0xad:
        k->command_byte |= DISABLE_KEYBOARD;
        break;
    case 0xae:
        k->command_byte &= (uint8_t)~DISABLE_KEYBOARD;
        break;
    case 0xc0: /* read the input port */
        keyboard_answer(k, 0xa0);
        break;
    case 0xd0:
        keyboard_answer(k, keyboard_output_port(b));
        break;
    case 0xdd: /* A20 off and on, in many chipsets */
    case 0xdf:
        devices_set_a20(b, command == 0xdf);
        break;
    default:
        if (command >= 0xf0 && (command & 1) == 0) /* pulse outputs whose bit is clear; bit 0 is reset */
            devices_reset_processor(b);
    }
}

/* Takes a byte written to port 60h: the data of a command, or a command to the keyboard. */
static void data_write(devices *b, uint8_t byte)
{
    keyboard *k = &b->keyboard;
    uint8_t expects = k->expects;
    k->expects = 0;
    switch (expects) {
    case 0x60: /* write the command byte */
        k->command_byte = byte;
        k->wanted |= (byte & ENABLE_INTERRUPT) != 0;
        break;
    case 0xd1: /* write the output port */
        devices_set_a20(b, (byte & OUTPUT_A20) != 0);
        if ((byte & OUTPUT_NO_RESET) == 0)
            devices_reset_processor(b);
        break;
    case 0xd2: /* put the byte into the output buffer, as the keyboard's or the mouse's */
    case 0xd3:
        keyboard_answer(k, byte);
        k->output_is_mouse = expects == 0xd3;
        break;
    case 0xd4: /* send the byte to the mouse */
        k->command_byte &= (uint8_t)~DISABLE_MOUSE;
        keyboard_write_mouse(b, byte);
        break;
    default:
        k->command_byte &= (uint8_t)~DISABLE_KEYBOARD;
        keyboard_command(b, byte);
    }
}

/* --- ports --- */

/* Reads port 60h, which empties the output buffer. A guest that reads it again, and has no handler that does, polls for a
 * key: this counts as a request for one that is held for a while. */
static uint32_t keyboard_read(devices *b, uint16_t port)
{
    keyboard *k = &b->keyboard;
    (void)port;
    uint8_t value = k->output;
    if (!k->output_full && k->queued == 0 && keyboard_use_of(b) == KEYS_BY_BIOS) {
        k->wanted = true;
        k->holds = true;
        keyboard_polled(b);
    }
    if (k->output_full && k->next_at != UINT64_MAX && k->next_at < keyboard_byte_time(b))
        k->next_at = keyboard_byte_time(b); /* the keyboard begins to send the next byte only now */
    k->output_full = false;
    keyboard_expect(b);
    keyboard_drive_lines(b);
    return value;
}

/* Reads the status at port 64h. A guest that reads it while no byte is on its way polls for a key, so this counts as a
 * request for one. */
static uint32_t keyboard_status(devices *b, uint16_t port)
{
    keyboard *k = &b->keyboard;
    (void)port;
    if (!k->output_full && k->queued == 0 && !k->last_was_command) {
        k->wanted = true;
        keyboard_expect(b);
        keyboard_polled(b);
    }
    return (k->output_full ? STATUS_OUTPUT_FULL : 0u) |
           (k->output_full && k->output_is_mouse ? STATUS_MOUSE : 0u) | (k->command_byte & SYSTEM_FLAG) |
           (k->last_was_command ? STATUS_COMMAND : 0u) | STATUS_UNLOCKED;
}

static void keyboard_write(devices *b, uint16_t port, uint32_t value)
{
    b->keyboard.last_was_command = port == COMMAND_PORT;
    if (port == COMMAND_PORT)
        controller_command(b, (uint8_t)value);
    else
        data_write(b, (uint8_t)value);
    keyboard_expect(b);
    keyboard_drive_lines(b);
}

void keyboard_attach(devices *b)
{
    b->keyboard = (keyboard){
        .command_byte = TRANSLATE | SYSTEM_FLAG | ENABLE_INTERRUPT, .scanning = true, .next_at = UINT64_MAX};
    devices_attach(b, &(device){DATA_PORT, DATA_PORT, .read = keyboard_read, .write = keyboard_write});
    devices_attach(b,
                   &(device){COMMAND_PORT, COMMAND_PORT, .read = keyboard_status, .write = keyboard_write});
    mouse_reset(&b->keyboard.mouse);
    keyboard_attach_timers(b);
}
