/* The image that a guest boots from and reads by INT 13h: a diskette, a hard disk or a CD in a file of the host.
 * What the guest writes stays in memory unless the file may be written to. */
#ifndef MACHINE_BIOS_DISK_IMAGE_H
#define MACHINE_BIOS_DISK_IMAGE_H

#include "base/snapshot.h"
#include "machine/load/el_torito.h"

enum { BIOS_SECTOR = 512, DRIVE_DISKETTE = 0, DRIVE_HARD_DISK = 0x80, DRIVE_CD = 0xe0, BIOS_NO_DRIVE = 0xff };

typedef struct disk_image {
    int file;
    char *path; /* absolute, for snapshots; NULL if the host cannot tell */
    bool writable;
    bool is_cd;     /* the file is that of a CD: `boot` is what it boots */
    uint8_t drive;  /* DRIVE_* */
    uint8_t status; /* of the last INT 13h */
    uint16_t sector_bytes;
    uint64_t start;      /* byte of the file at which the drive begins: a CD's diskette or hard disk */
    uint64_t file_bytes; /* of the file from there on */
    uint64_t sectors;    /* of sector_bytes; more than the file has, if it is shorter than its format */
    uint32_t cylinders, heads, per_track; /* 0 of a CD */
    el_torito_entry boot;
    /* Pieces of the drive that the guest has written to; NULL: the file's. */
    uint8_t **pieces;
} disk_image;

/* Opens the image; `as_disk`: a CD's file is that of a hard disk. */
p5_status disk_image_open(disk_image *disk, const char *path, bool writable, bool as_disk, p5_error *error);
void disk_image_close(disk_image *disk);
/* Move the `sector_bytes` bytes of a sector. False: the disk has no such sector, as a machine without
 * a disk has none, or the host cannot. What lies beyond the file's end reads as zeros. */
bool disk_image_read(const disk_image *disk, uint64_t sector, void *bytes);
bool disk_image_write(disk_image *disk, uint64_t sector, const void *bytes);
/* True if the sector lies beyond the file's end. */
bool disk_image_padded(const disk_image *disk, uint64_t sector);
/* The pieces that were written, in a snapshot, in either direction. */
void disk_image_transfer(disk_image *disk, snapshot *s);

#endif
