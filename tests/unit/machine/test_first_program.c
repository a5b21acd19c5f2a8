/* The initrd of --init: the code of /init is what an assembler makes of its source here, and the archive is one that Linux reads
 * (Documentation/driver-api/early-userspace/buffer-format.rst: cpio "newc"). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elf.h>

#include "../unit.h"
#include "../guest_code.h"
#include "machine/load/elf.h"
#include "machine/load/first_program.h"

#define BASE 0x08048000u
enum { CODE = 0x54, PROC = 0x200, SLASH_PROC = 0x208, DIRECTORY = 0x300, PROGRAM = 0x500, IMAGE = 0x600 };

GUEST(init_code,
      "   mov ebp, esp\n"
      "   mov eax, 21\n" /* mount("proc", "/proc", "proc", 0, 0) */
      "   mov ebx, 0x08048200\n"
      "   mov ecx, 0x08048208\n"
      "   mov edx, ebx\n"
      "   xor esi, esi\n"
      "   xor edi, edi\n"
      "   int 0x80\n"
      "   mov eax, 12\n" /* chdir(directory) */
      "   mov ebx, 0x08048300\n"
      "   int 0x80\n"
      "   mov eax, 2\n" /* fork */
      "   int 0x80\n"
      "   test eax, eax\n"
      "   jz 5f\n"
      "   mov esi, eax\n"
      "1: mov eax, 7\n" /* waitpid(-1, &status, 0) until it was the child, or there is none */
      "   or ebx, -1\n"
      "   push ebx\n"
      "   mov ecx, esp\n"
      "   xor edx, edx\n"
      "   int 0x80\n"
      "   pop edi\n"
      "   test eax, eax\n"
      "   js 2f\n"
      "   cmp eax, esi\n"
      "   jne 1b\n"
      "2: mov eax, 54\n" /* ioctl(1, TCSBRK, 1) waits until the output has been sent */
      "   mov ebx, 1\n"
      "   mov ecx, 0x5409\n"
      "   mov edx, ebx\n"
      "   int 0x80\n"
      "   mov eax, edi\n" /* 128 + the signal, or the status that the child ended with */
      "   and eax, 0x7f\n"
      "   jz 3f\n"
      "   add al, 0x80\n"
      "   jmp 4f\n"
      "3: mov eax, edi\n"
      "   shr eax, 8\n"
      "4: mov edi, eax\n"
      "   mov eax, 36\n" /* sync */
      "   int 0x80\n"
      "   mov eax, 101\n" /* ioperm(0xf5, 1, 1) */
      "   mov ebx, 0xf5\n"
      "   mov ecx, 1\n"
      "   mov edx, ecx\n"
      "   int 0x80\n"
      "   test eax, eax\n"
      "   jnz 6f\n"
      "   mov eax, edi\n"
      "   out 0xf5, al\n"
      "6: mov eax, 88\n" /* reboot(LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_RESTART) */
      "   mov ebx, 0xfee1dead\n"
      "   mov ecx, 672274793\n"
      "   mov edx, 0x01234567\n"
      "   int 0x80\n"
      "7: jmp 7b\n"
      "5: lea ecx, [ebp + 4]\n" /* execve(program, its arguments, the environment) */
      "   mov ebx, 0x08048500\n"
      "   mov [ecx], ebx\n"
      "   mov eax, [ebp]\n"
      "   lea edx, [ebp + eax * 4 + 8]\n"
      "   mov eax, 11\n"
      "   int 0x80\n"
      "   mov eax, 1\n" /* exit(127) */
      "   mov ebx, 127\n"
      "   int 0x80\n");

/* ---- archives ------------------------------------------------------------------------------------------ */

typedef struct entry {
    char name[128];
    unsigned mode, links, size, device_major, device_minor;
    const uint8_t *bytes;
} entry;

static unsigned field(const uint8_t *header, unsigned number)
{
    char text[9] = "";
    memcpy(text, header + 6 + 8 * number, 8);
    return (unsigned)strtoul(text, NULL, 16);
}

