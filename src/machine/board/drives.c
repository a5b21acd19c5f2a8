/* The drives of the board: disk images, and which unit of its controller each is. */
#include <assert.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "base/error.h"
#include "machine/base/notice.h"
#include "machine/board/board_internal.h"
#include "machine/state.h"

disk_image *devices_disk(devices *b, unsigned which)
{
    assert(which < DEVICES_DISKS);
    return &b->disks[which];
}

/* The first drive of a kind has its lowest number. */
disk_image *devices_drive(devices *b, uint8_t number)
{
    unsigned unit = number & 1;
    for (unsigned i = 0; i < DEVICES_DISKS; i++)
        if (b->disks[i].kind == (number & ~1) && unit-- == 0)
            return &b->disks[i];
    return NULL;
}

unsigned devices_drives(const devices *b, uint8_t kind)
{
    unsigned count = 0;
    for (unsigned i = 0; i < DEVICES_DISKS; i++)
        count += b->disks[i].kind == kind;
    return count;
}

/* Refuses a writable image that another drive has, too, by whatever name: each would overwrite the other's changes. */
static p5_status refuse_second_writer(const devices *b, const disk_image *disk, p5_error *error)
{
    struct stat about, other;
    if (!disk->writable || fstat(disk->file, &about) != 0)
        return P5_OK;
    for (const disk_image *d = b->disks; d < b->disks + DEVICES_DISKS; d++)
        if (d != disk && d->kind != DRIVE_NONE && fstat(d->file, &other) == 0 &&
            other.st_dev == about.st_dev && other.st_ino == about.st_ino) {
            error_set(error, P5_ERR_STATE,
                      "another drive has the same image, and the guest may write to both");
            error_hint(error, "give each drive its own copy, or leave out --disk-write");
            error_at(error, disk->path, 0, 0);
            return P5_ERR_STATE;
        }
    return P5_OK;
}

p5_status devices_open_disk(devices *b, unsigned which, const char *path, p5_error *error)
{
    enum { UNITS = 2 };
    const p5_machine_options *options = &b->machine->options;
    disk_image *disk = devices_disk(b, which);
    bool as_disk = which != 0 || options->cd_as_disk; /* only drive 0 can be a CD */
    p5_status status = disk_image_open(disk, path, options->disk_writable, as_disk, error);
    if (status == P5_OK && (status = refuse_second_writer(b, disk, error)) != P5_OK)
        disk_image_close(disk);
    if (status != P5_OK || devices_drives(b, disk->kind) <= UNITS)
        return status;
    error_set(error, P5_ERR_RANGE, "there are two %s already",
              disk->kind == DRIVE_DISKETTE ? "diskettes" : "hard disks");
    error_hint(error, "the board has two drives of each kind");
    error_at(error, path, 0, 0);
    disk_image_close(disk);
    return P5_ERR_RANGE;
}

p5_status devices_open_disks(devices *b, p5_error *error)
{
    const p5_machine_options *options = &b->machine->options;
    if (options->disk_count >= DEVICES_DISKS)
        return error_set(error, P5_ERR_RANGE, "%zu more disks: the board has room for %d",
                         options->disk_count, DEVICES_DISKS - 1);
    p5_status status = P5_OK;
    for (unsigned i = 0; i < options->disk_count && status == P5_OK; i++)
        status = devices_open_disk(b, 1 + i, options->disks[i], error);
    return status;
}

void devices_notice_unsaved(devices *b, const disk_image *disk)
{
    if (!disk->writable && !disk->is_cd)
        notice_once(&b->machine->notices, NOTICE_OTHER, 0xb1053u,
                    "the guest writes to its disk: this is kept in memory and dropped at the end "
                    "(--disk-write writes to the image)");
}

void devices_notice_padding(devices *b, const disk_image *disk, uint64_t sector)
{
    if (disk_image_padded(disk, sector))
        notice_once(&b->machine->notices, NOTICE_OTHER, 0xb1054u,
                    "the disk image has only %" PRIu64 " of the %" PRIu64
                    " bytes of its format; the rest reads as zeros",
                    disk->file_bytes, disk->sectors * disk->sector_bytes);
}

void devices_transfer_disks(devices *b, snapshot *s)
{
    const p5_machine_options *options = &b->machine->options;
    for (unsigned i = 0; i < DEVICES_DISKS && s->status == P5_OK; i++) {
        bool named = i != 0 && i <= options->disk_count;
        disk_grant grant = {.path = i == 0  ? options->image
                                    : named ? options->disks[i - 1]
                                            : NULL,
                            .option = i != 0 ? "--disk2" : NULL,
                            .writable = options->disk_writable,
                            .copy = b->machine->replaying,
                            .look_only = options->look_only};
        disk_image_transfer(&b->disks[i], &grant, s);
    }
    for (unsigned i = 0; i < DEVICES_DISKS && s->loading && s->status == P5_OK; i++)
        s->status = refuse_second_writer(b, &b->disks[i], s->error);
}
