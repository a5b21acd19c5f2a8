/* An assembler's output, placed and relocated: addresses by the definitions of the i386 ABI's relocations
 * (System V ABI, i386 supplement, table 4.2), the layout of object.h, messages for what cannot be placed. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elf.h>

#include "../unit.h"
#include "report/case/object.h"

enum { TEXT = 0x100000, EXIT_BYTES = 2 };

UNIT_FILE(object, "/tmp/case_object_XXXXXX");

static uint8_t file[1 << 16];

static size_t assemble(const char *text)
{
    char command[100];
    snprintf(command, sizeof command, "as --32 -mrelax-relocations=yes -o %s", object);
    FILE *as = popen(command, "w");
    assert_non_null(as);
    fputs(text, as);
    assert_int_equal(pclose(as), 0);
    FILE *in = fopen(object, "r");
    assert_non_null(in);
    const size_t size = fread(file, 1, sizeof file, in);
    assert_true(size > 0 && size < sizeof file);
    fclose(in);
    return size;
}

static void place(const char *text, const char *function, p5_case_program *out)
{
    p5_error error = {0};
    if (case_object_place(file, assemble(text), TEXT, function, out, &error) != P5_OK)
        fail_msg("%s", error.message);
}

/* Declares `name`, what place() makes of `text` and `function`. */
#define PLACED(name, text, function)                                                                         \
    p5_case_program CLOSED_BY(case_object_free) name;                                                        \
    place(text, function, &name)

static void expect_error(const char *text, const char *function, p5_status status, const char *message,
                         const char *hint)
{
    p5_case_program o;
    p5_error error = {0};
    assert_int_equal(case_object_place(file, assemble(text), TEXT, function, &o, &error), status);
    if (strstr(error.message, message) == NULL || strstr(error.hint, hint) == NULL)
        fail_msg("'%s' and '%s', expected '%s' and '%s'", error.message, error.hint, message, hint);
    assert_null(o.text);
    assert_null(o.undefined);
}

static uint32_t word(const uint8_t *bytes, size_t at)
{
    uint32_t value;
    memcpy(&value, bytes + at, 4);
    return value;
}

/* Code, data and zeroed memory begin on pages of their own; sections and common symbols keep their
 * alignment. */
TEST(layout)
{
    p5_case_program o;
    place(".text\n.long d, r, b, c16, c64, last\n.data\n.byte 1\n.balign 8\nd: .long 7\n"
          ".section .rodata\n.balign 16\nr: .long 8\n.bss\n.skip 3\n.balign 4\nb: .skip 4\n.comm c16,20,16\n"
          ".comm c64,1,64\n.comm last,4,4\n",
          NULL, &o);
    assert_int_equal(o.text_address, TEXT);
    assert_int_equal(o.text_size, 6 * 4 + EXIT_BYTES);
    assert_int_equal(o.data_address, TEXT + 4096);
    assert_int_equal(word(o.text, 0), o.data_address + 8);
    assert_int_equal(o.data[0], 1);
    assert_int_equal(word(o.data, 8), 7);
    assert_int_equal(word(o.text, 4), o.data_address + 16);
    assert_int_equal(word(o.data, 16), 8);
    assert_int_equal(o.data_size, 20);
    assert_int_equal(o.bss_address, TEXT + 2 * 4096);
    assert_int_equal(word(o.text, 8), o.bss_address + 4);
    assert_int_equal(word(o.text, 12), o.bss_address + 16);
    assert_int_equal(word(o.text, 16), o.bss_address + 64);
    assert_int_equal(word(o.text, 20), o.bss_address + 68);
    assert_int_equal(o.bss_size, 72);
    assert_int_equal(o.exit_address, TEXT + 6 * 4);
    assert_memory_equal(o.text + 24, "\x0f\x0b", 2); /* UD2 */
    case_object_free(&o);
    assert_null(o.text);
}

/* A program that fills its pages to the last byte needs no further ones. */
TEST(whole_pages)
{
    PLACED(full, ".text\n.skip 4094\n.data\n.skip 4096\n.bss\n.skip 1\n", NULL);
    assert_int_equal(full.data_address, TEXT + 4096);
    assert_int_equal(full.bss_address, TEXT + 8192);
    PLACED(o, ".text\n.skip 4095\n.data\n.skip 4097\n", NULL);
    assert_int_equal(o.data_address, TEXT + 8192);
    assert_int_equal(o.bss_address, TEXT + 16384);
    assert_int_equal(o.bss_size, 0);
}

