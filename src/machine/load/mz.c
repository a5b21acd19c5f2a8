/* Parses DOS programs (mz.h). Numbers in the code are offsets of the MZ header's fields. */
#include "machine/load/mz.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"

enum {
    HEADER_BYTES = 0x1c,
    NEW_HEADER_FIELD = 0x3c, /* offset of an NE, LE or PE header, valid if the relocations begin after it */
    COM_LARGEST = 0x10000 - 0x100 - 2, /* a segment without the prefix and a word of stack */
    PAGE = 512,
    PAGES_MASK = 0x7ff, /* limits the header's number of pages to 1 MB */
    PARAGRAPH = 16,
    MEMORY_LARGEST = 0xa0000 /* bytes of DOS's memory: 640 KB */
};

bool mz_has_magic(const uint8_t *bytes, size_t size)
{
    return size >= 2 && (memcmp(bytes, "MZ", 2) == 0 || memcmp(bytes, "ZM", 2) == 0);
}

/* Returns the system that the file was made for, or NULL for DOS. A program for another system begins with a
 * complete DOS program, which usually only reports that the other system is missing. In "bound" programs it
 * does all the work. */
static const char *mz_other_system(const uint8_t *bytes, size_t size)
{
    if (size < NEW_HEADER_FIELD + 4 || le16_at(bytes, 0x18) < NEW_HEADER_FIELD + 4)
        return NULL;
    uint32_t at = le32_at(bytes, NEW_HEADER_FIELD);
    if (at > size - 2 || at < NEW_HEADER_FIELD + 4)
        return NULL;
    if (size - at >= 4 && memcmp(bytes + at, "PE\0\0", 4) == 0)
        return "Windows";
    return memcmp(bytes + at, "NE", 2) == 0 ? "16-bit Windows or OS/2" : NULL;
}

/* Parses a file without a header. All of it is the image. */
static p5_status mz_parse_com(mz_image *image, p5_error *error)
{
    if (image->size == 0)
        return error_set(error, P5_ERR_FORMAT, "the file is empty");
    if (image->size > COM_LARGEST)
        return error_set(error, P5_ERR_FORMAT, "a COM file has at most %d bytes; this one has %zu",
                         COM_LARGEST, image->size);
    image->com = true;
    image->image_size = image->stored = (uint32_t)image->size;
    return P5_OK;
}

/* Parses a program as MS-DOS does, which trusts the header and checks little: a file may be shorter than its
 * header says, the last page may have more bytes than a page, and the entry point and relocations may lie
 * after the image. */
p5_status mz_parse(const uint8_t *bytes, size_t size, mz_image *image, p5_error *error)
{
    *image = (mz_image){.bytes = (uint8_t *)(uintptr_t)bytes, .size = size};
    if (!mz_has_magic(bytes, size) || size < HEADER_BYTES)
        return mz_parse_com(image, error);
    uint32_t last = le16_at(bytes, 2), pages = le16_at(bytes, 4) & PAGES_MASK;
    uint32_t header = le16_at(bytes, 8) * (uint32_t)PARAGRAPH;
    uint32_t end = (pages != 0 ? pages : 1) * PAGE - (last != 0 && last < PAGE ? PAGE - last : 0);
    if (header >= size)
        return error_set(error, P5_ERR_FORMAT, "the file is truncated: %zu bytes, and its image begins at %u",
                         size, header);
    if (header >= end)
        return error_set(error, P5_ERR_FORMAT, "the MZ header gives its own size as %Xh bytes of %Xh", header,
                         end);
    image->other_system = mz_other_system(bytes, size);
    image->image_at = header;
    image->image_size = end - header;
    image->stored = (uint32_t)((end < size ? end : size) - header);
    image->relocation_count = le16_at(bytes, 6);
    image->relocations_at = le16_at(bytes, 0x18);
    image->least = le16_at(bytes, 0xa);
    image->most = le16_at(bytes, 0xc);
    image->ss = le16_at(bytes, 0xe);
    image->sp = le16_at(bytes, 0x10);
    image->ip = le16_at(bytes, 0x14);
    image->cs = le16_at(bytes, 0x16);
    if (image->image_size > MEMORY_LARGEST)
        return error_set(error, P5_ERR_FORMAT, "the program has %u KB; DOS has 640 KB of memory",
                         image->image_size >> 10);
    uint64_t relocations_end = image->relocations_at + 4ull * image->relocation_count;
    if (image->relocation_count != 0 && relocations_end > size)
        return error_set(error, P5_ERR_FORMAT,
                         "the file is truncated: it ends before its %u relocations, which begin at byte %Xh",
                         image->relocation_count, image->relocations_at);
    return P5_OK;
}

uint32_t mz_relocation(const mz_image *image, unsigned index)
{
    size_t at = image->relocations_at + 4u * index;
    return le16_at(image->bytes, at + 2) * (uint32_t)PARAGRAPH + le16_at(image->bytes, at);
}
