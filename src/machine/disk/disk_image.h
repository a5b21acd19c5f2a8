/* A drive of the machine and the image in it: a diskette, a hard disk or a CD in a file of the host. What the
 * guest writes stays in memory unless the file may be written to. */
#ifndef MACHINE_DISK_DISK_IMAGE_H
#define MACHINE_DISK_DISK_IMAGE_H

#include "base/snapshot.h"
#include "machine/disk/el_torito.h"

/* Kinds of drives, as the BIOS numbers the first of each kind. */
enum { DRIVE_DISKETTE = 0, DRIVE_HARD_DISK = 0x80, DRIVE_CD = 0xe0, DRIVE_NONE = 0xff };
enum { DISK_SECTOR = 512 };

typedef struct disk_image {
    int file;   /* -1 without an image */
    char *path; /* absolute, for snapshots; NULL if the host cannot tell */
    bool writable;
    bool is_cd;   /* the file is that of a CD: `boot` is what it boots */
    uint8_t kind; /* DRIVE_* */
    uint8_t
        type; /* of a diskette drive, as CMOS cell 10h has it: 1 = 360 KB, 2 = 1.2 MB, 3 = 720 KB, 4 = 1.44 MB, 6 = 2.88 MB */
    uint16_t sector_bytes;
    uint64_t start;      /* byte of the file at which the drive begins: a CD's diskette or hard disk */
    uint64_t file_bytes; /* of the file from there on */
    uint64_t sectors;    /* of sector_bytes; more than the file has, if it is shorter than its format */
    uint32_t cylinders, heads, per_track; /* 0 of a CD; cylinders of a hard disk: not bounded */
    el_torito_entry boot;
    uint8_t **pieces; /* what the guest has written, by pieces of the drive; NULL: as in the file */
} disk_image;

/* A drive without an image. */
void disk_image_none(disk_image *disk);
/* Opens the image; `as_disk`: a CD's file is that of a hard disk. After an error there is no image. */
p5_status disk_image_open(disk_image *disk, const char *path, bool writable, bool as_disk, p5_error *error);
void disk_image_close(disk_image *disk);
/* Move the `sector_bytes` bytes of a sector. False: the drive has no such sector, or the host cannot. What
 * lies beyond the file's end reads as zeros. */
bool disk_image_read(const disk_image *disk, uint64_t sector, void *bytes);
bool disk_image_write(disk_image *disk, uint64_t sector, const void *bytes);
/* True if the sector lies beyond the file's end. */
bool disk_image_padded(const disk_image *disk, uint64_t sector);

/* What whoever loads a snapshot lets its guest have again. */
typedef struct disk_grant {
    const char *path;   /* the image for this drive; NULL: none was named */
    const char *option; /* how it is named, for messages */
    bool writable;
    bool copy;      /* the snapshot is a copy of a machine in this process: it keeps what that machine has */
    bool look_only; /* the machine will not run: nothing is opened */
} disk_grant;
/* The drive and what the guest has written, in a snapshot, in either direction. */
void disk_image_transfer(disk_image *disk, const disk_grant *grant, snapshot *s);
extern const snapshot_table *const disk_tables[];

#endif
