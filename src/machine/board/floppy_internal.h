/* What the files of the diskette controller share: its registers and commands, and the ends of commands. */
#ifndef MACHINE_BOARD_FLOPPY_INTERNAL_H
#define MACHINE_BOARD_FLOPPY_INTERNAL_H

#include "machine/board/devices.h"
#include "machine/board/floppy.h"

enum {
    OUTPUT_UNIT = 0x03, /* the selected drive */
    OUTPUT_NOT_RESET = 0x04,
    OUTPUT_DMA = 0x08,     /* gates interrupt and DMA request */
    STATUS_REQUEST = 0x80, /* the FIFO can be accessed */
    STATUS_TO_HOST = 0x40, /* it is to be read */
    STATUS_COMMAND = 0x10, /* a command is being written or executed, or its result read */
    INPUT_CHANGED = 0x80,
    DSR_RESET = 0x80, /* bit of data rate select */

    /* commands, in bits 4-0; bit 7 is MT */
    SPECIFY = 0x03,
    SENSE_DRIVE = 0x04,
    WRITE_DATA = 0x05,
    READ_DATA = 0x06,
    RECALIBRATE = 0x07,
    SENSE_INTERRUPT = 0x08,
    READ_ID = 0x0a,
    FORMAT = 0x0d,
    DUMP_REGISTERS = 0x0e,
    SEEK = 0x0f,
    VERSION = 0x10,
    PERPENDICULAR = 0x12,
    CONFIGURE = 0x13,
    LOCK = 0x14,
    VERIFY = 0x16,
    MULTI_TRACK = 0x80,  /* in the first byte */
    COMMAND_UNIT = 0x03, /* in the second byte: the drive */
    COMMAND_HEAD = 0x04,
    COMMAND_COUNT = 0x80, /* EC: VERIFY ends after as many sectors as its last byte says */
    VERSION_82077 = 0x90,
    CONFIGURE_NO_FIFO = 0x20,
    INVALID = 0x80, /* ST0 */

    ST0_ABNORMAL = 0x40,
    ST0_AFTER_RESET = 0xc0,
    ST0_SEEK_END = 0x20,
    ST0_EQUIPMENT_CHECK = 0x10,
    ST1_END_OF_CYLINDER = 0x80,
    ST1_OVERRUN = 0x10,
    ST1_NO_DATA = 0x04,
    ST1_NOT_WRITABLE = 0x02,
    ST1_NO_ADDRESS_MARK = 0x01,
    ST2_WRONG_CYLINDER = 0x10,
    ST3_TRACK_0 = 0x10,
    ST3_READY = 0x28, /* ready and two-sided, as both are tied */
    SIZE_512 = 2,     /* N */

    SECTOR_MICROSECONDS = 1000, /* until a sector has passed under the head */
    SEEK_MICROSECONDS = 1000    /* for a seek of any length */
};

/* Returns the code of the current command. */
static inline uint8_t floppy_code(const floppy *f)
{
    return f->command[0] & 31;
}
/* Returns true if the motor of a drive is on, which bits 7-4 of the digital output register control. */
static inline bool floppy_motor_on(const floppy *f, unsigned unit)
{
    return (f->output >> (4 + unit) & 1) != 0;
}

/* --- floppy.c --- */

/* Returns the diskette in a drive, or NULL. */
disk_image *floppy_disk(devices *b, unsigned unit);
/* Ends a command with its seven bytes of result, the status registers and the address that the command has
 * reached, and with an interrupt. */
void floppy_end(devices *b, uint8_t st0, uint8_t st1, uint8_t st2);
/* Ends a command with an error. */
void floppy_fail(devices *b, uint8_t st1, uint8_t st2);

/* --- floppy_sectors.c --- */

/* Continues a command that accesses a disk, when floppy.ready has come: transfers a sector, and ends the command
 * or waits for the next sector. */
void floppy_continue(devices *b);

#endif
