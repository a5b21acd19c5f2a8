/* The IDE (ATA) channel at 1F0h with up to two hard disks, which transfer data by programmed I/O. AT Attachment-3
 * (X3.298). The mechanics are not modelled: each sector takes a fixed time. */
#ifndef MACHINE_BOARD_IDE_H
#define MACHINE_BOARD_IDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

enum { IDE_DATA = 0x1f0, IDE_STATUS = 0x1f7, IDE_CONTROL = 0x3f6, IDE_MOST_SECTORS = 16 };

typedef enum ide_phase {
    IDE_IDLE,
    IDE_BUSY,     /* until the clock `ready`; then the command continues */
    IDE_TO_HOST,  /* the buffer waits to be read */
    IDE_FROM_HOST /* the buffer waits to be filled */
} ide_phase;

/* What INITIALIZE DEVICE PARAMETERS and SET MULTIPLE MODE set. */
typedef struct ide_unit {
    uint8_t heads, per_track;
    uint8_t multiple; /* sectors in a block of READ and WRITE MULTIPLE; 0: not set */
} ide_unit;

typedef struct ide {
    /* Registers as written or left by a command. Both drives share them. */
    uint8_t features, count, sector, cylinder_low, cylinder_high, select;
    uint8_t error, control, command;
    uint8_t unit;   /* the drive that executes the command: 0 or 1 */
    bool failed;    /* ERR */
    bool interrupt; /* INTRQ, whether or not nIEN lets it out */
    ide_phase phase;
    uint64_t ready;   /* clock at which IDE_BUSY ends */
    uint64_t block;   /* the next sector of the command */
    uint32_t left;    /* sectors still to move */
    uint32_t at, end; /* indices in the buffer: of the next byte to be transferred, and after the last one */
    uint8_t buffer[IDE_MOST_SECTORS * 512];
    ide_unit units[2];
} ide;

extern const snapshot_table ide_state;

#endif
