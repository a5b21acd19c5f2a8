#include "machine/board/ide.h"

#include <string.h>

#include "machine/board/board_internal.h"
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
    ERROR_ABORTED = 0x04,
    ERROR_NOT_FOUND = 0x10,
    ERROR_NOT_CORRECTED = 0x40,
    DIAGNOSED = 0x01, /* error register after a reset: device 0 passed, device 1 passed or absent */
    SELECT_LBA = 0x40,
    SELECT_SECOND = 0x10,
    CONTROL_RESET = 0x04,
    CONTROL_NO_INTERRUPT = 0x02,
    COMMAND_MICROSECONDS = 100, /* until the first sector, or the end of a command without data */
    SECTOR_MICROSECONDS = 40,   /* between two sectors of a command */
    RESET_MICROSECONDS = 2000,
    UNKNOWN_COMMAND = 0xff,
    RESET_COMMAND = 0 /* in place of a command after a reset; as a command it is NOP, which is aborted */
};

typedef enum ide_class {
    NO_COMMAND,
    AFTER_RESET,
    NO_DATA,
    RECALIBRATE,
    READ,
    READ_MULTIPLE,
    WRITE,
    WRITE_MULTIPLE,
    VERIFY,
    SEEK,
    DIAGNOSE,
    SET_PARAMETERS,
    SET_MULTIPLE,
    CHECK_POWER,
    SET_FEATURES,
    IDENTIFY
} ide_class;

/* Commands of ATA-3 that a disk without power management, security and media of its own has. */
static ide_class class_of(uint8_t command)
{
    switch (command) {
    case RESET_COMMAND:
        return AFTER_RESET;
    case 0x20:
    case 0x21:
        return READ;
    case 0x30:
    case 0x31:
        return WRITE;
    case 0x40:
    case 0x41:
        return VERIFY;
    case 0x90:
        return DIAGNOSE;
    case 0x91:
        return SET_PARAMETERS;
    case 0xc4:
        return READ_MULTIPLE;
    case 0xc5:
        return WRITE_MULTIPLE;
    case 0xc6:
        return SET_MULTIPLE;
    case 0xe5:
    case 0x98:
        return CHECK_POWER;
    case 0xe0: /* STANDBY IMMEDIATE, IDLE IMMEDIATE, STANDBY, IDLE and their older codes; FLUSH CACHE */
    case 0xe1:
    case 0xe2:
    case 0xe3:
    case 0xe7:
    case 0x94:
    case 0x95:
    case 0x96:
    case 0x97:
        return NO_DATA;
    case 0xec:
        return IDENTIFY;
    case 0xef:
        return SET_FEATURES;
    default:
        return command >> 4 == 1 ? RECALIBRATE : command >> 4 == 7 ? SEEK : NO_COMMAND;
    }
}

/* --- drives and addresses --- */

static unsigned selected(const ide *d)
{
    return (d->select & SELECT_SECOND) != 0;
}

static disk_image *unit_disk(devices *b, unsigned unit)
{
    return devices_drive(b, (uint8_t)(DRIVE_HARD_DISK + unit));
}

static disk_image *selected_disk(devices *b)
{
    return unit_disk(b, selected(&b->ide));
}

static uint32_t sectors_of(const disk_image *disk)
{
    enum { LBA28 = 0x0fffffff };
    return disk->sectors < LBA28 ? (uint32_t)disk->sectors : LBA28;
}

/* Returns false if the registers do not address a sector of the disk. */
static bool address_of(const ide *d, const disk_image *disk, uint64_t *block)
{
    const ide_unit *unit = &d->units[d->unit];
    uint32_t cylinder = (uint32_t)d->cylinder_high << 8 | d->cylinder_low, head = d->select & 15;
    if ((d->select & SELECT_LBA) != 0) {
        *block = head << 24 | cylinder << 8 | d->sector;
        return *block < sectors_of(disk);
    }
    if (d->sector == 0 || d->sector > unit->per_track || head >= unit->heads)
        return false;
    *block = ((uint64_t)cylinder * unit->heads + head) * unit->per_track + d->sector - 1;
    return *block < sectors_of(disk);
}

