/* What the verbs that read profiles share. */
#ifndef CLI_PROFILE_INPUT_H
#define CLI_PROFILE_INPUT_H

#include "cli/option_values.h"
#include "p5scope/profile.h"

/* An argp parser's answer to -e TEXT. */
error_t event_words_add(word_list *events, const char *text);
/* False after a message if one of them, of `option`, is no event of a profile on a processor of `family`. */
bool event_words_check(const char *option, const word_list *events, unsigned family);

/* Reads a profile; NULL after a message. */
p5_profile *profile_input(const char *path);
/* Opens -o FILE, or stdout. NULL after a message. Closed by output_close. */
FILE *profile_output(const char *path);

#endif
