/* What keyboard.c, the keyboard and the mouse, and keyboard_controller.c, the 8042, share. */
#ifndef MACHINE_BOARD_KEYBOARD_INTERNAL_H
#define MACHINE_BOARD_KEYBOARD_INTERNAL_H

#include "machine/board/devices.h"

/* Bits of the command byte. */
enum {
    ENABLE_INTERRUPT = 0x01,
    ENABLE_MOUSE_INTERRUPT = 0x02,
    SYSTEM_FLAG = 0x04,
    DISABLE_KEYBOARD = 0x10,
    DISABLE_MOUSE = 0x20,
    TRANSLATE = 0x40
};

/* Sets the interrupt lines of keyboard and mouse. */
void keyboard_drive_lines(devices *b);
/* Returns the clock at which a byte that is sent now arrives. */
uint64_t keyboard_byte_time(const devices *b);
/* Returns how the guest receives keys, each of which it must request: else KEYS_WAIT. */
keyboard_use keyboard_use_of(const devices *b);
/* Schedules the next key of the user's input if the guest has requested one and all earlier bytes have been sent. */
void keyboard_expect(devices *b);
/* Sends a byte to the keyboard, or to the mouse. */
void keyboard_command(devices *b, uint8_t byte);
void keyboard_write_mouse(devices *b, uint8_t byte);
void keyboard_attach_timers(devices *b);

#endif
