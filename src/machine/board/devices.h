/* The board around the processor, as the rest of the machine uses it: devices on I/O ports, interrupt lines and time. */
#ifndef MACHINE_BOARD_DEVICES_H
#define MACHINE_BOARD_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "machine/board/date.h"
#include "machine/board/key_sequence.h"
#include "machine/disk/disk_image.h"
#include "p5scope/machine.h"

typedef struct devices devices;

/* Saves or loads the devices' part of a snapshot. */
void devices_transfer(devices *b, snapshot *s);
/* Terminated by NULL. */
extern const snapshot_table *const devices_tables[];
/* Makes the devices that every machine has. Returns NULL if memory is exhausted. */
devices *devices_new(p5_machine *machine);
void devices_free(devices *b); /* NULL is allowed */
/* The engine's callbacks for memory-mapped devices, the VGA's planes and the APICs; `context` is the machine. */
uint64_t devices_memory_read(void *context, uint32_t physical, unsigned size);
void devices_memory_write(void *context, uint32_t physical, unsigned size, uint64_t value);
/* Makes a write to `port` call `service`. There is one such port. */
void devices_attach_service(devices *b, uint16_t port, void (*service)(void *context), void *context);
/* Do a guest's port access that no host handler took (ports.h). Ports without a device read as all ones. */
uint32_t devices_read(p5_machine *machine, uint16_t port, unsigned size);
void devices_write(p5_machine *machine, uint16_t port, unsigned size, uint32_t value);

/* --- time and interrupts --- */

/* Returns the clock of the next event that could interrupt the processor, as the controllers are programmed. */
uint64_t devices_deadline(const devices *b);
/* Updates all devices to the machine's clock `clock`, which is a core clock. */
void devices_advance(devices *b, uint64_t clock);
enum { PIT_HZ = 1193182 }; /* the timer's input */
/* Returns the clock to which the devices are updated. */
uint64_t devices_now(const devices *b);
/* Raise NMI, and the local APIC's interrupt for an overflow of a performance counter. With a local APIC, its table
 * determines what each of them does. */
void devices_nmi(devices *b);
void devices_performance_interrupt(devices *b);
/* Returns true if a device may raise NMI by an APIC. */
bool devices_may_raise_nmi(const devices *b);
/* Maps the APICs' registers and sets them as a BIOS leaves them, if the board has them; with MP tables. Called
 * when the engine is open. */
void devices_start_apic(devices *b);
/* Writes the MP tables into F8000h-F820Fh, if there are APICs. */
void mp_table_fill(devices *b);
/* Does the processor's interrupt acknowledge cycles and returns the vector. */
uint8_t devices_acknowledge(devices *b);
/* Handles the assertion of FERR# by an x87 error: raises IRQ 13. */
void coprocessor_error(devices *b);

/* --- drives --- */

/* Drive 0 is the one that the machine boots from, the others are those of the options. Each may be empty. */
disk_image *devices_disk(devices *b, unsigned which);
/* The drive with the BIOS's number: 0 and 1 are diskettes, 80h and 81h hard disks, E0h is a CD; NULL: none. */
disk_image *devices_drive(devices *b, uint8_t number);
/* How many drives of a kind (DRIVE_*) have an image. */
unsigned devices_drives(const devices *b, uint8_t kind);

/* Open the image of a drive, and those of all drives of the options. The board has two diskettes and two hard disks. */
p5_status devices_open_disk(devices *b, unsigned which, const char *path, p5_error *error);
p5_status devices_open_disks(devices *b, p5_error *error);
/* Sends a notice if a sector that is read lies after the image's end; only once. */
void devices_notice_padding(devices *b, const disk_image *disk, uint64_t sector);
/* Sends a notice if the guest's writes to a disk do not reach the image, except for a CD, which refuses them; only once. */
void devices_notice_unsaved(devices *b, const disk_image *disk);

/* --- memory and the clock --- */

/* Opens or closes the gate of address line 20. While it is closed, bit 20 of addresses is 0. */
void devices_set_a20(devices *b, bool enabled);
bool devices_a20(const devices *b);
/* Sets the real-time clock to the options' time, and its cells to what the machine has: memory and drives. Called
 * again when a loader has decided the size of memory. */
void cmos_fill(devices *b);
/* Returns the real-time clock's time. */
const date *cmos_time(const devices *b);

/* --- the user --- */

/* Directs the user's input to the keyboard instead of COM1. */
void devices_input_to_keyboard(devices *b);
/* Takes a byte of the input without a device, for DOS. The guest is idle meanwhile. Returns as devices_input. */
int devices_input_idle(devices *b, uint8_t *byte);
/* Returns the number of bytes consumed so far. */
uint64_t devices_input_taken(const devices *b);
/* Writes a character of the guest's output to a buffer, and the buffer to the host's console. The buffer is also
 * flushed at the end of a line, if it is full, and before input. */
void devices_console_char(devices *b, char c);
void devices_console_flush(devices *b);

