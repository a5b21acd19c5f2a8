/* Parses event selections, the argument of -e. The grammar is at p5_selection_add in p5tool/report.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "p5tool/report.h"
#include "report/stat/scan.h"

typedef struct parser {
    scanner scan;
    p5_selection *selection;
    unsigned family; /* of the model */
    unsigned group;  /* number of the {group} being parsed; 0 = none */
} parser;

/* Adds a row without modifiers. `event` is as in p5_selected. */
static p5_status add_row(parser *in, int event)
{
    p5_selection *selection = in->selection;
    if (!ARRAY_ROOM(selection))
        return error_set(in->scan.error, P5_ERR_MEMORY, "no memory for the event selection");
    p5_selected *row = &selection->items[selection->count++];
    *row = (p5_selected){
        .event = event, .group = in->group, .cpl_mask = P5_CPL_MASK_ALL, .supported = true, .name = "clocks"};
    const p5_event_info *info = p5_selected_event(row);
    if (info != NULL) {
        snprintf(row->name, sizeof row->name, "%s", info->name);
        row->supported = (info->families & in->family) != 0;
    } else if (event != P5_SELECT_CLOCKS) {
        scan_stall_name((p5_stall)(event - P5_SELECT_STALL), row->name);
    }
    return P5_OK;
}

/* Adds a row for each cause of clocks whose name, stall_CAUSE, matches a pattern. */
static p5_status add_stalls(parser *in, const char *pattern)
{
    p5_status status = P5_OK;
    char name[SCAN_STALL_NAME];
    for (unsigned i = 0; i < P5_STALL_COUNT && status == P5_OK; i++)
        if (text_glob(pattern, scan_stall_name((p5_stall)i, name)))
            status = add_row(in, P5_SELECT_STALL + (int)i);
    return status;
}

/* Adds a row for each event of the model that matches a pattern, which was written at `at`. A pattern that begins with
 * stall_ selects the causes of clocks, too; others, such as '*read*', do not. */
static p5_status add_matches(parser *in, const char *pattern, const char *at)
{
    size_t before = in->selection->count;
    p5_status status = P5_OK;
    for (int id = 0; id < P5_EVENT_COUNT && status == P5_OK; id++) {
        const p5_event_info *info = p5_event_describe((enum p5_event)id);
        if ((info->families & in->family) != 0 && text_glob(pattern, info->name))
            status = add_row(in, id);
    }
    if (status == P5_OK && text_glob("stall_*", pattern))
        status = add_stalls(in, pattern);
    if (status != P5_OK || in->selection->count > before)
        return status;
    return scan_fail(&in->scan, at, P5_ERR_NAME, "no event of this model matches '%s'", pattern);
}

/* Parses a name, which extends to the next comma, colon or brace, and adds the rows that it selects. */
static p5_status parse_name(parser *in)
{
    const char *start = scan_blanks(&in->scan);
    size_t length = strcspn(start, ",:{}");
    in->scan.at += length;
    while (length > 0 && isspace((unsigned char)start[length - 1]))
        length--;
    char name[sizeof in->selection->items->name];
    int event;
    if (length == 0)
        return scan_fail(&in->scan, start, P5_ERR_SYNTAX, "the name of an event is missing here");
    if (length >= sizeof name)
        return scan_fail(&in->scan, start, P5_ERR_NAME, "no event has so long a name");
    snprintf(name, sizeof name, "%.*s", (int)length, start);
    if (text_same_name(name, "all") || strpbrk(name, "*?") != NULL)
        return add_matches(in, text_same_name(name, "all") ? "*" : name, start);
    if (text_same_name(name, "stalls"))
        return add_stalls(in, "*");
    p5_status status = scan_event(name, &event, in->scan.error);
    if (status == P5_OK)
        return add_row(in, event);
    error_at(in->scan.error, NULL, 0, (unsigned)(start - in->scan.text) + 1);
    return status;
}

/* Applies modifiers to a row, unless it has its own. The modifier c is an error if the row shows no event. */
static p5_status modify(parser *in, p5_selected *row, const event_modifiers *modifiers)
{
    if (modifiers->length == 0 || strchr(row->name, ':') != NULL)
        return P5_OK;
    if (modifiers->asserted && p5_selected_event(row) == NULL)
        return scan_fail(&in->scan, strpbrk(modifiers->text, "cC"), P5_ERR_SYNTAX,
                         "the modifier c is for events only, and %s is none", row->name);
    size_t length = strlen(row->name);
    row->cpl_mask = modifiers->cpl_mask;
    row->asserted = modifiers->asserted;
    snprintf(row->name + length, sizeof row->name - length, ":%.*s", (int)modifiers->length, modifiers->text);
    return P5_OK;
}

