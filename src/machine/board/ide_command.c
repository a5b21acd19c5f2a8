/* Executes the commands of the IDE channel (ATA-3), and converts between sector numbers and the address registers. A
 * command begins in ide_execute. Except for writes, the drive is then busy for COMMAND_MICROSECONDS, after which
 * ide_continue performs it. A write asks for its first block of sectors at once; after each block that has arrived the
 * drive is busy, then ide_continue writes it. The host is that of ATA-3: the emulated computer. */
#include <string.h>

#include "machine/board/board_internal.h"
#include "machine/board/ide_internal.h"
#include "machine/state.h"

enum {
    ERROR_ABORTED = 0x04, /* bits of the error register */
    ERROR_NOT_FOUND = 0x10,
    ERROR_NOT_CORRECTED = 0x40,
    DIAGNOSED = 0x01,  /* error register after a reset: device 0 passed, device 1 passed or absent */
    SELECT_LBA = 0x40, /* bits of the device register */
    SELECT_SECOND = 0x10,
    COMMAND_MICROSECONDS = 100, /* until the first sector, or the end of a command without data */
    /* Stored if a program writes the code of NOP, which stands for the end of a reset here (IDE_RESET): NOP is
     * aborted, as is each code of the class NO_COMMAND. */
    UNKNOWN_COMMAND = 0xff
};

/* Kinds of commands that are executed alike. */
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

/* Returns the class of a command code. The codes are those that a disk with PIO only, and without security and
 * removable media, must know by ATA-3, and FLUSH CACHE of ATA-4. Power management has no effect. */
