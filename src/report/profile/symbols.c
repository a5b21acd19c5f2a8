/* Reads the functions of the guest and of other programs with symbols: from symbol tables of ELF files, and
 * from the text files that symbol_maps.c reads. */
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/machine.h"
#include "report/profile/profile_internal.h"
#include "report/profile/symbol_reader.h"

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

bool candidate_add(symbol_reader *r, candidate c, const char *name)
{
    c.start += r->base;
    c.limit += r->base;
    c.symbol = arena_text(&r->s->names, name);
    c.object = r->object;
    c.number = r->list.count;
    return c.symbol && ARRAY_ADD(&r->list, c);
}

/* Makes a candidate (symbol_reader.h) of an ELF symbol. Returns false if the symbol has no place in the program,
 * or if it is code outside its section. */
static bool is_candidate(Elf *elf, const GElf_Sym *symbol, const char *name, candidate *c)
{
    GElf_Shdr header;
    Elf_Scn *section = symbol->st_shndx < SHN_LORESERVE ? elf_getscn(elf, symbol->st_shndx) : NULL;
    unsigned type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || !name || name[0] == '\0' || type == STT_SECTION)
        return false;
    bool placed = section && gelf_getshdr(section, &header);
    bool code = placed && (header.sh_flags & SHF_EXECINSTR) != 0;
    bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
    unsigned kind = !code                                        ? CANDIDATE_DATA
                    : function                                   ? 0u
                    : type == STT_NOTYPE && binding != STB_LOCAL ? CANDIDATE_LABEL
                                                                 : CANDIDATE_LOCAL;
    *c = (candidate){.start = (uint32_t)symbol->st_value,
                     .size = (uint32_t)symbol->st_size,
                     .limit = placed ? (uint32_t)header.sh_addr + header.sh_size : UINT32_MAX,
                     .rank = kind + (binding == STB_GLOBAL ? 0u
                                     : binding == STB_WEAK ? 1u
                                                           : 2u)};
    return kind >= CANDIDATE_LOCAL || c->start < c->limit;
}

/* Orders by address, and at the same address the best name first. The same name in several units (identical code
 * is folded) keeps the order of the symbol table. */
static int by_start_and_rank(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    size_t underscores = strspn(x->symbol, "_"), others = strspn(y->symbol, "_");
    return ARRAY_ORDER(x->start, y->start) ?: ARRAY_ORDER(x->rank, y->rank)
           ?: ARRAY_ORDER(underscores, others) /* prefer malloc to __libc_malloc */
           ?: strcmp(x->symbol, y->symbol) ?: ARRAY_ORDER(x->number, y->number);
}

bool symbols_read_table(symbol_reader *r, Elf *elf, bool everything)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data = elf_getdata(section, NULL);
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !data ||
            header.sh_entsize == 0)
            continue;
        char *unit = NULL; /* local symbols follow the symbol of their file */
        for (size_t i = 0; i < header.sh_size / header.sh_entsize; i++) {
            GElf_Sym symbol;
            candidate c;
            if (!gelf_getsym(data, (int)i, &symbol))
                continue;
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name && GELF_ST_TYPE(symbol.st_info) == STT_FILE) {
                unit = name[0] ? arena_text(&r->s->names, name) : NULL;
            } else if (is_candidate(elf, &symbol, name, &c) && (everything || c.rank < CANDIDATE_LOCAL)) {
                c.unit = GELF_ST_BIND(symbol.st_info) == STB_LOCAL ? unit : NULL;
                if (!candidate_add(r, c, name))
                    return false;
            }
        }
    }
    return true;
}

/* Makes s->functions of the candidates. A function ends after its size; if that is unknown, where the next
 * candidate begins. Returns false when memory is out. */
