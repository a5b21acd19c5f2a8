/* Places and relocates the object of a case, a small program that is measured. A case has no libraries, so this
 * replaces a linker, which would have to be started for every case. (System V ABI, i386 supplement,
 * chapter 4.) */
#include "report/case/object.h"

#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"

/* MEMORY_END is the first address that a case cannot have: the machine has 32 MB, with stack and page tables
 * at the end. */
enum { PAGE = 4096, MEMORY_END = 31 << 20 };

/* UD2 at the exit address, which follows the code. The machine ends the run before UD2 executes. A sequence
 * of instructions that ends the run would itself take clocks, which depend on its position in code lines and
 * bus clocks, and would show in the difference of two runs. */
static const uint8_t exit_sequence[] = {0x0f, 0x0b};

/* A section of the object and its place in memory. */
typedef struct placed {
    GElf_Shdr header;
    const char *name;
    uint32_t address; /* 0 = not in memory */
    /* Its contents in p5_case_program.text or .data; NULL = not in memory, or zeroed memory. */
    uint8_t *bytes;
} placed;

typedef struct placement {
    Elf *elf;
    placed *sections; /* by section number */
    size_t section_count;
    Elf_Data *symbols; /* the symbol table; NULL: none */
    size_t symbol_count;
    size_t symbol_names;  /* number of the section with the symbols' names */
    uint32_t *common;     /* by symbol number: address of an SHN_COMMON symbol */
    const char *function; /* as for case_object_place */
    p5_case_program *out;
    uint8_t *got; /* the global offset table's bytes at the end of out->data: 4 for each symbol */
    uint32_t got_address;
    p5_error *error;
} placement;

static p5_status broken(placement *in)
{
    return error_set(in->error, P5_ERR_FORMAT, "the assembler's output is not an i386 object file");
}

/* Checks that the file is a relocatable i386 object, and finds its sections and symbols. */
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
    return alignment > 1 ? (uint32_t)round_up(value, alignment) : value;
}

/* Where a section goes. NOWHERE: it is empty or not in memory, like debug information. */
typedef enum region { NOWHERE, TEXT, DATA, BSS } region;

static region region_of(const placed *section)
{
    if ((section->header.sh_flags & SHF_ALLOC) == 0 || section->header.sh_size == 0)
        return NOWHERE;
    if (section->header.sh_flags & SHF_EXECINSTR)
        return TEXT;
    return section->header.sh_type == SHT_NOBITS ? BSS : DATA;
}

/* Returns at + size, or MEMORY_END for a size with which the sum could overflow. */
static uint32_t end_after(uint32_t at, uint64_t size)
{
    return size < MEMORY_END ? at + (uint32_t)size : MEMORY_END;
}

/* Assigns addresses from `at` on to the sections of one region. Returns the region's end, which is MEMORY_END or
 * more if there is not enough room. */
static uint32_t place_region(placement *in, region which, uint32_t at)
{
    for (size_t i = 0; i < in->section_count && at < MEMORY_END; i++) {
        placed *section = &in->sections[i];
        if (region_of(section) != which)
            continue;
        section->address = align_up(at, (uint32_t)section->header.sh_addralign);
        at = end_after(section->address, section->header.sh_size);
    }
    return at;
}

/* Assigns addresses from `at` on to .comm symbols, whose st_value is their alignment. Returns the end, as
 * place_region does. */
static uint32_t place_common(placement *in, uint32_t at)
{
    GElf_Sym symbol;
    for (size_t i = 0; i < in->symbol_count && at < MEMORY_END; i++) {
        if (gelf_getsym(in->symbols, (int)i, &symbol) == NULL || symbol.st_shndx != SHN_COMMON)
            continue;
        in->common[i] = align_up(at, (uint32_t)symbol.st_value);
        at = end_after(in->common[i], symbol.st_size);
    }
    return at;
}

/* Copies the contents of a region's sections to `memory`, the bytes from address `start` on. */
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

/* Returns true if code refers to a symbol by its slot in the global offset table, as position-independent
 * code does. */
