/* -e of the verbs that run a guest: words as written, and the selection that they make. */
#ifndef CLI_EVENT_OPTIONS_H
#define CLI_EVENT_OPTIONS_H

#include "cli/cli.h"
#include "p5scope/report.h"

enum { EVENT_OPTIONS_MOST = 64 };

typedef struct event_options {
    const char *words[EVENT_OPTIONS_MOST];
    size_t count;
} event_options;

/* An argp parser's answer to -e TEXT. */
error_t event_options_add(event_options *options, const char *text);
/* Adds everything to `selection`. False after a message. With `remark`, also says which groups CTR0 and CTR1
 * could not count at the same time. */
bool event_options_select(const event_options *options, unsigned family, bool remark,
                          p5_selection *selection);

#endif
