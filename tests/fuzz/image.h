/* Makes guests for fuzz_machine. The input decides everything about a guest, so the same input makes the same one.
 *
 *   input     header (fuzz_machine.c) | page tables and descriptors, a byte per entry | snippet | snippet ...
 *   snippet   mode, flags, initial registers | IMAGE_RECORDS records, each of which makes an instruction
 *
 * An image lies at IMAGE_ADDRESS and has its own GDT, LDT, IDT, TSSs, page tables and handlers. Its dispatcher
 * enters one snippet after another, each in the mode that the snippet chooses, and then begins with the first one
 * again. Exceptions without a handler of their own return to the dispatcher. Snippets may overwrite all of this.
 */
#ifndef FUZZ_IMAGE_H
#define FUZZ_IMAGE_H

#include "fuzz.h"

enum {
    IMAGE_ADDRESS = 0x10000,
    IMAGE_BYTES = 0xd800,
    IMAGE_SNIPPETS = 16,
    IMAGE_RECORDS = 12,
    /* Sizes of the input's parts. */
    IMAGE_HEADER_BYTES = 64,
    IMAGE_TABLE_BYTES = 192,
    IMAGE_RECORD_BYTES = 12,
    IMAGE_SNIPPET_HEADER_BYTES = 24, /* mode, flags, initial registers */
    IMAGE_SNIPPET_BYTES = IMAGE_SNIPPET_HEADER_BYTES + IMAGE_RECORDS * IMAGE_RECORD_BYTES,
    IMAGE_FIRST_SNIPPET = IMAGE_HEADER_BYTES + IMAGE_TABLE_BYTES,
    IMAGE_INPUT_MAX = IMAGE_FIRST_SNIPPET + IMAGE_SNIPPETS * IMAGE_SNIPPET_BYTES
};

typedef enum image_kind {
    IMAGE_FLAT, /* entered in protected mode, CPL 0 */
    IMAGE_REAL, /* entered in real mode at IMAGE_ADDRESS, with a BIOS */
    IMAGE_DISK  /* the same, loaded from a disk by its first sector */
} image_kind;

typedef struct image {
    image_kind kind;
    uint8_t bytes[512 + IMAGE_BYTES]; /* the file */
    uint32_t size;
} image;

/* The caller reads the header and passes the kind. The input after it makes the image. */
void image_make(image *made, image_kind kind, fuzz_input tables_and_snippets);

#endif