/* Reads the entry at `*at` and moves on to the next one. */
static entry next_entry(const cpio *archive, size_t *at, unsigned number)
{
    const uint8_t *header = archive->bytes.items + *at;
    entry e = {.mode = field(header, 1),
               .links = field(header, 4),
               .size = field(header, 6),
               .device_major = field(header, 9),
               .device_minor = field(header, 10)};
    assert_true(*at % 4 == 0 && *at + 110 <= archive->bytes.count);
    assert_memory_equal(header, "070701", 6);
    assert_int_equal(field(header, 0), number); /* numbers differ, or they would be links of one file */
    for (unsigned zero = 0; zero < 12; zero++)
        if (zero == 2 || zero == 3 || zero == 5 || zero == 7 || zero == 8)
            assert_int_equal(field(header, zero), 0); /* owner, time, device of the file system */
    assert_int_equal(field(header, 11), strlen((const char *)header + 110) + 1);
    snprintf(e.name, sizeof e.name, "%s", (const char *)header + 110);
    *at = (*at + 110 + strlen(e.name) + 1 + 3) / 4 * 4;
    e.bytes = archive->bytes.items + *at;
    *at = (*at + e.size + 3) / 4 * 4;
    return e;
}

static void write_file(const char *directory, const char *name, const void *bytes, size_t size, unsigned mode)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

/* The smallest Linux program: it is only looked at. */
static void write_program(const char *directory, const char *name)
{
    struct {
        Elf32_Ehdr header;
        Elf32_Phdr segment;
    } p = {0};
    memcpy(p.header.e_ident, ELFMAG, SELFMAG);
    p.header.e_ident[EI_CLASS] = ELFCLASS32;
    p.header.e_ident[EI_DATA] = ELFDATA2LSB;
    p.header.e_ident[EI_VERSION] = EV_CURRENT;
    p.header.e_version = EV_CURRENT;
    p.header.e_type = ET_EXEC;
    p.header.e_machine = EM_386;
    p.header.e_entry = BASE + sizeof p - 1;
    p.header.e_phoff = offsetof(__typeof__(p), segment);
    p.header.e_ehsize = sizeof p.header;
    p.header.e_phentsize = sizeof p.segment;
    p.header.e_phnum = 1;
    p.segment =
        (Elf32_Phdr){PT_LOAD, 0, BASE, BASE, (Elf32_Word)sizeof p, (Elf32_Word)sizeof p, PF_R | PF_X, 0x1000};
    write_file(directory, name, &p, sizeof p, 0755);
}

static const struct {
    const char *name;
    unsigned mode, major, minor;
} fixed[] = {{"dev", 0040755, 0, 0},         {"proc", 0040755, 0, 0},        {"tmp", 0040755, 0, 0},
             {"dev/console", 0020666, 5, 1}, {"dev/null", 0020666, 1, 3},    {"dev/zero", 0020666, 1, 5},
             {"dev/random", 0020666, 1, 8},  {"dev/urandom", 0020666, 1, 9}, {"dev/tty", 0020666, 5, 0},
             {"dev/ttyS0", 0020666, 4, 64}};
enum { FIXED = sizeof fixed / sizeof fixed[0] };

