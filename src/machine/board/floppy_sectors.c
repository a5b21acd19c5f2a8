/* The commands of the diskette controller that access the disk: READ, WRITE, VERIFY, FORMAT and READ ID. The order of a
 * command's bytes is that of floppy.command, except for FORMAT. */
#include <string.h>

#include "machine/board/board_internal.h"
#include "machine/board/floppy_internal.h"
#include "machine/state.h"

/* Returns the data rate of a diskette's format, as floppy.rate has it. */
static uint8_t rate_of(const disk_image *disk)
{
    return disk->per_track >= 36 ? FLOPPY_1000 : disk->per_track >= 15 ? FLOPPY_500 : FLOPPY_250;
}

/* Returns whether the controller reads the diskette at `rate`. Formats of 250 Kbit/s can also be read at 300 Kbit/s,
 * because a drive of 1.2 MB turns faster and so needs that rate for a diskette of 360 KB. */
static bool rate_fits(uint8_t rate, const disk_image *disk)
{
    uint8_t wanted = rate_of(disk);
    return rate == wanted || (wanted == FLOPPY_250 && rate == FLOPPY_300);
}

/* Returns the disk in the command's drive. Returns NULL after reporting an error if there is none, or if its data cannot
 * be read because of the motor, the rate or the cylinder under the head. */
static disk_image *disk_found(devices *b)
{
    floppy *f = &b->floppy;
    unsigned unit = f->command[1] & COMMAND_UNIT;
    disk_image *disk = floppy_disk(b, unit);
    if (disk == NULL || !floppy_motor_on(f, unit) || !rate_fits(f->rate, disk) ||
        f->cylinder[unit] >= disk->cylinders) {
        floppy_fail(b, ST1_NO_ADDRESS_MARK, 0);
        return NULL;
    }
    return disk;
}

/* Sets *block to the sector that the command addresses. Returns false after reporting an error if the cylinder
 * under the head has no such sector. */
static bool sector_found(devices *b, const disk_image *disk, uint64_t *block)
{
    const floppy *f = &b->floppy;
    uint8_t cylinder = f->command[2], head = f->command[3], sector = f->command[4];
    if (cylinder != f->cylinder[f->command[1] & COMMAND_UNIT]) {
        floppy_fail(b, ST1_NO_DATA, ST2_WRONG_CYLINDER);
        return false;
    }
    if (head >= disk->heads || head != (f->command[1] & COMMAND_HEAD) / COMMAND_HEAD || sector == 0 ||
        sector > disk->per_track || f->command[5] != SIZE_512) {
        floppy_fail(b, ST1_NO_DATA, 0);
        return false;
    }
    *block = disk_image_block(disk, cylinder, head, sector);
    return true;
}

/* Advances the address in the command to the next sector (data sheet, table 5-6). Returns true after sector EOT, which a
 * multi-track command that begins with head 0 reaches twice. */
static bool next_sector(floppy *f)
{
    if (f->command[4] != f->command[6]) {
        f->command[4]++;
        return false;
    }
    f->command[4] = 1;
    bool first_head = f->command[3] == 0;
    if ((f->command[0] & MULTI_TRACK) != 0) {
        f->command[3] ^= 1;
        f->command[1] ^= COMMAND_HEAD;
        if (first_head)
            return false;
    }
    f->command[2]++;
    return true;
}

/* Transfers one sector; VERIFY only reads it from the disk. Returns false if the command has ended with an error. Sets
 * *ended to whether the DMA controller has reached its terminal count. */
