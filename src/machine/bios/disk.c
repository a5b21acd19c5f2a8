/* INT 13h: the image file as a diskette or a hard disk, by cylinder, head and sector or by block number (the
 * Enhanced Disk Drive calls 41h-48h). */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/base/notice.h"
#include "machine/bios/bios_internal.h"

enum {
    BAD_COMMAND = 0x01,
    WRITE_PROTECTED = 0x03,
    NOT_FOUND = 0x04,
    CONTROLLER_FAILED = 0x20,
    HARD_DISK = 0x80,
    PACKET_BYTES = 16,
    EDD_FIXED_ACCESS = 1,
    EDD_PARAMETERS = 26
};

typedef struct disk_geometry {
    uint32_t kilobytes, cylinders, heads, per_track;
} disk_geometry;

static const disk_geometry diskettes[] = {{160, 40, 1, 8},   {180, 40, 1, 9},  {320, 40, 2, 8},
                                          {360, 40, 2, 9},   {720, 80, 2, 9},  {1200, 80, 2, 15},
                                          {1440, 80, 2, 18}, {2880, 80, 2, 36}};

static void disk_shape(bios_disk *d, uint64_t bytes)
{
    d->sectors = bytes / BIOS_SECTOR;
    for (unsigned i = 0; i < sizeof diskettes / sizeof diskettes[0]; i++) {
        const disk_geometry *g = &diskettes[i];
        if (bytes == (uint64_t)g->kilobytes * 1024) {
            d->cylinders = g->cylinders;
            d->heads = g->heads;
            d->per_track = g->per_track;
            return;
        }
    }
    if (bytes < 1440 * 1024) { /* a part of a diskette: what is missing cannot be read */
        d->cylinders = 80;
        d->heads = 2;
        d->per_track = 18;
        return;
    }
    d->drive = HARD_DISK;
    d->heads = 16;
    d->per_track = 63;
    uint64_t cylinders = d->sectors / (16 * 63);
    d->cylinders = cylinders > 1024 ? 1024 : cylinders == 0 ? 1 : (uint32_t)cylinders;
}

p5_status bios_disk_open(bios_disk *disk, const char *path, bool writable, p5_error *error)
{
    struct stat about = {0};
    memset(disk, 0, sizeof *disk);
    disk->writable = writable;
    disk->file = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    p5_status status = P5_OK;
    if (disk->file < 0)
        status = error_set(error, P5_ERR_IO, "cannot open the image%s: %s", writable ? " for writing" : "",
                           strerror(errno));
    else if (fstat(disk->file, &about) != 0 || !S_ISREG(about.st_mode))
        status = error_set(error, P5_ERR_FORMAT, "this is not a regular file");
    else if (about.st_size < BIOS_SECTOR)
        status = error_set(error, P5_ERR_FORMAT, "a disk image has at least one sector of 512 bytes");
    if (status != P5_OK) {
        error_at(error, path, 0, 0);
        bios_disk_close(disk);
        return status;
    }
    disk_shape(disk, (uint64_t)about.st_size);
    disk->path = realpath(path, NULL);
    return P5_OK;
}

void bios_disk_close(bios_disk *disk)
{
    if (disk->file >= 0)
        close(disk->file);
    disk->file = -1;
    free(disk->path);
    disk->path = NULL;
}

/* --- transfers --- */

static bool disk_read(const bios_disk *d, uint64_t sector, uint8_t bytes[BIOS_SECTOR])
{
    return pread(d->file, bytes, BIOS_SECTOR, (off_t)(sector * BIOS_SECTOR)) == BIOS_SECTOR;
}

static bool disk_write(const bios_disk *d, uint64_t sector, const uint8_t bytes[BIOS_SECTOR])
{
    return pwrite(d->file, bytes, BIOS_SECTOR, (off_t)(sector * BIOS_SECTOR)) == BIOS_SECTOR;
}

typedef enum disk_operation { DISK_READ, DISK_WRITE, DISK_VERIFY } disk_operation;

/* Moves `count` sectors between the image and the buffer segment:offset, where the offset does not wrap.
 * Returns the status and how many were moved. */
static uint8_t disk_transfer(bios *b, disk_operation operation, uint64_t sector, unsigned count,
                             uint32_t linear, unsigned *moved)
{
    const bios_disk *d = &b->disk;
    uint8_t bytes[BIOS_SECTOR];
    *moved = 0;
    if (operation == DISK_WRITE && !d->writable) {
        notice_once(&b->machine->notices, NOTICE_OTHER, 0xb1053u,
                    "the guest writes to its disk, which is read-only (--disk-write allows it)");
        return WRITE_PROTECTED;
    }
    if (sector >= d->sectors || count > d->sectors - sector)
        return NOT_FOUND;
    for (; *moved < count; ++*moved, linear += BIOS_SECTOR) {
        bool good = true;
        if (operation == DISK_READ)
            good = disk_read(d, sector + *moved, bytes) &&
                   engine_write_linear(b->machine->engine, linear, bytes, sizeof bytes);
        else if (operation == DISK_WRITE)
            good = engine_read_linear(b->machine->engine, linear, bytes, sizeof bytes) &&
                   disk_write(d, sector + *moved, bytes);
        if (!good)
            return CONTROLLER_FAILED;
    }
    return 0;
}

bool bios_disk_boot(bios *b)
{
    uint8_t sector[BIOS_SECTOR];
    bios_set_word(b, ENGINE_EDX, b->disk.drive);
    return disk_read(&b->disk, 0, sector) &&
           engine_write_linear(b->machine->engine, BIOS_BOOT, sector, sizeof sector);
}

/* AH = 02h-04h: AL sectors from cylinder CH and CL bits 7-6, sector CL bits 5-0 (from 1), head DH, at ES:BX.
 */
