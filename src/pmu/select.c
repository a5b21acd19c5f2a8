/* A counter selection as users write it: "data_read_miss:u", "r2b.0:kc". */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "core/event/events.h"
#include "p5scope/pmu.h"

/* Parses the modifiers, which begin at `modifiers` in `text`. Errors have the column in `text`. */
static p5_status parse_modifiers(const char *text, const char *modifiers, p5_counter_select *select,
                                 p5_error *error)
{
    if (*modifiers == '\0')
        return error_set_at(error, P5_ERR_SYNTAX, (error_place){.column = (unsigned)(modifiers - text) + 1},
                            "expected a modifier after ':': u, k, c or p");
    for (const char *m = modifiers; *m != '\0'; m++) {
        switch (*m) {
        case 'u':
            select->user = true;
            break;
        case 'k':
            select->system = true;
            break;
        case 'c':
            select->clocks = true;
            break;
        case 'p':
            select->overflow_pin = true;
            break;
        default:
            return error_set_at(error, P5_ERR_SYNTAX, (error_place){.column = (unsigned)(m - text) + 1},
                                "unknown modifier '%c': u counts at CPL 3, k at CPL 0-2, c clocks, "
                                "p lets the pin show overflows",
                                *m);
        }
    }
    return P5_OK;
}

/* Finds an event by name. A raw code without a counter (r2b) means that of `counter`, which is being programmed. */
static p5_status find_event(const char *name, unsigned counter, enum p5_event *event, p5_error *error)
{
    char with_counter[16];
    unsigned code;
    int on; /* the counter of a raw code, -1 if it names none */
    if (event_parse_raw(name, &code, &on) && on < 0) {
        snprintf(with_counter, sizeof with_counter, "r%x.%u", code, counter);
        name = with_counter;
    }
    return p5_event_find(name, event, error);
}

p5_status p5_counter_parse(const char *text, unsigned counter, unsigned family, p5_counter_select *select,
                           p5_error *error)
{
    char name[160];
    if (text == NULL)
        return error_null(error, "text");
    if (counter > 1)
        return error_set(error, P5_ERR_RANGE, "there is no counter %u: counters are 0 and 1", counter);
    const char *colon = strchr(text, ':');
    size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
    if (length >= sizeof name)
        return error_set(error, P5_ERR_NAME, "there is no event with so long a name");
    memcpy(name, text, length);
    name[length] = '\0';

    p5_counter_select parsed = {0};
    p5_status status = colon != NULL ? parse_modifiers(text, colon + 1, &parsed, error) : P5_OK;
    if (status != P5_OK)
        return status;
    enum p5_event event;
    status = find_event(name, counter, &event, error);
    if (status != P5_OK)
        return status;
    const p5_event_info *info = p5_event_describe(event);
    bool any = (family & P5_MONITORS) != 0; /* each counter of a later monitor counts every event */
    if ((info->families & family) == 0)
        return error_set(error, P5_ERR_UNSUPPORTED, "%s (%02Xh) needs a processor with MMX technology",
                         info->name, info->code);
    if (!any && (info->counters & (1U << counter)) == 0) {
        error_set(error, P5_ERR_UNSUPPORTED, "%s (%02Xh) is only on counter %u", info->name, info->code,
                  counter == 0 ? 1U : 0U);
        /* The same code may select another event on this counter. */
        int twin = p5_event_by_code(info->code, counter, family);
        if (twin >= 0)
            error_hint(error, "on counter %u code %02Xh is %s", counter, info->code,
                       p5_event_describe((enum p5_event)twin)->name);
        return P5_ERR_UNSUPPORTED;
    }
    if (!parsed.user && !parsed.system)
        parsed.user = parsed.system = true;
    parsed.code = info->code;
    /* Later monitors: tells the two events of a code apart. CESR has no such bit; there, the counter does. */
    parsed.unit_mask = (info->counters & P5_ON_CTR0) == 0;
    *select = parsed;
    return P5_OK;
}