static ide_class class_of(uint8_t command)
{
    switch (command) {
    case IDE_RESET:
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

unsigned ide_selected(const ide *d)
{
    return (d->select & SELECT_SECOND) != 0;
}

disk_image *ide_disk(devices *b, unsigned unit)
{
    return devices_drive(b, (uint8_t)(DRIVE_HARD_DISK + unit));
}

disk_image *ide_selected_disk(devices *b)
{
    return ide_disk(b, ide_selected(&b->ide));
}

/* Returns the number of sectors of the disk that a 28-bit address can reach. */
static uint32_t sectors_of(const disk_image *disk)
{
    enum { LBA28 = 0x0fffffff };
    return disk->sectors < LBA28 ? (uint32_t)disk->sectors : LBA28;
}

/* Sets *block to the number of the sector that the registers address, by LBA or by cylinder, head and sector. Returns
 * false if the disk has no such sector. */
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

/* Sets the address registers to sector `block`. After a command they hold its last sector; after an error while reading
 * or writing, the sector that failed. */
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

/* --- phases of a command --- */

void ide_drive_line(devices *b)
{
    const ide *d = &b->ide;
    devices_set_irq(b, IRQ_IDE, d->interrupt && (d->control & IDE_CONTROL_NO_INTERRUPT) == 0);
}

static void interrupt(devices *b)
{
    b->ide.interrupt = true;
    ide_drive_line(b);
}

void ide_busy(devices *b, unsigned microseconds)
{
    b->ide.phase = IDE_BUSY;
    b->ide.ready = devices_after(b, microseconds);
}

/* Ends the command with an interrupt. `error` is the error register's value; 0 means success. */
static void finish(devices *b, uint8_t error)
{
    b->ide.error = error;
    b->ide.failed = error != 0;
    b->ide.phase = IDE_IDLE;
    interrupt(b);
}

static bool is_multiple(ide_class class)
{
    return class == READ_MULTIPLE || class == WRITE_MULTIPLE;
}

/* Returns the number of sectors in the next block: those that are transferred without an interrupt in between. */
static uint32_t block_sectors(const ide *d)
{
    uint32_t most = is_multiple(class_of(d->command)) ? d->units[d->unit].multiple : 1;
    return d->left < most ? d->left : most;
}

/* Lets the host read or write `bytes` of the buffer through the data port. */
static void data_phase(devices *b, ide_phase phase, uint32_t bytes)
{
    b->ide.phase = phase;
    b->ide.at = 0;
    b->ide.end = bytes;
}

/* Counts a transferred sector: the address registers become its address, `block` the next one. */
static void sector_done(ide *d)
{
    show_address(d, d->block);
    d->block++;
    d->left--;
    d->count--;
}

/* IDENTIFY transfers one sector, whatever `left` says, because it does not use the sector count. */
bool ide_has_more(const ide *d)
{
    return d->left != 0 && class_of(d->command) != IDENTIFY;
}

/* Counts a sector that was transferred. Otherwise ends the command with the sector's address in the registers, and
 * returns false. */
static bool sector_ended(devices *b, const disk_image *disk, bool transferred)
{
    ide *d = &b->ide;
    if (transferred) {
        sector_done(d);
        return true;
    }
    show_address(d, d->block);
    finish(b, d->block < sectors_of(disk) ? ERROR_NOT_CORRECTED : ERROR_NOT_FOUND);
    return false;
}

/* Reads the next sectors to the buffer. Returns false if the command has ended with an error. */
static bool read_sectors(devices *b, const disk_image *disk, uint32_t sectors)
{
    for (uint32_t i = 0; i < sectors; i++) {
        devices_notice_padding(b, disk, b->ide.block);
        if (!sector_ended(b, disk, disk_image_read(disk, b->ide.block, b->ide.buffer + i * DISK_SECTOR)))
            return false;
    }
    return true;
}

/* Reads the next block of sectors to the buffer and requests its transfer to the host. */
static void read_block(devices *b, const disk_image *disk)
{
    uint32_t sectors = block_sectors(&b->ide);
    if (!read_sectors(b, disk, sectors))
        return;
    data_phase(b, IDE_TO_HOST, sectors * DISK_SECTOR);
    interrupt(b);
}

/* Writes the sectors that the host has put into the buffer to the disk. Then requests the next block from the
 * host, or ends the command. */
static void write_block(devices *b, disk_image *disk)
{
    ide *d = &b->ide;
    for (uint32_t at = 0; at < d->end && d->left > 0; at += DISK_SECTOR)
        if (!sector_ended(b, disk, disk_image_write(disk, d->block, d->buffer + at)))
            return;
    if (d->left == 0) {
        finish(b, 0);
        return;
    }
    data_phase(b, IDE_FROM_HOST, block_sectors(d) * DISK_SECTOR);
    interrupt(b);
}

/* Stores a text as IDENTIFY DEVICE has it: padded with spaces, with the bytes of each word exchanged. */
static void identify_text(uint8_t *words, const char *text, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        words[i ^ 1] = (uint8_t)(*text != '\0' ? *text++ : ' ');
}

/* Fills the buffer with the data of IDENTIFY DEVICE (ATA-3, 8.9). */
static void identify(devices *b, const disk_image *disk)
{
    enum { CHS_SECTORS = 16383 * 16 * 63 }; /* the most that cylinders, heads and sectors address */
    ide *d = &b->ide;
    uint32_t sectors = sectors_of(disk);
    uint32_t cylinders = disk->cylinders < 16383 ? disk->cylinders : 16383;
    const ide_unit *unit = &d->units[d->unit];
    uint32_t per_cylinder = (uint32_t)unit->heads * unit->per_track;
    uint32_t current = (sectors < CHS_SECTORS ? sectors : CHS_SECTORS) / per_cylinder;
    current = current < UINT16_MAX ? current : UINT16_MAX;
    uint32_t chs = current * per_cylinder;
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
        {53, 1},      /* words 54-58, the geometry that SET_PARAMETERS has set, are valid */
        {54, (uint16_t)current},
        {55, unit->heads},
        {56, unit->per_track},
        {57, (uint16_t)chs},
        {58, (uint16_t)(chs >> 16)},
        {59, (uint16_t)(unit->multiple != 0 ? 0x100 | unit->multiple : 0)},
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

void ide_signature(ide *d)
{
    d->count = d->sector = 1;
    d->cylinder_low = d->cylinder_high = d->select = 0;
    d->error = DIAGNOSED;
    d->failed = false;
}

/* Accepts the features that have no effect here: write cache, look-ahead, reverting to defaults after a reset,
 * and PIO transfer modes. Aborts all others. */
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

void ide_continue(devices *b, disk_image *disk)
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
        while (d->left > 0)
            if (!read_sectors(b, disk, 1))
                return;
        finish(b, 0);
        break;
    case SEEK:
        finish(b, address_of(d, disk, &block) ? 0 : ERROR_NOT_FOUND);
        break;
    case RECALIBRATE:
        d->cylinder_low = d->cylinder_high = 0;
        finish(b, 0);
        break;
    case DIAGNOSE:
        ide_signature(d);
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
    case AFTER_RESET: /* ends without an interrupt */
        d->phase = IDE_IDLE;
        break;
    case NO_COMMAND:
        finish(b, ERROR_ABORTED);
    }
}

void ide_execute(devices *b, uint8_t code)
{
    ide *d = &b->ide;
    ide_class class = class_of(code);
    disk_image *disk = class == DIAGNOSE ? ide_disk(b, 0) : ide_selected_disk(b);
    if (disk == NULL || d->phase == IDE_BUSY)
        return;
    code = code == IDE_RESET ? UNKNOWN_COMMAND : code;
    bool has_address = class == READ || class == WRITE || class == VERIFY || is_multiple(class);
    d->command = code;
    d->unit = class == DIAGNOSE ? 0 : (uint8_t)ide_selected(d);
    d->failed = d->interrupt = false;
    d->error = 0;
    ide_drive_line(b);
    if (is_multiple(class) && d->units[d->unit].multiple == 0) {
        finish(b, ERROR_ABORTED);
        return;
    }
    if (has_address && !address_of(d, disk, &d->block)) {
        finish(b, ERROR_NOT_FOUND);
        return;
    }
    d->left = d->count == 0 ? 256 : d->count;
    if (class != WRITE && class != WRITE_MULTIPLE) {
        ide_busy(b, COMMAND_MICROSECONDS);
        return;
    }
    devices_notice_unsaved(b, disk);
    data_phase(b, IDE_FROM_HOST, block_sectors(d) * DISK_SECTOR); /* no interrupt requests the first block */
}
