/* What the verbs that read profiles share. */
#ifndef CLI_PROFILE_INPUT_H
#define CLI_PROFILE_INPUT_H

#include "cli/cli.h"
#include "p5scope/profile.h"

enum { PROFILE_MOST_EVENTS = 16 };

/* Events of -e a,b -e c. */
typedef struct event_words {
    const char *words[PROFILE_MOST_EVENTS + 1]; /* NULL-terminated */
    size_t count;
    char *text[PROFILE_MOST_EVENTS]; /* what they are cut from */
    const char *written[PROFILE_MOST_EVENTS];
    size_t text_count;
} event_words;

/* An argp parser's answer to -e TEXT. */
error_t event_words_add(event_words *events, const char *text);
/* False after a message if one of them is no event of the profile's processor. */
bool event_words_check(const event_words *events, const p5_profile *profile);
/* The same before there is a profile. */
bool event_words_known(const event_words *events, unsigned family);
void event_words_free(event_words *events);

/* Reads a profile; NULL after a message. */
p5_profile *profile_input(const char *path);
/* Opens -o FILE, or stdout. NULL after a message. Closed by output_close. */
FILE *profile_output(const char *path);

#endif
