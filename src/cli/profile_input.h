/* Options and input shared by the commands that read profiles. */
#ifndef CLI_PROFILE_INPUT_H
#define CLI_PROFILE_INPUT_H

#include "cli/option_values.h"
#include "p5scope/profile.h"

/* Handles -e TEXT for an argp parser. */
error_t event_words_add(word_list *events, const char *text);
/* Returns false after a message if a word of `option` is not an event of a profile on a processor of
 * `family`. With `all`, "all" is valid, too. */
bool event_words_check(const char *option, const word_list *events, bool all, unsigned family);

/* How functions and files of a profile are shown. */
enum { SOURCE_RULES_MOST = 16 };
typedef struct profile_display {
    bool mangled;                         /* --no-demangle */
    const char *rules[SOURCE_RULES_MOST]; /* --source-dir */
    size_t rule_count;
} profile_display;
/* Handles --source-dir RULE for an argp parser. */
error_t source_rule_add(profile_display *display, const char *rule);

/* Reads a profile and applies these options; NULL after a message. */
p5_profile *profile_input(const char *path, const profile_display *display);
/* Opens -o FILE, or returns stdout. NULL after a message. To be closed by output_close. */
FILE *profile_output(const char *path);

#endif
