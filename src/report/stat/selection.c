/* Parses event selections, the argument of -e. */
#include "p5scope/report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"

/* Modifiers of one item. */
typedef struct modifiers {
    bool user, system, clocks;
    const char *text; /* as written, without the colon */
    size_t length;
} modifiers;

/* The parser's position in the text; columns count from 1. */
typedef struct spec {
    p5_selection *selection;
    const char *text;
    const char *at;
    unsigned family;
    p5_error *error;
} spec;

static p5_status fail_at(spec *in, const char *place, p5_status status, const char *message)
{
    if (message != NULL)
        error_set(in->error, status, "%s", message);
    error_at(in->error, "", 0, (unsigned)(place - in->text) + 1);
    return status;
}

static bool ends_name(char c)
{
    return c == '\0' || c == ',' || c == ':' || c == '{' || c == '}';
}

static bool is_space(char c)
{
    return isspace((unsigned char)c) != 0;
}

static void skip_space(spec *in)
{
    while (is_space(*in->at))
        in->at++;
}

static p5_status parse_modifiers(spec *in, modifiers *found)
{
    memset(found, 0, sizeof *found);
    skip_space(in);
    if (*in->at != ':')
        return P5_OK;
    const char *start = ++in->at;
    for (; !ends_name(*in->at) && !is_space(*in->at); in->at++) {
        switch (tolower((unsigned char)*in->at)) {
        case 'u':
            found->user = true;
            break;
        case 'k':
            found->system = true;
            break;
        case 'c':
            found->clocks = true;
            break;
        default:
            return fail_at(in, in->at, P5_ERR_SYNTAX,
                           "a modifier is u (CPL 3), k (CPL 0-2) or c (clocks in which the signal was on)");
        }
    }
    if (in->at == start)
        return fail_at(in, start, P5_ERR_SYNTAX, "modifiers u, k or c are due after the colon");
    found->text = start;
    found->length = (size_t)(in->at - start);
    skip_space(in);
    return P5_OK;
}

static p5_status add_row(spec *in, int event, unsigned group, const modifiers *mods)
{
    p5_selection *selection = in->selection;
    if (!ARRAY_ROOM(selection))
        return error_set(in->error, P5_ERR_MEMORY, "no memory for the event selection");
    p5_selected *row = &selection->items[selection->count++];
    memset(row, 0, sizeof *row);
    row->event = event;
    row->group = group;
    bool both = mods->user == mods->system;
    row->cpl_mask = (uint8_t)((both || mods->system ? P5_CPL_MASK_SYSTEM : 0) |
                              (both || mods->user ? P5_CPL_MASK_USER : 0));
    row->asserted = mods->clocks;
    const char *name = "clocks";
    row->supported = true;
    if (event != P5_SELECT_CLOCKS) {
        const p5_event_info *info = p5_event_describe((enum p5_event)event);
        name = info->name;
        row->supported = (info->families & in->family) != 0;
    }
    snprintf(row->name, sizeof row->name, mods->length > 0 ? "%s:%.*s" : "%s", name, (int)mods->length,
             mods->text);
    return P5_OK;
}

/* Adds the rows that one name selects. */
static p5_status add_name(spec *in, const char *start, size_t length, unsigned group, const modifiers *mods)
{
    char name[112];
    if (length >= sizeof name)
        return fail_at(in, start, P5_ERR_NAME, "no event has so long a name");
    memcpy(name, start, length);
    name[length] = '\0';
    bool all = text_same_name(name, "all");
    if (p5_event_is_clocks(name))
        return add_row(in, P5_SELECT_CLOCKS, group, mods);
    if (!all && strpbrk(name, "*?") == NULL) {
        enum p5_event id;
        p5_status status = p5_event_find(name, &id, in->error);
        if (status != P5_OK) {
            if (text_distance(name, "clocks") <= 2)
                error_hint(in->error, "did you mean 'clocks'?");
            return fail_at(in, start, status, NULL);
        }
        return add_row(in, (int)id, group, mods);
    }
    size_t before = in->selection->count;
    for (int id = 0; id < P5_EVENT_COUNT; id++) {
        const p5_event_info *info = p5_event_describe((enum p5_event)id);
        if ((info->families & in->family) == 0 || !(all || text_glob(name, info->name)))
            continue;
        p5_status status = add_row(in, id, group, mods);
        if (status != P5_OK)
            return status;
    }
    if (in->selection->count == before) {
        error_set(in->error, P5_ERR_NAME, "no event of this model matches '%s'", name);
        return fail_at(in, start, P5_ERR_NAME, NULL);
    }
    return P5_OK;
}