/* /init can be loaded and has the code above, its texts and its program. */
static void check_init(const entry *e, const char *directory, const char *program, const char *here)
{
    elf_image image;
    p5_error error = {0};
    char path[256];
    assert_string_equal(e->name, "init");
    assert_int_equal(e->mode, 0100755);
    assert_int_equal(e->size, IMAGE);
    const size_t code = (size_t)(init_code_end - init_code);
    assert_memory_equal(e->bytes + CODE, init_code, code);
    for (size_t i = CODE + code; i < PROC; i++)
        assert_int_equal(e->bytes[i], 0);
    assert_string_equal((const char *)e->bytes + PROC, "proc");
    assert_string_equal((const char *)e->bytes + SLASH_PROC, "/proc");
    assert_string_equal((const char *)e->bytes + DIRECTORY, directory);
    assert_string_equal((const char *)e->bytes + PROGRAM, program);
    const Elf32_Ehdr *header = (const Elf32_Ehdr *)(const void *)e->bytes;
    const Elf32_Phdr *segment = (const Elf32_Phdr *)(const void *)(e->bytes + header->e_phoff);
    assert_int_equal(header->e_entry, BASE + CODE);
    assert_int_equal(header->e_phnum, 1);
    assert_int_equal(segment->p_type, PT_LOAD);
    assert_true(segment->p_offset == 0 && segment->p_vaddr == BASE && segment->p_paddr == BASE);
    assert_true(segment->p_filesz == IMAGE && segment->p_memsz == IMAGE && segment->p_align == 0x1000);
    assert_int_equal(segment->p_flags, PF_R | PF_W | PF_X);
    write_file(here, "again", e->bytes, e->size, 0755);
    snprintf(path, sizeof path, "%s/again", here);
    if (elf_open(path, &image, &error) != P5_OK)
        fail_msg("%s", error.message);
    assert_true(image.linux_program);
    elf_close(&image);
}

static void remove_all(const char *here)
{
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", here);
    assert_int_equal(system(command), 0);
}

TEST(without_directories)
{
    char here[] = "/tmp/p5scope-init-XXXXXX", path[64];
    cpio archive;
    p5_error error = {0};
    p5_machine_options options = {.size = sizeof options};
    assert_non_null(mkdtemp(here));
    write_program(here, "prog");
    snprintf(path, sizeof path, "%s/prog", here);
    if (first_program_archive(&archive, path, &options, &error) != P5_OK)
        fail_msg("%s", error.message);
    size_t at = 0;
    for (unsigned i = 0; i < FIXED; i++) {
        entry e = next_entry(&archive, &at, i + 1);
        assert_string_equal(e.name, fixed[i].name);
        assert_int_equal(e.mode, fixed[i].mode);
        assert_int_equal(e.links, fixed[i].mode == 0040755 ? 2 : 1);
        assert_int_equal(e.size, 0);
        assert_true(e.device_major == fixed[i].major && e.device_minor == fixed[i].minor);
    }
    entry e = next_entry(&archive, &at, FIXED + 1);
    check_init(&e, "/", "/bin/prog", here);
    e = next_entry(&archive, &at, FIXED + 2);
    assert_string_equal(e.name, "bin");
    assert_int_equal(e.mode, 0040755);
    e = next_entry(&archive, &at, FIXED + 3);
    assert_string_equal(e.name, "bin/prog");
    assert_int_equal(e.mode, 0100755);
    assert_memory_equal(e.bytes, ELFMAG, SELFMAG);
    e = next_entry(&archive, &at, FIXED + 4);
    assert_string_equal(e.name, "TRAILER!!!");
    assert_int_equal(at, archive.bytes.count);
    cpio_free(&archive);
    remove_all(here);
}