/* Sets the address registers to `block`, as at the end of a command and after an error. */
static void show_address(ide *d, uint64_t block)
{
    const ide_unit *unit = &d->units[d->unit];
    uint32_t cylinder, head;
    if ((d->select & SELECT_LBA) != 0) {
        d->sector = (uint8_t)block;
        cylinder = block >> 8 & 0xffff;
        head = block >> 24 & 15;
    } else {
        d->sector = (uint8_t)(block % unit->per_track + 1);
        head = (uint32_t)(block / unit->per_track % unit->heads);
        cylinder = (uint32_t)(block / unit->per_track / unit->heads);
    }
    d->cylinder_low = (uint8_t)cylinder;
    d->cylinder_high = (uint8_t)(cylinder >> 8);
    d->select = (uint8_t)((d->select & 0xf0) | head);
}

/* --- the course of a command --- */

static void drive_line(devices *b)
{
    const ide *d = &b->ide;
    devices_set_irq(b, IRQ_IDE, d->interrupt && (d->control & CONTROL_NO_INTERRUPT) == 0);
}

static void interrupt(devices *b)
{
    b->ide.interrupt = true;
    drive_line(b);
}

static void busy(devices *b, unsigned microseconds)
{
    b->ide.phase = IDE_BUSY;
    b->ide.ready = devices_after(b, microseconds);
}

static void finish(devices *b, uint8_t error)
{
    b->ide.error = error;
    b->ide.failed = error != 0;
    b->ide.phase = IDE_IDLE;
    interrupt(b);
}

static uint32_t block_sectors(const ide *d)
{
    ide_class class = class_of(d->command);
    uint32_t most = class == READ_MULTIPLE || class == WRITE_MULTIPLE ? d->units[d->unit].multiple : 1;
    return d->left < most ? d->left : most;
}

static void data_phase(devices *b, ide_phase phase, uint32_t bytes)
{
    b->ide.phase = phase;
    b->ide.at = 0;
    b->ide.end = bytes;
}

/* Advances the address registers and COUNT after a sector has been transferred. */
static void sector_done(ide *d)
{
    show_address(d, d->block);
    d->block++;
    d->left--;
    d->count--;
}

static void read_block(devices *b, const disk_image *disk)
{
    ide *d = &b->ide;
    uint32_t sectors = block_sectors(d);
    for (uint32_t i = 0; i < sectors; i++) {
        if (!disk_image_read(disk, d->block, d->buffer + i * DISK_SECTOR)) {
            show_address(d, d->block);
            finish(b, d->block < sectors_of(disk) ? ERROR_NOT_CORRECTED : ERROR_NOT_FOUND);
            return;
        }
        sector_done(d);
    }
    data_phase(b, IDE_TO_HOST, sectors * DISK_SECTOR);
    interrupt(b);
}

/* Called when a buffer from the host has been written to the disk: requests the next block or ends the command. */
static void write_block(devices *b, disk_image *disk)
{
    ide *d = &b->ide;
    for (uint32_t at = 0; at < d->end && d->left > 0; at += DISK_SECTOR) {
        if (!disk_image_write(disk, d->block, d->buffer + at)) {
            show_address(d, d->block);
            finish(b, d->block < sectors_of(disk) ? ERROR_NOT_CORRECTED : ERROR_NOT_FOUND);
            return;
        }
        sector_done(d);
    }
    if (d->left == 0) {
        finish(b, 0);
        return;
    }
    data_phase(b, IDE_FROM_HOST, block_sectors(d) * DISK_SECTOR);
    interrupt(b);
}

static void identify_text(uint8_t *words, const char *text, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        words[i ^ 1] = (uint8_t)(*text != '\0' ? *text++ : ' ');
}

