/* Functions from symbol tables: of ELF files, System.map and linkers' maps. Lines from DWARF. */
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/lines.h"
#include "machine/machine.h"
#include "report/profile/profile_internal.h"

void profile_symbols_free(profile_symbols *s)
{
    for (size_t i = 0; i < s->texts.count; i++)
        free((void *)(uintptr_t)s->texts.items[i].bytes);
    arena_free_all(&s->names);
    free(s->functions.items);
    free(s->files.items);
    free(s->lines.items);
    free(s->objects.items);
    free(s->texts.items);
    *s = (profile_symbols){0};
}

/* ---- functions ----------------------------------------------------------------------------------------- */

/* A symbol that may be a function. The lower the rank the better its name. */
typedef struct candidate {
    uint64_t start, limit; /* `limit`: end of its section */
    uint32_t size;
    unsigned rank;
    char *name; /* "": something else begins here */
} candidate;

enum {
    LABEL = 4,
    MAP_LAST_BYTES = 0x10000 /* what the last symbol of a map may reach over: a segment */
};

/* What is being read: a file, and what has been found in it. */
typedef struct symbol_reader {
    profile_symbols *s;
    const char *path;
    uint64_t base; /* added to the file's addresses: its space, or where DOS has put the program */
    ARRAY_OF(candidate) list;
} symbol_reader;

static bool add_candidate(symbol_reader *r, candidate c, const char *name)
{
    c.start += r->base;
    c.limit += r->base;
    c.name = arena_text(&r->s->names, name);
    return c.name && ARRAY_ADD(&r->list, c);
}

/* Functions; and labels of assembly code that other files may see, where nobody has said what is a function.
 */
static bool is_candidate(Elf *elf, const GElf_Sym *symbol, const char *name, candidate *c)
{
    GElf_Shdr header;
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    unsigned type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE || !name || name[0] == '\0' ||
        !section || !gelf_getshdr(section, &header) || (header.sh_flags & SHF_EXECINSTR) == 0)
        return false;
    bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (!function && (type != STT_NOTYPE || binding == STB_LOCAL))
        return false;
    *c = (candidate){.start = (uint32_t)symbol->st_value,
                     .size = (uint32_t)symbol->st_size,
                     .limit = (uint32_t)(header.sh_addr + header.sh_size),
                     .rank = (function ? 0u : LABEL) + (binding == STB_GLOBAL ? 0u
                                                        : binding == STB_WEAK ? 1u
                                                                              : 2u)};
    return c->start < c->limit;
}

static int by_start_and_rank(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool read_candidates(symbol_reader *r, Elf *elf)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data = elf_getdata(section, NULL);
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !data ||
            header.sh_entsize == 0)
            continue;
        for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            candidate c;
            if (!gelf_getsym(data, (int)i, &symbol))
                continue;
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (is_candidate(elf, &symbol, name, &c) && !add_candidate(r, c, name))
                return false;
        }
    }
    return true;
}

/* A function ends where its size says, or the next one begins. */
static bool take_functions(symbol_reader *r)
{
    profile_symbols *s = r->s;
    ARRAY_SORT(&r->list, by_start_and_rank);
    for (size_t i = 0; i < r->list.count; i++) {
        candidate *c = &r->list.items[i];
        profile_function *before = s->functions.count ? &s->functions.items[s->functions.count - 1] : NULL;
        if (c->name[0] == '\0' || (before && c->start == before->start))
            continue; /* another name for it */
        if (before && c->start < before->end) {
            if (c->rank >= LABEL)
                continue; /* a label inside */
            before->end = c->start;
        }
        uint64_t next = c->limit;
        for (size_t j = i + 1; c->size == 0 && j < r->list.count; j++) {
            if (r->list.items[j].start > c->start) {
                next = r->list.items[j].start < next ? r->list.items[j].start : next;
                break;
            }
        }
        uint64_t end = c->size && c->size < c->limit - c->start ? c->start + c->size : next;
        if (!ARRAY_ADD(&s->functions, (profile_function){c->start, end, c->name}))
            return false;
    }
    return true;
}

/* ---- maps ---------------------------------------------------------------------------------------------- */

/* The number in front of `*text`, of `least` to `most` hexadecimal digits. */
static bool hex_in(const char **text, unsigned least, unsigned most, uint64_t *value)
{
    unsigned digits = (unsigned)strspn(*text, "0123456789abcdefABCDEF");
    if (digits < least || digits > most)
        return false;
    *value = strtoull(*text, NULL, 16);
    *text += digits;
    return true;
}

static bool blanks_in(const char **text)
{
    size_t n = strspn(*text, " \t");
    *text += n;
    return n != 0;
}

