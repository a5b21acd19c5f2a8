/* Placing and relocating an assembler's output. A case is one small object that refers to nothing outside
 * itself, so this does all that a linker would do for it, without starting one for every case. (System V ABI,
 * i386 supplement, chapter 4.) */
#include "report/case/object.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { PAGE = 4096, MOST_MEMORY = 31 << 20 };

/* The file and where its sections went. */
typedef struct placement {
    const uint8_t *file;
    size_t size;
    const Elf32_Shdr *sections;
    unsigned section_count;
    const char *names;
    uint32_t *address; /* per section; 0 = not loaded */
    uint8_t **bytes;   /* per section; NULL = no contents in memory */
    uint32_t *common;  /* per symbol: address of SHN_COMMON ones */
    const Elf32_Sym *symbols;
    unsigned symbol_count;
    const char *symbol_names;
    p5_error *error;
} placement;

static p5_status broken(placement *in)
{
    return error_set(in->error, P5_ERR_FORMAT, "the assembler's output is not an i386 object file");
}

static bool inside(const placement *in, uint64_t offset, uint64_t size)
{
    return offset <= in->size && size <= in->size - offset;
}

static const char *section_name(const placement *in, unsigned i)
{
    return in->names + in->sections[i].sh_name;
}

/* A string table that ends with NUL, so that every offset within is a string. */
static const char *string_table(const placement *in, unsigned section)
{
    if (section >= in->section_count || in->sections[section].sh_type != SHT_STRTAB)
        return NULL;
    const Elf32_Shdr *table = &in->sections[section];
    if (table->sh_size == 0 || in->file[table->sh_offset + table->sh_size - 1] != '\0')
        return NULL;
    return (const char *)in->file + table->sh_offset;
}

static p5_status open_tables(placement *in)
{
    const Elf32_Ehdr *header = (const Elf32_Ehdr *)(const void *)in->file;
    if (in->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_type != ET_REL || header->e_machine != EM_386 ||
        header->e_shentsize != sizeof(Elf32_Shdr) || header->e_shoff % 4 != 0 ||
        !inside(in, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf32_Shdr)))
        return broken(in);
    in->sections = (const Elf32_Shdr *)(const void *)(in->file + header->e_shoff);
    in->section_count = header->e_shnum;
    for (unsigned i = 0; i < in->section_count; i++)
        if (in->sections[i].sh_type != SHT_NOBITS &&
            !inside(in, in->sections[i].sh_offset, in->sections[i].sh_size))
            return broken(in);
    in->names = string_table(in, header->e_shstrndx);
    if (in->names == NULL)
        return broken(in);
    for (unsigned i = 0; i < in->section_count; i++) {
        const Elf32_Shdr *section = &in->sections[i];
        if (section->sh_type != SHT_SYMTAB)
            continue;
        in->symbols = (const Elf32_Sym *)(const void *)(in->file + section->sh_offset);
        in->symbol_count = section->sh_size / (unsigned)sizeof(Elf32_Sym);
        in->symbol_names = string_table(in, section->sh_link);
    }
    return in->symbols != NULL && in->symbol_names == NULL ? broken(in) : P5_OK;
}

