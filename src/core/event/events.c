/* Lookup of performance events by name, alias or raw code. The tables come from events/events.tsv. Names are compared
 * without regard to case, and '-', '_' and ' ' are equal (text_same_name). Other programs' names for events, such as
 * perf's, are found, too (p5_perf_names). */
#include "core/event/events.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

enum { CODES = 64 }; /* CESR's select codes have six bits */

const p5_event_info *p5_event_describe(enum p5_event id)
{
    assert((unsigned)id < P5_EVENT_COUNT);
    return &events_table[id];
}

int p5_event_by_code(unsigned code, unsigned counter, unsigned family)
{
    if (code >= CODES || counter > 1)
        return -1;
    int id = events_by_code[code][counter];
    return id >= 0 && (events_table[id].families & family) != 0 ? id : -1;
}

const p5_event_reserved *p5_event_reserved_codes(size_t *count)
{
    *count = events_reserved_count;
    return events_reserved;
}

bool p5_event_is_clocks(const char *name)
{
    if (text_same_name(name, "clocks"))
        return true;
    for (const p5_perf_name *perf = p5_perf_names(); perf->name != NULL; perf++)
        if (perf->event == P5_PERF_CLOCKS && text_same_name(name, perf->name))
            return true;
    return false;
}

bool event_parse_raw(const char *name, unsigned *code, int *counter)
{
    if (name[0] != 'r' && name[0] != 'R')
        return false;
    unsigned digits = 0;
    unsigned value = 0;
    const char *c = name + 1;
    for (; isxdigit((unsigned char)*c); c++, digits++) {
        if (digits == 4)
            return false;
        int digit = isdigit((unsigned char)*c) ? *c - '0' : tolower((unsigned char)*c) - 'a' + 10;
        value = value * 16 + (unsigned)digit;
    }
    if (digits == 0)
        return false;
    *code = value;
    *counter = -1;
    if (c[0] == '.' && (c[1] == '0' || c[1] == '1')) {
        *counter = c[1] - '0';
        c += 2;
    }
    return *c == '\0';
}

/* Finds the event with a select code on `counter` (0, 1, or -1: on either, if both mean the same). */
static p5_status find_raw(unsigned code, int counter, enum p5_event *id, p5_error *error)
{
    if (code >= CODES)
        return error_set(error, P5_ERR_RANGE, "event code %Xh is out of range: CESR selects codes 00h to 3Fh",
                         code);
    int on[2] = {events_by_code[code][0], events_by_code[code][1]};
    if (counter < 0 && on[0] >= 0 && on[1] >= 0 && on[0] != on[1]) {
        error_set(error, P5_ERR_NAME,
                  "event code %02Xh means one thing on counter 0 and another on counter 1", code);
        error_hint(error, "r%02x.0 is %s, r%02x.1 is %s", code, events_table[on[0]].name, code,
                   events_table[on[1]].name);
        return P5_ERR_NAME;
    }
    int found = counter >= 0 ? on[counter] : on[0] >= 0 ? on[0] : on[1];
    if (found < 0) {
        if (counter >= 0)
            error_set(error, P5_ERR_NAME, "event code %02Xh selects nothing on counter %d", code, counter);
        else
            error_set(error, P5_ERR_NAME, "event code %02Xh selects nothing: it is reserved", code);
        if (counter >= 0 && on[1 - counter] >= 0)
            error_hint(error, "r%02x.%d is %s", code, 1 - counter, events_table[on[1 - counter]].name);
        return P5_ERR_NAME;
    }
    *id = (enum p5_event)found;
    return P5_OK;
}

/* If `name` is what `stat` counts besides events, the clocks or an owner of clocks (a stall cause, agi or stall_agi), adds
 * a hint that says what to use. Returns whether it did. */
static bool hint_no_event(const char *name, p5_error *error)
{
    if (text_same_name(name, "clocks") || text_same_name(name, "cycles")) {
        error_hint(error, "the clocks outside HLT are %s",
                   events_table[P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE].name);
        return true;
    }
    for (unsigned i = 0; i < P5_STALL_COUNT; i++) {
        const stall_row *owner = &stalls_table[i];
        char clocks[48];
        snprintf(clocks, sizeof clocks, "stall_%s", owner->name);
        if (!text_same_name(name, owner->name) && !text_same_name(name, clocks))
            continue;
        if (owner->event >= 0)
            error_hint(error, "the clocks of %s are %s in reports; its event is %s", owner->name, clocks,
                       events_table[owner->event].name);
        else
            error_hint(error, "the clocks of %s are %s in reports", owner->name, clocks);
        return true;
    }
    return false;
}

p5_status p5_event_find(const char *name, enum p5_event *id, p5_error *error)
{
    if (name == NULL)
        return error_null(error, "name");
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
        if (text_same_name(name, events_table[i].name)) {
            *id = (enum p5_event)i;
            return P5_OK;
        }
        for (const char *const *alias = events_table[i].aliases; *alias != NULL; alias++)
            if (text_same_name(name, *alias)) {
                *id = (enum p5_event)i;
                return P5_OK;
            }
    }
    for (const p5_perf_name *perf = p5_perf_names(); perf->name != NULL; perf++)
        if (perf->event != P5_PERF_CLOCKS && text_same_name(name, perf->name)) {
            *id = (enum p5_event)perf->event;
            return P5_OK;
        }
    unsigned code;
    int counter;
    if (event_parse_raw(name, &code, &counter))
        return find_raw(code, counter, id, error);
    if (error == NULL)
        return P5_ERR_NAME;

    text_nearest nearest;
    text_nearest_init(&nearest, name);
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
        text_nearest_offer(&nearest, events_table[i].name);
        for (const char *const *alias = events_table[i].aliases; *alias != NULL; alias++)
            text_nearest_offer(&nearest, *alias);
    }
    for (const p5_perf_name *perf = p5_perf_names(); perf->name != NULL; perf++)
        text_nearest_offer(&nearest, perf->name);
    char sentence[P5_ERROR_TEXT];
    error_set(error, P5_ERR_NAME, "there is no event '%s'", name);
    if (hint_no_event(name, error))
        return P5_ERR_NAME;
    error_hint(error, "%s", text_nearest_sentence(&nearest, sentence, sizeof sentence));
    return P5_ERR_NAME;
}
