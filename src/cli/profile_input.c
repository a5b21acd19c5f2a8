#include "cli/profile_input.h"
#include "cli/output.h"

error_t event_words_add(word_list *events, const char *text)
{
    enum { MOST_EVENTS = 16 };
    return word_list_add(events, "-e", text, MOST_EVENTS, "events");
}

bool event_words_check(const char *option, const word_list *events, unsigned family)
{
    for (size_t i = 0; i < events->count; i++) {
        p5_error error = {0};
        if (p5_profile_event_check(family, events->words[i], &error) != P5_OK)
            return cli_refuse_error(&error, option, events->words[i],
                                    "Run 'p5scope list' to see the events.");
    }
    return true;
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
