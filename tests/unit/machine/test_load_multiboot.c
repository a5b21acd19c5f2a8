/* Multiboot headers and boot information, by the specifications 0.6.96 and 2.0. */
#include "load.h"

#include "machine/load/multiboot.h"
#include "machine/run/open.h"

enum { ONE = 0x1badb002, MB = 1 << 20, FILE_BYTES = 40000 };
#define TWO 0xe85250d6u

static uint8_t file[FILE_BYTES];

/* ---- where a header is found --------------------------------------------------------------------------- */

static void header_1(size_t at, uint32_t flags)
{
    put32(file, at, ONE);
    put32(file, at + 4, flags);
    put32(file, at + 8, 0u - ONE - flags);
}

static void header_2(size_t at, uint32_t length)
{
    put32(file, at, TWO);
    put32(file, at + 4, 0);
    put32(file, at + 8, length);
    put32(file, at + 12, 0u - TWO - length);
}

TEST(places_of_headers)
{
    static const struct {
        unsigned version;
        size_t at, size;
        bool found;
    } rows[] = {{1, 0, 12, true},   {1, 0, 11, false},       {1, 4, 100, true},
                {1, 2, 100, false}, {1, 8180, 9000, true},   {1, 8184, 9000, false},
                {2, 0, 16, true},   {2, 0, 15, false},       {2, 8, 100, true},
                {2, 4, 100, false}, {2, 32752, 40000, true}, {2, 32760, 40000, false}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        multiboot_header header = {0};
        memset(file, 0, sizeof file);
        if (rows[i].version == 1)
            header_1(rows[i].at, 0);
        else
            header_2(rows[i].at, 16);
        if (multiboot_find(file, rows[i].size, &header) != rows[i].found)
            fail_msg("row %u", i);
        if (!rows[i].found)
            continue;
        assert_int_equal(header.version, rows[i].version);
        assert_int_equal(header.offset, rows[i].at);
        assert_false(header.has_addresses || header.has_entry || header.wants_graphics);
    }
    multiboot_header header;
    memset(file, 0, sizeof file);
    header_1(0, 0);
    file[8]++; /* the sum */
    assert_false(multiboot_find(file, 100, &header));
    memset(file, 0, sizeof file);
    header_2(0, 16);
    file[12]++;
    assert_false(multiboot_find(file, 100, &header));
    header_2(0, 15);
    assert_false(multiboot_find(file, 100, &header));
    header_2(0, 101);
    assert_false(multiboot_find(file, 100, &header));
    header_2(0, 100);
    assert_true(multiboot_find(file, 100, &header));
    header_2(0, 16);
    put32(file, 4, 4); /* MIPS */
    put32(file, 12, 0u - TWO - 16 - 4);
    assert_false(multiboot_find(file, 100, &header));
    header_2(0, 16);
    header_1(64, 0); /* version 1 comes first */
    assert_true(multiboot_find(file, 100, &header));
    assert_int_equal(header.version, 1);
}

