/* Placing and relocating an assembler's output. A case is one small object that refers to nothing outside
 * itself, so this does all that a linker would do for it, without starting one for every case. (System V ABI,
 * i386 supplement, chapter 4.) */
#include "report/case/object.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { PAGE = 4096, MOST_MEMORY = 31 << 20 };

/* A section, and where it went. */
typedef struct placed {
    GElf_Shdr header;
    const char *name;
    uint32_t address; /* 0 = not loaded */
    uint8_t *bytes;   /* NULL = no contents in memory */
} placed;

typedef struct placement {
    Elf *elf;
    placed *sections;
    size_t section_count;
    Elf_Data *symbols; /* NULL: none */
    size_t symbol_count, symbol_names;
    uint32_t *common; /* per symbol: address of SHN_COMMON ones */
    p5_error *error;
} placement;

static p5_status broken(placement *in)
{
    return error_set(in->error, P5_ERR_FORMAT, "the assembler's output is not an i386 object file");
}

static p5_status open_tables(placement *in)
{
    GElf_Ehdr header;
    size_t names;
    if (in->elf == NULL || elf_kind(in->elf) != ELF_K_ELF || gelf_getehdr(in->elf, &header) == NULL ||
        header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_type != ET_REL || header.e_machine != EM_386 ||
        elf_getshdrnum(in->elf, &in->section_count) != 0 || elf_getshdrstrndx(in->elf, &names) != 0)
        return broken(in);
    in->sections = calloc(in->section_count + 1, sizeof *in->sections);
    if (in->sections == NULL)
        return error_set(in->error, P5_ERR_MEMORY, "no memory for the case's sections");
    for (size_t i = 0; i < in->section_count; i++) {
        placed *section = &in->sections[i];
        Elf_Scn *scn = elf_getscn(in->elf, i);
        if (gelf_getshdr(scn, &section->header) == NULL ||
            (section->name = elf_strptr(in->elf, names, section->header.sh_name)) == NULL ||
            (section->header.sh_type != SHT_NOBITS && section->header.sh_size != 0 &&
             elf_rawdata(scn, NULL) == NULL))
            return broken(in);
        if (section->header.sh_type != SHT_SYMTAB)
            continue;
        in->symbols = elf_getdata(scn, NULL);
        in->symbol_names = section->header.sh_link;
        in->symbol_count = section->header.sh_size / sizeof(Elf32_Sym);
        if (in->symbols == NULL)
            return broken(in);
    }
    in->common = calloc(in->symbol_count + 1, sizeof *in->common);
    return in->common != NULL ? P5_OK
                              : error_set(in->error, P5_ERR_MEMORY, "no memory for the case's sections");
}

