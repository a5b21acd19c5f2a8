/* A drive of the machine with its image: a diskette, a hard disk or a CD in a host file. The guest's changes stay in
 * memory unless the file is writable. */
#ifndef MACHINE_DISK_DISK_IMAGE_H
#define MACHINE_DISK_DISK_IMAGE_H

#include "base/snapshot.h"
#include "machine/disk/el_torito.h"

/* Kinds of drives, as the BIOS numbers the first of each kind. */
enum { DRIVE_DISKETTE = 0, DRIVE_HARD_DISK = 0x80, DRIVE_CD = 0xe0, DRIVE_NONE = 0xff };
enum { DISK_SECTOR = 512 };

typedef struct disk_image {
    int file;   /* -1 without an image */
    char *path; /* absolute, for snapshots; NULL if unknown */
    bool writable;
    bool is_cd;   /* the file is a CD, and `boot` its boot entry */
    uint8_t kind; /* DRIVE_* */
    uint8_t
        type; /* of a diskette drive, as CMOS cell 10h has it: 1 = 360 KB, 2 = 1.2 MB, 3 = 720 KB, 4 = 1.44 MB, 6 = 2.88 MB */
    uint16_t sector_bytes;
    uint64_t start;      /* byte of the file at which the drive begins; not 0 for a CD that emulates a disk */
    uint64_t file_bytes; /* bytes of the file after `start` */
    uint64_t sectors;    /* may exceed the file, if it is shorter than its format */
    uint32_t cylinders, heads, per_track; /* 0 for a CD; a hard disk's cylinders are not limited to 1024 */
    el_torito_entry boot;
    uint8_t **pieces; /* what the guest has written, by pieces of the drive; NULL: as in the file */
} disk_image;

/* Makes a drive without an image. */
void disk_image_none(disk_image *disk);
/* Opens the image. With `as_disk`, a CD file is treated as a hard disk. After an error the drive has no image. */
p5_status disk_image_open(disk_image *disk, const char *path, bool writable, bool as_disk, p5_error *error);
void disk_image_close(disk_image *disk);
/* Returns the number of the sector that is `sector` (from 1) of a track. The geometry must have it. */
static inline uint64_t disk_image_block(const disk_image *disk, uint32_t cylinder, uint32_t head,
                                        uint32_t sector)
{
    return ((uint64_t)cylinder * disk->heads + head) * disk->per_track + sector - 1;
}
/* Read or write the `sector_bytes` bytes of a sector. Return false if the drive has no such sector or the host reports
 * an error. Sectors after the file's end read as zeros; the first write to one extends a writable file to its format. */
bool disk_image_read(const disk_image *disk, uint64_t sector, void *bytes);
bool disk_image_write(disk_image *disk, uint64_t sector, const void *bytes);
/* Returns true if the sector lies after the file's end. */
bool disk_image_padded(const disk_image *disk, uint64_t sector);

/* Access to an image that the user grants to the guest of a loaded snapshot. */
typedef struct disk_grant {
    const char *path;   /* the image for this drive, or NULL */
    const char *option; /* the option that names it, for messages */
    bool writable;
    bool copy;      /* the snapshot is a copy of a machine in this process and keeps that machine's access */
    bool look_only; /* the machine will not run, so nothing is opened */
} disk_grant;
/* Saves or loads the drive and the guest's changes. */
void disk_image_transfer(disk_image *disk, const disk_grant *grant, snapshot *s);
extern const snapshot_table *const disk_tables[];

#endif
