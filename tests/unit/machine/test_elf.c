/* ELF files: what is accepted, what is refused and with which words, and that damage of any kind is harmless.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <elf.h>

#include "../unit.h"
#include "machine/load/elf.h"

enum { FILE_BYTES = 0x2000, CODE_OFFSET = 0x1000, CODE_BYTES = 16, PROGRAM_HEADERS = 3 };
#define CODE_ADDRESS 0x08049000u

typedef struct program {
    Elf32_Ehdr header;
    Elf32_Phdr segments[PROGRAM_HEADERS];
    uint8_t rest[FILE_BYTES - sizeof(Elf32_Ehdr) - PROGRAM_HEADERS * sizeof(Elf32_Phdr)];
} program;

/* A small static program: headers, code, and a stack marker. */
static program good_program(void)
{
    program p;
    memset(&p, 0, sizeof p);
    memcpy(p.header.e_ident, ELFMAG, SELFMAG);
    p.header.e_ident[EI_CLASS] = ELFCLASS32;
    p.header.e_ident[EI_DATA] = ELFDATA2LSB;
    p.header.e_ident[EI_VERSION] = EV_CURRENT;
    p.header.e_type = ET_EXEC;
    p.header.e_machine = EM_386;
    p.header.e_version = EV_CURRENT;
    p.header.e_entry = CODE_ADDRESS;
    p.header.e_phoff = offsetof(program, segments);
    p.header.e_ehsize = sizeof p.header;
    p.header.e_phentsize = sizeof p.segments[0];
    p.header.e_phnum = PROGRAM_HEADERS;
    p.segments[0] = (Elf32_Phdr){PT_LOAD, 0, 0x08048000, 0x08048000, 0x200, 0x200, PF_R, 0x1000};
    p.segments[1] = (Elf32_Phdr){PT_LOAD,    CODE_OFFSET, CODE_ADDRESS, CODE_ADDRESS,
                                 CODE_BYTES, 0x3000,      PF_R | PF_X,  0x1000};
    p.segments[2] = (Elf32_Phdr){PT_GNU_STACK, 0, 0, 0, 0, 0, PF_R | PF_W, 16};
    return p;
}

static p5_status open_bytes(const void *bytes, size_t size, elf_image *image, p5_error *error)
{
    char path[] = "/tmp/p5scope-elf-XXXXXX";
    unit_file(path, bytes, size);
    memset(error, 0, sizeof *error);
    p5_status status = elf_open(path, image, error);
    if (status != P5_OK) {
        assert_string_equal(path, error->where);
        assert_null(image->bytes); /* nothing left to free */
    }
    unlink(path);
    return status;
}

static void expect_refused(const program *p, size_t size, const char *words)
{
    elf_image image;
    p5_error error;
    p5_status status = open_bytes(p, size, &image, &error);
    if (status == P5_OK)
        fail_msg("accepted; expected an error with '%s'", words);
    assert_int_equal(P5_ERR_FORMAT, status);
    if (strstr(error.message, words) == NULL)
        fail_msg("expected an error with '%s', got '%s'", words, error.message);
}

TEST(test_good_program)
{
    program p = good_program();
    elf_image image;
    p5_error error;
    assert_int_equal(P5_OK, open_bytes(&p, sizeof p, &image, &error));
    assert_int_equal(2, image.segment_count);
    assert_int_equal(CODE_ADDRESS, image.entry);
    assert_int_equal(CODE_ADDRESS, image.segments[1].linear);
    assert_int_equal(CODE_BYTES, image.segments[1].file_size);
    assert_int_equal(0x3000, image.segments[1].memory_size);
    assert_int_equal(ELF_READ | ELF_EXECUTE, image.segments[1].flags);
    assert_int_equal(0x08048000 + offsetof(program, segments), image.headers_linear);
    assert_true(image.linux_program);
    elf_close(&image);
}

