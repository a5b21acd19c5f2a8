/* DOS programs: COM files, which are their own image, and MZ files with a header and relocations. */
#ifndef MACHINE_LOAD_MZ_H
#define MACHINE_LOAD_MZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/status.h"

typedef struct mz_image {
    uint8_t *bytes; /* the whole file */
    size_t size;
    bool com;                      /* a COM file: the members from relocations_at on are 0 */
    const char *other_system;      /* the system of a second program in the file; NULL: none */
    uint32_t image_at, image_size; /* the part of the file that is loaded */
    uint32_t stored;               /* bytes of it that are in the file */
    uint32_t relocations_at;       /* offset of the relocation table in the file */
    uint16_t relocation_count;
    uint16_t least, most;    /* paragraphs needed and wanted after the image */
    uint16_t ss, sp, cs, ip; /* segments relative to the image */
} mz_image;

/* Returns true if the file begins with MZ (or ZM): then it is not a COM file. */
bool mz_has_magic(const uint8_t *bytes, size_t size);
/* Parses a file's bytes, which remain the caller's. Returns P5_ERR_FORMAT with a message. */
p5_status mz_parse(const uint8_t *bytes, size_t size, mz_image *image, p5_error *error);
/* Returns the offset, from the beginning of the image, of the word that relocation `index` (below relocation_count)
 * names: the image's segment is added to it. It may lie after the image, and above all memory. */
uint32_t mz_relocation(const mz_image *image, unsigned index);

#endif
