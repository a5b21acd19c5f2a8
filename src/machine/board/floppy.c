/* The diskette controller's ports, its seeks, and the commands that need no disk. floppy_sectors.c has the others. */
#include "machine/board/floppy.h"

#include <string.h>

#include "machine/board/board_internal.h"
#include "machine/board/floppy_internal.h"
#include "machine/state.h"

/* Returns the length of a command in bytes, including the first, or 0 for an invalid command. */
static unsigned length_of(uint8_t code)
{
    static const uint8_t bytes[32] = {
        [SPECIFY] = 3,         [SENSE_DRIVE] = 2,   [WRITE_DATA] = 9, [READ_DATA] = 9,      [RECALIBRATE] = 2,
        [SENSE_INTERRUPT] = 1, [READ_ID] = 2,       [FORMAT] = 6,     [DUMP_REGISTERS] = 1, [SEEK] = 3,
        [VERSION] = 1,         [PERPENDICULAR] = 2, [CONFIGURE] = 4,  [LOCK] = 1,           [VERIFY] = 9};
    return bytes[code & 31];
}

static void drive_line(devices *b)
{
    devices_set_irq(b, IRQ_FLOPPY, b->floppy.interrupt && (b->floppy.output & OUTPUT_DMA) != 0);
}

disk_image *floppy_disk(devices *b, unsigned unit)
{
    return unit < 2 ? devices_drive(b, (uint8_t)(DRIVE_DISKETTE + unit)) : NULL;
}

/* --- results --- */

/* Ends a command with its result, which may have no bytes. Raises no interrupt. */
static void result(devices *b, const uint8_t *bytes, unsigned count)
{
    floppy *f = &b->floppy;
    memcpy(f->result, bytes, count);
    f->result_bytes = (uint8_t)count;
    f->result_at = f->command_bytes = 0;
    f->busy = false;
}

static void result_byte(devices *b, uint8_t byte)
{
    result(b, &byte, 1);
}

void floppy_end(devices *b, uint8_t st0, uint8_t st1, uint8_t st2)
{
    const floppy *f = &b->floppy;
    uint8_t code = (uint8_t)(st0 | (f->command[1] & (COMMAND_HEAD | COMMAND_UNIT)));
    uint8_t bytes[7] = {code, st1, st2, f->command[2], f->command[3], f->command[4], f->command[5]};
    result(b, bytes, sizeof bytes);
    b->floppy.interrupt = true;
    drive_line(b);
}

void floppy_fail(devices *b, uint8_t st1, uint8_t st2)
{
    floppy_end(b, ST0_ABNORMAL, st1, st2);
}

/* --- seeks --- */

/* Begins a seek. It has no result; meanwhile other commands can be written. */
static void seek(devices *b, unsigned unit, uint8_t cylinder)
{
    floppy *f = &b->floppy;
    f->cylinder[unit] = cylinder;
    f->seek_ready[unit] = devices_after(b, SEEK_MICROSECONDS);
    f->command_bytes = 0;
}

/* Ends a seek. A step pulse with a diskette in the drive resets the disk change line. A recalibration without a
 * diskette fails, because it never finds track 0. */
static void seek_ends(devices *b, unsigned unit)
{
    floppy *f = &b->floppy;
    bool there = floppy_disk(b, unit) != NULL;
    bool recalibrated = f->cylinder[unit] == 0;
    f->seek_ready[unit] = 0;
    f->changed[unit] = f->changed[unit] && !there;
    f->sense[unit] =
        (uint8_t)(ST0_SEEK_END | unit | (recalibrated && !there ? ST0_ABNORMAL | ST0_EQUIPMENT_CHECK : 0));
    f->interrupt = true;
}

/* SENSE INTERRUPT STATUS: reports the next unit that has changed, and withdraws the interrupt. */
static void sense_interrupt(devices *b)
{
    floppy *f = &b->floppy;
    for (unsigned unit = 0; unit < FLOPPY_UNITS; unit++)
        if (f->sense[unit] != 0) {
            uint8_t bytes[2] = {f->sense[unit], f->cylinder[unit]};
            f->sense[unit] = 0;
            f->interrupt = false;
            result(b, bytes, sizeof bytes);
            drive_line(b);
            return;
        }
    result_byte(b, INVALID);
}

/* Sets what CONFIGURE sets to the values after a reset: no implied seeks, FIFO off, polling on. */
static void configure_default(floppy *f)
{
    f->configure[0] = CONFIGURE_NO_FIFO;
    f->configure[1] = 0;
}