static bool needs_got(const placement *in)
{
    for (size_t i = 0; i < in->section_count; i++) {
        GElf_Rel rel;
        Elf_Data *data =
            in->sections[i].header.sh_type == SHT_REL ? elf_getdata(elf_getscn(in->elf, i), NULL) : NULL;
        for (int at = 0; data != NULL && gelf_getrel(data, at, &rel) != NULL; at++)
            if (GELF_R_TYPE(rel.r_info) == R_386_GOT32 || GELF_R_TYPE(rel.r_info) == R_386_GOT32X)
                return true;
    }
    return false;
}

/* Assigns all addresses and makes the program's text and data, not yet relocated. Code, data and zeroed
 * memory begin on pages of their own. */
static p5_status layout(placement *in, uint32_t text_address, p5_case_program *out)
{
    for (size_t i = 0; i < in->section_count; i++)
        if (region_of(&in->sections[i]) == TEXT && strcmp(in->sections[i].name, ".text") != 0)
            return error_set(in->error, P5_ERR_UNSUPPORTED, "code goes to .text, not to '%s'",
                             in->sections[i].name);
    out->text_address = text_address;
    uint32_t end = place_region(in, TEXT, text_address) + (uint32_t)sizeof exit_sequence;
    out->text_size = end - text_address;
    out->data_address = align_up(end, PAGE);
    in->got_address = align_up(place_region(in, DATA, out->data_address), sizeof(uint32_t));
    end = end_after(in->got_address, needs_got(in) ? in->symbol_count * sizeof(uint32_t) : 0);
    out->data_size = end - out->data_address;
    out->bss_address = align_up(end, PAGE);
    end = place_common(in, place_region(in, BSS, out->bss_address));
    out->bss_size = end - out->bss_address;
    if (end >= MEMORY_END)
        return error_set(in->error, P5_ERR_RANGE, "the case takes more than %d MB of memory",
                         MEMORY_END >> 20);
    out->text = calloc(1, out->text_size);
    out->data = calloc(1, out->data_size + 1);
    if (out->text == NULL || out->data == NULL)
        return error_set(in->error, P5_ERR_MEMORY, "no memory for the case's image");
    copy_region(in, TEXT, out->text_address, out->text);
    copy_region(in, DATA, out->data_address, out->data);
    in->got = out->data + (in->got_address - out->data_address);
    return P5_OK;
}

static const char *symbol_name(const placement *in, const GElf_Sym *symbol)
{
    const char *name = elf_strptr(in->elf, in->symbol_names, symbol->st_name);
    return name != NULL ? name : "";
}

static uint32_t placed_value(const placement *in, const GElf_Sym *symbol)
{
    return in->sections[symbol->st_shndx].address + (uint32_t)symbol->st_value;
}

/* Returns true if a symbol is a place in the code: a function or a label, but no section or file, and not outside its
 * section, as in a damaged file. */
static bool is_code(const placement *in, const GElf_Sym *symbol)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    return (type == STT_FUNC || type == STT_NOTYPE) && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_shndx < in->section_count && region_of(&in->sections[symbol->st_shndx]) == TEXT &&
           symbol->st_value <= in->sections[symbol->st_shndx].header.sh_size;
}

/* Returns the size of a function, at most to the end of its section; 0: unknown. */
static uint32_t function_size(const placement *in, const GElf_Sym *symbol)
{
    if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || !is_code(in, symbol))
        return 0;
    const uint64_t most = in->sections[symbol->st_shndx].header.sh_size - symbol->st_value;
    return (uint32_t)(symbol->st_size < most ? symbol->st_size : most);
}

/* The functions that have the wanted name. */
typedef struct found_function {
    size_t count;
    uint32_t address;     /* of the last one; 0: none */
    char candidates[160]; /* "FILE:NAME, FILE:NAME", which distinguishes them */
} found_function;

static void add_candidate(found_function *found, const char *file, const char *name)
{
    size_t used = strlen(found->candidates);
    snprintf(found->candidates + used, sizeof found->candidates - used, "%s%s:%s", used > 0 ? ", " : "", file,
             name);
}

/* Finds in->function, NAME or FILE:NAME. A global function takes precedence over local ones of the same
 * name. In the symbol table a file's symbol precedes its local functions. */
