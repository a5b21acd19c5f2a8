/* The board around the processor, for the rooms above it: devices on I/O ports, interrupt lines, time. */
#ifndef MACHINE_BOARD_DEVICES_H
#define MACHINE_BOARD_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "machine/board/date.h"
#include "p5scope/machine.h"

typedef struct devices devices;

/* The devices' part of a snapshot, in either direction. */
void devices_transfer(devices *b, snapshot *s);
/* NULL behind the last. */
extern const snapshot_table *const devices_tables[];
/* The devices that every machine has. NULL: out of memory. */
devices *devices_new(p5_machine *machine);
void devices_free(devices *b);
/* The engine's callbacks for windows of devices: `context` is the machine. */
uint8_t devices_memory_read(void *context, uint32_t physical);
void devices_memory_write(void *context, uint32_t physical, uint8_t byte);
/* A write to `port` calls `service`. There is one such port. */
void devices_attach_service(devices *b, uint16_t port, void (*service)(void *context), void *context);
/* An access of the guest that no handler of the host's took (ports.h). Ports without a device read all ones.
 */
uint32_t devices_read(p5_machine *machine, uint16_t port, unsigned size);
void devices_write(p5_machine *machine, uint16_t port, unsigned size, uint32_t value);

/* --- time and interrupts --- */

/* The clock of the next event that could interrupt the processor as the controllers are programmed now. */
uint64_t devices_deadline(const devices *b);
/* Brings all devices up to the model's clock `clock`. */
void devices_advance(devices *b, uint64_t clock);
enum { PIT_HZ = 1193182 }; /* the timer's input */
/* The clock up to which they have been brought. */
uint64_t devices_now(const devices *b);
/* The processor's acknowledge cycles: the vector. */
uint8_t devices_acknowledge(devices *b);
/* FERR#. */
void coprocessor_error(devices *b);

/* --- memory and the clock --- */

/* Opens or closes the gate of address line 20. */
void devices_set_a20(devices *b, bool enabled);
bool devices_a20(const devices *b);
/* The clock starts at the options' time; its cells tell the size of memory, which a loader decides. */
void cmos_set_memory(devices *b);
/* What the clock shows. */
const date *cmos_time(const devices *b);

/* --- the user --- */

/* The user's input is typed on the keyboard from now on; at first it comes in at COM1. */
void devices_type_input(devices *b);
/* A byte of it for who takes the input without a device; the guest does nothing else meanwhile. */
int devices_input_idle(devices *b, uint8_t *byte);
/* How many bytes of it were taken so far. */
uint64_t devices_input_taken(const devices *b);
void devices_console_char(devices *b, char c);
void devices_console_flush(devices *b);

/* Whether keys come as fast as they can, or one whenever the guest asks for it. */
void keyboard_want(devices *b, bool always);
/* The guest asks for a key. */
void keyboard_ask(devices *b);
/* No key is on its way, and none will be. */
bool keyboard_exhausted(const devices *b);
/* The guest looks whether a key has been pressed. One that goes on polling after the input has ended would never
 * end: it is stopped after ten seconds of the model's time in which it has written nothing and has looked a
 * million times. */
void keyboard_looked_at(devices *b);
/* There is another input than before, which may have bytes. */
void keyboard_input_again(devices *b);
/* A key that is pressed is on its way. */
bool keyboard_sends(const devices *b);
/* Scan code (0: there is no such key) and character, as the BIOS keeps keys. */
uint16_t keyboard_key(uint8_t character);
/* The character of a scan code (make), 0 if none. */
uint8_t keyboard_character(uint8_t code, bool shift, bool control);

/* --- the VGA --- */

/* The picture on the screen. */
p5_status video_picture(devices *b, p5_picture *picture, p5_error *error);

/* Registers: the CRT controller's, the attribute controller's, the 256 colours' red, green and blue. */
uint8_t *video_crtc(devices *b);
uint8_t *video_attributes(devices *b);
uint8_t *video_colours(devices *b);
/* Of the CRT controller: where the screen and the cursor begin, in characters, high byte first. */
enum { VIDEO_START = 0x0c, VIDEO_CURSOR = 0x0e };

/* What a mode is set by. */
typedef struct video_registers {
    uint8_t miscellaneous, sequencer[5], crtc[25], graphics[9], attribute[21];
} video_registers;
void video_set_registers(devices *b, const video_registers *registers);
/* The 64 KB of four planes, offset * 4 + plane. What they show is in them, and A0000h follows
 * (video_planes_written). */
uint8_t *video_planes(devices *b);
void video_planes_written(devices *b);

/* A VESA mode: so many bytes in a line, of the memory that begins at `start`. A0000h shows `bank`. */
typedef struct video_vesa_mode {
    uint16_t number, width, height;
    uint8_t bits; /* of a pixel: 8, 15, 16, 32 */
} video_vesa_mode;
void video_set_vesa(devices *b, const video_vesa_mode *mode, uint32_t pitch);
void video_set_bank(devices *b, uint32_t first_byte);
void video_set_start(devices *b, uint32_t start);
void video_set_pitch(devices *b, uint32_t pitch);
typedef struct video_vesa {
    uint16_t mode; /* 0: none */
    uint32_t bank, pitch, start;
    uint8_t *memory; /* P5_VIDEO_LINEAR_BYTES */
} video_vesa;
video_vesa video_vesa_now(devices *b);
/* All registers, as a guest keeps them. What is restored is checked. */
enum { VIDEO_STATE_BYTES = 1024 };
void video_state_save(const devices *b, uint8_t bytes[VIDEO_STATE_BYTES]);
void video_state_restore(devices *b, const uint8_t bytes[VIDEO_STATE_BYTES]);

#endif
