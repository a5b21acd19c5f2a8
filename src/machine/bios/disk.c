/* INT 13h: diskettes, hard disks and a CD, by cylinder, head and sector or by block number (the Enhanced Disk
 * Drive calls 41h-48h, El Torito's 4Bh). */
#include <inttypes.h>
#include <string.h>

#include "machine/base/notice.h"
#include "machine/bios/bios_internal.h"

enum {
    BAD_COMMAND = 0x01, /* statuses in AH; 0: success */
    WRITE_PROTECTED = 0x03,
    NOT_FOUND = 0x04,
    CONTROLLER_FAILED = 0x20,
    PACKET_BYTES = 16,      /* of AH = 42h-44h, at least */
    MOST_BLOCKS = 127,      /* in such a packet */
    EDD_FIXED_ACCESS = 1,   /* AH = 41h: functions 42h-44h and 48h exist */
    EDD_PARAMETERS = 26,    /* bytes that AH = 48h returns */
    CD_PACKET_BYTES = 0x13, /* of AH = 4Bh */
    MOST_CYLINDERS = 1024,  /* that fit into CX */
    VIRTUAL_SECTOR = 512    /* unit of the sector count in a CD's boot entry */
};

/* Returns the number of cylinders that AH = 02h-04h can address. */
static uint32_t bios_cylinders(const disk_image *d)
{
    return d->cylinders < MOST_CYLINDERS ? d->cylinders : MOST_CYLINDERS;
}

/* Returns the last cylinder and the last sector of a track, as AH = 08h has them in CX. */
static uint16_t last_in_cx(const disk_image *d)
{
    uint32_t last = bios_cylinders(d) - 1;
    return (uint16_t)((last & 255) << 8 | (last >> 8 & 3) << 6 | d->per_track);
}

/* Returns a status to the caller and keeps it for AH = 01h. */
static void disk_finish(bios *b, uint8_t status)
{
    b->disk_status = status;
    bios_finish(b, status);
}

/* --- tables in the ROM --- */

/* Offsets in the ROM. The second hard disk's table follows the first one's. */
enum { TABLE_DISKETTE = 0xd000, TABLE_HARD_DISK = 0xd010, TABLE_BYTES = 16 };

/* A hard disk's table has its cylinders, heads, a bit for more than eight heads, landing zone, and sectors of a track. */
void bios_disk_tables(const bios *b, uint8_t *rom)
{
    /* for a 1.44 MB drive: step rate and times of the controller's SPECIFY (2 bytes), motor time, 512 bytes in a
     * sector, sectors of a track, gap, data length, gap for formatting, filler byte, times to settle and to start */
    static const uint8_t diskette[11] = {0xaf, 0x02, 0x25, 2, 18, 0x1b, 0xff, 0x6c, 0xf6, 15, 8};
    enum { HEADS = 2, CONTROL = 8, LANDING = 12, SECTORS = 14, MANY_HEADS = 8 };
    memcpy(rom + TABLE_DISKETTE, diskette, sizeof diskette);
    for (uint8_t i = 0; i < 2; i++) {
        const disk_image *d = devices_drive(b->machine->devices, DRIVE_HARD_DISK + i);
        uint8_t *table = rom + TABLE_HARD_DISK + i * TABLE_BYTES;
        if (d == NULL)
            continue;
        uint16_t cylinders = (uint16_t)bios_cylinders(d);
        memcpy(table, &cylinders, 2);
        memcpy(table + LANDING, &cylinders, 2);
        table[HEADS] = (uint8_t)d->heads;
        table[CONTROL] = d->heads > MANY_HEADS ? MANY_HEADS : 0;
        table[SECTORS] = (uint8_t)d->per_track;
    }
}

uint32_t bios_disk_table(const bios *b, unsigned vector)
{
    unsigned hard_disks = devices_drives(b->machine->devices, DRIVE_HARD_DISK);
    if (vector == 0x1e)
        return bios_rom_pointer(TABLE_DISKETTE);
    if (vector == 0x41 && hard_disks > 0)
        return bios_rom_pointer(TABLE_HARD_DISK);
    return vector == 0x46 && hard_disks > 1 ? bios_rom_pointer(TABLE_HARD_DISK + TABLE_BYTES) : 0;
}

/* --- transfers --- */

/* In the order of the functions 02h-04h, and of 42h-44h. */
typedef enum disk_operation { DISK_READ, DISK_WRITE, DISK_VERIFY } disk_operation;

/* `count` sectors of a drive from `sector` on, and the linear address of the buffer, which may cross 64 KB. */
typedef struct disk_span {
    uint64_t sector;
    unsigned count;
    uint32_t linear;
} disk_span;

/* Transfers sectors between the image and guest memory. Returns the status and sets *moved to the number of sectors
 * transferred. */