static found_function find_functions(const placement *in)
{
    found_function found = {0};
    GElf_Sym symbol;
    const char *file = "";
    for (size_t i = 1; i < in->symbol_count && gelf_getsym(in->symbols, (int)i, &symbol) != NULL; i++) {
        const char *name = symbol_name(in, &symbol);
        const size_t file_length = strlen(file);
        const bool global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL;
        if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
            file = name;
        if (!is_code(in, &symbol))
            continue;
        if (global && strcmp(in->function, name) == 0)
            return (found_function){.count = 1, .address = placed_value(in, &symbol)};
        bool of_file = !global && strncmp(in->function, file, file_length) == 0 &&
                       in->function[file_length] == ':' && strcmp(in->function + file_length + 1, name) == 0;
        if (!of_file && (global || strcmp(in->function, name) != 0))
            continue;
        found.count++;
        found.address = placed_value(in, &symbol);
        add_candidate(&found, file, name);
    }
    return found;
}

/* Adds a hint to the error: a function with a similar name, or the mangled name of the C++ function
 * in->function. */
static void suggest_function(placement *in)
{
    enum { MOST_NAMES = 500 };
    const char *names[MOST_NAMES + 1];
    size_t count = 0;
    GElf_Sym symbol;
    char mangled[80], hint[160];
    snprintf(mangled, sizeof mangled, "%zu%s", strlen(in->function), in->function);
    for (size_t i = 1; i < in->symbol_count && gelf_getsym(in->symbols, (int)i, &symbol) != NULL; i++) {
        const char *name = symbol_name(in, &symbol);
        if (!is_code(in, &symbol) || name[0] == '\0' || strncmp(name, "p5scope", 7) == 0)
            continue;
        if (strncmp(name, "_Z", 2) == 0 && strstr(name, mangled) != NULL) {
            error_hint(in->error, "C++ functions have mangled names: --function %s", name);
            return;
        }
        if (count < MOST_NAMES)
            names[count++] = name;
    }
    names[count] = NULL;
    p5_suggest(in->function, names, hint, sizeof hint);
    error_hint(in->error, "%s%s'nm' lists what there is", hint, hint[0] != '\0' ? "; " : "");
}

/* Gets the address of in->function; an error if there is none or more than one. */
static p5_status function_value(placement *in, uint32_t *value)
{
    const found_function found = find_functions(in);
    *value = found.address;
    if (found.count == 1)
        return P5_OK;
    if (found.count == 0) {
        error_set(in->error, P5_ERR_NAME, "there is no function '%s' in the file", in->function);
        suggest_function(in);
    } else {
        error_set(in->error, P5_ERR_NAME, "%zu functions are called '%s'", found.count, in->function);
        error_hint(in->error, "name one of %s", found.candidates);
    }
    return P5_ERR_NAME;
}

/* Gets the value of a symbol that the file does not define: an address that faults when it is used
 * (CASE_UNDEFINED). _GLOBAL_OFFSET_TABLE_ has its address, as with a linker. */
static p5_status undefined_value(placement *in, const char *name, uint32_t *value)
{
    p5_case_program *out = in->out;
    size_t i = 0;
    if (strcmp(name, "_GLOBAL_OFFSET_TABLE_") == 0) {
        *value = in->got_address;
        return P5_OK;
    }
    while (i < out->undefined_count && strcmp(out->undefined[i], name) != 0)
        i++;
    if (i == out->undefined_count) {
        char **grown = realloc(out->undefined, (i + 1) * sizeof *grown);
        if (grown != NULL)
            out->undefined = grown;
        if (grown == NULL || (grown[i] = strdup(name)) == NULL)
            return error_set(in->error, P5_ERR_MEMORY, "no memory for the case's symbols");
        out->undefined_count++;
    }
    *value = CASE_UNDEFINED + (uint32_t)i * CASE_UNDEFINED_BYTES;
    return P5_OK;
}

/* Gets the value of the symbol with number `index`; symbol 0 is the value 0. */
static p5_status symbol_value(placement *in, size_t index, uint32_t *value)
{
    GElf_Sym symbol;
    if (in->symbols == NULL || gelf_getsym(in->symbols, (int)index, &symbol) == NULL)
        return broken(in);
    *value = (uint32_t)symbol.st_value;
    if (symbol.st_shndx == SHN_ABS || index == 0)
        return P5_OK;
    if (symbol.st_shndx == SHN_UNDEF) {
        const char *name = symbol_name(in, &symbol);
        if (in->function != NULL && strcmp(name, CASE_FUNCTION_SYMBOL) == 0)
            return function_value(in, value);
        if (GELF_ST_BIND(symbol.st_info) == STB_WEAK)
            return P5_OK; /* an undefined weak symbol is 0 */
        if (in->function != NULL)
            return undefined_value(in, name, value);
        return error_set(in->error, P5_ERR_NAME, "symbol '%s' is not defined", name);
    }
    if (symbol.st_shndx != SHN_COMMON && symbol.st_shndx >= in->section_count)
        return broken(in);
    *value = symbol.st_shndx == SHN_COMMON ? in->common[index] : placed_value(in, &symbol);
    return P5_OK;
}

