/* Linux kernels by the 32-bit boot protocol (Documentation/arch/x86/boot.rst and zero-page.rst): what is loaded where, boot_params, and what is
 * refused. The kernels are headers with a few bytes after them. */
#include "load.h"

enum { SECTORS = 3, SETUP = (SECTORS + 1) * 512, CODE = 4, FILE_BYTES = SETUP + CODE, MB = 1 << 20 };

typedef struct image {
    uint8_t bytes[FILE_BYTES];
    size_t size;
} image;

static void put16(image *i, unsigned at, unsigned value)
{
    memcpy(i->bytes + at, &value, 2);
}

static image good_kernel(void)
{
    image i = {.size = FILE_BYTES};
    for (unsigned n = 0; n < 0x1f1; n++)
        i.bytes[n] = 0xcc; /* is not part of the header */
    i.bytes[0x1f1] = SECTORS;
    put16(&i, 0x1f2, 0x1234);
    put16(&i, 0x1fe, 0xaa55);
    i.bytes[0x200] = 0xeb;
    i.bytes[0x201] = 0x66; /* the header ends at 268h */
    memcpy(i.bytes + 0x202, "HdrS", 4);
    put16(&i, 0x206, 0x20c);
    i.bytes[0x211] = 1;
    put32(i.bytes, 0x214, 0x100000);
    put32(i.bytes, 0x22c, 0x37ffffff);
    put32(i.bytes, 0x238, 2047);
    put32(i.bytes, 0x260, 0x10000);
    memset(i.bytes + 0x268, 0xdd, SETUP - 0x268);
    memcpy(i.bytes + SETUP, "\1\2\3\4", CODE);
    return i;
}

static unsigned noticed; /* notices of the last load */

static void take_notice(void *context, const char *line)
{
    (void)context;
    noticed++;
    if (strstr(line, "console=ttyS0,115200") == NULL)
        fail_msg("%s", line);
}

/* Loads an image into `memory` bytes. *machine is for p5_machine_close. */
static p5_status load(const image *i, uint32_t memory, const p5_load_options *with, p5_machine **machine,
                      p5_error *error)
{
    char path[] = "/tmp/p5scope-kernel-XXXXXX";
    p5_load_options options = with != NULL ? *with : (p5_load_options){0};
    options.size = sizeof options;
    unit_file(path, i->bytes, i->size);
    *machine = load_machine((p5_machine_options){.memory_bytes = memory, .notice = take_notice});
    noticed = 0;
    *error = (p5_error){0};
    p5_status status = p5_machine_load_kernel(*machine, path, &options, error);
    unlink(path);
    return status;
}

TEST(state_at_entry)
{
    image i = good_kernel();
    p5_machine *m;
    p5_error error;
    if (load(&i, 16 * MB, &(p5_load_options){.append = "console=ttyS0 x"}, &m, &error) != P5_OK)
        fail_msg("%s", error.message);
    engine *e = m->engine;
    assert_int_equal(engine_get(e, ENGINE_EIP), 0x100000);
    assert_memory_equal(engine_ram(e, 0x100000, CODE), "\1\2\3\4", CODE);
    assert_int_equal(engine_get(e, ENGINE_EBP), 0);
    assert_int_equal(engine_get(e, ENGINE_EDI), 0);
    assert_int_equal(engine_get(e, ENGINE_EBX), 0);
    assert_int_equal(engine_get(e, ENGINE_EFLAGS) & 0x200, 0);
    assert_int_equal(engine_get(e, ENGINE_CR0) & 0x80000001u, 1);
    static const engine_segment_name data[] = {ENGINE_ES, ENGINE_SS, ENGINE_DS, ENGINE_FS, ENGINE_GS};
    engine_segment s;
    engine_get_segment(e, ENGINE_CS, &s); /* __BOOT_CS and __BOOT_DS, flat */
    assert_true(s.selector == 0x10 && s.base == 0 && s.limit == UINT32_MAX);
    for (unsigned n = 0; n < 5; n++) {
        engine_get_segment(e, data[n], &s);
        assert_true(s.selector == 0x18 && s.base == 0 && s.limit == UINT32_MAX);
    }
    static const uint32_t descriptors[] = {0, 0, 0, 0, 0xffff, 0xcf9b00, 0xffff, 0xcf9300, 0, 0};
    for (unsigned n = 0; n < sizeof descriptors / sizeof descriptors[0]; n++) /* less the accessed bits */
        assert_int_equal(memory32(m, 0x8000 + 4 * n) & ~0x100u, descriptors[n] & ~0x100u);
    const uint32_t params = engine_get(e, ENGINE_ESI);
    assert_int_equal(memory8(m, params + 0x1f1), SECTORS); /* the header is copied, and nothing else */
    assert_int_equal(memory32(m, params + 0x202), 0x53726448);
    assert_int_equal(memory32(m, params + 0x260), 0x10000);
    assert_int_equal(memory8(m, params + 0x1f0), 0);
    assert_int_equal(memory8(m, params + 0x268), 0);
    assert_int_equal(memory8(m, params + 0x210), 0xff); /* type of loader: it has no number */
    assert_string_equal((const char *)engine_ram(e, memory32(m, params + 0x228), 16), "console=ttyS0 x");
    assert_int_equal(memory32(m, params + 0x218), 0); /* no initrd */
    assert_int_equal(memory32(m, params + 0x21c), 0);
    static const struct {
        uint32_t base, length, type;
    } map[] = {{0, 0x9fc00, 1}, {0x9fc00, 0x60400, 2}, {0x100000, 15 * MB, 1}};
    assert_int_equal(memory8(m, params + 0x1e8), 3);
    for (unsigned n = 0; n < 3; n++) {
        const uint32_t at = params + 0x2d0 + 20 * n;
        assert_int_equal(memory32(m, at), map[n].base);
        assert_int_equal(memory32(m, at + 4), 0);
        assert_int_equal(memory32(m, at + 8), map[n].length);
        assert_int_equal(memory32(m, at + 12), 0);
        assert_int_equal(memory32(m, at + 16), map[n].type);
    }
    assert_int_equal(memory32(m, params + 0x1e0), 15 * 1024);
    assert_int_equal(memory8(m, params + 0x06), 3); /* screen_info: mode, columns, lines, VGA, points */
    assert_int_equal(memory8(m, params + 0x07), 80);
    assert_int_equal(memory8(m, params + 0x0e), 25);
    assert_int_equal(memory8(m, params + 0x0f), 1);
    assert_int_equal(memory8(m, params + 0x10), 16);
    p5_machine_close(m);
}

