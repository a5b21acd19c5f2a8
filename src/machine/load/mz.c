#include "machine/load/mz.h"

#include <string.h>

#include "base/error.h"

enum {
    HEADER_BYTES = 0x1c,
    NEW_HEADER_FIELD = 0x3c, /* offset of an NE, LE or PE header, if the relocations begin behind it */
    COM_LARGEST = 0x10000 - 0x100 - 2,
    PAGE = 512,
    PARAGRAPH = 16,
    MEMORY_LARGEST = 0xa0000
};

static uint16_t word_at(const uint8_t *bytes, size_t at)
{
    return (uint16_t)(bytes[at] | bytes[at + 1] << 8);
}

bool mz_is_signed(const uint8_t *bytes, size_t size)
{
    return size >= 2 && (memcmp(bytes, "MZ", 2) == 0 || memcmp(bytes, "ZM", 2) == 0);
}

/* Programs of other systems have an MZ program in front that says so. */
static p5_status mz_check_kind(const uint8_t *bytes, size_t size, p5_error *error)
{
    if (size < NEW_HEADER_FIELD + 4 || word_at(bytes, 0x18) < NEW_HEADER_FIELD + 4)
        return P5_OK;
    uint32_t at = word_at(bytes, NEW_HEADER_FIELD) | (uint32_t)word_at(bytes, NEW_HEADER_FIELD + 2) << 16;
    if (at > size - 2 || at < NEW_HEADER_FIELD + 4)
        return P5_OK;
    bool windows = size - at >= 4 && memcmp(bytes + at, "PE\0\0", 4) == 0;
    if (!windows && memcmp(bytes + at, "NE", 2) != 0)
        return P5_OK;
    error_set(error, P5_ERR_FORMAT, "this is a %s program (%s); Windows is missing",
              windows ? "Windows" : "16-bit Windows or OS/2", windows ? "PE" : "NE");
    error_hint(error, "build it as a DOS program, a static Linux one or a freestanding ELF file");
    return P5_ERR_FORMAT;
}

static p5_status mz_parse_com(mz_image *image, p5_error *error)
{
    if (image->size == 0)
        return error_set(error, P5_ERR_FORMAT, "the file is empty");
    if (image->size > COM_LARGEST)
        return error_set(error, P5_ERR_FORMAT, "a COM file has at most %d bytes, this one has %zu",
                         COM_LARGEST, image->size);
    image->com = true;
    image->image_size = (uint32_t)image->size;
    return P5_OK;
}

static p5_status mz_check_relocations(const mz_image *image, p5_error *error)
{
    uint64_t end = image->relocations_at + 4ull * image->relocation_count;
    if (image->relocation_count != 0 && end > image->size)
        return error_set(error, P5_ERR_FORMAT,
                         "the file is truncated: %u relocations from byte %Xh end behind it",
                         image->relocation_count, image->relocations_at);
    for (unsigned i = 0; i < image->relocation_count; i++) {
        uint32_t at = mz_relocation(image, i);
        if (at + 2 > image->image_size)
            return error_set(error, P5_ERR_FORMAT, "relocation %u is at %Xh, behind the image's %Xh bytes", i,
                             at, image->image_size);
    }
    return P5_OK;
}

p5_status mz_parse(const uint8_t *bytes, size_t size, mz_image *image, p5_error *error)
{
    *image = (mz_image){.bytes = (uint8_t *)(uintptr_t)bytes, .size = size};
    if (!mz_is_signed(bytes, size))
        return mz_parse_com(image, error);
    if (size < HEADER_BYTES)
        return error_set(error, P5_ERR_FORMAT, "the file is truncated: an MZ header has %d bytes",
                         HEADER_BYTES);
    p5_status status = mz_check_kind(bytes, size, error);
    if (status != P5_OK)
        return status;
    uint32_t last = word_at(bytes, 2), pages = word_at(bytes, 4);
    uint32_t header = word_at(bytes, 8) * (uint32_t)PARAGRAPH;
    if (last > PAGE || pages == 0)
        return error_set(error, P5_ERR_FORMAT,
                         "the MZ header gives %u pages with %u bytes in the last; a page has %d", pages, last,
                         PAGE);
    uint32_t end = pages * PAGE - (last != 0 ? PAGE - last : 0);
    if (header < HEADER_BYTES || header > end)
        return error_set(error, P5_ERR_FORMAT, "the MZ header gives its own size as %Xh bytes of %Xh", header,
                         end);
    if (end > size)
        return error_set(error, P5_ERR_FORMAT, "the file is truncated: %zu bytes, its header says %u", size,
                         end);
    image->image_at = header;
    image->image_size = end - header;
    image->relocation_count = word_at(bytes, 6);
    image->relocations_at = word_at(bytes, 0x18);
    image->least = word_at(bytes, 0xa);
    image->most = word_at(bytes, 0xc);
    image->ss = word_at(bytes, 0xe);
    image->sp = word_at(bytes, 0x10);
    image->ip = word_at(bytes, 0x14);
    image->cs = word_at(bytes, 0x16);
    if (image->image_size > MEMORY_LARGEST)
        return error_set(error, P5_ERR_FORMAT, "the program has %u KB; DOS has 640", image->image_size >> 10);
    uint32_t entry = ((uint32_t)image->cs * PARAGRAPH + image->ip) & 0xfffff;
    if (entry >= image->image_size)
        return error_set(error, P5_ERR_FORMAT, "the entry point %04X:%04X is outside the image of %Xh bytes",
                         image->cs, image->ip, image->image_size);
    return mz_check_relocations(image, error);
}

uint32_t mz_relocation(const mz_image *image, unsigned index)
{
    size_t at = image->relocations_at + 4u * index;
    return word_at(image->bytes, at + 2) * (uint32_t)PARAGRAPH + word_at(image->bytes, at);
}

void mz_relocate(const mz_image *image, uint8_t *memory, uint16_t segment)
{
    for (unsigned i = 0; i < image->relocation_count; i++) {
        uint8_t *place = memory + mz_relocation(image, i);
        uint16_t value = (uint16_t)(word_at(place, 0) + segment);
        memcpy(place, &value, sizeof value);
    }
}