/* ATA-3, 8.9. */
static void identify(devices *b, const disk_image *disk)
{
    ide *d = &b->ide;
    uint32_t sectors = sectors_of(disk);
    uint32_t cylinders = disk->cylinders < 16383 ? disk->cylinders : 16383;
    uint32_t chs = cylinders * disk->heads * disk->per_track;
    const struct {
        uint8_t word;
        uint16_t value;
    } words[] = {
        {0, 0x0040}, /* fixed device */
        {1, (uint16_t)cylinders},
        {3, (uint16_t)disk->heads},
        {6, (uint16_t)disk->per_track},
        {47, 0x8000 | IDE_MOST_SECTORS},
        {49, 0x0200}, /* LBA */
        {51, 0x0200}, /* PIO mode 2 */
        {53, 1},      /* words 54-58 are valid */
        {54, (uint16_t)cylinders},
        {55, (uint16_t)disk->heads},
        {56, (uint16_t)disk->per_track},
        {57, (uint16_t)chs},
        {58, (uint16_t)(chs >> 16)},
        {59, (uint16_t)(d->units[d->unit].multiple != 0 ? 0x100 | d->units[d->unit].multiple : 0)},
        {60, (uint16_t)sectors},
        {61, (uint16_t)(sectors >> 16)},
        {80, 0x000e}, /* ATA-1 to ATA-3 */
    };
    memset(d->buffer, 0, DISK_SECTOR);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++)
        memcpy(d->buffer + 2 * words[i].word, &words[i].value, 2);
    identify_text(d->buffer + 20, d->unit != 0 ? "P5S0002" : "P5S0001", 20);
    identify_text(d->buffer + 46, "1.0", 8);
    identify_text(d->buffer + 54, "p5scope disk", 40);
    data_phase(b, IDE_TO_HOST, DISK_SECTOR);
    interrupt(b);
}

static void signature(ide *d)
{
    d->count = d->sector = 1;
    d->cylinder_low = d->cylinder_high = d->select = 0;
    d->error = DIAGNOSED;
    d->failed = false;
}

static void set_features(devices *b)
{
    enum { TRANSFER_MODE = 0x03, PIO_DEFAULT = 1, PIO_FLOW = 8, PIO_FLOW_MOST = 10 };
    const ide *d = &b->ide;
    uint8_t feature = d->features;
    bool cache = feature == 0x02 || feature == 0x82, look_ahead = feature == 0x55 || feature == 0xaa;
    bool revert = feature == 0x66 || feature == 0xcc;
    bool mode = feature == TRANSFER_MODE &&
                (d->count <= PIO_DEFAULT || (d->count >= PIO_FLOW && d->count <= PIO_FLOW_MOST));
    finish(b, cache || look_ahead || revert || mode ? 0 : ERROR_ABORTED);
}

/* Called when the time of a command, or of a block of it, is over. */
static void go_on(devices *b, disk_image *disk)
{
    ide *d = &b->ide;
    ide_unit *unit = &d->units[d->unit];
    uint64_t block;
    switch (class_of(d->command)) {
    case READ:
    case READ_MULTIPLE:
        read_block(b, disk);
        break;
    case WRITE:
    case WRITE_MULTIPLE:
        write_block(b, disk);
        break;
    case VERIFY:
        while (d->left > 0 && d->block < sectors_of(disk))
            sector_done(d);
        finish(b, d->left > 0 ? ERROR_NOT_FOUND : 0);
        break;
    case SEEK:
        finish(b, address_of(d, disk, &block) ? 0 : ERROR_NOT_FOUND);
        break;
    case RECALIBRATE:
        d->cylinder_low = d->cylinder_high = 0;
        finish(b, 0);
        break;
    case DIAGNOSE:
        signature(d);
        finish(b, 0);
        d->error = DIAGNOSED;
        break;
    case SET_PARAMETERS:
        if (d->count != 0)
            *unit =
                (ide_unit){.heads = (d->select & 15) + 1, .per_track = d->count, .multiple = unit->multiple};
        finish(b, d->count != 0 ? 0 : ERROR_ABORTED);
        break;
    case SET_MULTIPLE: {
        bool valid = d->count <= IDE_MOST_SECTORS && (d->count & (d->count - 1)) == 0;
        unit->multiple = valid ? d->count : 0;
        finish(b, valid ? 0 : ERROR_ABORTED);
        break;
    }
    case CHECK_POWER:
        d->count = 0xff; /* active */
        finish(b, 0);
        break;
    case SET_FEATURES:
        set_features(b);
        break;
    case IDENTIFY:
        identify(b, disk);
        break;
    case NO_DATA:
        finish(b, 0);
        break;
    case AFTER_RESET: /* without an interrupt */
        d->phase = IDE_IDLE;
        break;
    case NO_COMMAND:
        finish(b, ERROR_ABORTED);
    }
}