TEST(test_refusals)
{
    program p = good_program();
    p.header.e_ident[EI_CLASS] = ELFCLASS64;
    expect_refused(&p, sizeof p, "64-bit");
    p = good_program();
    p.header.e_machine = EM_ARM;
    expect_refused(&p, sizeof p, "another machine");
    p = good_program();
    p.header.e_ident[EI_DATA] = ELFDATA2MSB;
    expect_refused(&p, sizeof p, "big-endian");
    p = good_program();
    p.header.e_type = ET_NONE;
    expect_refused(&p, sizeof p, "not a program");
    p = good_program();
    p.header.e_type = ET_DYN;
    expect_refused(&p, sizeof p, "position-independent");
    p = good_program();
    p.header.e_type = ET_REL;
    expect_refused(&p, sizeof p, "object file");
    p = good_program();
    p.segments[2].p_type = PT_INTERP;
    expect_refused(&p, sizeof p, "dynamically linked");
    p = good_program();
    expect_refused(&p, CODE_OFFSET + CODE_BYTES - 1, "truncated");
    expect_refused(&p, sizeof p.header - 1, "");
    expect_refused(&p, 0, "not an ELF file");
    p.segments[1].p_filesz = 0x4000;
    expect_refused(&p, sizeof p, "more bytes in the file");
    p.segments[1].p_memsz = 0;
    expect_refused(&p, sizeof p, "more bytes in the file");
    p = good_program();
    p.segments[1].p_vaddr = 0x08048100;
    p.header.e_entry = 0x08048100;
    expect_refused(&p, sizeof p, "overlap");
    p = good_program();
    p.header.e_phentsize = 31;
    expect_refused(&p, sizeof p, "31 bytes each, expected 32");
    p = good_program();
    p.segments[1].p_memsz = 0xffffffff;
    expect_refused(&p, sizeof p, "above 4 GB");
    p = good_program();
    p.header.e_entry = 0x1000;
    expect_refused(&p, sizeof p, "entry point");
    p = good_program();
    p.segments[0].p_type = p.segments[1].p_type = PT_NULL;
    expect_refused(&p, sizeof p, "no loadable segment");
    memset(&p, 'x', sizeof p);
    expect_refused(&p, sizeof p, "not an ELF file");
}

static bool is_linux(const program *p)
{
    elf_image image;
    p5_error error;
    assert_int_equal(P5_OK, open_bytes(p, sizeof *p, &image, &error));
    bool linux_program = image.linux_program;
    elf_close(&image);
    return linux_program;
}

static void move_to(program *p, uint32_t address)
{
    p->segments[0].p_vaddr = p->segments[0].p_paddr = address;
    p->segments[1].p_vaddr = p->segments[1].p_paddr = p->header.e_entry = address + 0x1000;
}

TEST(test_kind)
{
    program p = good_program();
    p.segments[2].p_type = PT_NULL;
    assert_true(is_linux(&p)); /* by its address */
    move_to(&p, 0x100000);
    assert_false(is_linux(&p));
    p.segments[2].p_type = PT_GNU_STACK;
    assert_false(is_linux(&p)); /* a kernel that gcc compiled has that too */
    move_to(&p, 0x400000);
    assert_true(is_linux(&p));
    p.segments[2].p_type = PT_NULL;
    assert_false(is_linux(&p));
    p.segments[2].p_type = PT_TLS;
    assert_true(is_linux(&p));
    const uint32_t multiboot[3] = {0x1badb002, 0, 0u - 0x1badb002};
    memcpy(p.rest, multiboot, sizeof multiboot);
    move_to(&p, 0x08048000);
    assert_int_equal(0, offsetof(program, rest) % 4);
    assert_false(is_linux(&p));
}

/* Every byte of the headers, set to values that tend to hurt: no crash, and what is accepted obeys the limits
 * that loaders rely on. */
TEST(test_damage)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    for (size_t at = 0; at < offsetof(program, rest); at++)
        for (unsigned v = 0; v < sizeof values; v++) {
            program p = good_program();
            ((uint8_t *)&p)[at] = values[v];
            elf_image image;
            p5_error error;
            if (open_bytes(&p, sizeof p, &image, &error) != P5_OK)
                continue;
            for (unsigned i = 0; i < image.segment_count; i++) {
                const elf_segment *s = &image.segments[i];
                assert_true((uint64_t)s->offset + s->file_size <= image.size);
                assert_true(s->file_size <= s->memory_size);
                assert_true((uint64_t)s->linear + s->memory_size <= (uint64_t)1 << 32);
                assert_true((uint64_t)s->physical + s->memory_size <= (uint64_t)1 << 32);
            }
            elf_close(&image);
        }
}
