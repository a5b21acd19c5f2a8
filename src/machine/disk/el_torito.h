/* Bootable CDs: the boot record and the catalog of the El Torito specification, version 1.0. */
#ifndef MACHINE_DISK_EL_TORITO_H
#define MACHINE_DISK_EL_TORITO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CD_SECTOR = 2048 };

/* The kind of disk that a boot image emulates. */
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
    uint16_t load_segment;
    uint16_t sectors; /* to be loaded; 512 bytes each */
    uint32_t start;   /* first CD sector of the boot image */
} el_torito_entry;

/* Reads `size` bytes at `offset` of an image. Returns false if the image ends before. */
typedef bool cd_read(const void *context, uint64_t offset, void *bytes, size_t size);

/* Returns true if the image is a CD whose default entry boots a PC. */
bool el_torito_find(cd_read *read, const void *context, el_torito_entry *entry);

#endif
