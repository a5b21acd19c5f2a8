/* The ports of the IDE channel. ide_command.c executes the commands. */
#include "machine/board/ide.h"

#include <string.h>

#include "machine/board/board_internal.h"
#include "machine/board/ide_internal.h"
#include "machine/state.h"

enum {
    /* registers, from 1F0h */
    DATA,
    ERROR, /* written: features */
    COUNT,
    SECTOR,
    CYLINDER_LOW,
    CYLINDER_HIGH,
    SELECT,
    STATUS, /* written: command */

    STATUS_BUSY = 0x80,
    STATUS_READY = 0x40,
    STATUS_SEEK_COMPLETE = 0x10,
    STATUS_DATA_REQUEST = 0x08,
    STATUS_ERROR = 0x01,
    EMPTY_CHANNEL = 0x7f, /* status: bit 7 is pulled down, the other lines are high */
    CONTROL_RESET = 0x04,
    SECTOR_MICROSECONDS = 40, /* between two sectors of a command */
    RESET_MICROSECONDS = 2000
};

/* --- ports --- */

/* Transfers a word between the buffer and the host, or two for a doubleword access. `phase` is the direction; in
 * another phase nothing is transferred. After the last word, the command continues. */
static uint32_t data_move(devices *b, ide_phase phase, uint32_t value)
{
    ide *d = &b->ide;
    if (d->phase != phase)
        return UINT32_MAX;
    uint32_t left = d->end - d->at, bytes = b->access_bytes < left ? b->access_bytes : left;
    if (phase == IDE_TO_HOST)
        memcpy(&value, d->buffer + d->at, bytes);
    else
        memcpy(d->buffer + d->at, &value, bytes);
    d->at += bytes;
    if (d->at < d->end)
        return value;
    if (phase == IDE_FROM_HOST || ide_has_more(d))
        ide_busy(b, SECTOR_MICROSECONDS);
    else
        d->phase = IDE_IDLE;
    return value;
}

/* Returns the status register of the selected drive. A missing drive reads as 0 if the other one is present. */
static uint8_t status(devices *b)
{
    const ide *d = &b->ide;
    if (ide_selected_disk(b) == NULL)
        return ide_disk(b, !ide_selected(d)) != NULL ? 0 : EMPTY_CHANNEL;
    if (d->phase == IDE_BUSY || (d->control & CONTROL_RESET) != 0)
        return STATUS_BUSY;
    return (uint8_t)(STATUS_READY | STATUS_SEEK_COMPLETE |
                     (d->phase == IDE_TO_HOST || d->phase == IDE_FROM_HOST ? STATUS_DATA_REQUEST : 0) |
                     (d->failed ? STATUS_ERROR : 0));
}

static uint32_t ide_read(devices *b, uint16_t port)
{
    ide *d = &b->ide;
    const uint8_t registers[] = {
        0, d->error, d->count, d->sector, d->cylinder_low, d->cylinder_high, d->select | 0xa0};
    unsigned reg = port - IDE_DATA;
    if (reg == DATA)
        return data_move(b, IDE_TO_HOST, UINT32_MAX);
    uint8_t now = status(b);
    if (reg == STATUS) {
        d->interrupt = false;
        ide_drive_line(b);
        return now;
    }
    return now == EMPTY_CHANNEL || now == STATUS_BUSY ? now : registers[reg];
}

static void ide_write(devices *b, uint16_t port, uint32_t value)
{
    ide *d = &b->ide;
    uint8_t *const registers[] = {
        NULL, &d->features, &d->count, &d->sector, &d->cylinder_low, &d->cylinder_high, &d->select};
    unsigned reg = port - IDE_DATA;
    if (reg == DATA)
        data_move(b, IDE_FROM_HOST, value);
    else if (reg == STATUS)
        ide_execute(b, (uint8_t)value);
    else if (d->phase != IDE_BUSY)
        *registers[reg] = (uint8_t)value;
}

static uint32_t control_read(devices *b, uint16_t port)
{
    (void)port;
    return status(b);
}

/* Writes the device control register. After a software reset, the drive is busy for RESET_MICROSECONDS. */
static void control_write(devices *b, uint16_t port, uint32_t value)
{
    ide *d = &b->ide;
    bool ends = (d->control & CONTROL_RESET) != 0 && (value & CONTROL_RESET) == 0;
    (void)port;
    d->control = (uint8_t)value;
    if (ends) {
        ide_signature(d);
        d->command = IDE_RESET;
        d->unit = 0;
        d->interrupt = false;
        ide_busy(b, RESET_MICROSECONDS);
    }
    ide_drive_line(b);
}

static uint64_t ide_deadline(const devices *b)
{
    return b->ide.phase == IDE_BUSY ? b->ide.ready : UINT64_MAX;
}

static void ide_advance(devices *b)
{
    ide *d = &b->ide;
    if (d->phase != IDE_BUSY || b->now < d->ready)
        return;
    disk_image *disk = ide_disk(b, d->unit);
    if (disk != NULL)
        ide_continue(b, disk);
    else
        d->phase = IDE_IDLE;
}

void ide_attach(devices *b)
{
    b->ide.units[0] = b->ide.units[1] = (ide_unit){.heads = 16, .per_track = 63};
    ide_signature(&b->ide);
    devices_attach(b, &(device){IDE_DATA, IDE_STATUS, .read = ide_read, .write = ide_write});
    devices_attach(b, &(device){IDE_CONTROL, IDE_CONTROL, .read = control_read, .write = control_write});
    devices_attach_timer(b, &(device_timer){IRQ_IDE, ide_deadline, ide_advance});
}

static const snapshot_table unit_state = {SNAPSHOT(ide_unit, "ide_unit", FIELD_RANGE(1, 16, heads),
                                                   FIELD_RANGE(1, 255, per_track),
                                                   FIELD_MOST(IDE_MOST_SECTORS, multiple))};
const snapshot_table ide_state = {
    SNAPSHOT(ide, "ide", FIELD_ANY(features, count, sector, cylinder_low, cylinder_high, select),
             FIELD_ANY(error, control, command), FIELD_MOST(1, unit), FIELD_FLAG(failed, interrupt),
             FIELD_MOST(IDE_FROM_HOST, phase), FIELD_DEADLINE(ready), FIELD_ANY(block), FIELD_MOST(256, left),
             FIELD_MOST(IDE_MOST_SECTORS *DISK_SECTOR, at, end), FIELD_ANY_OF([0], buffer),
             FIELD_TABLE(&unit_state, units)),
    .since = 2};
