#include "machine/board/floppy.h"

#include <string.h>

#include "machine/board/board_internal.h"
#include "machine/state.h"

enum {
    OUTPUT_UNIT = 0x03,
    OUTPUT_NOT_RESET = 0x04,
    OUTPUT_DMA = 0x08, /* gates interrupt and DMA request */
    STATUS_REQUEST = 0x80,
    STATUS_TO_HOST = 0x40,
    STATUS_COMMAND = 0x10,
    INPUT_CHANGED = 0x80,
    DSR_RESET = 0x80,

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
    MULTI_TRACK = 0x80,
    VERSION_82077 = 0x90,
    INVALID = 0x80, /* ST0 */

    ST0_ABNORMAL = 0x40,
    ST0_AFTER_RESET = 0xc0,
    ST0_SEEK_END = 0x20,
    ST0_EQUIPMENT_CHECK = 0x10,
    ST0_HEAD = 0x04,
    ST1_END_OF_CYLINDER = 0x80,
    ST1_OVERRUN = 0x10,
    ST1_NO_DATA = 0x04,
    ST1_NOT_WRITABLE = 0x02,
    ST1_NO_ADDRESS_MARK = 0x01,
    ST2_WRONG_CYLINDER = 0x10,
    ST3_TRACK_0 = 0x10,
    ST3_READY = 0x28, /* ready and two-sided, as both are tied */
    SIZE_512 = 2,     /* N */

    SECTOR_MICROSECONDS = 1000,
    SEEK_MICROSECONDS = 1000
};

/* Returns the bytes of a command, including the first, or 0 for an invalid command. */
static unsigned command_bytes(uint8_t code)
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

static disk_image *unit_disk(devices *b, unsigned unit)
{
    return unit < 2 ? devices_drive(b, (uint8_t)(DRIVE_DISKETTE + unit)) : NULL;
}

/* --- results --- */

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

/* The seven bytes that end READ, WRITE, VERIFY, FORMAT and READ ID: status, then where the command has come to. */
static void result_status(devices *b, uint8_t st0, uint8_t st1, uint8_t st2)
{
    const floppy *f = &b->floppy;
    uint8_t code = (uint8_t)(st0 | (f->command[1] & (ST0_HEAD | OUTPUT_UNIT)));
    uint8_t bytes[7] = {code, st1, st2, f->command[2], f->command[3], f->command[4], f->command[5]};
    result(b, bytes, sizeof bytes);
    b->floppy.interrupt = true;
    drive_line(b);
}

static void fail(devices *b, uint8_t st1, uint8_t st2)
{
    result_status(b, ST0_ABNORMAL, st1, st2);
}

/* --- moving sectors --- */

static uint8_t rate_of(const disk_image *disk)
{
    enum { KBITS_500, KBITS_300, KBITS_250, KBITS_1000 };
    return disk->per_track >= 36 ? KBITS_1000 : disk->per_track >= 15 ? KBITS_500 : KBITS_250;
}

/* A drive of 1.2 MB turns faster: it reads diskettes of 360 KB at 300 Kbit/s. Both rates are accepted. */
static bool rate_fits(uint8_t rate, const disk_image *disk)
{
    uint8_t wanted = rate_of(disk);
    return rate == wanted || (wanted == 2 && rate == 1);
}

/* Returns the disk in the command's drive if its motor is on, or NULL after reporting an error. */
static disk_image *disk_found(devices *b)
{
    floppy *f = &b->floppy;
    unsigned unit = f->command[1] & OUTPUT_UNIT;
    disk_image *disk = unit_disk(b, unit);
    bool turns = (f->output >> (4 + unit) & 1) != 0;
    if (disk == NULL || !turns || !rate_fits(f->rate, disk) || f->cylinder[unit] >= disk->cylinders) {
        fail(b, ST1_NO_ADDRESS_MARK, 0);
        return NULL;
    }
    return disk;
}

