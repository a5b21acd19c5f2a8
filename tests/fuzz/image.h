/* Guests for fuzz_machine: an input is a list of decisions, and the same decisions make the same image.
 *
 *   input     header | pages, tables: a byte per entry | snippet | snippet ...
 *   snippet   mode, flags, registers it begins with | RECORDS instructions
 *
 * An image lies at IMAGE_ADDRESS and brings everything itself: GDT, LDT, IDT, three TSSs, page tables,
 * handlers. Its dispatcher enters one snippet after another, in the mode that the snippet asks for, again and
 * again; every exception that has no handler of another kind leads back to it. What snippets do to all of
 * that is theirs.
 */
#ifndef FUZZ_IMAGE_H
#define FUZZ_IMAGE_H

#include "fuzz.h"

enum {
    IMAGE_ADDRESS = 0x10000,
    IMAGE_BYTES = 0xd800,
    IMAGE_SNIPPETS = 16,
    IMAGE_RECORDS = 12,
    /* Input: where its parts are. */
    IMAGE_HEADER_BYTES = 64,
    IMAGE_TABLE_BYTES = 192,
    IMAGE_RECORD_BYTES = 12,
    IMAGE_SNIPPET_BYTES = 24 + IMAGE_RECORDS * IMAGE_RECORD_BYTES,
    IMAGE_FIRST_SNIPPET = IMAGE_HEADER_BYTES + IMAGE_TABLE_BYTES,
    IMAGE_INPUT_MAX = IMAGE_FIRST_SNIPPET + IMAGE_SNIPPETS * IMAGE_SNIPPET_BYTES
};

typedef enum image_kind {
    IMAGE_FLAT, /* entered in protected mode, CPL 0 */
    IMAGE_REAL, /* entered in real mode at IMAGE_ADDRESS, with a BIOS */
    IMAGE_DISK  /* the same from a disk, its first sector loads the rest */
} image_kind;

typedef struct image {
    image_kind kind;
    uint8_t bytes[512 + IMAGE_BYTES]; /* the file */
    uint32_t size;
} image;

/* The caller reads the header and passes the kind. The input after it makes the image. */
void image_make(image *made, image_kind kind, fuzz_input tables_and_snippets);

#endif
