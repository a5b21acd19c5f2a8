/* Finds the places in the guest that options of the command line name: a symbol in the guest's file, or an
 * address. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "p5scope/observe.h"
#include "p5tool/profile.h"
#include "report/profile/profile_internal.h"
#include "report/profile/symbol_reader.h"

/* The symbols of a file. */
typedef struct place_reader {
    profile_symbols symbols; /* owns the names; has the source lines */
    symbol_reader reader;
    bool elf; /* the file is an ELF file */
    /* All symbols: first functions and global labels, which a profile treats as functions, then local labels,
     * then data. */
    ARRAY_OF(profile_function) list;
    size_t ends[3]; /* the ends of these three kinds in the list */
} place_reader;

/* Orders by kind of symbol (symbol_reader.h; a kind has the ranks up to the next multiple of 4), then by address,
 * then as read. */
static int by_rank(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return ARRAY_ORDER(x->rank / 4, y->rank / 4) ?: ARRAY_ORDER(x->start, y->start)
           ?: ARRAY_ORDER(x->number, y->number);
}

/* Makes the list of what the reader has found. Returns false when memory is out. */
static bool make_list(place_reader *r)
{
    ARRAY_SORT(&r->reader.list, by_rank);
    for (size_t i = 0; i < r->reader.list.count; i++) {
        const candidate *c = &r->reader.list.items[i];
        const profile_function f = {.start = c->start,
                                    .end = c->start + c->size,
                                    .symbol = c->symbol,
                                    .unit = c->unit,
                                    .object = c->object,
                                    .source = symbols_source_at(&r->symbols, c->start)};
        if (!ARRAY_ADD(&r->list, f))
            return false;
        /* Sets the end of this kind, and that of the following ones, which are empty so far. */
        for (unsigned kind = c->rank < CANDIDATE_LOCAL  ? 0
                             : c->rank < CANDIDATE_DATA ? 1
                                                        : 2;
             kind < 3; kind++)
            r->ends[kind] = r->list.count;
    }
    return functions_qualify(r->list.items, r->ends[0], &r->symbols.names);
}

/* Reads the symbols of an ELF file; another file has none, which is no error. The caller calls close_places
 * in any case. */