/* A header that is shorter, a kernel that is somewhere else, four sectors of setup if the header says none. */
TEST(other_headers)
{
    image i = good_kernel();
    p5_machine *m;
    p5_error error;
    i.bytes[0x201] = 0x40;
    put32(i.bytes, 0x214, 0x200000);
    assert_int_equal(load(&i, 16 * MB, NULL, &m, &error), P5_OK);
    const uint32_t params = engine_get(m->engine, ENGINE_ESI);
    assert_int_equal(engine_get(m->engine, ENGINE_EIP), 0x200000);
    assert_int_equal(memory32(m, params + 0x23c), 0);
    assert_int_equal(memory32(m, params + 0x238), 2047);
    assert_int_equal(memory32(m, params + 0x260), 0);
    assert_string_equal((const char *)engine_ram(m->engine, memory32(m, params + 0x228), 32),
                        "console=ttyS0,115200");
    p5_machine_close(m);
    image four = {.size = FILE_BYTES};
    memcpy(four.bytes, good_kernel().bytes, 0x268);
    four.bytes[0x1f1] = 0;
    assert_int_not_equal(load(&four, 16 * MB, NULL, &m, &error), P5_OK); /* five sectors are the whole file */
    assert_non_null(strstr(error.message, "truncated"));
    p5_machine_close(m);
}

static void expect_refused(const image *i, uint32_t memory, const p5_load_options *with, const char *words)
{
    p5_machine *m;
    p5_error error;
    p5_status status = load(i, memory, with, &m, &error);
    if (status == P5_OK || strstr(error.message, words) == NULL)
        fail_msg("status %d, '%s', expected '%s'", status, error.message, words);
    p5_machine_close(m);
}

static void expect_loaded(const image *i, uint32_t memory, const p5_load_options *with)
{
    p5_machine *m;
    p5_error error;
    if (load(i, memory, with, &m, &error) != P5_OK)
        fail_msg("%s", error.message);
    p5_machine_close(m);
}

/* A command line that names no console leaves it on the screen, which p5scope does not show without being asked. */
TEST(says_where_the_console_is)
{
    static const struct {
        const char *line;
        unsigned notices;
    } rows[] = {{NULL, 0}, {"", 1}, {"quiet", 1}, {"console=tty0 quiet", 0}, {"console=ttyS0", 0}};
    image i = good_kernel();
    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        expect_loaded(&i, 16 * MB, &(p5_load_options){.append = rows[n].line});
        assert_int_equal(noticed, rows[n].notices);
    }
}

