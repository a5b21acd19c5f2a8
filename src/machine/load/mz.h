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
    uint32_t image_at, image_size; /* what goes into memory */
    uint32_t relocations_at;
    uint16_t relocation_count;
    uint16_t least, most;    /* paragraphs behind the image */
    uint16_t ss, sp, cs, ip; /* segments relative to the image */
} mz_image;

/* It begins with MZ (or ZM): not a COM file. */
bool mz_is_signed(const uint8_t *bytes, size_t size);
/* Looks at a file's bytes, which stay the caller's. P5_ERR_FORMAT with what is wrong. */
p5_status mz_parse(const uint8_t *bytes, size_t size, mz_image *image, p5_error *error);
/* A relocation's place in the image. */
uint32_t mz_relocation(const mz_image *image, unsigned index);
/* Adds `segment` to the words of the image that hold segments. `image` is a copy of it in memory. */
void mz_relocate(const mz_image *image, uint8_t *memory, uint16_t segment);

#endif