static void command(devices *b, uint8_t code)
{
    ide *d = &b->ide;
    ide_class class = class_of(code);
    disk_image *disk = class == DIAGNOSE ? unit_disk(b, 0) : selected_disk(b);
    if (disk == NULL || d->phase == IDE_BUSY)
        return;
    code = code == RESET_COMMAND ? UNKNOWN_COMMAND : code;
    bool moves = class == READ || class == WRITE || class == VERIFY || class == READ_MULTIPLE ||
                 class == WRITE_MULTIPLE;
    bool multiple = class == READ_MULTIPLE || class == WRITE_MULTIPLE;
    d->command = code;
    d->unit = class == DIAGNOSE ? 0 : (uint8_t)selected(d);
    d->failed = d->interrupt = false;
    d->error = 0;
    drive_line(b);
    if (multiple && d->units[d->unit].multiple == 0) {
        finish(b, ERROR_ABORTED);
        return;
    }
    if (moves && !address_of(d, disk, &d->block)) {
        finish(b, ERROR_NOT_FOUND);
        return;
    }
    d->left = d->count == 0 ? 256 : d->count;
    if (class != WRITE && class != WRITE_MULTIPLE) {
        busy(b, COMMAND_MICROSECONDS);
        return;
    }
    devices_notice_write(b, disk);
    data_phase(b, IDE_FROM_HOST, block_sectors(d) * DISK_SECTOR); /* the first block without an interrupt */
}

/* --- ports --- */

/* Transfers a word of the buffer, or two for a doubleword access. After the last one, the command continues. */
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
    if (phase == IDE_FROM_HOST || (d->left != 0 && class_of(d->command) != IDENTIFY))
        busy(b, SECTOR_MICROSECONDS);
    else
        d->phase = IDE_IDLE;
    return value;
}

static uint8_t status(devices *b)
{
    const ide *d = &b->ide;
    if (selected_disk(b) == NULL)
        return unit_disk(b, !selected(d)) != NULL ? 0 : EMPTY_CHANNEL;
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
        drive_line(b);
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
        command(b, (uint8_t)value);
    else if (d->phase != IDE_BUSY)
        *registers[reg] = (uint8_t)value;
}

static uint32_t control_read(devices *b, uint16_t port)
{
    (void)port;
    return status(b);
}

static void control_write(devices *b, uint16_t port, uint32_t value)
{
    ide *d = &b->ide;
    bool ends = (d->control & CONTROL_RESET) != 0 && (value & CONTROL_RESET) == 0;
    (void)port;
    d->control = (uint8_t)value;
    if (ends) {
        signature(d);
        d->command = RESET_COMMAND;
        d->unit = 0;
        d->interrupt = false;
        busy(b, RESET_MICROSECONDS);
    }
    drive_line(b);
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
    disk_image *disk = unit_disk(b, d->unit);
    if (disk != NULL)
        go_on(b, disk);
    else
        d->phase = IDE_IDLE;
}

void ide_attach(devices *b)
{
    b->ide.units[0] = b->ide.units[1] = (ide_unit){.heads = 16, .per_track = 63};
    signature(&b->ide);
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