/* Parses the name at the parser's position, without trailing blanks. */
static p5_status parse_name(spec *in, const char **start, size_t *length)
{
    skip_space(in);
    *start = in->at;
    while (!ends_name(*in->at))
        in->at++;
    const char *end = in->at;
    while (end > *start && is_space(end[-1]))
        end--;
    *length = (size_t)(end - *start);
    if (*length == 0)
        return fail_at(in, *start, P5_ERR_SYNTAX, "an event name is due here");
    return P5_OK;
}

typedef struct member {
    const char *start;
    size_t length;
    modifiers mods;
} member;

/* Parses '{' ... '}' [':' mods]. Members are added after the group's modifiers are known. */
static p5_status parse_group(spec *in)
{
    const char *brace = in->at++;
    struct {
        member *items;
        size_t count, capacity;
    } members = {0};
    p5_status status = P5_OK;
    for (;;) {
        if (!ARRAY_ROOM(&members)) {
            status = error_set(in->error, P5_ERR_MEMORY, "no memory for the event selection");
            break;
        }
        member *item = &members.items[members.count++];
        if ((status = parse_name(in, &item->start, &item->length)) != P5_OK ||
            (status = parse_modifiers(in, &item->mods)) != P5_OK)
            break;
        if (*in->at == '}')
            break;
        if (*in->at == ',') {
            in->at++;
            continue;
        }
        status = *in->at == '\0'
                     ? fail_at(in, brace, P5_ERR_SYNTAX, "this brace is never closed")
                     : fail_at(in, in->at, P5_ERR_SYNTAX, "a comma or a closing brace is due here");
        break;
    }
    modifiers mods = {0};
    if (status == P5_OK) {
        in->at++;
        status = parse_modifiers(in, &mods);
    }
    unsigned group = ++in->selection->groups;
    for (size_t i = 0; i < members.count && status == P5_OK; i++) {
        const member *item = &members.items[i];
        status = add_name(in, item->start, item->length, group, item->mods.length > 0 ? &item->mods : &mods);
    }
    free(members.items);
    return status;
}

static p5_status parse_single(spec *in)
{
    const char *start;
    size_t length;
    modifiers mods;
    p5_status status = parse_name(in, &start, &length);
    if (status == P5_OK)
        status = parse_modifiers(in, &mods);
    if (status == P5_OK)
        status = add_name(in, start, length, 0, &mods);
    return status;
}

p5_status p5_selection_add(p5_selection *selection, const char *text, unsigned family, p5_error *error)
{
    spec in = {.selection = selection, .text = text, .at = text, .family = family, .error = error};
    for (;;) {
        skip_space(&in);
        p5_status status = *in.at == '{' ? parse_group(&in) : parse_single(&in);
        if (status != P5_OK)
            return status;
        skip_space(&in);
        if (*in.at == '\0')
            return P5_OK;
        if (*in.at != ',')
            return fail_at(&in, in.at, P5_ERR_SYNTAX, "a comma is due between events");
        in.at++;
    }
}

void p5_selection_free(p5_selection *selection)
{
    free(selection->items);
    memset(selection, 0, sizeof *selection);
}

uint64_t p5_selected_value(const p5_selected *selected, const p5_counts *counts)
{
    const uint64_t *parts = selected->event == P5_SELECT_CLOCKS ? counts->clocks
                            : selected->asserted                ? counts->asserted[selected->event]
                                                                : counts->increments[selected->event];
    return p5_counts_sum(parts, selected->cpl_mask);
}

bool p5_selection_fits_counters(const p5_selection *selection, unsigned group)
{
    /* Two counters count at most one event that needs CTR0, one that needs CTR1, and two in total. Clocks
     * need none, because the TSC counts them. */
    unsigned needs[4] = {0};
    for (size_t i = 0; i < selection->count; i++) {
        const p5_selected *row = &selection->items[i];
        if (row->group == group && row->event != P5_SELECT_CLOCKS)
            needs[p5_event_describe((enum p5_event)row->event)->counters & 3]++;
    }
    return needs[P5_ON_CTR0] <= 1 && needs[P5_ON_CTR1] <= 1 &&
           needs[P5_ON_CTR0] + needs[P5_ON_CTR1] + needs[P5_ON_CTR0 | P5_ON_CTR1] <= 2;
}