/* Writes UD2 at the end of the code, and sets where the run ends: at the exit of the harness (object.h), or at that
 * UD2. Returns true if there is a harness. */
static bool place_exit(const placement *in, p5_case_program *out)
{
    GElf_Sym symbol;
    out->exit_address = out->text_address + (uint32_t)(out->text_size - sizeof exit_sequence);
    memcpy(out->text + out->text_size - sizeof exit_sequence, exit_sequence, sizeof exit_sequence);
    for (size_t i = 1; i < in->symbol_count && gelf_getsym(in->symbols, (int)i, &symbol) != NULL; i++)
        if (strcmp(symbol_name(in, &symbol), CASE_EXIT_SYMBOL) == 0 && is_code(in, &symbol)) {
            out->exit_address = placed_value(in, &symbol);
            return true;
        }
    return false;
}

/* Adds `addend` to the number in the `width` bytes at `place`, little-endian. Returns false if the sum does
 * not fit: as a signed number if the field is `relative`, else as a signed or unsigned one. */
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

/* What a relocation adds to its field: the symbol's value, or something that follows from it. */
typedef struct relocation {
    unsigned width;  /* of the field in bytes; 0: nothing changes */
    bool from_place; /* the value minus the field's address */
    bool from_got;   /* the value minus the address of the global offset table */
    bool slot;       /* the offset of the symbol's slot in that table, which gets the value */
} relocation;

/* Gets the kind of a relocation type (R_386_*). Returns false if a case cannot have it. */
static bool relocation_of(unsigned type, relocation *out)
{
    static const struct {
        unsigned type;
        relocation is;
    } known[] = {
        {R_386_NONE, {0}},
        {R_386_32, {.width = 4}},
        {R_386_16, {.width = 2}},
        {R_386_8, {.width = 1}},
        {R_386_PC32, {.width = 4, .from_place = true}},
        {R_386_PC16, {.width = 2, .from_place = true}},
        {R_386_PC8, {.width = 1, .from_place = true}},
        {R_386_PLT32, {.width = 4, .from_place = true}}, /* there is no PLT: refers to the function itself */
        {R_386_GOTPC, {.width = 4, .from_place = true}}, /* refers to _GLOBAL_OFFSET_TABLE_ */
        {R_386_GOTOFF, {.width = 4, .from_got = true}},
        {R_386_GOT32, {.width = 4, .slot = true}},
        {R_386_GOT32X, {.width = 4, .slot = true}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].type != type)
            continue;
        *out = known[i].is;
        return true;
    }
    return false;
}

/* Fills in the symbol's slot in the global offset table. Returns the slot's offset in the table, or its
 * address if the instruction has no base register that holds the table's. The ModR/M byte, which says so,
 * precedes the field. */
static uint32_t use_slot(const placement *in, size_t symbol, uint32_t value, const uint8_t *field)
{
    enum { MODRM = 0xc7, ABSOLUTE = 0x05 };
    const uint32_t offset = (uint32_t)(symbol * sizeof value);
    memcpy(in->got + offset, &value, sizeof value);
    return (field[-1] & MODRM) == ABSOLUTE ? in->got_address + offset : offset;
}

