/* How the board is made of its devices: one file per device.
 *
 * A device is a function of the model's clock: it is brought up to date when a port of it is used, and when
 * the run loop reaches the clock of its next event that could interrupt the processor (devices_deadline).
 * Nothing depends on the host's time. */
#ifndef MACHINE_BOARD_BOARD_INTERNAL_H
#define MACHINE_BOARD_BOARD_INTERNAL_H

#include "machine/board/devices.h"
#include "machine/board/keyboard.h"
#include "machine/board/pic.h"
#include "machine/board/pit.h"
#include "machine/board/rtc.h"
#include "machine/board/serial.h"
#include "machine/board/video.h"

/* A device on the ports [first, last]. An access belongs to the device of its first port, whatever its size.
 */
typedef struct device {
    uint16_t first, last;
    uint32_t (*read)(devices *b, uint16_t port); /* NULL: all ones */
    void (*write)(devices *b, uint16_t port, uint32_t value);
    bool plain;    /* knows no time and no interrupts */
    bool by_bytes; /* an access to several bytes is one to each of as many ports */
} device;

/* What a device does by itself on line `irq`. */
typedef struct device_timer {
    unsigned irq;
    /* The clock of its next event that changes the line, UINT64_MAX if there is none. */
    uint64_t (*deadline)(const devices *b);
    /* Brings it up to the clock b->now and drives the line. */
    void (*advance)(devices *b);
} device_timer;

/* Interrupt lines of a PC; 0-15, of which 2 is the cascade. */
enum { IRQ_TIMER = 0, IRQ_KEYBOARD = 1, IRQ_COM1 = 4, IRQ_RTC = 8, IRQ_MOUSE = 12 };
enum { DEVICES_AT_MOST = 32, DEVICE_TIMERS_AT_MOST = 8, CONSOLE_BYTES = 4096 };

typedef enum input_to { INPUT_SERIAL, INPUT_KEYBOARD } input_to;

struct devices {
    p5_machine *machine;
    device attached[DEVICES_AT_MOST];
    unsigned device_count;
    device_timer timers[DEVICE_TIMERS_AT_MOST];
    unsigned timer_count;
    uint64_t now;      /* the clock up to which the devices have been brought */
    uint64_t deadline; /* as it follows from their state now */
    pic_pair pic;
    pit pit;
    uint64_t pit_seen;     /* pulse up to which OUT of counter 0 was followed */
    uint8_t system_port;   /* 61h as written */
    uint8_t post_code;     /* 80h as written */
    uint32_t pci_address;  /* CF8h */
    unsigned access_bytes; /* size of the access that a device is called for */
    bool a20;
    bool math_error; /* IRQ 13 is set */
    serial serial;
    keyboard keyboard;
    rtc rtc;
    video video;
    void (*service)(void *context); /* devices_attach_service */
    void *service_context;
    input_to input;       /* who gets the user's input */
    uint64_t input_taken; /* bytes of it so far */
    /* Text of port E9h and COM1, on its way to the user. */
    size_t console_used;
    char console_text[CONSOLE_BYTES];
};

void devices_attach(devices *b, const device *added);
void devices_attach_timer(devices *b, const device_timer *added);

/* Drives line `irq`. The controllers see rising edges (or levels, as they are programmed); the run loop sees
 * INTR (p5_machine.interrupt_request) before the next instruction. */
void devices_set_irq(devices *b, unsigned irq, bool level);

/* Pulses of a `hz` oscillator that have come by `clock`, and the first clock at which pulse `pulse` has come.
 */
uint64_t devices_pulses(const devices *b, uint64_t clock, uint64_t hz);
uint64_t devices_clock_of(const devices *b, uint64_t pulse, uint64_t hz);

/* RESET is pulsed: ends the run, a reset would only start it again. */
void devices_reset_processor(devices *b);
/* A byte of the user's input if it goes to `to`: 1, 0 if there is none now, -1 if there will be none. */
int devices_input(devices *b, input_to to, uint8_t *byte);

void debug_port_attach(devices *b);   /* E9h */
void serial_attach(devices *b);       /* 3F8h-3FFh */
void keyboard_attach(devices *b);     /* 60h, 64h */
void cmos_attach(devices *b);         /* 70h-71h */
void exit_port_attach(devices *b);    /* F4h */
void interrupts_attach(devices *b);   /* 20h-21h, A0h-A1h */
void timer_attach(devices *b);        /* 40h-43h, 61h */
void system_ports_attach(devices *b); /* 80h, 92h */
void coprocessor_attach(devices *b);  /* F0h-F1h */
void pci_attach(devices *b);          /* CF8h-CFFh */
void marker_port_attach(devices *b);  /* EAh, EBh */
/* 3B4h-3DAh; false: out of memory. */
bool video_attach(devices *b);
void video_memory_attach(devices *b); /* 1CEh-1CFh */
void video_transfer_memory(devices *b, snapshot *s);

#endif