/* Puts the controller into reset. */
static void reset(devices *b)
{
    floppy *f = &b->floppy;
    f->command_bytes = f->result_bytes = f->result_at = 0;
    f->busy = f->interrupt = false;
    for (unsigned unit = 0; unit < FLOPPY_UNITS; unit++) {
        f->seek_ready[unit] = 0;
        f->sense[unit] = 0;
        f->cylinder[unit] = 0;
    }
    if (!f->locked)
        configure_default(f);
}

/* Ends the controller's reset: its polling reports a possible change of each drive's state. */
static void reset_ends(devices *b)
{
    for (unsigned unit = 0; unit < FLOPPY_UNITS; unit++)
        b->floppy.sense[unit] = (uint8_t)(ST0_AFTER_RESET | unit);
    b->floppy.interrupt = true;
}

/* --- commands --- */

static void sense_drive(devices *b)
{
    const floppy *f = &b->floppy;
    unsigned unit = f->command[1] & COMMAND_UNIT;
    result_byte(b, (uint8_t)(ST3_READY | (f->command[1] & (COMMAND_HEAD | COMMAND_UNIT)) |
                             (f->cylinder[unit] == 0 && floppy_disk(b, unit) != NULL ? ST3_TRACK_0 : 0)));
}

static void dump_registers(devices *b)
{
    const floppy *f = &b->floppy;
    uint8_t bytes[FLOPPY_RESULT_BYTES] = {[7] = f->locked ? 0x80 : 0};
    memcpy(bytes, f->cylinder, sizeof f->cylinder);
    memcpy(bytes + 4, f->specify, sizeof f->specify);
    memcpy(bytes + 8, f->configure, sizeof f->configure);
    result(b, bytes, sizeof bytes);
}

/* Executes a command whose bytes have all been written. */
static void execute(devices *b)
{
    floppy *f = &b->floppy;
    unsigned unit = f->command[1] & COMMAND_UNIT;
    uint8_t done = 0; /* stands for a result without bytes */
    switch (floppy_code(f)) {
    case SPECIFY:
        memcpy(f->specify, f->command + 1, sizeof f->specify);
        result(b, &done, 0);
        break;
    case SENSE_DRIVE:
        sense_drive(b);
        break;
    case RECALIBRATE:
        seek(b, unit, 0);
        break;
    case SEEK:
        seek(b, unit, f->command[2]);
        break;
    case SENSE_INTERRUPT:
        sense_interrupt(b);
        break;
    case DUMP_REGISTERS:
        dump_registers(b);
        break;
    case VERSION:
        result_byte(b, VERSION_82077);
        break;
    case PERPENDICULAR:
        result(b, &done, 0);
        break;
    case CONFIGURE:
        f->configure[0] = f->command[2];
        f->configure[1] = f->command[3];
        result(b, &done, 0);
        break;
    case LOCK:
        f->locked = (f->command[0] & 0x80) != 0;
        result_byte(b, f->locked ? 0x10 : 0);
        break;
    default: /* commands that access the disk */
        f->busy = true;
        f->interrupt = false;
        f->command_bytes = 0;
        f->ready = devices_after(b, SECTOR_MICROSECONDS);
        if ((floppy_code(f) == WRITE_DATA || floppy_code(f) == FORMAT) && floppy_disk(b, unit) != NULL)
            devices_notice_unsaved(b, floppy_disk(b, unit));
    }
}

/* --- ports --- */

static uint8_t main_status(const floppy *f)
{
    uint8_t seeking = 0;
    for (unsigned unit = 0; unit < FLOPPY_UNITS; unit++)
        seeking |= (uint8_t)((f->seek_ready[unit] != 0) << unit);
    if ((f->output & OUTPUT_NOT_RESET) == 0)
        return 0;
    if (f->busy)
        return STATUS_COMMAND | seeking;
    if (f->result_bytes != 0)
        return STATUS_REQUEST | STATUS_TO_HOST | STATUS_COMMAND | seeking;
    return (uint8_t)(STATUS_REQUEST | (f->command_bytes != 0 ? STATUS_COMMAND : 0) | seeking);
}

/* Adds a byte to the command, which begins when its last byte has been written. */
static void fifo_write(devices *b, uint8_t byte)
{
    floppy *f = &b->floppy;
    if ((f->output & OUTPUT_NOT_RESET) == 0 || f->busy || f->result_bytes != 0)
        return;
    f->command[f->command_bytes++] = byte;
    unsigned length = length_of(f->command[0]);
    if (length == 0)
        result_byte(b, INVALID);
    else if (f->command_bytes >= length)
        execute(b);
}

/* Reads the next byte of the result. The first read of a result of floppy_end, which has seven bytes, withdraws the
 * interrupt. */
