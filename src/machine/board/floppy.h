/* The diskette controller (82077AA, compatible with the 8272A) with two drives, at 3F0h. Data moves by DMA channel 2.
 * Intel 82077AA data sheet (290166). The mechanics are not modelled: a seek and a sector take a fixed time. */
#ifndef MACHINE_BOARD_FLOPPY_H
#define MACHINE_BOARD_FLOPPY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

enum {
    FLOPPY_OUTPUT = 0x3f2, /* ports: digital output */
    FLOPPY_STATUS = 0x3f4, /* main status; written: data rate select */
    FLOPPY_FIFO = 0x3f5,
    FLOPPY_INPUT = 0x3f7, /* digital input; written: configuration control */
    FLOPPY_UNITS = 4,
    FLOPPY_COMMAND_BYTES = 9, /* of the longest command */
    FLOPPY_RESULT_BYTES = 10  /* of the longest result */
};

enum { FLOPPY_500, FLOPPY_300, FLOPPY_250, FLOPPY_1000 }; /* data rates in Kbit/s, by their codes */

typedef struct floppy {
    uint8_t output; /* digital output register */
    uint8_t rate;   /* of configuration control: FLOPPY_500 to FLOPPY_1000 */
    /* The current command. Those that transfer sectors have the code, head and unit, cylinder (C), head (H), sector
     * (R), size (N), last sector of the track (EOT), and two more bytes; C, H and R advance with the transfer. */
    uint8_t command[FLOPPY_COMMAND_BYTES];
    uint8_t command_bytes; /* written so far */
    uint8_t result[FLOPPY_RESULT_BYTES];
    uint8_t result_bytes; /* of the result phase; 0: there is none */
    uint8_t result_at;    /* index of the next byte to be read */
    bool busy;      /* a command that accesses a disk is being executed; it continues at the clock `ready` */
    bool interrupt; /* INT */
    uint64_t ready;
    uint64_t seek_ready[FLOPPY_UNITS]; /* clock at which a seek ends; 0: there is none */
    uint8_t cylinder[FLOPPY_UNITS];    /* present cylinder numbers */
    uint8_t sense[FLOPPY_UNITS];       /* ST0 that SENSE INTERRUPT STATUS has to report; 0: none */
    bool changed[FLOPPY_UNITS];        /* the disk change line */
    uint8_t specify[2], configure[2];  /* parameters of these commands, for DUMPREG */
    bool locked;                       /* LOCK: a reset keeps `configure` */
} floppy;

extern const snapshot_table floppy_state;

#endif
