/* The data of a profile in memory (profile_internal.h explains its terms): lookup by address and name, source
 * paths, sorting and checking, and sums of quantities. */
#include "report/profile/profile_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"
#include "p5tool/report.h"
#include "report/stat/scan.h"

void p5_profile_free(p5_profile *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->sites.count; i++)
        free(p->sites.items[i].amounts.items);
    free(p->fields.items);
    free(p->functions.items);
    free(p->files.items);
    free(p->file_names.items);
    free(p->folders.items);
    free(p->insns.items);
    free(p->contexts.items);
    free(p->edges.items);
    free(p->sites.items);
    free(p->samples.items);
    free(p->btb.items);
    free(p->shown.items);
    free(p->intervals.items);
    free(p->markers.items);
    free(p->objects.items);
    arena_free_all(&p->texts);
    free(p);
}

/* ---- lookup -------------------------------------------------------------------------------------------- */

size_t profile_insn_from(const p5_profile *p, uint64_t address)
{
    return ARRAY_SEARCH(p->insns.items, p->insns.count, code.address, address);
}

int profile_insn_at(const p5_profile *p, uint64_t address)
{
    size_t low = profile_insn_from(p, address);
    return low < p->insns.count && p->insns.items[low].code.address == address ? (int)low : PROFILE_NO_INDEX;
}

int profile_function_at(const p5_profile *p, uint64_t address)
{
    /* the first function that ends after the address */
    size_t low = ARRAY_SEARCH(p->functions.items, p->functions.count, end, address + 1ull);
    return low < p->functions.count && p->functions.items[low].start <= address ? (int)low : PROFILE_NO_INDEX;
}

p5_status profile_find_function(const p5_profile *p, const char *name, int *found, p5_error *error)
{
    *found = functions_find(p->functions.items, p->functions.count, name, error);
    if (*found >= 0)
        return P5_OK;
    if (*found == FUNCTION_AMBIGUOUS)
        return P5_ERR_NAME;

    text_nearest nearest;
    text_nearest_init(&nearest, name);
    for (size_t i = 0; i < p->functions.count; i++)
        text_nearest_offer(&nearest, p->functions.items[i].name);
    error_set(error, P5_ERR_NAME, "no function '%s' was executed", name);
    error_nearest(error, &nearest);
    return P5_ERR_NAME;
}

const char *profile_object_at(const p5_profile *p, uint64_t address)
{
    return p->objects.items[PROFILE_SPACE(address)];
}

const char *profile_name_at(const p5_profile *p, uint64_t address, char buffer[16])
{
    if (address == 0) /* costs that belong to no instruction */
        return "[bus]";
    int function = profile_function_at(p, address);
    if (function != PROFILE_NO_INDEX)
        return p->functions.items[function].name;
    snprintf(buffer, 16, "0x%08" PRIx32, (uint32_t)address);
    return buffer;
}

const char *profile_file_name(const p5_profile *p, int file)
{
    return file == PROFILE_NO_INDEX ? "???" : p->file_names.items[file];
}

char *profile_printable(p5_profile *p, const char *text)
{
    char *printable = utf8_printable(text), *copy = printable ? arena_text(&p->texts, printable) : NULL;
    free(printable);
    return copy;
}

/* Files that have a name already keep it; functions get new ones. */
bool profile_make_names(p5_profile *p)
{
    bool fits = functions_name(p->functions.items, p->functions.count, p->mangled, &p->texts);
    for (size_t i = p->file_names.count; fits && i < p->files.count; i++)
        fits = ARRAY_ADD(&p->file_names, profile_printable(p, p->files.items[i])) && p->file_names.items[i];
    return fits;
}

p5_status p5_profile_show_mangled(p5_profile *profile, bool mangled, p5_error *error)
{
    profile->mangled = mangled;
    return profile_make_names(profile) ? P5_OK : error_set(error, P5_ERR_MEMORY, "out of memory");
}

/* ---- source files -------------------------------------------------------------------------------------- */

p5_status p5_profile_move_sources(p5_profile *p, const char *rule, p5_error *error)
{
    const char *equals = strchr(rule, '=');
    if (equals == NULL || equals[1] == '\0') {
        error_set(error, P5_ERR_SYNTAX, "two folders are needed: FROM=TO");
        error_hint(
            error,
            "FROM is the beginning of a path as the profile shows it, for example /build/src=/home/me/src");
        return P5_ERR_SYNTAX;
    }
    const source_folder folder = {arena_text_part(&p->texts, rule, (size_t)(equals - rule)),
                                  arena_text(&p->texts, equals + 1)};
    if (!folder.from || !folder.to || !ARRAY_ADD(&p->folders, folder))
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    return P5_OK;
}

/* Returns the part of `path` after the folder `from`; it may begin with a slash. NULL: the path is outside
 * that folder. A relative path is inside both "" and ".". */
