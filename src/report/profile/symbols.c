/* Functions from an ELF file's symbol table, lines from its DWARF. */
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "report/profile/data.h"

void profile_symbols_free(profile_symbols *s)
{
    for (size_t i = 0; i < s->functions.count; i++)
        free(s->functions.items[i].name);
    for (size_t i = 0; i < s->files.count; i++)
        free(s->files.items[i]);
    free(s->functions.items);
    free(s->files.items);
    free(s->lines.items);
    *s = (profile_symbols){0};
}

/* ---- functions ----------------------------------------------------------------------------------------- */

/* A symbol that may be a function. The lower the rank the better its name. */
typedef struct candidate {
    uint32_t start, size, limit; /* `limit`: end of its section */
    unsigned rank;
    const char *name;
} candidate;

typedef struct candidates {
    ARRAY_OF(candidate) list;
} candidates;

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
                     .rank = (function ? 0u : 4u) + (binding == STB_GLOBAL ? 0u
                                                     : binding == STB_WEAK ? 1u
                                                                           : 2u),
                     .name = name};
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

static bool read_candidates(Elf *elf, candidates *found)
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
            if (!gelf_getsym(data, (int)i, &symbol) ||
                !is_candidate(elf, &symbol, elf_strptr(elf, header.sh_link, symbol.st_name), &c))
                continue;
            if (!ARRAY_ROOM(&found->list))
                return false;
            found->list.items[found->list.count++] = c;
        }
    }
    return true;
}

/* A function ends where its size says, or the next one begins. */
static bool take_functions(profile_symbols *s, const candidates *found)
{
    for (size_t i = 0; i < found->list.count; i++) {
        const candidate *c = &found->list.items[i];
        profile_function *before = s->functions.count ? &s->functions.items[s->functions.count - 1] : NULL;
        if (before && c->start == before->start)
            continue; /* another name for it */
        if (before && c->start < before->end) {
            if (c->rank >= 4)
                continue; /* a label inside */
            before->end = c->start;
        }
        uint32_t next = c->limit;
        for (size_t j = i + 1; c->size == 0 && j < found->list.count; j++) {
            if (found->list.items[j].start > c->start) {
                next = found->list.items[j].start < next ? found->list.items[j].start : next;
                break;
            }
        }
        char *name = strdup(c->name);
        if (!name || !ARRAY_ROOM(&s->functions)) {
            free(name);
            return false;
        }
        uint32_t end = c->size && c->size < c->limit - c->start ? c->start + c->size : next;
        s->functions.items[s->functions.count++] = (profile_function){c->start, end, name};
    }
    return true;
}

static bool read_functions(Elf *elf, profile_symbols *s)
{
    candidates found = {0};
    bool fits = read_candidates(elf, &found);
    if (found.list.count > 1)
        qsort(found.list.items, found.list.count, sizeof *found.list.items, by_start_and_rank);
    fits = fits && take_functions(s, &found);
    free(found.list.items);
    return fits;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

static int file_index(profile_symbols *s, const char *name)
{
    for (size_t i = s->files.count; i-- > 0;)
        if (strcmp(s->files.items[i], name) == 0)
            return (int)i;
    char *copy = strdup(name);
    if (!copy || !ARRAY_ROOM(&s->files)) {
        free(copy);
        return PROFILE_NO_INDEX;
    }
    s->files.items[s->files.count] = copy;
    return (int)s->files.count++;
}

static bool read_unit_lines(Dwarf_Die *unit, profile_symbols *s)
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
        if (!ARRAY_ROOM(&s->lines))
            return false;
        s->lines.items[s->lines.count++] =
            (profile_line){(uint32_t)address, end ? PROFILE_NO_INDEX : last_file, end ? 0 : (unsigned)number};
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

static bool read_lines(Elf *elf, profile_symbols *s)
{
    Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    bool fits = true;
    Dwarf_Off offset = 0, next;
    size_t header;
    while (dwarf && fits && dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, offset + header, &unit))
            fits = read_unit_lines(&unit, s);
        offset = next;
    }
    if (dwarf)
        dwarf_end(dwarf);
    if (s->lines.count > 1)
        qsort(s->lines.items, s->lines.count, sizeof *s->lines.items, by_line_address);
    return fits;
}

p5_status profile_symbols_read(const char *path, profile_symbols *s, p5_error *error)
{
    *s = (profile_symbols){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return error_set(error, P5_ERR_IO, "cannot read the symbols of %s", path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(descriptor, ELF_C_READ, NULL);
    bool fits = true;
    if (elf && elf_kind(elf) == ELF_K_ELF)
        fits = read_functions(elf, s) && read_lines(elf, s);
    if (elf)
        elf_end(elf);
    close(descriptor);
    if (fits)
        return P5_OK;
    profile_symbols_free(s);
    return error_set(error, P5_ERR_MEMORY, "out of memory");
}