static uint32_t align_up(uint32_t value, uint32_t alignment)
{
    return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

typedef enum region { NOWHERE, TEXT, DATA, BSS } region;

static region region_of(const Elf32_Shdr *section)
{
    if ((section->sh_flags & SHF_ALLOC) == 0 || section->sh_size == 0)
        return NOWHERE;
    if (section->sh_flags & SHF_EXECINSTR)
        return TEXT;
    return section->sh_type == SHT_NOBITS ? BSS : DATA;
}

/* Gives the sections of one region their addresses from `at` on; returns the end. */
static uint32_t place_region(placement *in, region which, uint32_t at)
{
    for (unsigned i = 0; i < in->section_count && at < MOST_MEMORY; i++) {
        if (region_of(&in->sections[i]) != which)
            continue;
        at = align_up(at, in->sections[i].sh_addralign);
        in->address[i] = at;
        at = in->sections[i].sh_size < MOST_MEMORY ? at + in->sections[i].sh_size : MOST_MEMORY;
    }
    return at;
}

/* .comm symbols live behind .bss. Their st_value is the alignment. */
static uint32_t place_common(placement *in, uint32_t at)
{
    for (unsigned i = 0; i < in->symbol_count && at < MOST_MEMORY; i++) {
        const Elf32_Sym *symbol = &in->symbols[i];
        if (symbol->st_shndx != SHN_COMMON)
            continue;
        at = align_up(at, symbol->st_value);
        in->common[i] = at;
        at = symbol->st_size < MOST_MEMORY ? at + symbol->st_size : MOST_MEMORY;
    }
    return at;
}

static p5_status copy_region(placement *in, region which, uint32_t start, uint8_t *memory)
{
    for (unsigned i = 0; i < in->section_count; i++) {
        const Elf32_Shdr *section = &in->sections[i];
        if (region_of(section) != which)
            continue;
        in->bytes[i] = memory + (in->address[i] - start);
        memcpy(in->bytes[i], in->file + section->sh_offset, section->sh_size);
    }
    return P5_OK;
}

static p5_status layout(placement *in, uint32_t text_address, size_t tail_size, case_object *out)
{
    for (unsigned i = 0; i < in->section_count; i++)
        if (region_of(&in->sections[i]) == TEXT && strcmp(section_name(in, i), ".text") != 0)
            return error_set(in->error, P5_ERR_UNSUPPORTED, "code goes to .text, not to '%s'",
                             section_name(in, i));
    out->text_address = text_address;
    uint32_t end = place_region(in, TEXT, text_address);
    out->text_size = end - text_address + tail_size;
    out->data_address = align_up(end + (uint32_t)tail_size, PAGE);
    end = place_region(in, DATA, out->data_address);
    out->data_size = end - out->data_address;
    out->bss_address = align_up(end, PAGE);
    end = place_common(in, place_region(in, BSS, out->bss_address));
    out->bss_size = end - out->bss_address;
    if (end >= MOST_MEMORY)
        return error_set(in->error, P5_ERR_RANGE, "the case takes more than %d MB of memory",
                         MOST_MEMORY >> 20);
    out->text = calloc(1, out->text_size);
    out->data = calloc(1, out->data_size + 1);
    if (out->text == NULL || out->data == NULL)
        return error_set(in->error, P5_ERR_MEMORY, "no memory for the case's image");
    copy_region(in, TEXT, out->text_address, out->text);
    copy_region(in, DATA, out->data_address, out->data);
    return P5_OK;
}

static p5_status symbol_value(placement *in, unsigned index, uint32_t *value)
{
    if (index >= in->symbol_count)
        return broken(in);
    const Elf32_Sym *symbol = &in->symbols[index];
    if (symbol->st_shndx == SHN_ABS || index == 0) {
        *value = symbol->st_value;
    } else if (symbol->st_shndx == SHN_COMMON) {
        *value = in->common[index];
    } else if (symbol->st_shndx == SHN_UNDEF) {
        return error_set(in->error, P5_ERR_NAME, "symbol '%s' is not defined",
                         in->symbol_names + symbol->st_name);
    } else if (symbol->st_shndx < in->section_count) {
        *value = in->address[symbol->st_shndx] + symbol->st_value;
    } else {
        return broken(in);
    }
    return P5_OK;
}

/* Adds `addend` to the `width` bytes at `place`, little-endian; true unless that loses bits (as signed or
 * unsigned). */
static bool add_to_field(uint8_t *place, unsigned width, bool relative, uint32_t addend)
{
    uint32_t field = 0;
    memcpy(&field, place, width);
    unsigned shift = 32 - 8 * width;
    if (width < 4) /* the field holds a signed addend */
        field = (uint32_t)((int32_t)(field << shift) >> shift);
    uint32_t sum = field + addend;
    memcpy(place, &sum, width);
    if (width == 4)
        return true;
    bool fits_signed = (uint32_t)((int32_t)(sum << shift) >> shift) == sum;
    return fits_signed || (!relative && sum >> (8 * width) == 0);
}

static p5_status relocate_one(placement *in, const Elf32_Rel *rel, unsigned target)
{
    unsigned width;
    bool relative = false;
    switch (ELF32_R_TYPE(rel->r_info)) {
    case R_386_NONE:
        return P5_OK;
    case R_386_PC32:
    case R_386_PLT32:    /* there is no PLT: the function itself */
        relative = true; /* fall through */
    case R_386_32:
        width = 4;
        break;
    case R_386_PC16:
        relative = true; /* fall through */
    case R_386_16:
        width = 2;
        break;
    case R_386_PC8:
        relative = true; /* fall through */
    case R_386_8:
        width = 1;
        break;
    default:
        return error_set(in->error, P5_ERR_UNSUPPORTED, "relocation type %u has no meaning in a case",
                         ELF32_R_TYPE(rel->r_info));
    }
    if (rel->r_offset > in->sections[target].sh_size || width > in->sections[target].sh_size - rel->r_offset)
        return broken(in);
    uint32_t value = 0;
    p5_status status = symbol_value(in, ELF32_R_SYM(rel->r_info), &value);
    if (status != P5_OK)
        return status;
    if (relative)
        value -= in->address[target] + rel->r_offset;
    if (!add_to_field(in->bytes[target] + rel->r_offset, width, relative, value))
        return error_set(in->error, P5_ERR_RANGE, "an address does not fit into %u bits", width * 8);
    return P5_OK;
}

static p5_status relocate(placement *in)
{
    for (unsigned i = 0; i < in->section_count; i++) {
        const Elf32_Shdr *section = &in->sections[i];
        if (section->sh_type != SHT_REL || section->sh_info >= in->section_count ||
            in->bytes[section->sh_info] == NULL)
            continue; /* relocations of sections that are not loaded, e.g. debug information */
        for (uint32_t at = 0; at + sizeof(Elf32_Rel) <= section->sh_size; at += sizeof(Elf32_Rel)) {
            Elf32_Rel rel;
            memcpy(&rel, in->file + section->sh_offset + at, sizeof rel);
            p5_status status = relocate_one(in, &rel, section->sh_info);
            if (status != P5_OK)
                return status;
        }
    }
    return P5_OK;
}

p5_status case_object_place(const uint8_t *file, size_t size, uint32_t text_address, const uint8_t *tail,
                            size_t tail_size, case_object *out, p5_error *error)
{
    memset(out, 0, sizeof *out);
    placement in = {.file = file, .size = size, .error = error};
    p5_status status = open_tables(&in);
    if (status != P5_OK)
        return status;
    in.address = calloc(in.section_count + 1U, sizeof *in.address);
    in.bytes = calloc(in.section_count + 1U, sizeof *in.bytes);
    in.common = calloc(in.symbol_count + 1U, sizeof *in.common);
    if (in.address == NULL || in.bytes == NULL || in.common == NULL)
        status = error_set(error, P5_ERR_MEMORY, "no memory for the case's sections");
    if (status == P5_OK)
        status = layout(&in, text_address, tail_size, out);
    if (status == P5_OK) {
        memcpy(out->text + out->text_size - tail_size, tail, tail_size);
        status = relocate(&in);
    }
    free(in.address);
    free(in.bytes);
    free(in.common);
    if (status != P5_OK)
        case_object_free(out);
    return status;
}

void case_object_free(case_object *object)
{
    free(object->text);
    free(object->data);
    memset(object, 0, sizeof *object);
}