static const char *part_in_folder(const char *path, const char *from)
{
    size_t length = strlen(from);
    while (length > 1 && from[length - 1] == '/')
        length--;
    if (length == 0 || strcmp(from, ".") == 0)
        return path[0] != '/' ? path : NULL;
    if (strncmp(path, from, length) != 0)
        return NULL;
    return path[length] == '/' || path[length] == '\0' || from[length - 1] == '/' ? path + length : NULL;
}

/* The first rule that matches applies. */
char *profile_source_path(const p5_profile *p, int file)
{
    const char *path = p->files.items[file], *to = NULL, *rest = path;
    for (size_t i = 0; i < p->folders.count && to == NULL; i++) {
        const char *inside = part_in_folder(path, p->folders.items[i].from);
        if (inside != NULL) {
            to = p->folders.items[i].to;
            rest = inside + strspn(inside, "/");
        }
    }
    size_t size = strlen(rest) + (to != NULL ? strlen(to) : 0) + 2;
    char *moved = malloc(size);
    if (moved != NULL)
        snprintf(moved, size, "%s%s%s", to != NULL ? to : "", to != NULL && rest[0] != '\0' ? "/" : "", rest);
    return moved;
}

/* ---- order --------------------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const profile_function *x = a, *y = b;
    return ARRAY_ORDER(x->start, y->start);
}

static int by_address(const void *a, const void *b)
{
    const profile_insn *x = a, *y = b;
    return ARRAY_ORDER(x->code.address, y->code.address);
}

static int by_site(const void *a, const void *b)
{
    const profile_site *x = a, *y = b;
    return ARRAY_ORDER(x->address, y->address) ?: ARRAY_ORDER(x->context, y->context)
           ?: ARRAY_ORDER(x->cpl_class, y->cpl_class);
}

/* Returns whether the address lies in an address space of the profile; each space has a name in
 * p->objects. */
static bool in_space(const p5_profile *p, uint64_t address)
{
    return PROFILE_SPACE(address) < p->objects.count;
}

bool profile_finish(p5_profile *p)
{
    ARRAY_SORT(&p->functions, by_start);
    ARRAY_SORT(&p->insns, by_address);
    ARRAY_SORT(&p->sites, by_site);
    bool right = p->contexts.count > PROFILE_ROOT && p->objects.count > 0;
    /* Only the root may be its own parent. All other parents have lower numbers, so there are no loops. */
    for (size_t i = PROFILE_ROOT; i < p->contexts.count; i++)
        right &= p->contexts.items[i].parent < i + (i == PROFILE_ROOT ? 1 : 0) &&
                 p->contexts.items[i].parent != 0 && in_space(p, p->contexts.items[i].function) &&
                 in_space(p, p->contexts.items[i].call_site);
    for (size_t i = 0; i < p->sites.count; i++)
        right &= p->sites.items[i].context != 0 && p->sites.items[i].context < p->contexts.count &&
                 p->sites.items[i].cpl_class < P5_CPL_CLASSES && in_space(p, p->sites.items[i].address);
    for (size_t i = 0; i < p->edges.count; i++) {
        const profile_edge *e = &p->edges.items[i];
        right &= e->from != 0 && e->to != 0 && e->from < p->contexts.count && e->to < p->contexts.count &&
                 in_space(p, e->function) && in_space(p, e->call_site);
    }
    for (size_t i = 0; i < p->samples.count; i++)
        right &= p->samples.items[i].context < p->contexts.count && in_space(p, p->samples.items[i].address);
    for (size_t i = 0; i < p->insns.count; i++)
        right &= p->insns.items[i].file < (int)p->files.count && in_space(p, p->insns.items[i].code.address);
    for (size_t i = 0; i < p->functions.count; i++)
        right &= in_space(p, p->functions.items[i].start);
    return right;
}

/* ---- values -------------------------------------------------------------------------------------------- */

double profile_percent(uint64_t part, uint64_t whole)
{
    return whole != 0 ? 100.0 * (double)part / (double)whole : 0;
}

const char *profile_colour(bool colour, double percent)
{
    return !colour ? "" : percent >= 5 ? "\033[31m" : percent >= 0.5 ? "\033[32m" : "";
}

/* Names of the quantities from P5_PROFILE_EXECUTIONS to P5_PROFILE_UNPAIRED, which counts executions in U
 * with a partner in V. The n-th quantity after it counts executions in U without one for reason n
 * (p5_unpaired_text). */
static const char *const rest_names[] = {"executions", "in_v", "paired"};

const char *profile_quantity_name(unsigned quantity, char buffer[48])
{
    if (quantity < P5_EVENT_COUNT)
        return p5_event_describe((enum p5_event)quantity)->name;
    if (quantity < P5_PROFILE_EXECUTIONS)
        snprintf(buffer, 48, "stall_%s", p5_stall_name((p5_stall)(quantity - P5_PROFILE_STALLS)));
    else if (quantity <= P5_PROFILE_UNPAIRED)
        return rest_names[quantity - P5_PROFILE_EXECUTIONS];
    else
        snprintf(buffer, 48, "alone_%u", quantity - P5_PROFILE_UNPAIRED);
    return buffer;
}