/* S + A, S + A - P, GOT + A - P, S + A - GOT and G + A, with addends, in fields of each width. */
TEST(relocations)
{
    PLACED(o,
           ".text\n.skip 8\nhere: .long d + 5, d - . + 1\n.reloc ., R_386_NONE, d\n.long 3\n" /* 8, 12, 16 */
           "call here\n"                                /* 20: a label, no relocation */
           ".globl f\nf: call f@PLT\n"                  /* 25 */
           ".byte 0x8b, 0x83\n.long d@GOTOFF + 2\n"     /* 30 */
           "addl $_GLOBAL_OFFSET_TABLE_, %ebx\n"        /* 36: 81 c3 */
           "movl f@GOT(%ebx), %eax\nmovl f@GOT, %eax\n" /* 42: 8b 83; 48: 8b 05 or a1 */
           ".data\n.long 1\nd: .long 2\n",
           "f");
    const uint32_t d = o.data_address + 4;
    assert_int_equal(word(o.text, 8), d + 5);
    assert_int_equal(word(o.text, 12), d + 1 - (TEXT + 12));
    assert_int_equal(word(o.text, 16), 3);
    assert_int_equal((int32_t)word(o.text, 26), -5);
    const uint32_t got = word(o.text, 38) - 2 + TEXT + 36 + 2; /* the assembler adds the field's distance */
    assert_int_equal(got % 4, 0);
    assert_true(got >= o.data_address + 8 && got < o.data_address + o.data_size);
    assert_int_equal(word(o.text, 32), d + 2 - got);
    const uint32_t slot = word(o.text, 44);
    assert_int_equal(word(o.data, got - o.data_address + slot), TEXT + 25);

    /* fields of 8 and 16 bits hold signed addends */
    PLACED(narrow,
           ".byte 0\n.reloc ., R_386_PC8, far\n.byte -1\n.reloc ., R_386_PC16, far\n.word -2\n"
           ".globl far\nfar: .byte 0\n",
           NULL);
    assert_int_equal((int8_t)narrow.text[1], 4 - 1 - 1);
    assert_int_equal((int16_t)(narrow.text[2] | narrow.text[3] << 8), 4 - 2 - 2);
}

