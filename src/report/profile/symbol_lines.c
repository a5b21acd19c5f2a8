/* Reads the line table of an ELF file's DWARF debug information: which source line begins at which
 * address. */
#include <elfutils/libdw.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_text.h"
#include "report/profile/profile_internal.h"
#include "report/profile/symbol_reader.h"

/* Appends a path's parts to `out`. *any: something was written, so that a slash is needed first. Empty parts
 * and "." are redundant and left out. ".." stays, because the folder before it may be a symbolic link. */
static void write_parts(FILE *out, const char *path, bool *any)
{
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        if (length > 0 && !(length == 1 && path[0] == '.')) {
            fprintf(out, "%s%.*s", *any ? "/" : "", (int)length, path);
            *any = true;
        }
        path += length;
        path += strspn(path, "/");
    }
}

/* Returns the path of a source file; a relative `name` is in `folder`, that of the compilation (NULL:
 * unknown). The caller frees it. NULL: out of memory. */
static char *whole_path(const char *folder, const char *name)
{
    memory_text path;
    if (!memory_text_open(&path))
        return NULL;
    bool joined = name[0] != '/' && folder != NULL, any = false;
    if ((joined ? folder : name)[0] == '/')
        fputc('/', path.out);
    if (joined)
        write_parts(path.out, folder, &any);
    write_parts(path.out, name, &any);
    return memory_text_end(&path);
}

/* Returns the index in s->files of a source file, which is added if necessary. PROFILE_NO_INDEX: out of
 * memory. */
static int file_index(profile_symbols *s, const char *folder, const char *name)
{
    char *path = whole_path(folder, name);
    int found = PROFILE_NO_INDEX;
    for (size_t i = path != NULL ? s->files.count : 0; i-- > 0 && found == PROFILE_NO_INDEX;)
        if (strcmp(s->files.items[i], path) == 0)
            found = (int)i;
    char *copy = path != NULL && found == PROFILE_NO_INDEX ? arena_text(&s->names, path) : NULL;
    if (copy != NULL && ARRAY_ADD(&s->files, copy))
        found = (int)s->files.count - 1;
    free(path);
    return found;
}

/* Adds the lines of a compilation unit. `base` is added to their 32-bit addresses: the address space in the bits
 * above them (PROFILE_AT), or where DOS has loaded the program. Damaged lines are skipped.
 * Returns false when memory is out. */
static bool read_unit_lines(Dwarf_Die *unit, profile_symbols *s, uint64_t base)
{
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return true;
    Dwarf_Attribute attribute;
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute)), *last_name = NULL;
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
            last_file = name ? file_index(s, folder, name) : PROFILE_NO_INDEX;
        last_name = name;
        const profile_line row = {base + (uint32_t)address, end ? PROFILE_NO_INDEX : last_file,
                                  end ? 0 : (unsigned)number, s->lines.count};
        if (!ARRAY_ADD(&s->lines, row))
            return false;
    }
    return true;
}

/* Orders rows by address. At equal addresses the end of a sequence comes before other rows, which keep
 * the order of the line table. */
static int by_line_address(const void *a, const void *b)
{
    const profile_line *x = a, *y = b;
    return ARRAY_ORDER(x->address, y->address)
           ?: (y->file == PROFILE_NO_INDEX) - (x->file == PROFILE_NO_INDEX)
           ?: ARRAY_ORDER(x->number, y->number);
}

bool symbols_read_lines(symbol_reader *r, Elf *elf)
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

void symbols_sort_lines(profile_symbols *s)
{
    ARRAY_SORT(&s->lines, by_line_address);
}

/* Returns the path of the source file of the code at `address`, which `s` owns; NULL if it is unknown. A row of
 * the line table is valid up to the next row. */
char *symbols_source_at(const profile_symbols *s, uint64_t address)
{
    size_t at = ARRAY_SEARCH(s->lines.items, s->lines.count, address, address);
    while (at < s->lines.count && s->lines.items[at].address == address &&
           s->lines.items[at].file == PROFILE_NO_INDEX)
        at++; /* another sequence begins here */
    if (at == s->lines.count || s->lines.items[at].address != address)
        at = at > 0 ? at - 1 : s->lines.count;
    if (at == s->lines.count || s->lines.items[at].file == PROFILE_NO_INDEX)
        return NULL;
    return s->files.items[s->lines.items[at].file];
}
