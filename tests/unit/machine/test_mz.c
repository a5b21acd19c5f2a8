/* DOS programs: what of an MZ header is accepted and what is refused. Offsets are those of the MZ header. */
#include <string.h>

#include "../unit.h"
#include "machine/load/mz.h"

enum { HEADER = 0x40, IMAGE = 0x300, SIZE = HEADER + IMAGE };

static void put(uint8_t *bytes, size_t at, uint16_t value)
{
    bytes[at] = (uint8_t)value;
    bytes[at + 1] = (uint8_t)(value >> 8);
}

/* 340h bytes: two pages, the last with 140h. Entry 0:10h, one relocation at 0:20h. */
static void good(uint8_t bytes[SIZE])
{
    memset(bytes, 0, SIZE);
    memcpy(bytes, "MZ", 2);
    put(bytes, 2, SIZE % 512);
    put(bytes, 4, 2);
    put(bytes, 6, 1);
    put(bytes, 8, HEADER / 16);
    put(bytes, 0xa, 0x10);
    put(bytes, 0xc, 0xffff);
    put(bytes, 0xe, 0x30);
    put(bytes, 0x10, 0x100);
    put(bytes, 0x14, 0x10);
    put(bytes, 0x18, 0x1c);
    put(bytes, 0x1c, 0x20);
    put(bytes, HEADER + 0x20, 0x0005);
}

TEST(accepts)
{
    uint8_t bytes[SIZE];
    mz_image image;
    p5_error error = {0};
    (void)state;
    good(bytes);
    assert_int_equal(P5_OK, mz_parse(bytes, SIZE, &image, &error));
    assert_false(image.com);
    assert_int_equal(HEADER, image.image_at);
    assert_int_equal(IMAGE, image.image_size);
    assert_int_equal(0x10, image.ip);
    assert_int_equal(0x20, mz_relocation(&image, 0));
    assert_int_equal(IMAGE, image.stored);
    assert_null(image.other_system);
}

/* Each line changes one word of a good header. */
TEST(refuses)
{
    static const struct {
        size_t at;
        uint16_t value;
        const char *message;
    } wrong[] = {
        {8, 0xffff, "truncated"},   {8, SIZE / 16, "truncated"},   {4, 0x7ff, "640"},
        {6, 0xffff, "relocations"}, {0x18, 0xffff, "relocations"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint8_t bytes[SIZE];
        mz_image image;
        p5_error error = {0};
        good(bytes);
        put(bytes, wrong[i].at, wrong[i].value);
        if (mz_parse(bytes, SIZE, &image, &error) != P5_ERR_FORMAT ||
            strstr(error.message, wrong[i].message) == NULL)
            fail_msg("word %zXh = %Xh: expected '%s', came '%s'", wrong[i].at, wrong[i].value,
                     wrong[i].message, error.message);
    }
}

/* Each line changes one word of a good header in a way that DOS does not look at; the image has so many bytes
 * then, of which so many are in the file. */
TEST(accepts_what_dos_loads)
{
    static const struct {
        size_t at;
        uint16_t value;
        uint32_t size, stored;
    } odd[] = {
        {2, 513, 1024 - HEADER, IMAGE},         /* a last page with more than a page has is a whole one */
        {4, 0, 0x140 - HEADER, 0x140 - HEADER}, /* one page at least, */
        {4, 0x802, IMAGE, IMAGE},               /* of 1 MB at most */
        {4, 3, IMAGE + 512, IMAGE},             /* longer than the file */
        {8, 1, SIZE - 16, SIZE - 16},           /* the image begins in the header */
        {0x1e, 0xffff, IMAGE, IMAGE},           /* relocation and entry point after the image */
        {0x14, 0xffff, IMAGE, IMAGE},
        {0x16, 0x1000, IMAGE, IMAGE},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        uint8_t bytes[SIZE];
        mz_image image;
        p5_error error = {0};
        good(bytes);
        put(bytes, odd[i].at, odd[i].value);
        if (mz_parse(bytes, SIZE, &image, &error) != P5_OK)
            fail_msg("word %zXh = %Xh: %s", odd[i].at, odd[i].value, error.message);
        if (image.image_size != odd[i].size || image.stored != odd[i].stored)
            fail_msg("word %zXh = %Xh: %u bytes, %u stored", odd[i].at, odd[i].value, image.image_size,
                     image.stored);
    }
}

/* Without a whole header it is a COM file; with one, as much of the image as there is. */
TEST(every_truncation)
{
    uint8_t bytes[SIZE];
    (void)state;
    good(bytes);
    for (size_t size = 2; size < SIZE; size++) {
        mz_image image;
        p5_error error = {0};
        bool loads = size < 0x1c || size > HEADER;
        assert_int_equal(loads ? P5_OK : P5_ERR_FORMAT, mz_parse(bytes, size, &image, &error));
        if (loads)
            assert_int_equal(size < 0x1c ? size : size - HEADER, image.stored);
    }
}

/* A COM file has any bytes, and at most what fits between the prefix and a stack of a word. */
TEST(com_files)
{
    static uint8_t bytes[0x10000];
    mz_image image;
    p5_error error = {0};
    (void)state;
    assert_int_equal(P5_OK, mz_parse(bytes, 1, &image, &error));
    assert_true(image.com);
    assert_int_equal(P5_OK, mz_parse(bytes, 0x10000 - 0x100 - 2, &image, &error));
    assert_int_equal(P5_ERR_FORMAT, mz_parse(bytes, 0x10000 - 0x100 - 1, &image, &error));
    assert_int_equal(P5_ERR_FORMAT, mz_parse(bytes, 0, &image, &error));
}

/* A header after relocations that begin at 40h or later is another system's. */
TEST(other_systems)
{
    static const struct {
        const char *magic, *name;
    } systems[] = {{"PE\0\0", "Windows"}, {"NE\0\0", "OS/2"}};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        uint8_t bytes[SIZE];
        mz_image image;
        p5_error error = {0};
        good(bytes);
        put(bytes, 0x18, 0x40);
        put(bytes, 0x3c, 0x100);
        memcpy(bytes + 0x100, systems[i].magic, 4);
        assert_int_equal(P5_OK, mz_parse(bytes, SIZE, &image, &error));
        assert_non_null(image.other_system);
        assert_non_null(strstr(image.other_system, systems[i].name));
    }
}