static uint8_t disk_transfer(bios *b, disk_image *d, disk_operation operation, disk_span span,
                             unsigned *moved)
{
    engine *e = b->machine->engine;
    uint8_t bytes[CD_SECTOR];
    *moved = 0;
    if (operation == DISK_WRITE && d->is_cd)
        return WRITE_PROTECTED;
    if (span.sector >= d->sectors || span.count > d->sectors - span.sector)
        return NOT_FOUND;
    if (operation == DISK_WRITE)
        devices_notice_unsaved(b->machine->devices, d);
    for (; *moved < span.count; ++*moved, span.sector++, span.linear += d->sector_bytes) {
        bool good = true;
        if (operation == DISK_READ) {
            devices_notice_padding(b->machine->devices, d, span.sector);
            good = disk_image_read(d, span.sector, bytes) &&
                   engine_write_linear(e, span.linear, bytes, d->sector_bytes);
        } else if (operation == DISK_WRITE) {
            good = engine_read_linear(e, span.linear, bytes, d->sector_bytes) &&
                   disk_image_write(d, span.sector, bytes);
        }
        if (!good)
            return CONTROLLER_FAILED;
    }
    return 0;
}

/* Loads the boot image of a CD without emulation; its boot entry has the sector count and the segment. */
static bool boot_cd(bios *b, disk_image *d, uint32_t *entry)
{
    enum { LARGEST = 0x80000 /* bytes; from segment 7C0h on, they end below 640 KB */ };
    const el_torito_entry *boot = &d->boot;
    uint32_t bytes = (uint32_t)boot->sectors * VIRTUAL_SECTOR;
    unsigned moved;
    *entry = (uint32_t)boot->load_segment << 16;
    bytes = bytes < LARGEST ? bytes : LARGEST;
    const disk_span span = {boot->start, (bytes + CD_SECTOR - 1) / CD_SECTOR,
                            (uint32_t)boot->load_segment << 4};
    return disk_transfer(b, d, DISK_READ, span, &moved) == 0;
}

bool bios_disk_boot(bios *b, uint32_t *entry)
{
    uint8_t sector[DISK_SECTOR];
    disk_image *d = devices_disk(b->machine->devices, 0);
    bios_set_word(b, ENGINE_EDX, d->kind);
    if (d->kind == DRIVE_CD)
        return boot_cd(b, d, entry);
    *entry = BIOS_BOOT;
    return disk_image_read(d, 0, sector) &&
           engine_write_linear(b->machine->engine, BIOS_BOOT, sector, sizeof sector);
}

/* AH = 02h-04h: Transfers AL sectors to or from ES:BX, from cylinder CH with CL bits 7-6, head DH and sector CL
 * bits 5-0 (counted from 1) on. */
static void disk_by_cylinder(bios *b, disk_image *d, disk_operation operation)
{
    uint8_t count = bios_low(b, ENGINE_EAX), cl = bios_low(b, ENGINE_ECX);
    uint32_t cylinder = bios_high(b, ENGINE_ECX) | (uint32_t)(cl & 0xc0) << 2, sector = cl & 0x3f;
    uint32_t head = bios_high(b, ENGINE_EDX);
    unsigned moved = 0;
    uint8_t status = NOT_FOUND;
    if (count != 0 && sector >= 1 && sector <= d->per_track && head < d->heads &&
        cylinder < bios_cylinders(d)) {
        uint64_t block = disk_image_block(d, cylinder, head, sector);
        uint32_t buffer = bios_segment(b, ENGINE_ES) + bios_word(b, ENGINE_EBX);
        status = disk_transfer(b, d, operation, (disk_span){block, count, buffer}, &moved);
    }
    bios_set_low(b, ENGINE_EAX, (uint8_t)moved);
    disk_finish(b, status);
}

/* AH = 42h-44h: Does the transfer that the packet at DS:SI describes: its size in byte 0, the sector count at 2, the
 * buffer's offset and segment at 4, the first sector at 8. */
static void disk_by_block(bios *b, disk_image *d, disk_operation operation)
{
    uint32_t packet = bios_segment(b, ENGINE_DS) + bios_word(b, ENGINE_ESI);
    uint32_t count = bios_load(b, packet + 2, 2);
    uint32_t buffer = bios_load(b, packet + 6, 2) * 16 + bios_load(b, packet + 4, 2);
    uint64_t block = bios_load(b, packet + 8, 4) | (uint64_t)bios_load(b, packet + 12, 4) << 32;
    unsigned moved = 0;
    uint8_t status = BAD_COMMAND;
    if (bios_load(b, packet, 1) >= PACKET_BYTES && count <= MOST_BLOCKS)
        status = disk_transfer(b, d, operation, (disk_span){block, count, buffer}, &moved);
    bios_store(b, packet + 2, 2, moved);
    disk_finish(b, status);
}

/* AH = 08h: Returns the last cylinder, head and sector of a track, and how many drives of the kind there are. */
static void disk_parameters(bios *b, const disk_image *d)
{
    if (d->kind == DRIVE_CD) {
        disk_finish(b, BAD_COMMAND);
        return;
    }
    bios_set_word(b, ENGINE_ECX, last_in_cx(d));
    bios_set_high(b, ENGINE_EDX, (uint8_t)(d->heads - 1));
    bios_set_low(b, ENGINE_EDX, (uint8_t)devices_drives(b->machine->devices, d->kind));
    bios_set_low(b, ENGINE_EBX, d->type);
    if (d->kind == DRIVE_DISKETTE)
        bios_set_pointer(b, ENGINE_EDI, bios_rom_pointer(TABLE_DISKETTE));
    bios_set_low(b, ENGINE_EAX, 0);
    disk_finish(b, 0);
}

