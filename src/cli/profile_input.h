/* What the verbs that read profiles share. */
#ifndef CLI_PROFILE_INPUT_H
#define CLI_PROFILE_INPUT_H

#include "cli/option_values.h"
#include "p5scope/profile.h"

/* An argp parser's answer to -e TEXT. */
error_t event_words_add(word_list *events, const char *text);
/* False after a message if one of them, of `option`, is no event of a profile on a processor of `family`.
 * With `all`, "all" is one of them. */
bool event_words_check(const char *option, const word_list *events, bool all, unsigned family);

/* How the functions and files of a profile are shown. */
enum { SOURCE_RULES_MOST = 16 };
typedef struct profile_display {
    bool mangled;                         /* --no-demangle */
    const char *rules[SOURCE_RULES_MOST]; /* --source-dir */
    size_t rule_count;
} profile_display;
/* An argp parser's answer to --source-dir RULE. */
error_t source_rule_add(profile_display *display, const char *rule);

/* Reads a profile, to be shown like that; NULL after a message. */
p5_profile *profile_input(const char *path, const profile_display *display);
/* Opens -o FILE, or stdout. NULL after a message. Closed by output_close. */
FILE *profile_output(const char *path);

#endif