static bool same_row(const p5_selected *a, const p5_selected *b)
{
    return a->event == b->event && a->cpl_mask == b->cpl_mask && a->asserted == b->asserted;
}

/* Removes the rows from number `first` on that show the same as any earlier row. A member of a group is only removed
 * with `of_groups`. */
static void drop_repeated(p5_selection *selection, size_t first, bool of_groups)
{
    size_t kept = first;
    for (size_t i = first; i < selection->count; i++) {
        const p5_selected row = selection->items[i];
        size_t same = 0;
        while (same < kept && !same_row(&selection->items[same], &row))
            same++;
        if (same == kept || (row.group != 0 && !of_groups))
            selection->items[kept++] = row;
    }
    selection->count = kept;
}

/* Parses items with commas between them: the whole text (`brace` NULL), or the members of the group that begins at
 * `brace`. */
static p5_status parse_items(parser *in, const char *brace)
{
    p5_status status;
    do {
        size_t first = in->selection->count;
        const char *start = scan_blanks(&in->scan);
        event_modifiers modifiers;
        if (brace == NULL && scan_sign(&in->scan, "{")) {
            in->group = ++in->selection->groups;
            status = parse_items(in, start);
            in->group = 0;
        } else {
            status = parse_name(in);
        }
        if (status == P5_OK)
            status = scan_modifiers(&in->scan, &modifiers);
        for (size_t i = first; i < in->selection->count && status == P5_OK; i++)
            status = modify(in, &in->selection->items[i], &modifiers);
        drop_repeated(in->selection, first, false);
    } while (status == P5_OK && scan_sign(&in->scan, ","));
    if (status != P5_OK || (brace != NULL && scan_sign(&in->scan, "}")))
        return status;
    if (*in->scan.at == '\0')
        return brace == NULL ? P5_OK
                             : scan_fail(&in->scan, brace, P5_ERR_SYNTAX, "this brace is never closed");
    return scan_fail(&in->scan, in->scan.at, P5_ERR_SYNTAX,
                     brace != NULL         ? "a comma or a closing brace is missing here"
                     : *in->scan.at == '}' ? "this brace closes no group"
                                           : "a comma is missing between events");
}

p5_status p5_selection_add(p5_selection *selection, const char *text, unsigned family, p5_error *error)
{
    parser in = {.scan = {text, text, error}, .selection = selection, .family = family};
    return parse_items(&in, NULL);
}

void p5_selection_join_groups(p5_selection *selection)
{
    drop_repeated(selection, 0, true);
}

void p5_selection_free(p5_selection *selection)
{
    free(selection->items);
    memset(selection, 0, sizeof *selection);
}

const p5_event_info *p5_selected_event(const p5_selected *selected)
{
    bool is_event = selected->event >= 0 && selected->event < P5_EVENT_COUNT;
    return is_event ? p5_event_describe((enum p5_event)selected->event) : NULL;
}

uint64_t p5_selected_value(const p5_selected *selected, const p5_counts *counts)
{
    const uint64_t *parts = selected->event == P5_SELECT_CLOCKS ? counts->clocks
                            : selected->event >= P5_SELECT_STALL
                                ? counts->stalls[selected->event - P5_SELECT_STALL]
                            : selected->asserted ? counts->asserted[selected->event]
                                                 : counts->increments[selected->event];
    return p5_counts_sum(parts, selected->cpl_mask);
}

bool p5_selection_fits_counters(const p5_selection *selection, unsigned group)
{
    /* There are two counters: at most two events fit, at most one that only CTR0 can count, and at most one that only
     * CTR1 can count. Clocks need no counter, because the TSC counts them. The processor cannot count causes of clocks
     * at all, so they need none either. */
    unsigned needs[4] = {0}; /* number of events, by the set of counters that can count them */
    for (size_t i = 0; i < selection->count; i++) {
        const p5_event_info *event = p5_selected_event(&selection->items[i]);
        if (selection->items[i].group == group && event != NULL)
            needs[event->counters & 3]++;
    }
    return needs[P5_ON_CTR0] <= 1 && needs[P5_ON_CTR1] <= 1 &&
           needs[P5_ON_CTR0] + needs[P5_ON_CTR1] + needs[P5_ON_CTR0 | P5_ON_CTR1] <= 2;
}
