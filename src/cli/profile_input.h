/* Options and input shared by the verbs that read profiles: files with the costs of each instruction (p5scope
 * record). */
#ifndef CLI_PROFILE_INPUT_H
#define CLI_PROFILE_INPUT_H

#include "cli/option_values.h"
#include "p5scope/profile.h"

/* Adds the events in the values of `option`, each of which may be a,b, as they are written. Returns false after a
 * message. */
bool event_words_add(word_list *events, const char *option, const text_list *list);
/* Replaces the patterns (* and ?, "stalls") among the words of `option` by the names of the events that they match on a
 * processor of `family`, and checks that the others are events of a profile. With `all`, "all" is valid, too. Returns
 * false after a message. */
bool event_words_resolve(const char *option, word_list *events, bool all, unsigned family);

/* Reads a profile, which the caller frees, and applies --no-demangle and --source-dir. NULL after a message. */
p5_profile *profile_input(const char *path, const cli_options *line);

#endif
