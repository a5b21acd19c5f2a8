/* A drive of the machine with its image: a diskette, a hard disk or a CD in a host file. The guest's changes stay in
 * memory unless the file is writable. */
#ifndef MACHINE_DISK_DISK_IMAGE_H
#define MACHINE_DISK_DISK_IMAGE_H

#include "base/snapshot.h"
#include "machine/disk/el_torito.h"

/* Kinds of drives. The values are the BIOS's numbers (DL of INT 13h) of the first drive of each kind; DRIVE_NONE is
 * none: there is no image. */
enum { DRIVE_DISKETTE = 0, DRIVE_HARD_DISK = 0x80, DRIVE_CD = 0xe0, DRIVE_NONE = 0xff };
enum { DISK_SECTOR = 512 }; /* bytes */

typedef struct disk_image {
    int file;      /* -1 without an image */
    char *path;    /* absolute, for snapshots; NULL if unknown */
    bool writable; /* the guest's changes go to the file */
    bool is_cd;    /* the file was opened as a bootable CD, and `boot` is its boot entry */
    uint8_t kind;  /* DRIVE_*; for a CD whose boot image emulates a disk, the kind of that disk */
    /* Of a diskette drive (of others 0), as in CMOS cell 10h: 1 = 360 KB, 2 = 1.2 MB, 3 = 720 KB, 4 = 1.44 MB, 6 =
     * 2.88 MB. */
    uint8_t type;
    uint16_t sector_bytes;
    uint64_t start;      /* byte of the file at which the drive begins; not 0 for a CD that emulates a disk */
    uint64_t file_bytes; /* bytes of the file after `start` */
    uint64_t sectors;    /* of the drive; the file may end before the last one, or within it */
    /* The geometry, 0 for DRIVE_CD. A hard disk has 1 to 65535 whole cylinders, which may have more or fewer sectors
     * than the drive. */
    uint32_t cylinders, heads, per_track;
    el_torito_entry boot; /* if is_cd */
    /* The drive in pieces of equal size. A piece is NULL, and the file has its contents, until the guest of a
     * read-only image writes to it; then it has a copy of its whole contents. */
    uint8_t **pieces;
} disk_image;

/* Makes a drive without an image. Frees nothing: for that, see disk_image_close. */
void disk_image_none(disk_image *disk);
/* Opens the image. `disk` need not be initialised. With `as_disk`, a file is treated as a diskette or hard disk even
 * if it is a bootable CD. A CD that is not bootable is always treated so. After an error the drive has no image. */
p5_status disk_image_open(disk_image *disk, const char *path, bool writable, bool as_disk, p5_error *error);
/* Drops the guest's changes in memory, closes the file, and leaves a drive without an image. */
void disk_image_close(disk_image *disk);
/* Returns the drive's sector number (from 0) of a cylinder, head and sector of the track (from 1). The geometry must
 * have it. */
static inline uint64_t disk_image_block(const disk_image *disk, uint32_t cylinder, uint32_t head,
                                        uint32_t sector)
{
    return ((uint64_t)cylinder * disk->heads + head) * disk->per_track + sector - 1;
}
/* Read or write the `sector_bytes` bytes of a sector. Return false if the drive has no such sector, the host reports an
 * error, or memory runs out, and for a write to a CD, also where it emulates a disk. Until they are written, sectors
 * after the file's end read as zeros. The first write extends a writable file to all of the drive's sectors. */
bool disk_image_read(const disk_image *disk, uint64_t sector, void *bytes);
bool disk_image_write(disk_image *disk, uint64_t sector, const void *bytes);
/* Returns true if the sector is one of the disk's and lies wholly or partly after the file's end. */
bool disk_image_padded(const disk_image *disk, uint64_t sector);

/* The access to an image that the user grants to the guest of a loaded snapshot. */
typedef struct disk_grant {
    const char *path;   /* the image for this drive, or NULL */
    const char *option; /* the option that names it, for messages; NULL: it is named without an option */
    bool writable;      /* the user lets the guest write to the file */
    bool copy;      /* the snapshot is a copy of a machine in this process and keeps that machine's access */
    bool look_only; /* the machine will not run, so nothing is opened */
} disk_grant;
/* Saves or loads the drive and the guest's changes in memory. Loading opens the image that `grant` permits and
 * refuses the snapshot if its size or time of change is not the saved one; the path may be another. `disk` must be
 * initialised. When saving, `grant` is not used. */
void disk_image_transfer(disk_image *disk, const disk_grant *grant, snapshot *s);
/* The snapshot tables of this module, for the description of the format; NULL ends them. */
extern const snapshot_table *const disk_tables[];

#endif
