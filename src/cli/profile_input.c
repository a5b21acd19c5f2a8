#include <string.h>

#include "cli/profile_input.h"
#include "cli/output.h"

error_t event_words_add(word_list *events, const char *text)
{
    enum { MOST_EVENTS = 16 };
    return word_list_add(events, "-e", text, MOST_EVENTS, "events");
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

error_t source_rule_add(profile_display *display, const char *rule)
{
    if (display->rule_count == SOURCE_RULES_MOST)
        return cli_complain("--source-dir", rule, 1, "more than %d rules", SOURCE_RULES_MOST);
    display->rules[display->rule_count++] = rule;
    return 0;
}

p5_profile *profile_input(const char *path, const profile_display *display)
{
    p5_error error = {0};
    p5_profile *profile;
    if (p5_profile_read(path, &profile, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL,
                       error.status == P5_ERR_IO ? "'p5scope record GUEST' makes a profile." : NULL);
        return NULL;
    }
    const char *rule = NULL;
    p5_status status = display->mangled ? p5_profile_show_mangled(profile, true, &error) : P5_OK;
    for (size_t i = 0; i < display->rule_count && status == P5_OK; i++)
        status = p5_profile_move_sources(profile, rule = display->rules[i], &error);
    if (status == P5_OK)
        return profile;
    cli_show_error(&error, "--source-dir", rule, NULL);
    p5_profile_free(profile);
    return NULL;
}

FILE *profile_output(const char *path)
{
    return path != NULL ? output_open_file("-o", path) : stdout;
}