TEST(fields_of_headers)
{
    multiboot_header h;
    memset(file, 0, sizeof file);
    for (unsigned i = 0; i < 5; i++)
        put32(file, 12 + 4 * i, 0x100 + i);
    header_1(0, 1u << 16);
    assert_true(multiboot_find(file, 32, &h));
    assert_false(multiboot_find(file, 31, &(multiboot_header){0}));
    assert_true(h.has_addresses && h.header_address == 0x100 && h.load_address == 0x101);
    assert_true(h.load_end == 0x102 && h.bss_end == 0x103 && h.entry == 0x104 && !h.wants_graphics);
    header_1(0, 4); /* a graphics mode, type 0 */
    assert_true(multiboot_find(file, 48, &h));
    assert_false(multiboot_find(file, 47, &(multiboot_header){0}));
    assert_true(h.wants_graphics && !h.has_addresses);
    put32(file, 32, 1);
    assert_true(multiboot_find(file, 48, &h));
    assert_false(h.wants_graphics);
    /* version 2: addresses, entry, screen, each with its size, aligned to 8 */
    static const uint32_t tags[] = {2, 24, 0x2010, 0x2000, 0x2002, 0x2003, /* offset 16 */
                                    3, 12, 0x2004, 0,                      /* 40 */
                                    5, 20, 1024,   768,    32,     0,      /* 56 */
                                    0, 8};
    memset(file, 0, sizeof file);
    header_2(0, 16 + sizeof tags);
    memcpy(file + 16, tags, sizeof tags);
    assert_true(multiboot_find(file, 1000, &h));
    assert_true(h.has_addresses && h.header_address == 0x2010 && h.load_address == 0x2000);
    assert_true(h.load_end == 0x2002 && h.bss_end == 0x2003);
    assert_true(h.has_entry && h.entry == 0x2004 && h.wants_graphics);
    put32(file, 16 + 12, UINT32_MAX); /* from the file's first byte */
    put32(file, 72, 0);               /* depth 0: text */
    assert_true(multiboot_find(file, 1000, &h));
    assert_true(h.load_address == 0x2010 && !h.wants_graphics);
    static const unsigned sizes[][2] = {{20, 24}, {44, 12}, {60, 20}};
    for (unsigned i = 0; i < 3; i++) { /* a tag that is too short says nothing */
        put32(file, 72, 32);
        put32(file, sizes[i][0], sizes[i][1] - 1);
        assert_true(multiboot_find(file, 1000, &h));
        assert_int_equal(h.has_addresses, i != 0);
        assert_int_equal(h.has_entry, i != 1);
        assert_int_equal(h.wants_graphics, i != 2);
        put32(file, sizes[i][0], sizes[i][1]);
    }
    header_2(0, 16 + 24); /* and so do those after the header's end */
    assert_true(multiboot_find(file, 1000, &h));
    assert_true(h.has_addresses && !h.has_entry);
    header_2(0, 16 + 23);
    assert_true(multiboot_find(file, 1000, &h));
    assert_false(h.has_addresses);
    header_2(0, 16 + sizeof tags);
    put32(file, 16, 0); /* the end comes first */
    assert_true(multiboot_find(file, 1000, &h));
    assert_false(h.has_addresses || h.has_entry);
    put32(file, 16, 2);
    put32(file, 20, 7);
    assert_true(multiboot_find(file, 1000, &h));
    assert_false(h.has_addresses || h.has_entry);
}

/* ---- what may be required ------------------------------------------------------------------------------ */

TEST(requirements)
{
    p5_error error;
    multiboot_header h;
    for (unsigned bit = 0; bit < 32;
         bit++) { /* version 1: pages, memory, video; bits from 16 on are wishes */
        memset(file, 0, sizeof file);
        header_1(0, 1u << bit);
        assert_true(multiboot_find(file, 100, &h));
        assert_int_equal(multiboot_check(&h, file, &error), bit < 3 || bit > 15 ? P5_OK : P5_ERR_FORMAT);
    }
    for (unsigned type = 1; type < 14; type++) /* version 2: tags, unless they are optional */
        for (unsigned optional = 0; optional < 2; optional++) {
            memset(file, 0, sizeof file);
            header_2(0, 40);
            put32(file, 16, type | optional << 16);
            put32(file, 20, 8);
            put32(file, 28, 8);
            assert_true(multiboot_find(file, 100, &h));
            bool known = type <= 6 || (type >= 8 && type <= 10);
            assert_int_equal(multiboot_check(&h, file, &error), known || optional ? P5_OK : P5_ERR_FORMAT);
        }
    for (unsigned type = 0; type < 23; type++) { /* boot information that it asks for, the second of two */
        memset(file, 0, sizeof file);
        header_2(0, 40);
        put32(file, 16, 1);
        put32(file, 20, 16);
        put32(file, 24, 4);
        put32(file, 28, type);
        put32(file, 36, 8);
        assert_true(multiboot_find(file, 100, &h));
        bool known = (type >= 1 && type <= 4) || type == 6 || type == 8;
        assert_int_equal(multiboot_check(&h, file, &error), known ? P5_OK : P5_ERR_FORMAT);
    }
}