p5_status profile_value_find(unsigned family, const char *name, profile_value *value, p5_error *error)
{
    *value = (profile_value){.quantity = P5_PROFILE_NONE, .cpl_mask = P5_CPL_MASK_ALL};
    snprintf(value->name, sizeof value->name, "%s", name);
    /* Quantities that are no events are looked for first, by the name before the modifiers. */
    char own[sizeof value->name], buffer[48];
    size_t length = strcspn(name, ":");
    snprintf(own, sizeof own, "%.*s", (int)length, name);
    for (unsigned q = P5_EVENT_COUNT; q < P5_PROFILE_QUANTITIES; q++) {
        if (!text_same_name(profile_quantity_name(q, buffer), own))
            continue;
        scanner s = {name, name + length, error};
        event_modifiers modifiers;
        p5_status status = scan_modifiers(&s, &modifiers);
        value->quantity = (int)q;
        value->cpl_mask = modifiers.cpl_mask;
        if (status == P5_OK && (modifiers.asserted || *s.at != '\0'))
            status = scan_fail(&s, modifiers.asserted ? strpbrk(modifiers.text, "cC") : s.at, P5_ERR_SYNTAX,
                               "a modifier is u (CPL 3) or k (CPL 0-2): the processor has no such event");
        snprintf(value->name, sizeof value->name, "%s", profile_quantity_name(q, buffer));
        if (modifiers.length > 0)
            snprintf(value->name + strlen(value->name), sizeof value->name - strlen(value->name), ":%.*s",
                     (int)modifiers.length, modifiers.text);
        return status;
    }
    p5_selected found;
    p5_status status = scan_selected(name, family, &found, error);
    if (status == P5_OK) {
        value->quantity = found.event == P5_SELECT_CLOCKS ? P5_PROFILE_CLOCKS : found.event;
        value->cpl_mask = found.cpl_mask;
        value->asserted = found.asserted;
        snprintf(value->name, sizeof value->name, "%s", found.name);
    }
    return status;
}

unsigned p5_profile_family(const p5_profile *profile)
{
    return profile->family;
}

p5_status p5_profile_event_check(unsigned family, const char *name, char spelled[P5_PROFILE_EVENT_NAME],
                                 p5_error *error)
{
    profile_value value;
    p5_status status = profile_value_find(family, name, &value, error);
    if (spelled != NULL)
        memcpy(spelled, value.name, sizeof value.name);
    return status;
}

/* Returns whether amounts of `quantity` belong to the selected value. The value "clocks" includes all stall
 * causes, because each clock has one. */
static bool counts_for(const profile_value *value, unsigned quantity)
{
    if (value->quantity == P5_PROFILE_CLOCKS)
        return quantity >= P5_PROFILE_STALLS && quantity < P5_PROFILE_EXECUTIONS;
    return (int)quantity == value->quantity;
}

uint64_t profile_amounts_value(const profile_site *site, const profile_value *value)
{
    uint64_t sum = 0;
    if ((value->cpl_mask >> site->cpl_class & 1) == 0)
        return 0;
    for (size_t i = 0; i < site->amounts.count; i++) {
        const profile_amount *a = &site->amounts.items[i];
        if (counts_for(value, a->quantity))
            sum += value->asserted ? a->asserted : a->increments;
    }
    return sum;
}

uint64_t profile_total_value(const p5_profile *p, const profile_value *value)
{
    uint64_t sum = 0;
    for (unsigned q = 0; q < P5_PROFILE_QUANTITIES; q++)
        for (unsigned class = 0; class < P5_CPL_CLASSES; class ++)
            if (counts_for(value, q) && (value->cpl_mask >> class & 1))
                sum += value->asserted ? p->asserted[q][class] : p->total[q][class];
    return sum;
}

uint64_t *profile_sum_by_insn(const p5_profile *p, const profile_value *values, size_t count)
{
    uint64_t *sums = calloc(p->insns.count * count + 1, sizeof *sums);
    for (size_t i = 0; sums && i < p->sites.count; i++) {
        int insn = profile_insn_at(p, p->sites.items[i].address);
        for (size_t v = 0; insn != PROFILE_NO_INDEX && v < count; v++)
            sums[(size_t)insn * count + v] += profile_amounts_value(&p->sites.items[i], &values[v]);
    }
    return sums;
}

uint64_t *profile_sum_by_context(const p5_profile *p, const profile_value *values, size_t count)
{
    uint64_t *sums = calloc(p->contexts.count * count + 1, sizeof *sums);
    if (!sums)
        return NULL;
    for (size_t i = 0; i < p->sites.count; i++)
        for (size_t v = 0; v < count; v++)
            sums[p->sites.items[i].context * count + v] +=
                profile_amounts_value(&p->sites.items[i], &values[v]);
    /* callees come before their callers: parents have lower numbers */
    for (size_t i = p->contexts.count; i-- > PROFILE_ROOT + 1;)
        for (size_t v = 0; v < count; v++)
            sums[p->contexts.items[i].parent * count + v] += sums[i * count + v];
    return sums;
}
