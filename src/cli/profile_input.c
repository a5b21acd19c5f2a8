/* Reads profiles, and checks the events of -e, for the verbs that show profiles. */
#include "cli/profile_input.h"

#include <string.h>

#include "p5tool/profile.h"

bool event_words_add(word_list *events, const char *option, const text_list *list)
{
    bool good = true;
    for (size_t i = 0; i < list->count && good; i++)
        good = word_list_add(events, option, list->items[i], "events") == 0;
    return good;
}

/* Adds the event `name`, which `word` selects, to `to`, unless it is there. Returns false after a message, or when memory
 * is out. */
static bool add_once(const char *option, const char *word, const char *name, word_list *to)
{
    for (size_t i = 0; i < to->count; i++)
        if (strcmp(to->words[i], name) == 0)
            return true;
    if (to->count == WORDS_MOST)
        return cli_refuse(option, word, 1, "with '%s' more than %d events are selected", word, WORDS_MOST);
    return word_list_add(to, option, name, "events") == 0;
}

/* Adds the events of `word` to `to`: the event or quantity of that name, those that a pattern, "all" or "stalls"
 * selects, or with `all` the word "all" itself. Returns false after a message, or when memory is out. */
static bool resolve(const char *option, const char *word, bool all, unsigned family, word_list *to)
{
    char name[P5_PROFILE_EVENT_NAME];
    p5_error error = {0};
    p5_selection found = {0};
    if (all && strcmp(word, "all") == 0)
        return add_once(option, word, word, to);
    p5_status status = p5_selection_add(&found, word, family, &error);
    if (found.count <= 1) /* maybe a quantity that is not an event, such as "executions" */
        status = p5_profile_event_check(family, word, name, &error);
    bool good = status == P5_OK;
    if (!good)
        cli_show_error(&error, option, word, "Run 'p5scope list' to see the events.");
    else if (found.count <= 1)
        good = add_once(option, word, name, to);
    for (size_t i = 0; found.count > 1 && i < found.count && good; i++)
        good = add_once(option, word, found.items[i].name, to);
    p5_selection_free(&found);
    return good;
}

bool event_words_resolve(const char *option, word_list *events, bool all, unsigned family)
{
    word_list resolved = {0};
    bool good = true;
    for (size_t i = 0; i < events->count && good; i++)
        good = resolve(option, events->words[i], all, family, &resolved);
    word_list_free(events);
    *events = resolved;
    return good;
}

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