/* ---- images that are not ELF files --------------------------------------------------------------------- */

/* They need a load address, and version 2 an entry address (3.1.5). */
TEST(images_without_elf)
{
    static const uint32_t both[] = {2, 24, 2 * MB, 2 * MB, 0, 0, 3, 12, 2 * MB, 0, 0, 8};
    static const struct {
        size_t from, words; /* of the tags */
        const char *message;
    } rows[] = {
        {0, 12, NULL}, {0, 6, "no entry address"}, {6, 6, "no load address"}, {10, 2, "no load address"}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[] = "/tmp/p5scope-boot-XXXXXX";
        MACHINE(m, load_machine((p5_machine_options){.memory_bytes = 4 * MB}));
        p5_error error = {0};
        memset(file, 0, sizeof file);
        header_2(0, 16 + sizeof both + 8);
        memcpy(file + 16, both + rows[i].from, 4 * rows[i].words);
        put32(file, 16 + 4 * rows[i].words + 4, 8);
        unit_file(path, file, 200);
        assert_int_equal(p5_machine_load_multiboot(m, path, &error),
                         rows[i].message == NULL ? P5_OK : P5_ERR_FORMAT);
        assert_true(rows[i].message == NULL || strstr(error.message, rows[i].message) != NULL);
        unlink(path);
    }
}

/* ---- boot information ---------------------------------------------------------------------------------- */

enum { ENTRY = 0x200000, END = 0x200123 };

/* Starts a kernel that ends at END with a module of 5 bytes, whose file is in `directory`. */
static p5_machine *start(unsigned version, uint32_t memory, const char *line, char *module, p5_error *error)
{
    const multiboot_header header = {.version = version};
    char text[80];
    unit_file(module, "12345", 5);
    snprintf(text, sizeof text, "%s with words", module);
    const char *modules[] = {text};
    p5_machine *m = load_machine((p5_machine_options){
        .memory_bytes = memory, .command_line = line, .modules = modules, .module_count = 1});
    assert_int_equal(machine_open_engine(m, memory, 1 << 20, error), P5_OK);
    if (multiboot_start(m, &header, "/some/where/kernel.bin", ENTRY, END, error) != P5_OK)
        fail_msg("%s", error->message);
    assert_int_equal(engine_get(m->engine, ENGINE_EIP), ENTRY);
    unlink(module);
    return m;
}

static const char *text_at(const p5_machine *m, uint32_t at)
{
    return (const char *)engine_ram(m->engine, at, 64);
}

static const struct {
    uint32_t base, length, type;
} map[] = {{0, 640 * 1024, 1}, {0xf0000, 0x10000, 2}, {0x100000, 7 * MB, 1}};

TEST(information_1)
{
    char module[] = "/tmp/p5scope-module-XXXXXX";
    p5_error error;
    MACHINE(m, start(1, 8 * MB, NULL, module, &error));
    assert_int_equal(engine_get(m->engine, ENGINE_EAX), 0x2badb002);
    const uint32_t at = engine_get(m->engine, ENGINE_EBX);
    assert_int_equal(at % 4, 0);
    assert_true(at >= END);
    assert_int_equal(memory32(m, at), 0x124d); /* memory, command line, modules, map, loader, frame buffer */
    assert_int_equal(memory32(m, at + 4), 640);
    assert_int_equal(memory32(m, at + 8), 7 * 1024);
    assert_string_equal(text_at(m, memory32(m, at + 16)), "kernel.bin");
    assert_int_equal(memory32(m, at + 20), 1);
    const uint32_t list = memory32(m, at + 24);
    assert_int_equal(memory32(m, list), 0x201000); /* the next page */
    assert_int_equal(memory32(m, list + 4), 0x201005);
    assert_memory_equal(engine_ram(m->engine, 0x201000, 5), "12345", 5);
    assert_string_equal(text_at(m, memory32(m, list + 8)) + strlen("p5scope-module-XXXXXX"), " with words");
    assert_int_equal(memory32(m, at + 44), 3 * 24);
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t entry = memory32(m, at + 48) + 24 * i;
        assert_int_equal(memory32(m, entry), 20);
        assert_int_equal(memory32(m, entry + 4), map[i].base);
        assert_int_equal(memory32(m, entry + 8), 0);
        assert_int_equal(memory32(m, entry + 12), map[i].length);
        assert_int_equal(memory32(m, entry + 16), 0);
        assert_int_equal(memory32(m, entry + 20), map[i].type);
    }
    assert_string_equal(text_at(m, memory32(m, at + 64)), "p5scope");
    assert_int_equal(memory32(m, at + 88), 0xb8000);
    assert_int_equal(memory32(m, at + 92), 0);
    assert_int_equal(memory32(m, at + 96), 160);
    assert_int_equal(memory32(m, at + 100), 80);
    assert_int_equal(memory32(m, at + 104), 25);
    assert_int_equal(memory8(m, at + 108), 16);
    assert_int_equal(memory8(m, at + 109), 2);
}

