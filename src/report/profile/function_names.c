/* Names functions so that reports and users can tell them apart (function_names.h). */
#include "report/profile/function_names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory_text.h"
#include "base/text.h"
#include "base/utf8.h"
#include "core/profile/profile.h"

/* Declared here because <cxxabi.h> is for C++ only. This is the demangler of the C++ run-time library: every
 * compiler installs it, its interface is stable, and it limits its recursion. libiberty has the same demangler but is
 * no shared library, and the libraries of elfutils have none. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

/* Returns the demangled name of a C++ symbol; the caller frees it. NULL: the symbol is not mangled, or memory is out. */
static char *demangle(const char *symbol)
{
    return strncmp(symbol, "_Z", 2) == 0 ? __cxa_demangle(symbol, NULL, NULL, NULL) : NULL;
}

char *function_unqualified_name(const profile_function *f, bool mangled)
{
    char *demangled = mangled ? NULL : demangle(f->symbol);
    char *name = utf8_printable(demangled != NULL ? demangled : f->symbol);
    free(demangled);
    return name;
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* ---- distinguishing functions with the same name ------------------------------------------------------- */

/* A function of a group with the same demangled symbol. */
typedef struct member {
    profile_function *function;
    char *shown;     /* the demangled symbol, the same in the whole group */
    const char *key; /* the qualifier that is being tried; "": none */
} member;

static int by_shown(const void *a, const void *b)
{
    const member *x = a, *y = b;
    return strcmp(x->shown, y->shown) ?: ARRAY_ORDER(x->function->start, y->function->start);
}

static int by_key(const void *a, const void *b)
{
    const member *x = a, *y = b;
    return strcmp(x->key, y->key);
}

/* Returns the qualifier of a function to be tried at `level`: the names of its source file, its unit and its
 * object, and from level 3 on their whole paths. NULL: unknown. */
static const char *qualifier_of(const profile_function *f, unsigned level)
{
    const char *const of[] = {f->source, f->unit, f->object};
    const char *path = of[level % 3];
    return path != NULL && level < 3 ? path_base(path) : path;
}
enum { QUALIFIER_LEVELS = 6 };

/* Returns true if the key of member `i` is unique in a group that is sorted by key. */
static bool is_alone(const member *group, size_t count, size_t i)
{
    return (i == 0 || strcmp(group[i - 1].key, group[i].key) != 0) &&
           (i + 1 == count || strcmp(group[i + 1].key, group[i].key) != 0);
}

/* Gives each member of a group the qualifier of the first level at which no other member has the same one. A member
 * without such a level gets FUNCTION_BY_ADDRESS, and so do members with the same qualifier from different levels.
 * Returns false when memory is out. */
static bool qualify_group(member *group, size_t count, arena *texts)
{
    for (unsigned level = 0; level < QUALIFIER_LEVELS; level++) {
        for (size_t i = 0; i < count; i++) {
            const char *qualifier = qualifier_of(group[i].function, level);
            group[i].key = qualifier != NULL ? qualifier : "";
        }
        qsort(group, count, sizeof *group, by_key);
        for (size_t i = 0; i < count; i++) {
            profile_function *f = group[i].function;
            if (f->qualifier != NULL || group[i].key[0] == '\0' || !is_alone(group, count, i))
                continue;
            f->qualifier = arena_text(texts, group[i].key);
            if (f->qualifier == NULL)
                return false;
        }
    }
    for (size_t i = 0; i < count; i++)
        group[i].key =
            group[i].function->qualifier != NULL ? group[i].function->qualifier : FUNCTION_BY_ADDRESS;
    qsort(group, count, sizeof *group, by_key);
    for (size_t i = 0; i < count; i++) {
        if (is_alone(group, count, i) && strcmp(group[i].key, FUNCTION_BY_ADDRESS) != 0)
            continue;
        group[i].function->qualifier = arena_text(texts, FUNCTION_BY_ADDRESS);
        if (group[i].function->qualifier == NULL)
            return false;
    }
    return true;
}

/* Functions with the same demangled symbol form a group and get qualifiers; all others get none. */
bool functions_qualify(profile_function *functions, size_t count, arena *texts)
{
    member *members = calloc(count + 1, sizeof *members);
    bool fits = members != NULL;
    for (size_t i = 0; fits && i < count; i++) {
        functions[i].qualifier = NULL;
        members[i] =
            (member){.function = &functions[i], .shown = function_unqualified_name(&functions[i], false)};
        fits = members[i].shown != NULL;
    }
    if (fits)
        array_sort(members, count, sizeof *members, by_shown);
    for (size_t first = 0, end; fits && first < count; first = end) {
        for (end = first + 1; end < count && strcmp(members[end].shown, members[first].shown) == 0;)
            end++;
        if (end - first > 1)
            fits = qualify_group(&members[first], end - first, texts);
    }
    for (size_t i = 0; members != NULL && i < count; i++)
        free(members[i].shown);
    free(members);
    return fits;
}

/* Returns the name in reports; the caller frees it. NULL: out of memory. */
static char *full_name(const profile_function *f, bool mangled)
{
    char *unqualified = function_unqualified_name(f, mangled);
    if (unqualified == NULL || f->qualifier == NULL)
        return unqualified;
    memory_text name;
    const bool opened = memory_text_open(&name);
    if (opened && strcmp(f->qualifier, FUNCTION_BY_ADDRESS) == 0) {
        fprintf(name.out, "%s@0x%" PRIx32, unqualified, (uint32_t)f->start);
    } else if (opened) {
        utf8_write_printable(name.out, f->qualifier);
        fprintf(name.out, ":%s", unqualified);
    }
    free(unqualified);
    return memory_text_end(&name);
}

bool functions_name(profile_function *functions, size_t count, bool mangled, arena *texts)
{
    for (size_t i = 0; i < count; i++) {
        char *name = full_name(&functions[i], mangled);
        functions[i].name = name != NULL ? arena_text(texts, name) : NULL;
        free(name);
        if (functions[i].name == NULL)
            return false;
    }
    return true;
}

/* ---- lookup by name ------------------------------------------------------------------------------------ */

/* How well a text matches a function, from worst to best. A text names the functions that it matches best. */
typedef enum fit {
    FIT_NOT,
    FIT_DERIVED, /* the base name of a clone or a thunk, which the compiler has made from another function */
    FIT_BASE,    /* the demangled name without parameters, with or without the return type */
    FIT_SYMBOL,  /* the symbol, mangled or demangled */
    FIT_NAME     /* the name in reports, or an address in the function */
} fit;

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the length of "operator" at name[at], with the sign after it if that contains brackets, as in "operator<<".
 * Returns 0 if the word is not there. */
static size_t operator_length(const char *name, size_t at)
{
    const size_t word = strlen("operator");
    const char *sign = name + at + word;
    if (strncmp(name + at, "operator", word) != 0 || is_letter(*sign) || (at > 0 && is_letter(name[at - 1])))
        return 0;
    return word + (strncmp(sign, "()", 2) == 0 ? 2 : strspn(sign, "-<=>"));
}

/* Finds [*begin, *end) of a demangled name, which is the name without the return type, which only templates have, and
 * without the parameters. These are in the last parentheses that are not in other brackets: parentheses before them belong
 * to the function in which this one is, as in "f(int)::{lambda(int)#1}::operator()(int) const". */
static void find_base(const char *name, size_t *begin, size_t *end)
{
    size_t last_word = 0, depth = 0;
    bool is_operator = false; /* what follows a blank is part of the operator's name */
    *begin = 0;
    *end = strlen(name);
    for (size_t i = 0; name[i] != '\0'; i++) {
        size_t skipped = operator_length(name, i);
        if (skipped != 0) {
            is_operator |= depth == 0;
            i += skipped - 1;
            continue;
        }
        if (name[i] == ' ' && depth == 0 && !is_operator)
            last_word = i + 1;
        if (name[i] == '(' && depth == 0 && strncmp(name + i, "(anonymous", 10) != 0) {
            *begin = last_word;
            *end = i;
        }
        depth += strchr("<({", name[i]) != NULL;
        depth -= strchr(">)}", name[i]) != NULL && depth > 0;
    }
}

/* Returns true if the compiler has made the function from another one, whose name its demangled name contains. */
static bool is_derived(const char *demangled)
{
    return strstr(demangled, " [clone ") != NULL || strstr(demangled, " thunk to ") != NULL;
}

static bool is_part(const char *text, const char *name, size_t begin, size_t end)
{
    return strlen(text) == end - begin && strncmp(text, name + begin, end - begin) == 0;
}

/* Matches a text without file and address. */
static fit fit_symbol(const profile_function *f, const char *text)
{
    if (strcmp(f->symbol, text) == 0)
        return FIT_SYMBOL;
    char *demangled = demangle(f->symbol);
    fit found = FIT_NOT;
    if (demangled == NULL && !utf8_is_printable(f->symbol)) {
        char *printable = utf8_printable(f->symbol);
        found = printable != NULL && strcmp(printable, text) == 0 ? FIT_SYMBOL : FIT_NOT;
        free(printable);
    } else if (demangled != NULL) {
        size_t begin, end;
        find_base(demangled, &begin, &end);
        if (strcmp(demangled, text) == 0)
            found = FIT_SYMBOL;
        else if (is_part(text, demangled, 0, end) || is_part(text, demangled, begin, end))
            found = is_derived(demangled) ? FIT_DERIVED : FIT_BASE;
    }
    free(demangled);
    return found;
}

/* Returns true if the first `length` bytes of `text` are the path, or its end after a slash. */
static bool ends_path(const char *path, const char *text, size_t length)
{
    size_t whole = path != NULL ? strlen(path) : 0;
    return whole >= length && length > 0 && strncmp(path + whole - length, text, length) == 0 &&
           (whole == length || path[whole - length - 1] == '/');
}

/* Returns the @ADDRESS at the end of `text`, or NULL. */
static const char *address_suffix(const char *text, uint64_t *address)
{
    const char *at = strrchr(text, '@');
    return at != NULL && at > text && text_to_u64(at + 1, address) ? at : NULL;
}

/* Matches a text: a name in reports, or what fit_symbol matches. The latter may have @ADDRESS after it, or the source
 * file, unit or object and a colon before it. */
static fit fit_of(const profile_function *f, const char *text)
{
    uint64_t address;
    if (f->name != NULL && strcmp(f->name, text) == 0)
        return FIT_NAME;
    fit best = fit_symbol(f, text);
    const char *suffix = best == FIT_NOT ? address_suffix(text, &address) : NULL;
    if (suffix != NULL && address == (uint32_t)f->start) {
        char *part = strndup(text, (size_t)(suffix - text));
        best = part != NULL && strchr(part, '@') == NULL ? fit_of(f, part) : FIT_NOT;
        free(part);
    }
    for (const char *colon = text; best == FIT_NOT && (colon = strchr(colon, ':')) != NULL; colon++) {
        size_t length = (size_t)(colon - text);
        if (ends_path(f->source, text, length) || ends_path(f->unit, text, length) ||
            ends_path(f->object, text, length))
            best = fit_symbol(f, colon + 1);
    }
    return best;
}

/* Makes an error with as many of the `count` functions that `text` matches as fit into the hint. */
static void list_candidates(const profile_function *const *found, size_t count, const char *text,
                            p5_error *error)
{
    char list[sizeof error->hint - 60] = "";
    size_t length = 0, shown = 0;
    for (; shown < count; shown++) {
        const profile_function *f = found[shown];
        char one[200], *name = f->name != NULL ? strdup(f->name) : full_name(f, false);
        int size = snprintf(one, sizeof one, "%s%s (0x%" PRIx32 ")", shown > 0 ? ", " : "",
                            name != NULL ? name : "", (uint32_t)f->start);
        free(name);
        if (size >= (int)sizeof one || length + (size_t)size >= sizeof list)
            break;
        memcpy(list + length, one, (size_t)size + 1);
        length += (size_t)size;
    }
    error_set(error, P5_ERR_NAME, "'%.150s' is the name of %zu functions", text, count);
    if (shown == count)
        error_hint(error, "Name one, or give its address: %s", list);
    else if (shown > 0)
        error_hint(error, "Name one, or give its address: %s, and %zu more", list, count - shown);
    else
        error_hint(error, "Give the address of one: 0x%" PRIx32 " is the first", (uint32_t)found[0]->start);
}

int functions_find(const profile_function *functions, size_t count, const char *text, p5_error *error)
{
    uint64_t address = 0;
    bool by_address = text[0] >= '0' && text[0] <= '9' && text_to_u64(text, &address);
    ARRAY_OF(const profile_function *) found = {0}; /* those that match best so far */
    fit best = FIT_NOT;
    int result = FUNCTION_NONE;
    for (size_t i = 0; i < count; i++) {
        const profile_function *f = &functions[i];
        bool inside = (uint32_t)f->start <= address && address < (uint32_t)f->start + (f->end - f->start);
        fit how = !by_address ? fit_of(f, text) : inside ? FIT_NAME : FIT_NOT;
        if (how == FIT_NOT || how < best)
            continue;
        if (how > best)
            found.count = 0;
        best = how;
        bool same = false; /* found already, by another symbol */
        for (size_t j = 0; j < found.count && !same; j++)
            same = found.items[j]->start == f->start;
        if (same)
            continue;
        if (!ARRAY_ADD(&found, f)) {
            free(found.items);
            error_set(error, P5_ERR_MEMORY, "out of memory");
            return FUNCTION_AMBIGUOUS;
        }
        result = found.count == 1 ? (int)i : FUNCTION_AMBIGUOUS;
    }
    if (result == FUNCTION_AMBIGUOUS)
        list_candidates((const profile_function *const *)found.items, found.count, text, error);
    free(found.items);
    return result;
}
