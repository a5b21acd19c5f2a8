/* Selects the columns of files for callgrind_annotate and cg_annotate. */
#include "report/profile/grind_columns.h"

#include <string.h>

#include "base/error.h"

enum { MOST_SHOWN = 64 }; /* events that a user can select */
_Static_assert(MOST_SHOWN <= P5_EVENT_COUNT + P5_STALL_COUNT, "they fit into grind_columns.values");

/* Adds a column for a quantity at all privilege levels. */
static void add_column(grind_columns *c, int quantity, const char *name)
{
    profile_value *v = &c->values[c->count++];
    *v = (profile_value){.quantity = quantity, .cpl_mask = P5_CPL_MASK_ALL};
    snprintf(v->name, sizeof v->name, "%s", name);
}

/* Returns whether a column has the quantity of `value` at the same privilege levels. */
static bool has_column(const grind_columns *c, const profile_value *value)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->values[i].quantity == value->quantity && c->values[i].cpl_mask == value->cpl_mask &&
            c->values[i].asserted == value->asserted)
            return true;
    return false;
}

/* Adds a column for a selected event. A reader of the file would take the colon of a modifier (data_read:u)
 * for a separator, so it becomes an underscore. */
static void add_value(grind_columns *c, const profile_value *value)
{
    profile_value *v = &c->values[c->count++];
    *v = *value;
    for (char *colon = v->name; (colon = strchr(colon, ':')) != NULL;)
        *colon = '_';
}

/* The columns after clocks if none were selected: work done, and the main causes of lost time. */
static const int usual[] = {P5_EVENT_INSTRUCTIONS_EXECUTED, P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE,
                            P5_EVENT_DATA_READ_MISS,        P5_EVENT_DATA_WRITE_MISS,
                            P5_EVENT_CODE_CACHE_MISS,       P5_EVENT_PIPELINE_FLUSHES,
                            P5_EVENT_PIPELINE_AGI_STALLS};

/* Adds columns for all events of the profile's processor but instructions_executed, which is a column
 * already, and for the clocks of all stall causes. */
static void add_everything(const p5_profile *p, grind_columns *c)
{
    char buffer[48];
    for (unsigned e = 0; e < P5_EVENT_COUNT; e++)
        if (e != P5_EVENT_INSTRUCTIONS_EXECUTED &&
            (p5_event_describe((enum p5_event)e)->families & p->family) != 0)
            add_column(c, (int)e, profile_quantity_name(e, buffer));
    for (unsigned q = P5_PROFILE_STALLS; q < P5_PROFILE_EXECUTIONS; q++)
        add_column(c, (int)q, profile_quantity_name(q, buffer));
}

void grind_columns_choose(const p5_profile *p, grind_columns *c)
{
    char buffer[48];
    /* Clocks are followed by usual[0], instructions_executed, in any case. */
    bool chosen = p->shown.count > 0 || p->shows_everything;
    c->count = 0;
    add_column(c, P5_PROFILE_CLOCKS, "clocks");
    for (size_t i = 0; i < (chosen ? 1 : sizeof usual / sizeof *usual); i++)
        add_column(c, usual[i], profile_quantity_name((unsigned)usual[i], buffer));
    if (p->shows_everything)
        add_everything(p, c);
    for (size_t i = 0; i < p->shown.count && !p->shows_everything; i++)
        if (!has_column(c, &p->shown.items[i]))
            add_value(c, &p->shown.items[i]);
}

p5_status p5_profile_show_events(p5_profile *p, const char *const *events, p5_error *error)
{
    p->shown.count = 0;
    p->shows_everything = false;
    for (; events != NULL && *events != NULL; events++) {
        profile_value value;
        if (strcmp(*events, "all") == 0) {
            p->shows_everything = true;
            continue;
        }
        p5_status status = profile_value_find(p->family, *events, &value, error);
        if (status != P5_OK)
            return status;
        if (p->shown.count == MOST_SHOWN)
            return error_set(error, P5_ERR_RANGE, "more than %d events", MOST_SHOWN);
        if (!ARRAY_ADD(&p->shown, value))
            return error_set(error, P5_ERR_MEMORY, "out of memory");
    }
    return P5_OK;
}