TEST(information_2)
{
    char module[] = "/tmp/p5scope-module-XXXXXX";
    p5_error error;
    MACHINE(m, start(2, 8 * MB, "a line", module, &error));
    assert_int_equal(engine_get(m->engine, ENGINE_EAX), 0x36d76289);
    const uint32_t begin = engine_get(m->engine, ENGINE_EBX), size = memory32(m, begin);
    assert_int_equal(begin % 8, 0);
    assert_int_equal(memory32(m, begin + 4), 0);
    static const uint32_t order[] = {1, 2, 3, 4, 6, 8, 0};
    uint32_t at = begin + 8;
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(memory32(m, at), order[i]);
        const uint32_t bytes = memory32(m, at + 4), body = at + 8;
        switch (order[i]) {
        case 1:
            assert_int_equal(bytes, 8 + 7);
            assert_string_equal(text_at(m, body), "a line");
            break;
        case 2:
            assert_int_equal(bytes, 8 + 8);
            assert_string_equal(text_at(m, body), "p5scope");
            break;
        case 3:
            assert_int_equal(memory32(m, body), 0x201000);
            assert_int_equal(memory32(m, body + 4), 0x201005);
            assert_int_equal(bytes, 16 + strlen("p5scope-module-XXXXXX with words") + 1);
            assert_string_equal(text_at(m, body + 8) + strlen("p5scope-module-XXXXXX"), " with words");
            break;
        case 4:
            assert_int_equal(bytes, 16);
            assert_int_equal(memory32(m, body), 640);
            assert_int_equal(memory32(m, body + 4), 7 * 1024);
            break;
        case 6:
            assert_int_equal(bytes, 16 + 3 * 24);
            assert_int_equal(memory32(m, body), 24);
            assert_int_equal(memory32(m, body + 4), 0);
            for (unsigned n = 0; n < 3; n++) {
                const uint32_t entry = body + 8 + 24 * n;
                assert_int_equal(memory32(m, entry), map[n].base);
                assert_int_equal(memory32(m, entry + 8), map[n].length);
                assert_int_equal(memory32(m, entry + 16), map[n].type);
                assert_int_equal(memory32(m, entry + 4) | memory32(m, entry + 12) | memory32(m, entry + 20),
                                 0);
            }
            break;
        case 8:
            assert_int_equal(bytes, 32);
            assert_int_equal(memory32(m, body), 0xb8000);
            assert_int_equal(memory32(m, body + 4), 0);
            assert_int_equal(memory32(m, body + 8), 160);
            assert_int_equal(memory32(m, body + 12), 80);
            assert_int_equal(memory32(m, body + 16), 25);
            assert_int_equal(memory8(m, body + 20), 16);
            assert_int_equal(memory8(m, body + 21), 2);
            break;
        default:
            assert_int_equal(bytes, 8);
        }
        at += (bytes + 7) / 8 * 8;
    }
    assert_int_equal(at - begin, size);
}