static void disk_by_place(bios *b, disk_operation operation)
{
    const bios_disk *d = &b->disk;
    uint8_t count = bios_low(b, ENGINE_EAX), cl = bios_low(b, ENGINE_ECX);
    uint32_t cylinder = bios_high(b, ENGINE_ECX) | (uint32_t)(cl & 0xc0) << 2, sector = cl & 0x3f;
    uint32_t head = bios_high(b, ENGINE_EDX);
    unsigned moved = 0;
    uint8_t status = NOT_FOUND;
    if (count != 0 && sector >= 1 && sector <= d->per_track && head < d->heads && cylinder < d->cylinders) {
        uint64_t block = ((uint64_t)cylinder * d->heads + head) * d->per_track + sector - 1;
        uint32_t buffer = bios_segment(b, ENGINE_ES) + bios_word(b, ENGINE_EBX);
        status = disk_transfer(b, operation, block, count, buffer, &moved);
    }
    bios_set_low(b, ENGINE_EAX, (uint8_t)moved);
    bios_finish(b, b->disk.status = status);
}

/* AH = 42h-44h: the packet at DS:SI. */
static void disk_by_block(bios *b, disk_operation operation)
{
    uint32_t packet = bios_segment(b, ENGINE_DS) + bios_word(b, ENGINE_ESI);
    uint32_t count = bios_load(b, packet + 2, 2);
    uint32_t buffer = bios_load(b, packet + 6, 2) * 16 + bios_load(b, packet + 4, 2);
    uint64_t block = bios_load(b, packet + 8, 4) | (uint64_t)bios_load(b, packet + 12, 4) << 32;
    unsigned moved = 0;
    uint8_t status = BAD_COMMAND;
    if (bios_load(b, packet, 1) >= PACKET_BYTES && count <= 127)
        status = disk_transfer(b, operation, block, count, buffer, &moved);
    bios_store(b, packet + 2, 2, moved);
    bios_finish(b, b->disk.status = status);
}

static void disk_parameters(bios *b)
{
    const bios_disk *d = &b->disk;
    uint32_t last = d->cylinders - 1;
    bool hard = d->drive == HARD_DISK;
    bios_set_word(b, ENGINE_ECX, (uint16_t)((last & 255) << 8 | (last >> 8 & 3) << 6 | d->per_track));
    bios_set_word(b, ENGINE_EDX, (uint16_t)((d->heads - 1) << 8 | 1));
    bios_set_low(b, ENGINE_EBX,
                 hard                 ? 0
                 : d->per_track >= 36 ? 6
                 : d->per_track >= 18 ? 4
                 : d->per_track == 15 ? 2
                                      : 1);
    bios_set_low(b, ENGINE_EAX, 0);
    bios_finish(b, 0);
}

/* AH = 48h: the drive's size, without its geometry being bounded by the registers of 08h. */
static void disk_extended_parameters(bios *b)
{
    const bios_disk *d = &b->disk;
    uint32_t at = bios_segment(b, ENGINE_DS) + bios_word(b, ENGINE_ESI);
    if (bios_load(b, at, 2) < EDD_PARAMETERS) {
        bios_finish(b, BAD_COMMAND);
        return;
    }
    bios_store(b, at, 2, EDD_PARAMETERS);
    bios_store(b, at + 2, 2, 2); /* the geometry is valid */
    bios_store(b, at + 4, 4, d->cylinders);
    bios_store(b, at + 8, 4, d->heads);
    bios_store(b, at + 12, 4, d->per_track);
    bios_store(b, at + 16, 4, (uint32_t)d->sectors);
    bios_store(b, at + 20, 4, (uint32_t)(d->sectors >> 32));
    bios_store(b, at + 24, 2, BIOS_SECTOR);
    bios_finish(b, 0);
}

void bios_disk_service(bios *b)
{
    uint8_t command = bios_high(b, ENGINE_EAX);
    if (b->disk.file < 0 || bios_low(b, ENGINE_EDX) != b->disk.drive) {
        bios_finish(b, command == 0 ? 0 : BAD_COMMAND);
        return;
    }
    switch (command) {
    case 0x00:
        bios_finish(b, b->disk.status = 0);
        break;
    case 0x01:
        bios_finish(b, b->disk.status);
        break;
    case 0x02:
    case 0x03:
    case 0x04:
        disk_by_place(b, (disk_operation)(command - 2));
        break;
    case 0x08:
        disk_parameters(b);
        break;
    case 0x15: /* diskette without change line, or a fixed disk with its size */
        bios_set_flag(b, FLAG_CARRY, false);
        bios_set_high(b, ENGINE_EAX, b->disk.drive == HARD_DISK ? 3 : 1);
        if (b->disk.drive == HARD_DISK) {
            bios_set_word(b, ENGINE_ECX, (uint16_t)(b->disk.sectors >> 16));
            bios_set_word(b, ENGINE_EDX, (uint16_t)b->disk.sectors);
        }
        break;
    case 0x41:
        if (bios_word(b, ENGINE_EBX) != 0x55aa) {
            bios_finish(b, BAD_COMMAND);
            break;
        }
        bios_finish(b, 0);
        bios_set_high(b, ENGINE_EAX, 0x01); /* version 1.x */
        bios_set_word(b, ENGINE_EBX, 0xaa55);
        bios_set_word(b, ENGINE_ECX, EDD_FIXED_ACCESS);
        break;
    case 0x42:
    case 0x43:
    case 0x44:
        disk_by_block(b, (disk_operation)(command - 0x42));
        break;
    case 0x48:
        disk_extended_parameters(b);
        break;
    default:
        bios_finish(b, b->disk.status = BAD_COMMAND);
    }
}