static bool make_functions(symbol_reader *r)
{
    profile_symbols *s = r->s;
    ARRAY_SORT(&r->list, by_start_and_rank);
    for (size_t i = 0; i < r->list.count; i++) {
        candidate *c = &r->list.items[i];
        profile_function *before = s->functions.count ? &s->functions.items[s->functions.count - 1] : NULL;
        if (c->symbol[0] == '\0' || (before && c->start == before->start))
            continue; /* it marks the beginning of something that is not code, or it is another name of a function */
        if (before && c->start < before->end) {
            if (c->rank >= CANDIDATE_LABEL)
                continue; /* a label inside the function */
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
        const profile_function f = {
            .start = c->start, .end = end, .symbol = c->symbol, .unit = c->unit, .object = c->object};
        if (!ARRAY_ADD(&s->functions, f))
            return false;
    }
    return true;
}

/* Finds the functions' source files and names them. Returns false when memory is out. */
static bool name_functions(profile_symbols *s)
{
    for (size_t i = 0; i < s->functions.count; i++) {
        profile_function *f = &s->functions.items[i];
        f->source = symbols_source_at(s, f->start);
        if (!f->source)
            f->source = f->unit;
    }
    return functions_qualify(s->functions.items, s->functions.count, &s->names) &&
           functions_name(s->functions.items, s->functions.count, false, &s->names);
}

/* ---- files --------------------------------------------------------------------------------------------- */

/* Copies the program's code, by which the core recognizes the program when it is in memory. Returns false
 * when memory is out. */
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

/* Returns true for a kernel. It runs at other than its linked addresses until it turns on paging, and it
 * changes its own code, so that its bytes cannot identify it. */
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

/* Reads an ELF file. Symbols of the guest and of a kernel apply by address. Any other program gets its own
 * address space, because it is not always in memory, unless DOS has loaded it (r->base is then set). */
static p5_status read_elf(symbol_reader *r, Elf *elf, p5_error *error)
{
    GElf_Ehdr header;
    bool own_space = r->s->objects.count != 0 && r->base == 0 && !is_kernel(elf), fits = true;
    if (own_space) {
        if (gelf_getehdr(elf, &header) == NULL || header.e_type != ET_EXEC || header.e_machine != EM_386)
            return error_set(error, P5_ERR_FORMAT, "%s is no i386 program for fixed addresses", r->path);
        if (r->s->objects.count == PROFILE_SPACES / 2) /* the other half is for page directories */
            return error_set(error, P5_ERR_RANGE, "more than %d programs with symbols", PROFILE_SPACES / 2);
        r->base = PROFILE_AT(r->s->objects.count, 0);
        fits = ARRAY_ADD(&r->s->objects, r->object) && read_texts(r, elf);
    }
    fits = fits && symbols_read_table(r, elf, false) && symbols_read_lines(r, elf);
    return fits ? P5_OK : error_set(error, P5_ERR_MEMORY, "out of memory");
}

/* Reads the symbols of the file r->path. The guest may have none or come from no file. */
static p5_status read_file(symbol_reader *r, bool guest, p5_error *error)
{
    r->object = arena_text(&r->s->names, r->path != NULL ? r->path : "(code)");
    if (!r->object)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    if (r->path == NULL)
        return P5_OK;
    int descriptor = open(r->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return error_set(error, P5_ERR_IO, "cannot read the symbols of %s", r->path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(descriptor, ELF_C_READ, NULL);
    p5_status status = P5_OK;
    if (elf && elf_kind(elf) == ELF_K_ELF)
        status = read_elf(r, elf, error);
    else if (!guest)
        status = symbols_read_map(r, error);
    if (elf)
        elf_end(elf);
    close(descriptor);
    return status;
}

/* Adds the code that p5scope itself provides to the guest, such as its BIOS. Returns false when memory is out. */
static bool add_own_code(symbol_reader *r, const p5_machine *machine)
{
    machine_own_code own;
    bool fits = true;
    r->base = 0;
    for (uint64_t at = 0; fits && at <= UINT32_MAX && machine_next_own_code(machine, (uint32_t)at, &own);
         at = own.last + 1ull) {
        const candidate c = {.start = own.start, .limit = own.last + 1ull, .size = own.last - own.start + 1};
        fits = candidate_add(r, c, own.name);
    }
    return fits;
}

p5_status profile_symbols_read(const p5_machine *machine, const char *guest, const char *const *beside,
                               profile_symbols *s, p5_error *error)
{
    symbol_reader r = {.s = s, .path = guest};
    *s = (profile_symbols){0};
    p5_status status = read_file(&r, true, error);
    if (status == P5_OK && !ARRAY_ADD(&s->objects, r.object))
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    for (; status == P5_OK && beside && *beside; beside++) {
        r.path = *beside;
        r.base = machine_program_base(machine);
        status = read_file(&r, false, error);
    }
    symbols_sort_lines(s);
    if (status == P5_OK && !(add_own_code(&r, machine) && make_functions(&r) && name_functions(s)))
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    free(r.list.items);
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
