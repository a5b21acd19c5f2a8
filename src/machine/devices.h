/* The board around the processor: devices on I/O ports. One file per device, each with an attach function. */
#ifndef MACHINE_DEVICES_H
#define MACHINE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/machine.h"

/* A device on the ports [first, last]. An access belongs to the device of its first port, whatever its size.
 */
typedef struct device {
    const char *name;
    uint16_t first, last;
    uint32_t (*read)(void *context, uint16_t port, unsigned size);
    void (*write)(void *context, uint16_t port, unsigned size, uint32_t value);
    void *context;
} device;

enum { DEVICES_AT_MOST = 16, CONSOLE_BYTES = 4096 };

typedef struct devices {
    p5_machine *machine;
    device attached[DEVICES_AT_MOST];
    unsigned device_count;
    uint8_t serial_registers[8];
    uint8_t serial_divisor[2];
    /* Text of port E9h and COM1, on its way to the user. */
    void (*console)(void *context, const void *text, size_t size);
    void *console_context;
    size_t console_used;
    char console_text[CONSOLE_BYTES];
} devices;

/* Attaches the devices that every machine has. */
void devices_init(devices *b, p5_machine *machine);
void devices_attach(devices *b, const device *added);
/* Port callbacks of the engine: `context` is the machine. Ports without a device read all ones. */
uint32_t devices_read(void *context, uint16_t port, unsigned size);
void devices_write(void *context, uint16_t port, unsigned size, uint32_t value);
void devices_console_char(devices *b, char c);
void devices_console_flush(devices *b);

void debug_port_attach(devices *b); /* E9h */
void serial_attach(devices *b);     /* 3F8h-3FFh */
void exit_port_attach(devices *b);  /* F4h */

#endif