/* The address in the command names a sector of the cylinder under the head; else the error has been reported. */
static bool sector_found(devices *b, const disk_image *disk, uint64_t *block)
{
    const floppy *f = &b->floppy;
    uint8_t present = f->cylinder[f->command[1] & OUTPUT_UNIT], cylinder = f->command[2],
            head = f->command[3];
    uint8_t sector = f->command[4];
    if (cylinder != present) {
        fail(b, ST1_NO_DATA, ST2_WRONG_CYLINDER);
        return false;
    }
    if (head >= disk->heads || head != (f->command[1] & ST0_HEAD) / ST0_HEAD || sector == 0 ||
        sector > disk->per_track || f->command[5] != SIZE_512) {
        fail(b, ST1_NO_DATA, 0);
        return false;
    }
    *block = disk_image_block(disk, cylinder, head, sector);
    return true;
}

/* The address that follows the sector. True: it was the last one of the command's track or cylinder. */
static bool next_sector(floppy *f)
{
    bool last = f->command[4] >= f->command[6];
    if (!last) {
        f->command[4]++;
        return false;
    }
    f->command[4] = 1;
    bool first_head = f->command[3] == 0;
    if ((f->command[0] & MULTI_TRACK) != 0) {
        f->command[3] ^= 1;
        f->command[1] ^= ST0_HEAD;
        if (first_head)
            return false;
    }
    f->command[2]++;
    return true;
}

/* Transfers one sector. Returns false if the command has ended with an error. Sets *ended if the DMA controller has
 * reached its terminal count. */
static bool move_sector(devices *b, disk_image *disk, uint64_t block, bool *ended)
{
    floppy *f = &b->floppy;
    uint8_t code = f->command[0] & 31, bytes[DISK_SECTOR] = {0};
    *ended = false;
    if (code == READ_DATA && !disk_image_read(disk, block, bytes)) {
        fail(b, ST1_NO_DATA, 0);
        return false;
    }
    size_t moved = code == VERIFY ? DISK_SECTOR : dma_move(b, DMA_FLOPPY, bytes, DISK_SECTOR, ended);
    if (moved == 0) {
        fail(b, ST1_OVERRUN, 0);
        return false;
    }
    if (code == WRITE_DATA &&
        !disk_image_write(disk, block, bytes)) { /* a part of a sector is filled up with zeros */
        fail(b, ST1_NOT_WRITABLE, 0);
        return false;
    }
    return true;
}

/* Called when the time of a sector is over. */
static void sector_comes(devices *b)
{
    floppy *f = &b->floppy;
    uint64_t block;
    bool ended;
    disk_image *disk = disk_found(b);
    if (disk == NULL || !sector_found(b, disk, &block) || !move_sector(b, disk, block, &ended))
        return;
    bool last = next_sector(f);
    if (ended || (last && (f->command[0] & 31) == VERIFY))
        result_status(b, 0, 0, 0);
    else if (last)
        fail(b, ST1_END_OF_CYLINDER, 0);
    else
        f->ready = devices_after(b, SECTOR_MICROSECONDS);
}

/* FORMAT: four bytes for each sector of the track come by DMA: cylinder, head, sector, size. The data field is
 * filled with the command's byte. */
static void format_track(devices *b)
{
    const floppy *f = &b->floppy;
    uint8_t bytes[DISK_SECTOR], id[4] = {0};
    unsigned unit = f->command[1] & OUTPUT_UNIT, head = (f->command[1] & ST0_HEAD) / ST0_HEAD;
    disk_image *disk = disk_found(b);
    if (disk == NULL)
        return;
    if (f->command[2] != SIZE_512 || f->command[3] > disk->per_track || head >= disk->heads) {
        fail(b, ST1_NO_DATA, 0);
        return;
    }
    memset(bytes, f->command[5], sizeof bytes);
    for (unsigned i = 0; i < f->command[3]; i++) {
        bool ended;
        if (dma_move(b, DMA_FLOPPY, id, sizeof id, &ended) < sizeof id || id[2] == 0 ||
            id[2] > disk->per_track) {
            fail(b, ST1_OVERRUN, 0);
            return;
        }
        if (!disk_image_write(disk, disk_image_block(disk, f->cylinder[unit], head, id[2]), bytes)) {
            fail(b, ST1_NOT_WRITABLE, 0);
            return;
        }
    }
    result_status(b, 0, 0, 0);
}

