/* The I/O APIC at FEC00000h. Intel 82093AA data sheet (290566): 24 inputs, each with an entry of the redirection
 * table. */
#ifndef MACHINE_BOARD_IO_APIC_H
#define MACHINE_BOARD_IO_APIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "machine/board/local_apic.h"

enum { IO_APIC_INPUTS = 24, IO_APIC_VERSION = 0x11 };

typedef struct io_apic {
    uint8_t id, arbitration_id, selected;
    uint32_t lines; /* levels of the inputs, bit n: input n */
    uint32_t entries[IO_APIC_INPUTS][2];
    local_apic *local; /* receives the messages */
} io_apic;

extern const snapshot_table io_apic_state;

void io_apic_reset(io_apic *a, local_apic *local);
/* Access the register at `offset` in the page. */
uint32_t io_apic_read(const io_apic *a, uint32_t offset);
void io_apic_write(io_apic *a, uint32_t offset, uint32_t value);
/* Drives an input. */
void io_apic_set_line(io_apic *a, unsigned input, bool level);
/* Handles the message that an interrupt of a level has ended. */
void io_apic_end(io_apic *a, uint8_t vector);
/* Returns true if the input's entry is unmasked and has this mode, or any if `mode` is negative. */
bool io_apic_has(const io_apic *a, unsigned input, int mode);

#endif