static uint32_t align_up(uint32_t value, uint32_t alignment)
{
    return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

typedef enum region { NOWHERE, TEXT, DATA, BSS } region;

static region region_of(const placed *section)
{
    if ((section->header.sh_flags & SHF_ALLOC) == 0 || section->header.sh_size == 0)
        return NOWHERE;
    if (section->header.sh_flags & SHF_EXECINSTR)
        return TEXT;
    return section->header.sh_type == SHT_NOBITS ? BSS : DATA;
}

static uint32_t behind(uint32_t at, uint64_t size)
{
    return size < MOST_MEMORY ? at + (uint32_t)size : MOST_MEMORY;
}

/* Gives the sections of one region their addresses from `at` on; returns the end. */
static uint32_t place_region(placement *in, region which, uint32_t at)
{
    for (size_t i = 0; i < in->section_count && at < MOST_MEMORY; i++) {
        placed *section = &in->sections[i];
        if (region_of(section) != which)
            continue;
        section->address = align_up(at, (uint32_t)section->header.sh_addralign);
        at = behind(section->address, section->header.sh_size);
    }
    return at;
}

/* .comm symbols live behind .bss. Their st_value is the alignment. */
static uint32_t place_common(placement *in, uint32_t at)
{
    GElf_Sym symbol;
    for (size_t i = 0; i < in->symbol_count && at < MOST_MEMORY; i++) {
        if (gelf_getsym(in->symbols, (int)i, &symbol) == NULL || symbol.st_shndx != SHN_COMMON)
            continue;
        in->common[i] = align_up(at, (uint32_t)symbol.st_value);
        at = behind(in->common[i], symbol.st_size);
    }
    return at;
}

static void copy_region(placement *in, region which, uint32_t start, uint8_t *memory)
{
    for (size_t i = 0; i < in->section_count; i++) {
        placed *section = &in->sections[i];
        if (region_of(section) != which)
            continue;
        section->bytes = memory + (section->address - start);
        memcpy(section->bytes, elf_rawdata(elf_getscn(in->elf, i), NULL)->d_buf, section->header.sh_size);
    }
}

static p5_status layout(placement *in, uint32_t text_address, size_t tail_size, case_object *out)
{
    for (size_t i = 0; i < in->section_count; i++)
        if (region_of(&in->sections[i]) == TEXT && strcmp(in->sections[i].name, ".text") != 0)
            return error_set(in->error, P5_ERR_UNSUPPORTED, "code goes to .text, not to '%s'",
                             in->sections[i].name);
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

static p5_status symbol_value(placement *in, size_t index, uint32_t *value)
{
    GElf_Sym symbol;
    if (in->symbols == NULL || gelf_getsym(in->symbols, (int)index, &symbol) == NULL)
        return broken(in);
    *value = (uint32_t)symbol.st_value;
    if (symbol.st_shndx == SHN_ABS || index == 0)
        return P5_OK;
    if (symbol.st_shndx == SHN_UNDEF) {
        const char *name = elf_strptr(in->elf, in->symbol_names, symbol.st_name);
        return error_set(in->error, P5_ERR_NAME, "symbol '%s' is not defined", name != NULL ? name : "");
    }
    if (symbol.st_shndx != SHN_COMMON && symbol.st_shndx >= in->section_count)
        return broken(in);
    *value =
        symbol.st_shndx == SHN_COMMON ? in->common[index] : in->sections[symbol.st_shndx].address + *value;
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

static p5_status relocate_one(placement *in, const GElf_Rel *rel, const placed *target)
{
    unsigned width;
    bool relative = false;
    switch (GELF_R_TYPE(rel->r_info)) {
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
                         (unsigned)GELF_R_TYPE(rel->r_info));
    }
    if (rel->r_offset > target->header.sh_size || width > target->header.sh_size - rel->r_offset)
        return broken(in);
    uint32_t value = 0;
    p5_status status = symbol_value(in, GELF_R_SYM(rel->r_info), &value);
    if (status != P5_OK)
        return status;
    if (relative)
        value -= target->address + (uint32_t)rel->r_offset;
    if (!add_to_field(target->bytes + rel->r_offset, width, relative, value))
        return error_set(in->error, P5_ERR_RANGE, "an address does not fit into %u bits", width * 8);
    return P5_OK;
}

static p5_status relocate(placement *in)
{
    p5_status status = P5_OK;
    for (size_t i = 0; i < in->section_count; i++) {
        const GElf_Shdr *header = &in->sections[i].header;
        if (header->sh_type != SHT_REL || header->sh_info >= in->section_count ||
            in->sections[header->sh_info].bytes == NULL)
            continue; /* relocations of sections that are not loaded, e.g. debug information */
        Elf_Data *data = elf_getdata(elf_getscn(in->elf, i), NULL);
        GElf_Rel rel;
        for (int at = 0; status == P5_OK && gelf_getrel(data, at, &rel) != NULL; at++)
            status = relocate_one(in, &rel, &in->sections[header->sh_info]);
    }
    return status;
}

p5_status case_object_place(const uint8_t *file, size_t size, uint32_t text_address, const uint8_t *tail,
                            size_t tail_size, case_object *out, p5_error *error)
{
    memset(out, 0, sizeof *out);
    elf_version(EV_CURRENT);
    placement in = {.elf = elf_memory((char *)(uintptr_t)file, size), .error = error};
    p5_status status = open_tables(&in);
    if (status == P5_OK)
        status = layout(&in, text_address, tail_size, out);
    if (status == P5_OK) {
        memcpy(out->text + out->text_size - tail_size, tail, tail_size);
        status = relocate(&in);
    }
    free(in.sections);
    free(in.common);
    elf_end(in.elf);
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