static void read_id(devices *b)
{
    floppy *f = &b->floppy;
    const disk_image *disk = disk_found(b);
    if (disk == NULL)
        return;
    uint8_t head = (f->command[1] & ST0_HEAD) / ST0_HEAD;
    if (head >= disk->heads) {
        fail(b, ST1_NO_ADDRESS_MARK, 0);
        return;
    }
    f->command[2] = f->cylinder[f->command[1] & OUTPUT_UNIT];
    f->command[3] = head;
    f->command[4] = 1;
    f->command[5] = SIZE_512;
    result_status(b, 0, 0, 0);
}

/* --- seeks --- */

static void seek(devices *b, unsigned unit, uint8_t cylinder)
{
    floppy *f = &b->floppy;
    f->cylinder[unit] = cylinder;
    f->seek_ready[unit] = devices_after(b, SEEK_MICROSECONDS);
    f->command_bytes = 0;
}

/* A step pulse with a diskette in the drive resets the disk change line. Without a drive track 0 is never seen. */
static void seek_ends(devices *b, unsigned unit)
{
    floppy *f = &b->floppy;
    bool there = unit_disk(b, unit) != NULL;
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
        memset(f->configure, 0, sizeof f->configure);
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
    unsigned unit = f->command[1] & OUTPUT_UNIT;
    result_byte(b, (uint8_t)(ST3_READY | (f->command[1] & (ST0_HEAD | OUTPUT_UNIT)) |
                             (f->cylinder[unit] == 0 && unit_disk(b, unit) != NULL ? ST3_TRACK_0 : 0)));
}

static void dump_registers(devices *b)
{
    const floppy *f = &b->floppy;
    uint8_t bytes[FLOPPY_RESULT_BYTES] = {f->cylinder[0],
                                          f->cylinder[1],
                                          f->cylinder[2],
                                          f->cylinder[3],
                                          f->specify[0],
                                          f->specify[1],
                                          0,
                                          f->locked ? 0x80 : 0,
                                          f->configure[0],
                                          f->configure[1]};
    result(b, bytes, sizeof bytes);
}

static void execute(devices *b)
{
    floppy *f = &b->floppy;
    unsigned unit = f->command[1] & OUTPUT_UNIT;
    uint8_t done = 0;
    switch (f->command[0] & 31) {
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
        if ((f->command[0] & 31) == WRITE_DATA && unit_disk(b, unit) != NULL)
            devices_notice_write(b, unit_disk(b, unit));
    }
}

/* Continues the execution phase of a command. */
static void go_on(devices *b)
{
    uint8_t code = b->floppy.command[0] & 31;
    if (code == FORMAT)
        format_track(b);
    else if (code == READ_ID)
        read_id(b);
    else
        sector_comes(b);
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

static void fifo_write(devices *b, uint8_t byte)
{
    floppy *f = &b->floppy;
    if ((f->output & OUTPUT_NOT_RESET) == 0 || f->busy || f->result_bytes != 0)
        return;
    f->command[f->command_bytes++] = byte;
    unsigned bytes = command_bytes(f->command[0]);
    if (bytes == 0)
        result_byte(b, INVALID);
    else if (f->command_bytes >= bytes)
        execute(b);
}

static uint8_t fifo_read(devices *b)
{
    floppy *f = &b->floppy;
    if (f->busy || f->result_bytes == 0)
        return 0;
    uint8_t byte = f->result[f->result_at++];
    if (f->result_bytes == 7 && f->result_at == 1) { /* reading the result withdraws the interrupt */
        f->interrupt = false;
        drive_line(b);
    }
    if (f->result_at == f->result_bytes)
        f->result_bytes = f->result_at = 0;
    return byte;
}

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
    case FLOPPY_INPUT: { /* the selected drive drives its line only while its motor is on */
        bool on = (f->output >> (4 + unit) & 1) != 0;
        return on && unit < 2 && f->changed[unit] ? 0xff : 0xff & ~INPUT_CHANGED;
    }
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
        go_on(b);
    drive_line(b);
}

void floppy_attach(devices *b)
{
    floppy *f = &b->floppy;
    f->output = OUTPUT_NOT_RESET | OUTPUT_DMA;
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