/* A value that its field cannot hold, as signed or as unsigned number, is refused. */
TEST(narrow_fields)
{
    static const struct {
        unsigned bits;
        bool relative;
        int value;
        bool fits;
    } rows[] = {
        {8, false, 9, true},       {8, false, 127, true},    {8, false, 255, true},
        {8, false, 256, false},    {16, false, 32768, true}, {16, false, 65535, true},
        {16, false, 65536, false}, {8, true, 127, true},     {8, true, 128, false},
        {8, true, -128, true},     {8, true, -129, false},   {16, true, 32767, true},
        {16, true, 32768, false},  {16, true, -32768, true}, {16, true, -32769, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[300];
        p5_case_program o;
        p5_error error = {0};
        const int distance = rows[i].relative ? rows[i].value : 8;
        if (distance < 0)
            snprintf(text, sizeof text, ".globl v\nv: .skip %d\n.reloc ., R_386_PC%u, v\n.long 0\n",
                     -distance, rows[i].bits);
        else
            snprintf(text, sizeof text, ".globl v\n.reloc ., R_386_%s%u, v\n.long 0\n.skip %d\nv: .long 0\n",
                     rows[i].relative ? "PC" : "", rows[i].bits, distance - 4);
        const uint32_t address = rows[i].relative ? TEXT : (uint32_t)(rows[i].value - distance);
        p5_status status = case_object_place(file, assemble(text), address, NULL, &o, &error);
        if (status != (rows[i].fits ? P5_OK : P5_ERR_RANGE))
            fail_msg("%d in %u bits, relative %d: status %d", rows[i].value, rows[i].bits, rows[i].relative,
                     status);
        if (status == P5_OK) {
            const uint32_t mask = (1u << rows[i].bits) - 1,
                           field = word(o.text, distance < 0 ? (size_t)-distance : 0);
            assert_int_equal(field & mask, (uint32_t)rows[i].value & mask);
            case_object_free(&o);
        } else
            assert_non_null(strstr(error.message, rows[i].bits == 8 ? "into 8 bits" : "into 16 bits"));
    }
}

/* The exit, the function by its name, weak and undefined symbols. */
TEST(symbols)
{
    PLACED(weak, "nop\np5scope.exit: nop\n.long weak\n.weak weak\n", NULL);
    assert_int_equal(weak.exit_address, TEXT + 1);
    assert_int_equal(word(weak.text, 2), 0);

    static const char two[] = ".long p5scope.function, one, two, one, _GLOBAL_OFFSET_TABLE_\n"
                              ".file \"a.c\"\nf: nop\n.globl g\ng: ret\n.data\nd: .long 5\n";
    PLACED(o, two, "f");
    assert_int_equal(word(o.text, 0), TEXT + 20);
    assert_int_equal(o.undefined_count, 2);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(word(o.text, 4 + 4 * i), CASE_UNDEFINED + i * CASE_UNDEFINED_BYTES);
    assert_int_equal(word(o.text, 12), word(o.text, 4));
    assert_string_equal(o.undefined[0], "one");
    assert_string_equal(o.undefined[1], "two");
    PLACED(of_file, two, "a.c:f");
    assert_int_equal(word(of_file.text, 0), TEXT + 20);
    PLACED(global, two, "g");
    assert_int_equal(word(global.text, 0), TEXT + 21);
    expect_error(two, "b.c:f", P5_ERR_NAME, "no function 'b.c:f'", "'nm'");
    expect_error(two, "a.c:g", P5_ERR_NAME, "no function 'a.c:g'", "'nm'"); /* it is global */
    expect_error(two, "d", P5_ERR_NAME, "no function 'd'", "'nm'");         /* it is data */
    expect_error(".long p5scope.function\nsqare: ret\n", "square", P5_ERR_NAME, "no function 'square'",
                 "'sqare'");
    expect_error(".long p5scope.function\n_Z6squarei: ret\n", "square", P5_ERR_NAME, "no function 'square'",
                 "--function _Z6squarei");
    expect_error(".long missing\n", NULL, P5_ERR_NAME, "symbol 'missing' is not defined", "");
}

TEST(what_cannot_be_placed)
{
    expect_error(".section .init,\"ax\"\nnop\n", NULL, P5_ERR_UNSUPPORTED, "not to '.init'", "");
    expect_error(".bss\n.skip 32 << 20\n", NULL, P5_ERR_RANGE, "31 MB", "");
    expect_error(".comm big,0x7fffffff\n.text\n.long big\n", NULL, P5_ERR_RANGE, "31 MB", "");
    expect_error(".reloc ., R_386_TLS_LE, x\n.long 0\n.globl x\n.section .tbss,\"awT\",@nobits\nx: .long 0\n",
                 NULL, P5_ERR_UNSUPPORTED, "relocation type", "");
}

/* A file that was cut, or in which one byte is another, is placed or refused; nothing else happens. */
TEST(damaged_files)
{
    static uint8_t damaged[sizeof file];
    const size_t size =
        assemble(".text\ncall f@PLT\nmovl f@GOT(%ebx), %eax\n.long d, p5scope.function\nf: ret\n"
                 ".data\nd: .long 1\n.comm c,4,4\n");
    for (size_t i = 0; i < 2 * size; i++) {
        p5_case_program o;
        p5_error error = {0};
        memcpy(damaged, file, size);
        if (i >= size)
            damaged[i - size] ^= (uint8_t)(1 << i % 8);
        p5_status status = case_object_place(damaged, i < size ? i : size, TEXT, "f", &o, &error);
        if (status == P5_OK)
            case_object_free(&o);
        else
            assert_true(error.message[0] != '\0' && o.text == NULL);
        if (i < sizeof(uint32_t) * 13) /* not even the header is whole */
            assert_int_equal(status, P5_ERR_FORMAT);
    }
}

/* Only objects of the i386 that are not linked can be placed. */
TEST(other_files)
{
    p5_case_program o;
    p5_error error = {0};
    const size_t size = assemble("nop\n");
    const struct {
        size_t at;
        uint8_t value;
    } changes[] = {{EI_CLASS, ELFCLASS64},
                   {offsetof(Elf32_Ehdr, e_type), ET_EXEC},
                   {offsetof(Elf32_Ehdr, e_machine), EM_X86_64}};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const uint8_t before = file[changes[i].at];
        file[changes[i].at] = changes[i].value;
        assert_int_equal(case_object_place(file, size, TEXT, NULL, &o, &error), P5_ERR_FORMAT);
        file[changes[i].at] = before;
    }
}

/* Symbols whose sections follow the last one. */
TEST(symbols_of_no_section)
{
    p5_case_program o;
    p5_error error = {0};
    const size_t size = assemble(".long d\n.data\nd: .long 1\n");
    Elf32_Ehdr header;
    memcpy(&header, file, sizeof header);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf32_Shdr section;
        memcpy(&section, file + header.e_shoff + i * sizeof section, sizeof section);
        for (uint32_t at = 0; section.sh_type == SHT_SYMTAB && at < section.sh_size;
             at += sizeof(Elf32_Sym)) {
            Elf32_Sym symbol;
            memcpy(&symbol, file + section.sh_offset + at, sizeof symbol);
            symbol.st_shndx = symbol.st_shndx != SHN_UNDEF ? header.e_shnum : SHN_UNDEF;
            memcpy(file + section.sh_offset + at, &symbol, sizeof symbol);
        }
    }
    assert_int_equal(case_object_place(file, size, TEXT, NULL, &o, &error), P5_ERR_FORMAT);
}
