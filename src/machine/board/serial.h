/* COM1: a 16550 with its FIFOs. National PC16550D data sheet. */
#ifndef MACHINE_BOARD_SERIAL_H
#define MACHINE_BOARD_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

enum { SERIAL_FIFO = 16 };

typedef struct serial {
    uint8_t ier, fcr, lcr, mcr, scratch;
    uint8_t divisor[2];            /* low and high byte */
    uint8_t errors;                /* LSR bits that a read clears */
    uint8_t modem_delta;           /* MSR bits 3-0 */
    uint8_t received[SERIAL_FIFO]; /* the oldest first; only the first without FIFOs */
    unsigned received_count;
    bool receiving;      /* the guest has requested input (serial.c), from then on for ever */
    unsigned idle_looks; /* consecutive reads of LSR with nothing received and nothing to send */
    bool input_ended;
    uint64_t receive_at;    /* clock at which the next character is complete, UINT64_MAX: none */
    uint64_t timeout_at;    /* clock of the FIFO's time-out, UINT64_MAX: none */
    bool timed_out;         /* the time-out has come, and no character has been read since */
    uint64_t sent_at;       /* clock at which everything written so far has been sent */
    bool holding_full;      /* the holding register or FIFO is not yet empty */
    bool holding_interrupt; /* it became empty; no read of IIR and no write has cleared the interrupt yet */
} serial;

extern const snapshot_table serial_state;

#endif
