/* Reads static i386 ELF files and decides whether they are Linux programs or freestanding. */
#include "machine/load/elf.h"

#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "machine/load/multiboot.h"

enum { LARGEST_FILE = 512 << 20 };

/* Kinds of program headers that the file has. */
typedef struct elf_kinds {
    bool interpreter;   /* PT_INTERP: dynamically linked */
    bool tls;           /* PT_TLS */
    bool note_or_stack; /* PT_NOTE or PT_GNU_STACK */
} elf_kinds;

static p5_status elf_refuse(p5_error *error)
{
    error_set(error, P5_ERR_FORMAT, "the file is not an ELF file");
    error_hint(error, "a flat image needs --flat=ADDRESS; a DOS program is named .com or begins with MZ; a "
                      "disk image has 55h AAh at byte 510");
    return P5_ERR_FORMAT;
}

static p5_status elf_check_header(Elf *elf, GElf_Ehdr *header, p5_error *error)
{
    if (elf_kind(elf) != ELF_K_ELF)
        return elf_refuse(error);
    if (gelf_getclass(elf) == ELFCLASS64) {
        error_set(error, P5_ERR_FORMAT, "this is a 64-bit ELF file; the processor runs 32-bit i386 programs");
        error_hint(
            error,
            "build it with: gcc -m32 -static -march=pentium-mmx; Debian's libraries need --isa=permissive");
        return P5_ERR_FORMAT;
    }
    if (gelf_getclass(elf) != ELFCLASS32 || gelf_getehdr(elf, header) == NULL)
        return error_set(error, P5_ERR_FORMAT, "the ELF header is damaged: %s", elf_errmsg(-1));
    if (header->e_ident[EI_DATA] != ELFDATA2LSB)
        return error_set(error, P5_ERR_FORMAT, "this ELF file is for another machine, which is big-endian");
    if (header->e_machine != EM_386)
        return error_set(error, P5_ERR_FORMAT, "this ELF file is for another machine (number %u, i386 is %u)",
                         header->e_machine, EM_386);
    if (header->e_type == ET_REL)
        return error_set(error, P5_ERR_FORMAT, "this is an object file; link it first");
    if (header->e_type == ET_CORE)
        return error_set(error, P5_ERR_FORMAT, "this is a core dump, not a program");
    if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
        return error_set(error, P5_ERR_FORMAT, "this ELF file is not a program (type %u, a program has %u)",
                         header->e_type, ET_EXEC);
    return P5_OK;
}

/* Reports that a program is not static or has no fixed address; `what` says which. */
static p5_status elf_not_static(const char *what, p5_error *error)
{
    error_set(error, P5_ERR_FORMAT, "%s; only static programs at fixed addresses are run", what);
    error_hint(error, "link it with: -static -no-pie");
    return P5_ERR_FORMAT;
}

/* Inserts a segment into the image's segments, which are sorted by linear address. Leaves out one without bytes. `index`
 * is the number of the program header, for messages. */
static p5_status elf_add_segment(elf_image *image, const GElf_Phdr *header, unsigned index, p5_error *error)
{
    const uint64_t space = (uint64_t)1 << 32;
    if (header->p_filesz > header->p_memsz)
        return error_set(error, P5_ERR_FORMAT, "segment %u has more bytes in the file than in memory", index);
    if (header->p_memsz == 0)
        return P5_OK;
    if (header->p_offset > image->size || header->p_filesz > image->size - header->p_offset)
        return error_set(error, P5_ERR_FORMAT,
                         "the file is truncated: segment %u ends after the end of the file", index);
    if (header->p_vaddr + header->p_memsz > space || header->p_paddr + header->p_memsz > space)
        return error_set(error, P5_ERR_FORMAT, "segment %u ends above 4 GB", index);
    if (image->segment_count == ELF_SEGMENTS)
        return error_set(error, P5_ERR_FORMAT, "more than %d loadable segments", ELF_SEGMENTS);
    unsigned at = image->segment_count++;
    for (; at > 0 && image->segments[at - 1].linear > header->p_vaddr; at--)
        image->segments[at] = image->segments[at - 1];
    image->segments[at] = (elf_segment){.linear = (uint32_t)header->p_vaddr,
                                        .physical = (uint32_t)header->p_paddr,
                                        .offset = (uint32_t)header->p_offset,
                                        .file_size = (uint32_t)header->p_filesz,
                                        .memory_size = (uint32_t)header->p_memsz,
                                        .flags = header->p_flags & 7};
    return P5_OK;
}