/* A line of a map: "c1000000 T name" (nm, System.map), "0000:0010 name" with what linkers for DOS put between
 * (* and + of Watcom's, Abs and idle of Borland's), "100 100 name" (nasm's, real and virtual). */
static bool read_map_line(const char *line, candidate *c, char name[256])
{
    uint64_t high, low;
    const char *at = line;
    char kind = 'T';
    blanks_in(&at);
    if (!hex_in(&at, 1, 16, &high))
        return false;
    if (*at == ':') {
        at++;
        if (at - line < 5 || !hex_in(&at, 4, 4, &low))
            return false;
        at += strspn(at, "*+");
        high = high * 16 + low;
    } else {
        if (!blanks_in(&at))
            return false;
        if (strcspn(at, "AaBbDdRrTtVvWw") == 0 && *at != '\0' && (at[1] == ' ' || at[1] == '\t'))
            kind = *at++;
        else if (!hex_in(&at, 1, 8, &high) || strchr(at, '.') != NULL) /* nasm's local labels have a dot */
            return false;
    }
    bool more = blanks_in(&at);
    for (int i = 0; i < 2; i++)
        if (strncmp(at, i == 0 ? "Abs " : "idle ", i == 0 ? 4 : 5) == 0) {
            at += 4;
            blanks_in(&at);
        }
    unsigned length = (unsigned)strcspn(at, " \t\r\n");
    if (!more || length == 0 || length > 255 || strchr("0123456789(", *at) != NULL || high > UINT32_MAX)
        return false;
    bool code = strchr("TtWw", kind) != NULL;
    *c = (candidate){.start = high, .limit = high + MAP_LAST_BYTES, .rank = LABEL};
    snprintf(name, 256, "%.*s", code ? (int)length : 0, at);
    return at[length + strspn(at + length, " \t\r\n")] == '\0';
}

static p5_status read_map(symbol_reader *r, p5_error *error)
{
    FILE *in = fopen(r->path, "re");
    char *line = NULL, name[256];
    size_t room = 0, before = r->list.count;
    bool fits = true;
    candidate c;
    while (in && fits && lines_next(&line, &room, in) >= 0)
        if (read_map_line(line, &c, name))
            fits = add_candidate(r, c, name);
    p5_status status = !fits ? error_set(error, P5_ERR_MEMORY, "out of memory")
                       : in  ? lines_end(in, error)
                             : P5_OK;
    free(line);
    if (in)
        fclose(in);
    if (status != P5_OK) {
        error_at(error, r->path, 0, 0);
        return status;
    }
    if (r->list.count != before)
        return P5_OK;
    error_set(error, P5_ERR_FORMAT, "%s has no symbols", r->path);
    error_hint(error, "an ELF file, System.map, what nm prints, or the map of a linker for DOS");
    return P5_ERR_FORMAT;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

static int file_index(profile_symbols *s, const char *name)
{
    for (size_t i = s->files.count; i-- > 0;)
        if (strcmp(s->files.items[i], name) == 0)
            return (int)i;
    char *copy = arena_text(&s->names, name);
    return copy && ARRAY_ADD(&s->files, copy) ? (int)s->files.count - 1 : PROFILE_NO_INDEX;
}

static bool read_unit_lines(Dwarf_Die *unit, profile_symbols *s, uint64_t base)
{
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return true;
    const char *last_name = NULL;
    int last_file = PROFILE_NO_INDEX;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(lines, i);
        Dwarf_Addr address;
        int number;
        bool end;
        if (!line || dwarf_lineaddr(line, &address) != 0 || dwarf_lineno(line, &number) != 0 ||
            dwarf_lineendsequence(line, &end) != 0)
            continue;
        const char *name = dwarf_linesrc(line, NULL, NULL);
        if (name != last_name)
            last_file = name ? file_index(s, name) : PROFILE_NO_INDEX;
        last_name = name;
        const profile_line row = {base + (uint32_t)address, end ? PROFILE_NO_INDEX : last_file,
                                  end ? 0 : (unsigned)number};
        if (!ARRAY_ADD(&s->lines, row))
            return false;
    }
    return true;
}

/* Line 0 says nothing; at one address the last row counts, but the end of a sequence yields to a beginning.
 */
static int by_line_address(const void *a, const void *b)
{
    const profile_line *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (y->file == PROFILE_NO_INDEX) - (x->file == PROFILE_NO_INDEX);
}

static bool read_lines(symbol_reader *r, Elf *elf)
{
    Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    bool fits = true;
    Dwarf_Off offset = 0, next;
    size_t header;
    while (dwarf && fits && dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, offset + header, &unit))
            fits = read_unit_lines(&unit, r->s, r->base);
        offset = next;
    }
    if (dwarf)
        dwarf_end(dwarf);
    return fits;
}

