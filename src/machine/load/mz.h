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
    bool com;
    const char *other_system;      /* whose program follows this one in the file, NULL: none */
    uint32_t image_at, image_size; /* what goes into memory, */
    uint32_t stored;               /* ... and how much of it the file has */
    uint32_t relocations_at;
    uint16_t relocation_count;
    uint16_t least, most;    /* paragraphs behind the image */
    uint16_t ss, sp, cs, ip; /* segments relative to the image */
} mz_image;

/* It begins with MZ (or ZM): not a COM file. */
bool mz_is_signed(const uint8_t *bytes, size_t size);
/* Looks at a file's bytes, which stay the caller's. P5_ERR_FORMAT with what is wrong. */
p5_status mz_parse(const uint8_t *bytes, size_t size, mz_image *image, p5_error *error);
/* The place, from the beginning of the image, of a word to which the image's segment is added. It may lie
 * behind the image, and behind all memory. */
uint32_t mz_relocation(const mz_image *image, unsigned index);

#endif