/* Two shares: the first one's path is the working directory, and everything below them is in the archive in the order of names. */
TEST(with_directories)
{
    static const struct {
        const char *name;
        unsigned mode;
        const char *bytes;
    } expected[] = {{"share", 0040755, ""},
                    {"share/deep", 0040755, ""},
                    {"share/deep/a", 0100644, "12345"},
                    {"share/deep/b", 0100755, ""},
                    {"share/deep/link", 0120777, "a"},
                    {"share/deep/sub", 0040755, ""},
                    {"share/deep/sub/c", 0100644, "c"},
                    {"d", 0040755, ""},
                    {"d/a", 0100644, "12345"},
                    {"d/b", 0100755, ""},
                    {"d/link", 0120777, "a"},
                    {"d/sub", 0040755, ""},
                    {"d/sub/c", 0100644, "c"}};
    char here[] = "/tmp/p5scope-init-XXXXXX", path[64], tree[64], sub[80], link[80];
    cpio archive;
    p5_error error = {0};
    assert_non_null(mkdtemp(here));
    write_program(here, "prog");
    snprintf(path, sizeof path, "%s/prog", here);
    snprintf(tree, sizeof tree, "%s/tree", here);
    snprintf(sub, sizeof sub, "%s/sub", tree);
    snprintf(link, sizeof link, "%s/link", tree);
    assert_int_equal(mkdir(tree, 0700) | mkdir(sub, 0700) | symlink("a", link), 0);
    write_file(tree, "a", "12345", 5, 0640);
    write_file(tree, "b", "", 0, 0700);
    write_file(sub, "c", "c", 1, 0600);
    const p5_share shares[] = {{.size = sizeof(p5_share), .host = tree, .guest = "/share/deep"},
                               {.size = sizeof(p5_share), .host = tree, .guest = "/d"}};
    p5_machine_options options = {.size = sizeof options, .shares = shares, .share_count = 2};
    if (first_program_archive(&archive, path, &options, &error) != P5_OK)
        fail_msg("%s", error.message);
    size_t at = 0;
    for (unsigned i = 0; i < FIXED; i++)
        next_entry(&archive, &at, i + 1);
    entry e = next_entry(&archive, &at, FIXED + 1);
    check_init(&e, "/share/deep", "/bin/prog", here);
    next_entry(&archive, &at, FIXED + 2);
    next_entry(&archive, &at, FIXED + 3);
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        e = next_entry(&archive, &at, FIXED + 4 + i);
        assert_string_equal(e.name, expected[i].name);
        assert_int_equal(e.mode, expected[i].mode);
        assert_int_equal(e.size, strlen(expected[i].bytes));
        assert_memory_equal(e.bytes, expected[i].bytes, e.size);
    }
    e = next_entry(&archive, &at, FIXED + 4 + sizeof expected / sizeof expected[0]);
    assert_string_equal(e.name, "TRAILER!!!");
    assert_int_equal(at, archive.bytes.count);
    cpio_free(&archive);
    remove_all(here);
}

TEST(refusals)
{
    char here[] = "/tmp/p5scope-init-XXXXXX", path[300], longest[201], deep[0x201];
    cpio archive;
    p5_error error = {0};
    p5_machine_options options = {.size = sizeof options};
    assert_non_null(mkdtemp(here));
    write_file(here, "text", "text", 4, 0755);
    snprintf(path, sizeof path, "%s/text", here);
    assert_int_not_equal(first_program_archive(&archive, path, &options, &error), P5_OK);
    cpio_free(&archive);
    /* names of up to 200 characters */
    memset(longest, 'n', sizeof longest);
    longest[200] = '\0';
    write_program(here, longest);
    snprintf(path, sizeof path, "%s/%s", here, longest);
    assert_int_equal(first_program_archive(&archive, path, &options, &error), P5_OK);
    cpio_free(&archive);
    char longer[202];
    snprintf(longer, sizeof longer, "%sn", longest);
    write_program(here, longer);
    snprintf(path, sizeof path, "%s/%s", here, longer);
    assert_int_equal(first_program_archive(&archive, path, &options, &error), P5_ERR_FORMAT);
    assert_non_null(strstr(error.message, "static Linux program"));
    cpio_free(&archive);
    /* a guest path of up to 511 characters */
    for (unsigned i = 0; i < sizeof deep; i++)
        deep[i] = i % 8 == 0 ? '/' : 'd';
    snprintf(path, sizeof path, "%s/%s", here, longest);
    deep[0x1ff] = '\0';
    char tree[64];
    snprintf(tree, sizeof tree, "%s/tree", here);
    assert_int_equal(mkdir(tree, 0700), 0);
    const p5_share shares[] = {{.size = sizeof(p5_share), .host = tree, .guest = deep}};
    options.shares = shares;
    options.share_count = 1;
    if (first_program_archive(&archive, path, &options, &error) != P5_OK)
        fail_msg("%s", error.message);
    cpio_free(&archive);
    deep[0x1ff] = 'd';
    deep[0x200] = '\0';
    assert_int_equal(first_program_archive(&archive, path, &options, &error), P5_ERR_RANGE);
    assert_non_null(strstr(error.message, "too long for --init"));
    cpio_free(&archive);
    remove_all(here);
}
