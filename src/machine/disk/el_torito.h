/* Bootable CDs: the boot record and the catalog of the El Torito specification, version 1.0. */
#ifndef MACHINE_DISK_EL_TORITO_H
#define MACHINE_DISK_EL_TORITO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CD_SECTOR = 2048 }; /* bytes */

/* The kind of disk that a boot image emulates. The values are those of an entry's byte 1; diskettes in KB. */
typedef enum el_torito_media {
    CD_NO_EMULATION,
    CD_DISKETTE_1200,
    CD_DISKETTE_1440,
    CD_DISKETTE_2880,
    CD_HARD_DISK
} el_torito_media;

/* The default entry of the boot catalog. */
typedef struct el_torito_entry {
    el_torito_media media;
    uint16_t load_segment; /* real-mode segment where the BIOS loads `sectors` and starts them */
    uint16_t sectors;      /* to be loaded; 512 bytes each */
    uint32_t start;        /* first CD sector of the boot image */
} el_torito_entry;

/* A function of the caller that reads `size` bytes at `offset` of an image. It returns false if the image ends before
 * their end. */
typedef bool cd_read(const void *context, uint64_t offset, void *bytes, size_t size);

/* Returns true and sets *entry if the image is a CD whose default entry boots a PC. `context` is passed to `read`. */
bool el_torito_find(cd_read *read, const void *context, el_torito_entry *entry);

#endif