static uint8_t fifo_read(devices *b)
{
    floppy *f = &b->floppy;
    if (f->busy || f->result_bytes == 0)
        return 0;
    uint8_t byte = f->result[f->result_at++];
    if (f->result_bytes == 7 && f->result_at == 1) {
        f->interrupt = false;
        drive_line(b);
    }
    if (f->result_at == f->result_bytes)
        f->result_bytes = f->result_at = 0;
    return byte;
}

/* Writes the digital output register. While its bit 2 is clear, the controller is in reset. */
static void output_write(devices *b, uint8_t value)
{
    floppy *f = &b->floppy;
    bool runs = (f->output & OUTPUT_NOT_RESET) != 0, will_run = (value & OUTPUT_NOT_RESET) != 0;
    f->output = value;
    if (!will_run)
        reset(b);
    else if (!runs)
        reset_ends(b);
    drive_line(b);
}

static uint32_t floppy_read(devices *b, uint16_t port)
{
    floppy *f = &b->floppy;
    unsigned unit = f->output & OUTPUT_UNIT;
    switch (port) {
    case FLOPPY_OUTPUT:
        return f->output;
    case FLOPPY_STATUS:
        return main_status(f);
    case FLOPPY_FIFO:
        return fifo_read(b);
    case FLOPPY_INPUT: /* the selected drive drives its line only while its motor is on */
        return floppy_motor_on(f, unit) && unit < 2 && f->changed[unit] ? 0xff : 0xff & ~INPUT_CHANGED;
    default:
        return 0xff;
    }
}

static void floppy_write(devices *b, uint16_t port, uint32_t value)
{
    floppy *f = &b->floppy;
    switch (port) {
    case FLOPPY_OUTPUT:
        output_write(b, (uint8_t)value);
        break;
    case FLOPPY_STATUS: /* data rate select; its reset bit clears itself */
        f->rate = value & 3;
        if ((value & DSR_RESET) != 0) {
            reset(b);
            reset_ends(b);
            drive_line(b);
        }
        break;
    case FLOPPY_FIFO:
        fifo_write(b, (uint8_t)value);
        break;
    case FLOPPY_INPUT: /* configuration control */
        f->rate = value & 3;
        break;
    default:
        break;
    }
}

static uint64_t floppy_deadline(const devices *b)
{
    const floppy *f = &b->floppy;
    uint64_t next = f->busy ? f->ready : UINT64_MAX;
    for (unsigned unit = 0; unit < FLOPPY_UNITS; unit++)
        if (f->seek_ready[unit] != 0 && f->seek_ready[unit] < next)
            next = f->seek_ready[unit];
    return next;
}

static void floppy_advance(devices *b)
{
    floppy *f = &b->floppy;
    for (unsigned unit = 0; unit < FLOPPY_UNITS; unit++)
        if (f->seek_ready[unit] != 0 && b->now >= f->seek_ready[unit])
            seek_ends(b, unit);
    if (f->busy && b->now >= f->ready)
        floppy_continue(b);
    drive_line(b);
}

void floppy_attach(devices *b)
{
    floppy *f = &b->floppy;
    f->output = OUTPUT_NOT_RESET | OUTPUT_DMA;
    configure_default(f);
    for (unsigned unit = 0; unit < FLOPPY_UNITS; unit++)
        f->changed[unit] = true;
    devices_attach(b, &(device){FLOPPY_OUTPUT, FLOPPY_FIFO, .read = floppy_read, .write = floppy_write});
    devices_attach(b, &(device){FLOPPY_INPUT, FLOPPY_INPUT, .read = floppy_read, .write = floppy_write});
    devices_attach_timer(b, &(device_timer){IRQ_FLOPPY, floppy_deadline, floppy_advance});
}

const snapshot_table floppy_state = {
    SNAPSHOT(floppy, "floppy", FIELD_ANY(output), FIELD_MOST(3, rate), FIELD_ANY_OF([0], command),
             FIELD_MOST(FLOPPY_COMMAND_BYTES - 1, command_bytes), FIELD_ANY_OF([0], result),
             FIELD_MOST(FLOPPY_RESULT_BYTES, result_bytes), FIELD_MOST(FLOPPY_RESULT_BYTES - 1, result_at),
             FIELD_FLAG(busy, interrupt), FIELD_DEADLINE(ready), FIELD_TIME_OF([0], seek_ready),
             FIELD_ANY_OF([0], cylinder, sense), FIELD_MOST_OF([0], 1, changed),
             FIELD_ANY_OF([0], specify, configure), FIELD_FLAG(locked)),
    .since = 2};