static p5_status read_places(place_reader *r, const char *path, p5_error *error)
{
    r->reader =
        (symbol_reader){.s = &r->symbols, .path = path, .object = arena_text(&r->symbols.names, path)};
    elf_version(EV_CURRENT);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return error_set(error, P5_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
    bool fits = r->reader.object != NULL;
    r->elf = elf != NULL && elf_kind(elf) == ELF_K_ELF;
    if (fits && r->elf) {
        const bool everything = true; /* data and local labels, too */
        fits = symbols_read_table(&r->reader, elf, everything) && symbols_read_lines(&r->reader, elf);
        symbols_sort_lines(&r->symbols);
        fits = fits && make_list(r);
    }
    if (elf != NULL)
        elf_end(elf);
    close(file);
    return fits ? P5_OK : error_set(error, P5_ERR_MEMORY, "out of memory");
}

static void close_places(place_reader *r)
{
    free(r->reader.list.items);
    free(r->list.items);
    profile_symbols_free(&r->symbols);
}

/* Returns the index in r->list of the symbol that `text` names, FUNCTION_NONE or FUNCTION_AMBIGUOUS.
 * Functions and global labels take precedence over local labels, and those over data. */
static int find(const place_reader *r, const char *text, p5_error *error)
{
    int found = FUNCTION_NONE;
    for (unsigned kind = 0; kind < 3 && found == FUNCTION_NONE; kind++)
        found = functions_find(r->list.items, r->ends[kind], text, error);
    return found;
}

/* Finds a symbol, or NAME+OFFSET, and gets the offset in bytes. Returns what `find` does. The whole text is
 * tried as a name first, because a C++ operator may have a + in its name. */
static int find_with_offset(const place_reader *r, const char *text, uint64_t *offset, p5_error *error)
{
    const char *plus = strrchr(text, '+');
    int found = find(r, text, error);
    if (found != FUNCTION_NONE || plus == NULL || !text_to_u64(plus + 1, offset) || *offset > UINT32_MAX) {
        *offset = 0;
        return found;
    }
    char *name = strndup(text, (size_t)(plus - text));
    if (name != NULL)
        found = find(r, name, error);
    free(name);
    return found;
}

/* Reads sub_ADDRESS, the name in reports of code without a symbol, or a number. Returns false for anything
 * else. */
static bool read_address(const char *text, uint32_t *address)
{
    char *end;
    uint64_t number;
    if (strncmp(text, "sub_", 4) == 0 && text[4] != '\0' && strlen(text) <= 12 &&
        text[4 + strspn(text + 4, "0123456789abcdefABCDEF")] == '\0')
        number = strtoull(text + 4, &end, 16);
    else if (!text_to_u64(text, &number))
        return false;
    *address = (uint32_t)number;
    return number <= UINT32_MAX;
}

/* Makes an error for a text that names nothing in the file at `path`. */
static p5_status nothing_found(const place_reader *r, const char *path, const char *text, p5_error *error)
{
    const char *plus = strrchr(text, '+');
    uint64_t offset;
    if (text[0] == '\0')
        return error_set(error, P5_ERR_SYNTAX, "a symbol or an address is missing");
    if (r->list.count == 0)
        return error_set(error, P5_ERR_NAME, "%s has no symbols; an address (0x...) is possible", path);
    bool number = plus != NULL && text_to_u64(plus + 1, &offset) && offset <= UINT32_MAX;
    if (plus != NULL && !number && strstr(text, "operator") == NULL)
        return error_set(error, P5_ERR_SYNTAX, "an offset follows the +, as in main+0x10");
    text_nearest nearest;
    text_nearest_init(&nearest, text);
    for (size_t i = 0; i < r->list.count; i++)
        text_nearest_offer(&nearest, r->list.items[i].symbol);
    error_set(error, P5_ERR_NAME, "%s has no symbol '%s'", path, text);
    error_nearest(error, &nearest);
    return P5_ERR_NAME;
}

p5_status p5_symbol_find(const char *path, const char *text, uint32_t *address, uint32_t *size,
                         p5_error *error)
{
    uint64_t number, offset = 0;
    if (size != NULL)
        *size = 0;
    if (path == NULL || text == NULL)
        return error_null(error, path == NULL ? "path" : "text");
    if (text[0] >= '0' && text[0] <= '9' && text_to_u64(text, &number)) {
        *address = (uint32_t)number;
        return number <= UINT32_MAX ? P5_OK : error_set(error, P5_ERR_RANGE, "an address has 32 bits");
    }
    place_reader r = {0};
    p5_status status = read_places(&r, path, error);
    int found = status == P5_OK ? find_with_offset(&r, text, &offset, error) : FUNCTION_NONE;
    if (status == P5_OK && found == FUNCTION_AMBIGUOUS) {
        status = P5_ERR_NAME;
    } else if (status == P5_OK && found == FUNCTION_NONE) {
        status = read_address(text, address) ? P5_OK : nothing_found(&r, path, text, error);
    } else if (status == P5_OK) {
        const profile_function *f = &r.list.items[found];
        uint64_t bytes = f->end - f->start;
        *address = (uint32_t)(f->start + offset);
        if (size != NULL)
            *size = offset < bytes ? (uint32_t)(bytes - offset) : 0;
    }
    close_places(&r);
    return status;
}

bool p5_symbols_any(const char *path)
{
    place_reader r = {0};
    bool any = read_places(&r, path, NULL) != P5_OK || !r.elf || r.ends[0] > 0 || r.symbols.lines.count > 0;
    close_places(&r);
    return any;
}
