/* Reads profiles, and checks the events of -e, for the verbs that show profiles. */
#include "cli/profile_input.h"

#include <string.h>

#include "p5tool/profile.h"

bool event_words_add(word_list *events, const char *option, const text_list *list)
{
    enum { MOST_EVENTS = 16 };
    bool good = true;
    for (size_t i = 0; i < list->count && good; i++)
        good = word_list_add(events, option, list->items[i], MOST_EVENTS, "events") == 0;
    return good;
}

bool event_words_check(const char *option, const word_list *events, bool all, unsigned family)
{
    for (size_t i = 0; i < events->count; i++) {
        p5_error error = {0};
        if (all && strcmp(events->words[i], "all") == 0)
            continue;
        if (p5_profile_event_check(family, events->words[i], &error) != P5_OK)
            return cli_refuse_error(&error, option, events->words[i],
                                    "Run 'p5scope list' to see the events.");
    }
    return true;
}

/* Reads a profile and applies --no-demangle and --source-dir. Returns NULL after a message. */
p5_profile *profile_input(const char *path, const cli_options *line)
{
    p5_error error = {0};
    p5_profile *profile;
    if (p5_profile_read(path, &profile, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL,
                       error.status == P5_ERR_IO ? "'p5scope record GUEST' makes a profile." : NULL);
        return NULL;
    }
    const char *rule = NULL;
    p5_status status = line->no_demangle ? p5_profile_show_mangled(profile, true, &error) : P5_OK;
    for (size_t i = 0; i < line->source_dir.count && status == P5_OK; i++)
        status = p5_profile_move_sources(profile, rule = line->source_dir.items[i], &error);
    if (status == P5_OK)
        return profile;
    cli_show_error(&error, "--source-dir", rule, NULL);
    p5_profile_free(profile);
    return NULL;
}