/* Checks that segments do not overlap and that the entry point is in one. */
static p5_status elf_check_segments(const elf_image *image, p5_error *error)
{
    if (image->segment_count == 0)
        return error_set(error, P5_ERR_FORMAT, "the file has no loadable segment");
    bool entry_inside = false;
    for (unsigned i = 0; i < image->segment_count; i++) {
        const elf_segment *s = &image->segments[i];
        if (i > 0 && (uint64_t)s[-1].linear + s[-1].memory_size > s->linear)
            return error_set(error, P5_ERR_FORMAT, "the segments at %Xh and %Xh overlap", s[-1].linear,
                             s->linear);
        entry_inside |= image->entry >= s->linear && image->entry - s->linear < s->memory_size;
        /* The entry point of a vmlinux is a physical address. */
        entry_inside |= image->entry >= s->physical && image->entry - s->physical < s->memory_size;
    }
    if (!entry_inside)
        return error_set(error, P5_ERR_FORMAT, "the entry point %Xh is in no segment", image->entry);
    return P5_OK;
}

/* Reads the program headers into *image and *kinds. Rejects programs that are not static or have no fixed address. */
static p5_status elf_read_segments(Elf *elf, const GElf_Ehdr *header, elf_image *image, elf_kinds *kinds,
                                   p5_error *error)
{
    size_t count;
    if (elf_getphdrnum(elf, &count) != 0)
        return error_set(error, P5_ERR_FORMAT, "the program headers are damaged: %s", elf_errmsg(-1));
    if (count != 0 && header->e_phentsize != sizeof(Elf32_Phdr))
        return error_set(error, P5_ERR_FORMAT, "the program headers have %u bytes each, expected %zu",
                         header->e_phentsize, sizeof(Elf32_Phdr));
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr program;
        if (gelf_getphdr(elf, (int)i, &program) == NULL)
            return error_set(error, P5_ERR_FORMAT, "program header %zu is damaged: %s", i, elf_errmsg(-1));
        kinds->interpreter |= program.p_type == PT_INTERP;
        kinds->tls |= program.p_type == PT_TLS;
        kinds->note_or_stack |= program.p_type == PT_NOTE || program.p_type == PT_GNU_STACK;
        p5_status status =
            program.p_type == PT_LOAD ? elf_add_segment(image, &program, (unsigned)i, error) : P5_OK;
        if (status != P5_OK)
            return status;
        if (program.p_type == PT_LOAD && header->e_phoff >= program.p_offset &&
            header->e_phoff + count * header->e_phentsize <= program.p_offset + program.p_filesz)
            image->headers_linear = (uint32_t)(program.p_vaddr + (header->e_phoff - program.p_offset));
    }
    if (kinds->interpreter)
        return elf_not_static("this program is dynamically linked", error);
    if (header->e_type != ET_EXEC)
        return elf_not_static("this is a position-independent program or a library", error);
    image->entry = (uint32_t)header->e_entry;
    image->header_count = (uint16_t)count;
    image->header_size = (uint16_t)header->e_phentsize;
    return elf_check_segments(image, error);
}

/* Returns whether the file is a Linux program, by the rules of elf_open (elf.h). */
static bool elf_is_linux(const elf_image *image, const GElf_Ehdr *header, const elf_kinds *kinds)
{
    const uint32_t lowest_program = 4u << 20, usual_program = 128u << 20;
    uint32_t lowest = image->segments[0].linear;
    multiboot_header multiboot;
    if (multiboot_find(image->bytes, image->size, &multiboot))
        return false;
    if (kinds->tls || header->e_ident[EI_OSABI] == ELFOSABI_GNU)
        return true;
    if (lowest < lowest_program)
        return false;
    return lowest >= usual_program || kinds->note_or_stack;
}

bool elf_has_magic(const uint8_t *bytes, size_t size)
{
    return size >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

p5_status elf_open(const char *path, elf_image *image, p5_error *error)
{
    memset(image, 0, sizeof *image);
    p5_status status = file_read(path, LARGEST_FILE, false, &image->bytes, &image->size, error);
    if (status != P5_OK)
        return status;
    elf_version(EV_CURRENT);
    Elf *elf = image->size != 0 ? elf_memory((char *)image->bytes, image->size) : NULL;
    GElf_Ehdr header;
    elf_kinds kinds = {0};
    if (elf == NULL)
        status = elf_refuse(error);
    if (status == P5_OK)
        status = elf_check_header(elf, &header, error);
    if (status == P5_OK)
        status = elf_read_segments(elf, &header, image, &kinds, error);
    if (status == P5_OK)
        image->linux_program = elf_is_linux(image, &header, &kinds);
    if (elf != NULL)
        elf_end(elf);
    if (status != P5_OK) {
        error_at(error, path, 0, 0);
        elf_close(image);
    }
    return status;
}

void elf_close(elf_image *image)
{
    free(image->bytes);
    image->bytes = NULL;
}
