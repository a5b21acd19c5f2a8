#include "cli/profile_input.h"
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

error_t event_words_add(event_words *events, const char *text)
{
    if (events->text_count == PROFILE_MOST_EVENTS)
        return cli_complain("-e", text, 1, "more than %d events", PROFILE_MOST_EVENTS);
    char *copy = strdup(text);
    if (copy == NULL)
        return ENOMEM;
    events->written[events->text_count] = text;
    events->text[events->text_count++] = copy;
    char *rest;
    for (char *name = strtok_r(copy, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
        if (events->count == PROFILE_MOST_EVENTS)
            return cli_complain("-e", text, (unsigned)(name - copy) + 1, "more than %d events",
                                PROFILE_MOST_EVENTS);
        events->words[events->count++] = name;
    }
    return 0;
}

bool event_words_known(const event_words *events, unsigned family)
{
    for (size_t i = 0; i < events->count; i++) {
        p5_error error = {0};
        if (p5_profile_event_known(family, events->words[i], &error) == P5_OK)
            continue;
        return cli_refuse_error(&error, "--events", events->words[i],
                                "Run 'p5scope list' to see the events.");
    }
    return true;
}

bool event_words_check(const event_words *events, const p5_profile *profile)
{
    for (size_t i = 0; i < events->count; i++) {
        p5_error error = {0};
        if (p5_profile_event_check(profile, events->words[i], &error) == P5_OK)
            continue;
        return cli_refuse_error(&error, "-e", events->words[i], "Run 'p5scope list' to see the events.");
    }
    return true;
}

void event_words_free(event_words *events)
{
    for (size_t i = 0; i < events->text_count; i++)
        free(events->text[i]);
}

p5_profile *profile_input(const char *path)
{
    p5_error error = {0};
    p5_profile *profile;
    if (p5_profile_read(path, &profile, &error) == P5_OK)
        return profile;
    cli_show_error(&error, NULL, NULL,
                   error.status == P5_ERR_IO ? "'p5scope record GUEST' makes a profile." : NULL);
    return NULL;
}

FILE *profile_output(const char *path)
{
    return path != NULL ? output_open_file("-o", path) : stdout;
}
