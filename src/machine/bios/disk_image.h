/* The disk image that a guest boots from and accesses by INT 13h: a diskette, a hard disk or a CD in a host
 * file. Changes stay in memory unless the file is writable. */
#ifndef MACHINE_BIOS_DISK_IMAGE_H
#define MACHINE_BIOS_DISK_IMAGE_H

#include "base/snapshot.h"
#include "machine/load/el_torito.h"

enum { BIOS_SECTOR = 512, DRIVE_DISKETTE = 0, DRIVE_HARD_DISK = 0x80, DRIVE_CD = 0xe0, BIOS_NO_DRIVE = 0xff };

typedef struct disk_image {
    int file;
    char *path; /* absolute, for snapshots; NULL if unknown */
    bool writable;
    bool is_cd;     /* the file is a CD, and `boot` its boot entry */
    uint8_t drive;  /* DRIVE_* */
    uint8_t status; /* of the last INT 13h */
    uint16_t sector_bytes;
    uint64_t start;      /* byte of the file at which the drive begins; not 0 for a CD that emulates a disk */
    uint64_t file_bytes; /* bytes of the file after `start` */
    uint64_t sectors;    /* may exceed the file, if it is shorter than its format */
    uint32_t cylinders, heads, per_track; /* 0 for a CD */
    el_torito_entry boot;
    /* Pieces that the guest has written to; NULL: unchanged, read from the file. */
    uint8_t **pieces;
} disk_image;

/* Opens the image. With `as_disk`, a CD file is treated as a hard disk. */
p5_status disk_image_open(disk_image *disk, const char *path, bool writable, bool as_disk, p5_error *error);
void disk_image_close(disk_image *disk);
/* Read or write the `sector_bytes` bytes of a sector. Return false if the disk has no such sector or the host
 * reports an error. Sectors after the file's end read as zeros. */
bool disk_image_read(const disk_image *disk, uint64_t sector, void *bytes);
bool disk_image_write(disk_image *disk, uint64_t sector, const void *bytes);
/* Returns true if the sector lies after the file's end. */
bool disk_image_padded(const disk_image *disk, uint64_t sector);
/* Saves or loads the changed pieces. */
void disk_image_transfer(disk_image *disk, snapshot *s);

#endif