/* How a guest receives keys: by requests to the BIOS, or by its own interrupt handler, which is ready for one or not. */
typedef enum keyboard_use { KEYS_BY_BIOS, KEYS_TO_HANDLER, KEYS_WAIT } keyboard_use;
/* Makes each key of the user's input need a request (keyboard_request_key), unless `use` says that a handler of the guest
 * is ready for it. Without this call, keys arrive as fast as the keyboard sends them. */
void keyboard_set_one_by_one(devices *b);
/* Sets the function that keyboard_set_one_by_one needs; also to be called after a snapshot has been loaded. */
void keyboard_attach_use(devices *b, keyboard_use (*use)(const p5_machine *machine));
/* Requests a key of the user's input from the keyboard. */
void keyboard_request_key(devices *b);
/* Withdraws the request: the keyboard sends no further key until the next one. */
void keyboard_hold_keys(devices *b);
/* Returns true if no key is being sent and the input has ended. */
bool keyboard_exhausted(const devices *b);
/* Called when the guest polls for a key. Stops a guest that keeps polling after the end of the input: after ten
 * seconds of machine time and a million polls without output. */
void keyboard_polled(devices *b);
/* Called when the input has been replaced by one that may have more bytes. */
void keyboard_input_again(devices *b);
/* Sends the mouse a byte and takes its answer, as the BIOS does while the controller's interrupts are off. */
void keyboard_send_mouse(devices *b, uint8_t byte, uint8_t answer[4]);
/* Returns true if the keyboard is sending a pressed key. */
bool keyboard_sends_key(const devices *b);
/* Takes a key from the user's input, whose bytes come from `input`: 1, 0 = none now, -1 = it has ended. With the
 * option input_keys the sequences of terminals are keys; otherwise each byte is one. */
int keyboard_take_key(devices *b, int (*input)(devices *b, uint8_t *byte), key_press *key);
/* Returns the ASCII character of a key of a US keyboard, whose scan code (set 1) is `code`; 0: it has none. */
uint8_t keyboard_character(uint8_t code, bool shift, bool control);

/* --- the VGA --- */

/* Renders the screen. */
p5_status video_picture(devices *b, p5_picture *picture, p5_error *error);

/* The VGA's registers, by index; the caller may change them. */
typedef struct video_vga {
    uint8_t *crtc;      /* CRT controller */
    uint8_t *attribute; /* attribute controller */
    uint8_t *sequencer;
    uint8_t *dac;      /* red, green, blue of 256 colours, 6 bits each */
    uint8_t *dac_mask; /* port 3C6h: applied to each pixel */
} video_vga;
video_vga video_vga_of(devices *b);
/* Indexes of CRT controller registers: first and last line of the cursor; start of the screen and cursor position, high
 * byte first. */
enum { VIDEO_CURSOR_SHAPE = 0x0a, VIDEO_START = 0x0c, VIDEO_CURSOR = 0x0e };
/* Returns the scan lines of the visible part of a frame, from the CRT controller's registers. */
static inline unsigned video_lines_of(const uint8_t *crtc)
{
    return (crtc[0x12] | (crtc[7] & 2u) << 7 | (crtc[7] & 0x40u) << 3) + 1;
}
/* Returns the offset in plane 2 of one of the eight font blocks of text modes. */
static inline uint32_t video_font_block(unsigned block)
{
    return (block & 3) * 0x4000 + (block >> 2 & 1) * 0x2000;
}

/* The register values of a mode. */
typedef struct video_registers {
    uint8_t miscellaneous, sequencer[5], crtc[25], graphics[9], attribute[21];
} video_registers;
/* Sets the registers, which ends a VESA mode. */
void video_set_registers(devices *b, const video_registers *registers);
/* Returns the four planes of 64 KB; a byte is at offset * 4 + plane. Moves them out of guest RAM first if they are kept
 * there, in linear byte order. The caller must call video_map afterwards. */
uint8_t *video_planes(devices *b);
/* Maps A0000h and the linear frame buffer after a change of a register, the VESA mode, or the bank, and after
 * video_planes. Moves memory that has a linear byte order to guest RAM. */
void video_map(devices *b);

typedef struct video_vesa_mode {
    uint16_t number, width, height;
    uint8_t bits; /* per pixel: 8, 15, 16 or 32 */
} video_vesa_mode;
/* Begins a VESA mode with `pitch` bytes per line. The next three change what part of the memory is at A0000h,
 * where the screen begins, and the bytes per line: all in bytes of the memory. */
void video_set_vesa(devices *b, const video_vesa_mode *mode, uint32_t pitch);
void video_set_bank(devices *b, uint32_t first_byte);
void video_set_start(devices *b, uint32_t start);
void video_set_pitch(devices *b, uint32_t pitch);
typedef struct video_vesa {
    uint16_t mode; /* 0: no VESA mode */
    uint32_t bank, pitch, start;
    uint8_t *memory; /* P5_VIDEO_LINEAR_BYTES */
} video_vesa;
video_vesa video_vesa_now(devices *b);
/* Save and restore all registers, for a buffer in the guest's memory. Restored values are checked. */
enum { VIDEO_STATE_BYTES = 1024 };
void video_state_save(const devices *b, uint8_t bytes[VIDEO_STATE_BYTES]);
void video_state_restore(devices *b, const uint8_t bytes[VIDEO_STATE_BYTES]);

#endif