/* Changes a field in the section `target` as a relocation says. */
static p5_status relocate_one(placement *in, const GElf_Rel *rel, const placed *target)
{
    relocation how;
    const size_t symbol = GELF_R_SYM(rel->r_info);
    if (!relocation_of((unsigned)GELF_R_TYPE(rel->r_info), &how))
        return error_set(in->error, P5_ERR_UNSUPPORTED, "relocation type %u has no meaning in a case",
                         (unsigned)GELF_R_TYPE(rel->r_info));
    if (how.width == 0)
        return P5_OK;
    if (rel->r_offset > target->header.sh_size || how.width > target->header.sh_size - rel->r_offset ||
        (how.slot && (rel->r_offset == 0 || symbol >= in->symbol_count)))
        return broken(in);
    uint8_t *field = target->bytes + rel->r_offset;
    uint32_t value = 0;
    p5_status status = symbol_value(in, symbol, &value);
    if (status != P5_OK)
        return status;
    if (how.from_place)
        value -= target->address + (uint32_t)rel->r_offset;
    if (how.from_got)
        value -= in->got_address;
    if (how.slot)
        value = use_slot(in, symbol, value, field);
    if (!add_to_field(field, how.width, how.from_place, value))
        return error_set(in->error, P5_ERR_RANGE, "an address does not fit into %u bits", how.width * 8);
    return P5_OK;
}

static p5_status relocate(placement *in)
{
    p5_status status = P5_OK;
    for (size_t i = 0; i < in->section_count; i++) {
        const GElf_Shdr *header = &in->sections[i].header;
        if (header->sh_type != SHT_REL || header->sh_info >= in->section_count ||
            in->sections[header->sh_info].bytes == NULL)
            continue; /* no relocations, or those of a section that is not in memory, like debug information */
        Elf_Data *data = elf_getdata(elf_getscn(in->elf, i), NULL);
        GElf_Rel rel;
        for (int at = 0; status == P5_OK && gelf_getrel(data, at, &rel) != NULL; at++)
            status = relocate_one(in, &rel, &in->sections[header->sh_info]);
    }
    return status;
}

/* Makes the labels: the named symbols of code and data. */
static p5_status copy_labels(placement *in, p5_case_program *out)
{
    GElf_Sym symbol;
    out->labels = calloc(in->symbol_count + 1, sizeof *out->labels);
    if (out->labels == NULL)
        return error_set(in->error, P5_ERR_MEMORY, "no memory for the case's symbols");
    for (size_t i = 1; i < in->symbol_count && gelf_getsym(in->symbols, (int)i, &symbol) != NULL; i++) {
        const char *name = symbol_name(in, &symbol);
        const bool common = symbol.st_shndx == SHN_COMMON;
        if (name[0] == '\0' || symbol.st_shndx == SHN_UNDEF ||
            (!common && symbol.st_shndx >= in->section_count))
            continue;
        case_label *label = &out->labels[out->label_count];
        const bool of_code = is_code(in, &symbol), typed = GELF_ST_TYPE(symbol.st_info) == STT_FUNC;
        *label = (case_label){.name = strdup(name),
                              .address = common ? in->common[i] : placed_value(in, &symbol),
                              .size = function_size(in, &symbol),
                              .function = of_code && (typed || GELF_ST_BIND(symbol.st_info) != STB_LOCAL)};
        if (label->name == NULL)
            return error_set(in->error, P5_ERR_MEMORY, "no memory for the case's symbols");
        out->label_count++;
    }
    return P5_OK;
}

p5_status case_object_place(const uint8_t *file, size_t size, uint32_t text_address, const char *function,
                            p5_case_program *out, p5_error *error)
{
    memset(out, 0, sizeof *out);
    elf_version(EV_CURRENT);
    placement in = {
        .elf = elf_memory((char *)(uintptr_t)file, size), .function = function, .out = out, .error = error};
    p5_status status = open_tables(&in);
    if (status == P5_OK)
        status = layout(&in, text_address, out);
    if (status == P5_OK) {
        const bool harness = place_exit(&in, out);
        if (!harness && function != NULL && function[0] != '\0')
            status = function_value(&in, &out->function);
    }
    if (status == P5_OK)
        status = relocate(&in);
    if (status == P5_OK)
        status = copy_labels(&in, out);
    free(in.sections);
    free(in.common);
    elf_end(in.elf);
    if (status != P5_OK)
        case_object_free(out);
    return status;
}

void case_object_free(p5_case_program *program)
{
    for (size_t i = 0; i < program->undefined_count; i++)
        free(program->undefined[i]);
    free(program->undefined);
    for (size_t i = 0; i < program->label_count; i++)
        free(program->labels[i].name);
    free(program->labels);
    free(program->text);
    free(program->data);
    memset(program, 0, sizeof *program);
}
