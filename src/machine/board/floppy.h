/* The diskette controller (82077AA, compatible with the 8272A) with two drives, at 3F0h. Data moves by DMA
 * channel 2. Intel 82077AA data sheet (290166). The mechanics are not modelled: a step and a sector take a
 * fixed time. */
#ifndef MACHINE_BOARD_FLOPPY_H
#define MACHINE_BOARD_FLOPPY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

enum {
    FLOPPY_OUTPUT = 0x3f2,
    FLOPPY_STATUS = 0x3f4,
    FLOPPY_FIFO = 0x3f5,
    FLOPPY_INPUT = 0x3f7,
    FLOPPY_UNITS = 4,
    FLOPPY_COMMAND_BYTES = 9,
    FLOPPY_RESULT_BYTES = 10
};

typedef struct floppy {
    uint8_t output; /* digital output register */
    uint8_t rate;   /* of configuration control: 0 = 500, 1 = 300, 2 = 250, 3 = 1000 Kbit/s */
    uint8_t command[FLOPPY_COMMAND_BYTES];
    uint8_t command_bytes; /* written so far */
    uint8_t result[FLOPPY_RESULT_BYTES];
    uint8_t result_bytes, result_at;
    bool busy;      /* a command with a result phase is being executed, until the clock `ready` */
    bool interrupt; /* INT */
    uint64_t ready;
    uint64_t seek_ready[FLOPPY_UNITS]; /* clock at which a seek ends; 0: there is none */
    uint8_t cylinder[FLOPPY_UNITS];    /* present cylinder numbers */
    uint8_t sense[FLOPPY_UNITS];       /* ST0 that SENSE INTERRUPT STATUS has to report; 0: none */
    bool changed[FLOPPY_UNITS];        /* the disk change line */
    uint8_t specify[2], configure[2];
    bool locked;
} floppy;

extern const snapshot_table floppy_state;

#endif