/* AH = 15h: Returns the type: a diskette without change line, or a fixed disk with its size. */
static void disk_type(bios *b, const disk_image *d)
{
    bios_set_flag(b, FLAG_CARRY, false);
    bios_set_high(b, ENGINE_EAX, d->kind == DRIVE_DISKETTE ? 1 : 3);
    if (d->kind != DRIVE_DISKETTE) {
        bios_set_word(b, ENGINE_ECX, (uint16_t)(d->sectors >> 16));
        bios_set_word(b, ENGINE_EDX, (uint16_t)d->sectors);
    }
}

/* AH = 48h: Returns the drive's size and geometry, without the limits of AH = 08h. */
static void disk_extended_parameters(bios *b, const disk_image *d)
{
    uint32_t at = bios_segment(b, ENGINE_DS) + bios_word(b, ENGINE_ESI);
    if (bios_load(b, at, 2) < EDD_PARAMETERS) {
        disk_finish(b, BAD_COMMAND);
        return;
    }
    bios_store(b, at, 2, EDD_PARAMETERS);
    bios_store(b, at + 2, 2, d->kind == DRIVE_CD ? 0 : 2); /* the geometry is valid */
    bios_store(b, at + 4, 4, d->cylinders);
    bios_store(b, at + 8, 4, d->heads);
    bios_store(b, at + 12, 4, d->per_track);
    bios_store(b, at + 16, 4, (uint32_t)d->sectors);
    bios_store(b, at + 20, 4, (uint32_t)(d->sectors >> 32));
    bios_store(b, at + 24, 2, d->sector_bytes);
    disk_finish(b, 0);
}

/* AH = 4Bh: AL = 01h returns the state of disk emulation, with CX and DH of AH = 08h if a disk is emulated; AL = 00h
 * would end it, which is not implemented. El Torito, 4.1. */
static void disk_emulation(bios *b, const disk_image *d)
{
    const el_torito_entry *boot = &d->boot;
    uint32_t at = bios_segment(b, ENGINE_DS) + bios_word(b, ENGINE_ESI);
    bool emulated = d->kind != DRIVE_CD;
    uint16_t last = emulated ? last_in_cx(d) : 0;
    if (!d->is_cd || bios_low(b, ENGINE_EAX) != 1 || bios_load(b, at, 1) < CD_PACKET_BYTES) {
        disk_finish(b, BAD_COMMAND);
        return;
    }
    bios_store(b, at, 1, CD_PACKET_BYTES);
    bios_store(b, at + 1, 1, boot->media);
    bios_store(b, at + 2, 1, d->kind);
    bios_store(b, at + 3, 1, 0); /* controller */
    bios_store(b, at + 4, 4, boot->start);
    bios_store(b, at + 8, 4, 0); /* device specification and buffer */
    bios_store(b, at + 12, 2, boot->load_segment);
    bios_store(b, at + 14, 2, boot->sectors);
    bios_store(b, at + 16, 1, last >> 8);
    bios_store(b, at + 17, 1, last & 255);
    bios_store(b, at + 18, 1, emulated ? d->heads - 1 : 0);
    disk_finish(b, 0);
}

void bios_disk_service(bios *b)
{
    uint8_t command = bios_high(b, ENGINE_EAX);
    disk_image *d = devices_drive(b->machine->devices, bios_low(b, ENGINE_EDX));
    if (d == NULL) {
        disk_finish(b, command == 0 ? 0 : BAD_COMMAND);
        return;
    }
    switch (command) {
    case 0x00: /* reset */
        disk_finish(b, 0);
        break;
    case 0x01:
        bios_finish(b, b->disk_status);
        break;
    case 0x02:
    case 0x03:
    case 0x04:
        disk_by_cylinder(b, d, (disk_operation)(command - 2));
        break;
    case 0x08:
        disk_parameters(b, d);
        break;
    case 0x15:
        disk_type(b, d);
        break;
    case 0x41: /* check whether the Enhanced Disk Drive functions exist */
        if (bios_word(b, ENGINE_EBX) != 0x55aa) {
            disk_finish(b, BAD_COMMAND);
            break;
        }
        disk_finish(b, 0);
        bios_set_high(b, ENGINE_EAX, 0x01); /* version 1.x */
        bios_set_word(b, ENGINE_EBX, 0xaa55);
        bios_set_word(b, ENGINE_ECX, EDD_FIXED_ACCESS);
        break;
    case 0x42:
    case 0x43:
    case 0x44:
        disk_by_block(b, d, (disk_operation)(command - 0x42));
        break;
    case 0x48:
        disk_extended_parameters(b, d);
        break;
    case 0x4b:
        disk_emulation(b, d);
        break;
    default:
        disk_finish(b, BAD_COMMAND);
    }
}