static bool move_sector(devices *b, disk_image *disk, uint64_t block, bool *ended)
{
    floppy *f = &b->floppy;
    uint8_t code = floppy_code(f);
    uint8_t bytes[DISK_SECTOR] = {0}; /* zeros fill up a sector that is written if DMA supplies less */
    *ended = false;
    if (code != WRITE_DATA)
        devices_notice_padding(b, disk, block);
    if (code != WRITE_DATA && !disk_image_read(disk, block, bytes)) {
        floppy_fail(b, ST1_NO_DATA, 0);
        return false;
    }
    size_t moved = code == VERIFY ? DISK_SECTOR : dma_move(b, DMA_FLOPPY, bytes, DISK_SECTOR, ended);
    if (moved == 0) {
        floppy_fail(b, ST1_OVERRUN, 0);
        return false;
    }
    if (code == WRITE_DATA && !disk_image_write(disk, block, bytes)) {
        floppy_fail(b, ST1_NOT_WRITABLE, 0);
        return false;
    }
    return true;
}

/* Transfers the sector that has passed under the head, and ends the command or waits for the next sector. */
static void sector_passed(devices *b)
{
    floppy *f = &b->floppy;
    uint64_t block;
    bool ended;
    disk_image *disk = disk_found(b);
    if (disk == NULL || !sector_found(b, disk, &block) || !move_sector(b, disk, block, &ended))
        return;
    bool last = next_sector(f);
    if (floppy_code(f) == VERIFY)
        ended = (f->command[1] & COMMAND_COUNT) != 0 ? --f->command[8] == 0 : last;
    if (ended)
        floppy_end(b, 0, 0, 0);
    else if (last)
        floppy_fail(b, ST1_END_OF_CYLINDER, 0);
    else
        f->ready = devices_after(b, SECTOR_MICROSECONDS);
}

/* Executes FORMAT, whose bytes are: code, head and unit, size, sectors of the track, gap, filler byte. The DMA
 * controller supplies four bytes for each sector of the track: cylinder, head, sector and size. Only the sector is used:
 * an image can hold no other addresses than those of its format. */
static void format_track(devices *b)
{
    const floppy *f = &b->floppy;
    uint8_t bytes[DISK_SECTOR], id[4] = {0};
    unsigned unit = f->command[1] & COMMAND_UNIT, head = (f->command[1] & COMMAND_HEAD) / COMMAND_HEAD;
    disk_image *disk = disk_found(b);
    if (disk == NULL)
        return;
    if (f->command[2] != SIZE_512 || f->command[3] > disk->per_track || head >= disk->heads) {
        floppy_fail(b, ST1_NO_DATA, 0);
        return;
    }
    memset(bytes, f->command[5], sizeof bytes);
    for (unsigned i = 0; i < f->command[3]; i++) {
        bool ended;
        if (dma_move(b, DMA_FLOPPY, id, sizeof id, &ended) < sizeof id || id[2] == 0 ||
            id[2] > disk->per_track) {
            floppy_fail(b, ST1_OVERRUN, 0);
            return;
        }
        if (!disk_image_write(disk, disk_image_block(disk, f->cylinder[unit], head, id[2]), bytes)) {
            floppy_fail(b, ST1_NOT_WRITABLE, 0);
            return;
        }
    }
    floppy_end(b, 0, 0, 0);
}

/* Executes READ ID, which returns the address of the next sector under the head. As rotation is not modelled, this is
 * always the first sector of the track. */
static void read_id(devices *b)
{
    floppy *f = &b->floppy;
    const disk_image *disk = disk_found(b);
    if (disk == NULL)
        return;
    uint8_t head = (f->command[1] & COMMAND_HEAD) != 0;
    if (head >= disk->heads) {
        floppy_fail(b, ST1_NO_ADDRESS_MARK, 0);
        return;
    }
    f->command[2] = f->cylinder[f->command[1] & COMMAND_UNIT];
    f->command[3] = head;
    f->command[4] = 1;
    f->command[5] = SIZE_512;
    floppy_end(b, 0, 0, 0);
}

void floppy_continue(devices *b)
{
    uint8_t code = floppy_code(&b->floppy);
    if (code == FORMAT)
        format_track(b);
    else if (code == READ_ID)
        read_id(b);
    else
        sector_passed(b);
}
