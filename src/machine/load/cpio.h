/* Archives in the format that a Linux kernel expects for its first file system: cpio in the "newc" form. */
#ifndef MACHINE_LOAD_CPIO_H
#define MACHINE_LOAD_CPIO_H

#include <stdint.h>

#include "base/array.h"
#include "machine/share/share.h"

typedef struct cpio {
    ARRAY_OF(uint8_t) bytes;
    uint32_t files; /* number of entries, and inode number of the last one */
    bool no_memory; /* memory ran out, so the archive is incomplete */
} cpio;

/* Modes of entries: S_IF* and permissions. */
enum {
    CPIO_DIRECTORY = 0040755,
    CPIO_PROGRAM = 0100755,
    CPIO_FILE = 0100644,
    CPIO_LINK = 0120777,
    CPIO_DEVICE = 0020666
};

/* Adds an entry. `name` has no leading slash; the owner is root, and the time is 1970. `device` is major << 8
 * | minor of a CPIO_DEVICE. */
void cpio_add(cpio *archive, const char *name, uint32_t mode, const void *bytes, size_t size,
              unsigned device);
/* Adds everything below a share at its guest path: directories, regular files and links, in the order of
 * their names. Returns P5_ERR_FORMAT if it is more than a kernel could take, or P5_ERR_IO. */
p5_status cpio_add_share(cpio *archive, const share_mount *mount, p5_error *error);
/* Ends the archive. Returns false if memory ran out at any time. */
bool cpio_end(cpio *archive);
void cpio_free(cpio *archive);

#endif
