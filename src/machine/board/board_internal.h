/* The interface between the board and its devices. Each device has its own file.
 *
 * A device's state depends on the machine's clock alone, never on host time. It is updated when one of its
 * ports is used, and when the run loop reaches the device's next event that could interrupt the processor
 * (devices_deadline). */
#ifndef MACHINE_BOARD_BOARD_INTERNAL_H
#define MACHINE_BOARD_BOARD_INTERNAL_H

#include "machine/board/devices.h"
#include "machine/board/dma.h"
#include "machine/board/floppy.h"
#include "machine/board/ide.h"
#include "machine/board/io_apic.h"
#include "machine/board/keyboard.h"
#include "machine/board/local_apic.h"
#include "machine/board/opl.h"
#include "machine/board/pic.h"
#include "machine/board/pit.h"
#include "machine/board/rtc.h"
#include "machine/board/serial.h"
#include "machine/board/sound_blaster.h"
#include "machine/board/video.h"

/* A device on the ports [first, last]. The first port of an access selects the device, whatever the size
 * (devices.access_bytes), and the device sees one access with all bytes unless it is `by_bytes`. */
typedef struct device {
    uint16_t first, last;
    uint32_t (*read)(devices *b, uint16_t port); /* NULL: reads are all ones */
    void (*write)(devices *b, uint16_t port, uint32_t value);
    bool untimed; /* has neither timers nor interrupts, so the board is not updated for an access */
    /* A wider access is split into accesses to consecutive ports up to `last`. Its other bytes are ignored, and read as
     * ones. */
    bool by_bytes;
} device;

/* The time-dependent part of a device with interrupt line `irq`. */
typedef struct device_timer {
    unsigned irq;
    /* Returns the clock of the next event that changes the line, or UINT64_MAX. */
    uint64_t (*deadline)(const devices *b);
    /* Updates the device to the clock b->now and drives the line. */
    void (*advance)(devices *b);
} device_timer;

/* Interrupt lines of a PC are 0-15; 2 is the cascade. */
enum {
    IRQ_TIMER = 0,
    IRQ_KEYBOARD = 1,
    IRQ_COM1 = 4,
    IRQ_FLOPPY = 6,
    IRQ_SOUND = 7,
    IRQ_RTC = 8,
    IRQ_MOUSE = 12,
    IRQ_IDE = 14
};
enum { IO_APIC_ID = 1 /* the local APIC's is 0 */ };
enum { DEVICES_AT_MOST = 32, DEVICE_TIMERS_AT_MOST = 12, CONSOLE_BYTES = 4096, DEVICES_DISKS = 4 };

typedef enum input_to { INPUT_SERIAL, INPUT_KEYBOARD } input_to;

struct devices {
    p5_machine *machine;
    device attached[DEVICES_AT_MOST];
    unsigned device_count;
    device_timer timers[DEVICE_TIMERS_AT_MOST];
    unsigned timer_count;
    uint64_t now;      /* clock to which the devices are updated */
    uint64_t deadline; /* of the next interrupt, from their current state */
    pic_pair pic;
    pit pit;
    uint64_t pit_seen;     /* timer pulse up to which edges of counter 0's OUT have been delivered */
    uint8_t system_port;   /* last write to port 61h */
    uint8_t post_code;     /* last write to port 80h */
    uint32_t pci_address;  /* register at port CF8h */
    unsigned access_bytes; /* size of the current port access */
    bool a20;
    bool math_error; /* the flip-flop that drives IRQ 13 */
    serial serial;
    keyboard keyboard;
    rtc rtc;
    disk_image disks[DEVICES_DISKS];
    dma dma;
    ide ide;
    floppy floppy;
    opl opl;
    sound_blaster sound;
    local_apic local_apic;
    io_apic io_apic;
    video video;
    void (*service)(void *context); /* devices_attach_service */
    void *service_context;
    keyboard_use (*keyboard_use)(const p5_machine *machine); /* keyboard_attach_use */
    input_to input;                                          /* the device that receives the user's input */
    uint64_t input_taken;                                    /* bytes of input consumed so far */
    /* Buffered console output (port E9h, COM1, DOS). */
    size_t console_used;
    char console_text[CONSOLE_BYTES];
};

void devices_attach(devices *b, const device *added);
void devices_attach_timer(devices *b, const device_timer *added);

/* Drives line `irq`. The controllers react to edges or levels, as programmed; the run loop sees INTR
 * (p5_machine.interrupt_request) before the next instruction. */
void devices_set_irq(devices *b, unsigned irq, bool level);

/* Convert between the machine's clock and pulses of a `hz` oscillator: devices_pulses returns the number of
 * pulses up to `clock`, devices_clock_of the first clock at which pulse `pulse` has occurred. As the first pulse
 * ends the first period, devices_clock_of(b, n, hz) is also the clocks of n periods. */
uint64_t devices_pulses(const devices *b, uint64_t clock, uint64_t hz);
uint64_t devices_clock_of(const devices *b, uint64_t pulse, uint64_t hz);

/* Returns the clocks of so many microseconds. */
uint64_t devices_microseconds(const devices *b, uint64_t microseconds);
/* Returns the clock that is `microseconds` after b->now. */
uint64_t devices_after(const devices *b, uint64_t microseconds);

/* Ends the run when RESET is pulsed, because a reset would only restart the guest. */
void devices_reset_processor(devices *b);
/* Takes a byte of the user's input for device `to`. Returns 1, 0 if there is none yet, or -1 if the input has
 * ended or belongs to another device. */
int devices_input(devices *b, input_to to, uint8_t *byte);

/* Saves or loads the drives. */
void devices_transfer_disks(devices *b, snapshot *s);
/* Moves up to `size` bytes between a device and memory, as `channel` (0-3, 5-7) is programmed: from or to `bytes`.
 * Returns how many were moved; 0 if the channel is masked. Sets *ended if it has reached its terminal count. */
size_t dma_move(devices *b, unsigned channel, uint8_t *bytes, size_t size, bool *ended);
/* Saves or loads the VGA's memory. */
void video_transfer_memory(devices *b, snapshot *s);

/* Each sets the initial state of a device and attaches its ports and timers to the board. */

void debug_port_attach(devices *b);   /* E9h */
void serial_attach(devices *b);       /* 3F8h-3FFh */
void keyboard_attach(devices *b);     /* 60h, 64h */
void cmos_attach(devices *b);         /* 70h-71h */
void exit_port_attach(devices *b);    /* F4h, F5h */
void interrupts_attach(devices *b);   /* 20h-21h, A0h-A1h */
void timer_attach(devices *b);        /* 40h-43h, 61h */
void system_ports_attach(devices *b); /* 80h, 92h */
void coprocessor_attach(devices *b);  /* F0h-F1h */
void pci_attach(devices *b);          /* CF8h-CFFh */
void marker_port_attach(devices *b);  /* EAh, EBh */
void dma_attach(devices *b);          /* 00h-0Fh, 81h-8Fh, C0h-DFh */
void ide_attach(devices *b);          /* 1F0h-1F7h, 3F6h */
void floppy_attach(devices *b);       /* 3F2h-3F5h, 3F7h */
void opl_attach(devices *b);          /* 388h-38Bh, 220h-223h, 228h-229h */
void sound_attach(devices *b);        /* 224h-226h, 22Ah-22Fh */
bool video_attach(devices *b);        /* 3B4h-3DAh; returns false if memory is exhausted */
void video_memory_attach(devices *b); /* 1CEh-1CFh */

#endif