TEST(limits)
{
    image i = good_kernel();
    put16(&i, 0x206, 0x201);
    expect_refused(&i, 16 * MB, NULL, "boot protocol 2.01");
    put16(&i, 0x206, 0x202);
    expect_loaded(&i, 16 * MB, NULL);
    i.bytes[0x211] = 0;
    expect_refused(&i, 16 * MB, NULL, "is a zImage");
    i = good_kernel();
    i.size = SETUP;
    expect_refused(&i, 16 * MB, NULL, "its setup alone has 2048");
    i = good_kernel();
    put32(i.bytes, 0x214, 0xfffff);
    expect_refused(&i, 16 * MB, NULL, "below 1 MB");
    i = good_kernel(); /* memory up to its end: from protocol 2.10 on the header says how much */
    put32(i.bytes, 0x260, 15 * MB);
    expect_loaded(&i, 16 * MB, NULL);
    put32(i.bytes, 0x260, 15 * MB + 1);
    expect_refused(&i, 16 * MB, NULL, "needs 15 MB of memory from 100000h");
    put16(&i, 0x206, 0x209);
    expect_loaded(&i, 16 * MB, NULL);
    i = good_kernel(); /* command lines: from protocol 2.06 on the header says how long */
    char line[4200];
    memset(line, 'x', sizeof line);
    line[2047] = '\0';
    expect_loaded(&i, 16 * MB, &(p5_load_options){.append = line});
    line[2047] = 'x';
    line[2048] = '\0';
    expect_refused(&i, 16 * MB, &(p5_load_options){.append = line}, "2047 characters, not 2048");
    put16(&i, 0x206, 0x205);
    line[255] = '\0';
    expect_loaded(&i, 16 * MB, &(p5_load_options){.append = line});
    line[255] = 'x';
    line[256] = '\0';
    expect_refused(&i, 16 * MB, &(p5_load_options){.append = line}, "255 characters, not 256");
    i = good_kernel();
    put32(i.bytes, 0x238, 10000); /* the loader's own room */
    line[256] = 'x';
    line[2048] = 'x';
    line[4095] = '\0';
    expect_loaded(&i, 16 * MB, &(p5_load_options){.append = line});
    line[4095] = 'x';
    line[4096] = '\0';
    expect_refused(&i, 16 * MB, &(p5_load_options){.append = line}, "not 4096");
    image no_kernel = good_kernel();
    no_kernel.bytes[0x202] = 'h';
    expect_refused(&no_kernel, 16 * MB, NULL, "kernel");
    no_kernel = good_kernel();
    no_kernel.bytes[0x1fe] = 0;
    expect_refused(&no_kernel, 16 * MB, NULL, "kernel");
    no_kernel = good_kernel();
    no_kernel.size = 0x267;
    expect_refused(&no_kernel, 16 * MB, NULL, "kernel");
    expect_refused(&i, 2 * MB, NULL, "4 MB");
}

/* The initrd ends as high as memory, less a page of the loader's, or the header allows, and begins with a page. */
TEST(initrds)
{
    static const struct {
        uint16_t version;
        uint32_t most, size, at;
    } rows[] = {{0x20c, 0x37ffffff, 5000, 0xffd000}, {0x20c, 0x37ffffff, 4096, 0xffe000},
                {0x20c, 0x37ffffff, 4097, 0xffd000}, {0x20c, 0x7fffff, 5000, 0x7fe000},
                {0x202, 0x7fffff, 5000, 0xffd000},   {0x203, 0x7fffff, 5000, 0x7fe000},
                {0x20c, 0x111fff, 4096, 0x111000},   {0x20c, 0x110fff, 4096, 0x110000}};
    static uint8_t contents[16384];
    for (unsigned n = 0; n < sizeof contents; n++)
        contents[n] = (uint8_t)(n * 7);
    for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        char path[] = "/tmp/p5scope-initrd-XXXXXX";
        image i = good_kernel();
        p5_machine *m;
        p5_error error;
        put16(&i, 0x206, rows[r].version);
        put32(i.bytes, 0x22c, rows[r].most);
        unit_file(path, contents, rows[r].size);
        if (load(&i, 16 * MB, &(p5_load_options){.initrd = path}, &m, &error) != P5_OK)
            fail_msg("row %u: %s", r, error.message);
        const uint32_t params = engine_get(m->engine, ENGINE_ESI);
        if (memory32(m, params + 0x218) != rows[r].at)
            fail_msg("row %u: at %x", r, memory32(m, params + 0x218));
        assert_int_equal(memory32(m, params + 0x21c), rows[r].size);
        assert_memory_equal(engine_ram(m->engine, rows[r].at, rows[r].size), contents, rows[r].size);
        unlink(path);
        p5_machine_close(m);
    }
    char path[] = "/tmp/p5scope-initrd-XXXXXX";
    image i = good_kernel(); /* the kernel needs memory up to 110000h */
    put32(i.bytes, 0x22c, 0x110fff);
    unit_file(path, contents, 4097);
    expect_refused(&i, 16 * MB, &(p5_load_options){.initrd = path}, "110000h");
    unlink(path);
}
