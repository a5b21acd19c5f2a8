/* The I/O APIC at FEC00000h. Intel 82093AA data sheet (290566): 24 inputs, each with an entry of the redirection
 * table. */
#ifndef MACHINE_BOARD_IO_APIC_H
#define MACHINE_BOARD_IO_APIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "machine/board/local_apic.h"

enum { IO_APIC_INPUTS = 24, IO_APIC_VERSION = 0x11, IO_APIC_ANY_MODE = -1 };

typedef struct io_apic {
    uint8_t id, arbitration_id;
    uint8_t selected;                    /* the register to which the data window at offset 10h refers */
    uint32_t lines;                      /* levels of the inputs, bit n: input n */
    uint32_t entries[IO_APIC_INPUTS][2]; /* of the redirection table: low and high half */
    local_apic *local;                   /* receives the messages */
} io_apic;

extern const snapshot_table io_apic_state;

/* Sets the state after a reset: all entries masked. Messages go to `local`. */
void io_apic_reset(io_apic *a, local_apic *local);
/* Access the register at `offset` in the page of registers. Only two are there: the selection and the data window. */
uint32_t io_apic_read(const io_apic *a, uint32_t offset);
void io_apic_write(io_apic *a, uint32_t offset, uint32_t value);
/* Drives an input. */
void io_apic_set_line(io_apic *a, unsigned input, bool level);
/* Handles the EOI message of a local APIC: a level-triggered interrupt with this vector has ended. */
void io_apic_end(io_apic *a, uint8_t vector);
/* Returns true if the input's entry is unmasked and has this delivery mode: an apic_mode, or IO_APIC_ANY_MODE. */
bool io_apic_has(const io_apic *a, unsigned input, int mode);

#endif
