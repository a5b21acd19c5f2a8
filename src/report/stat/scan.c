#include "report/stat/scan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "p5tool/event.h"

p5_status scan_fail(const scanner *s, const char *at, p5_status status, const char *format, ...)
{
    char message[P5_ERROR_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error_set_at(s->error, status, (error_place){.column = (unsigned)(at - s->text) + 1}, "%s",
                        message);
}

const char *scan_blanks(scanner *s)
{
    while (isspace((unsigned char)*s->at))
        s->at++;
    return s->at;
}

bool scan_sign(scanner *s, const char *sign)
{
    bool next = strncmp(scan_blanks(s), sign, strlen(sign)) == 0;
    s->at += next ? strlen(sign) : 0;
    return next;
}

/* Without modifiers, found->length is 0 and found->cpl_mask has all levels. */
p5_status scan_modifiers(scanner *s, event_modifiers *found)
{
    *found = (event_modifiers){.cpl_mask = P5_CPL_MASK_ALL};
    if (!scan_sign(s, ":"))
        return P5_OK;
    uint8_t levels = 0;
    for (found->text = s->at; isalnum((unsigned char)*s->at); s->at++) {
        char letter = (char)tolower((unsigned char)*s->at);
        if (strchr("ukc", letter) == NULL)
            return scan_fail(s, s->at, P5_ERR_SYNTAX,
                             "a modifier is u (CPL 3), k (CPL 0-2) or c (clocks in which the signal was on)");
        levels |= letter == 'u' ? P5_CPL_MASK_USER : letter == 'k' ? P5_CPL_MASK_SYSTEM : 0;
        found->asserted |= letter == 'c';
    }
    found->cpl_mask = levels != 0 ? levels : P5_CPL_MASK_ALL;
    found->length = (size_t)(s->at - found->text);
    return found->length > 0 ? P5_OK : scan_fail(s, s->at, P5_ERR_SYNTAX, "a modifier is missing: u, k or c");
}

const char *scan_stall_name(p5_stall cause, char text[SCAN_STALL_NAME])
{
    snprintf(text, SCAN_STALL_NAME, "stall_%s", p5_stall_name(cause));
    return text;
}

p5_status scan_event(const char *name, int *event, p5_error *error)
{
    enum p5_event id;
    char stall[SCAN_STALL_NAME];
    *event = P5_SELECT_CLOCKS;
    if (p5_event_is_clocks(name))
        return P5_OK;
    for (unsigned i = 0; i < P5_STALL_COUNT; i++)
        if (text_same_name(name, scan_stall_name((p5_stall)i, stall))) {
            *event = P5_SELECT_STALL + (int)i;
            return P5_OK;
        }
    p5_status status = p5_event_find(name, &id, error);
    if (status == P5_OK)
        *event = (int)id;
    else if (error != NULL && text_distance(name, "clocks") <= 2)
        error_hint(error, "did you mean 'clocks'?");
    return status;
}

p5_status scan_selected(const char *text, unsigned family, p5_selected *found, p5_error *error)
{
    p5_selection all = {0};
    p5_status status = p5_selection_add(&all, text, family, error);
    if (status == P5_OK && all.count != 1)
        status = error_set_at(error, P5_ERR_SYNTAX, (error_place){.column = 1},
                              "one event is expected here, '%s' selects %zu", text, all.count);
    if (status == P5_OK && !all.items[0].supported)
        status = error_set_at(error, P5_ERR_NAME, (error_place){.column = 1}, "the model has no event '%s'",
                              all.items[0].name);
    if (status == P5_OK)
        *found = all.items[0];
    p5_selection_free(&all);
    return status;
}