/* ---- files --------------------------------------------------------------------------------------------- */

static bool read_texts(symbol_reader *r, Elf *elf)
{
    size_t count = 0, size;
    const char *file = elf_rawfile(elf, &size);
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; file && i < count; i++) {
        GElf_Phdr h;
        if (!gelf_getphdr(elf, (int)i, &h) || h.p_type != PT_LOAD || (h.p_flags & PF_X) == 0 ||
            h.p_offset > size || h.p_filesz > size - h.p_offset || h.p_filesz == 0)
            continue;
        uint8_t *bytes = ARRAY_ROOM(&r->s->texts) ? malloc(h.p_filesz) : NULL;
        if (!bytes)
            return false;
        memcpy(bytes, file + h.p_offset, h.p_filesz);
        r->s->texts.items[r->s->texts.count++] =
            (profile_text){r->base + (uint32_t)h.p_vaddr, (uint32_t)h.p_filesz, bytes};
    }
    return true;
}

/* A kernel stands elsewhere than it is linked for until it has turned on paging, and changes its own code. */
static bool is_kernel(Elf *elf)
{
    size_t count = 0;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr h;
        if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_LOAD && h.p_vaddr != h.p_paddr)
            return true;
    }
    return false;
}

static bool add_object(profile_symbols *s, const char *path)
{
    char *copy = arena_text(&s->names, path);
    return copy && ARRAY_ADD(&s->objects, copy);
}

/* The guest's own symbols, and a kernel's, are known by their addresses. A program beside it has a space of
 * its own. */
static p5_status read_elf(symbol_reader *r, Elf *elf, p5_error *error)
{
    GElf_Ehdr header;
    bool beside = r->s->objects.count != 0 && r->base == 0 && !is_kernel(elf), fits = true;
    if (beside) {
        if (gelf_getehdr(elf, &header) == NULL || header.e_type != ET_EXEC || header.e_machine != EM_386)
            return error_set(error, P5_ERR_FORMAT, "%s is no i386 program for fixed addresses", r->path);
        if (r->s->objects.count == PROFILE_SPACES / 2)
            return error_set(error, P5_ERR_RANGE, "more than %d programs with symbols", PROFILE_SPACES / 2);
        r->base = PROFILE_AT(r->s->objects.count, 0);
        fits = add_object(r->s, r->path) && read_texts(r, elf);
    }
    fits = fits && read_candidates(r, elf) && read_lines(r, elf);
    return fits ? P5_OK : error_set(error, P5_ERR_MEMORY, "out of memory");
}

static p5_status read_file(symbol_reader *r, bool guest, p5_error *error)
{
    int descriptor = open(r->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return error_set(error, P5_ERR_IO, "cannot read the symbols of %s", r->path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(descriptor, ELF_C_READ, NULL);
    p5_status status = P5_OK;
    if (elf && elf_kind(elf) == ELF_K_ELF)
        status = read_elf(r, elf, error);
    else if (!guest)
        status = read_map(r, error);
    if (elf)
        elf_end(elf);
    close(descriptor);
    return status;
}

p5_status profile_symbols_read(const p5_machine *machine, const char *guest, const char *const *beside,
                               profile_symbols *s, p5_error *error)
{
    symbol_reader r = {.s = s, .path = guest};
    *s = (profile_symbols){0};
    p5_status status = read_file(&r, true, error);
    if (status == P5_OK && !add_object(s, guest))
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    for (; status == P5_OK && beside && *beside; beside++) {
        r.path = *beside;
        r.base = machine_program_base(machine);
        status = read_file(&r, false, error);
    }
    if (status == P5_OK && !take_functions(&r))
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    free(r.list.items);
    ARRAY_SORT(&s->lines, by_line_address);
    if (status != P5_OK)
        profile_symbols_free(s);
    return status;
}

bool profile_symbols_start(p5_machine *machine, const profile_symbols *symbols, profile_options options)
{
    profile_range *ranges = calloc(symbols->functions.count + 1, sizeof *ranges);
    for (size_t i = 0; ranges && i < symbols->functions.count; i++)
        ranges[i] = (profile_range){symbols->functions.items[i].start, symbols->functions.items[i].end};
    options.functions = ranges;
    options.function_count = symbols->functions.count;
    options.texts = symbols->texts.items;
    options.text_count = symbols->texts.count;
    options.spaces = (unsigned)symbols->objects.count;
    options.directory = machine_page_directory(machine);
    bool started = ranges && profile_start(machine_core(machine), &options);
    free(ranges);
    return started;
}
