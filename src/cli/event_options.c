#include "cli/event_options.h"

#include <errno.h>
#include <stdio.h>

error_t event_options_add(event_options *options, const char *text)
{
    if (options->count == EVENT_OPTIONS_MOST)
        return ENOMEM;
    options->words[options->count++] = text;
    return 0;
}

bool event_options_select(const event_options *options, unsigned family, bool remark, p5_selection *selection)
{
    for (size_t i = 0; i < options->count; i++) {
        unsigned before = selection->groups;
        p5_error error = {0};
        if (p5_selection_add(selection, options->words[i], family, &error) != P5_OK)
            return cli_refuse_error(&error, "-e", options->words[i], "Run 'p5scope list' to see the events.");
        for (unsigned group = before + 1; remark && group <= selection->groups; group++)
            if (!p5_selection_fits_counters(selection, group))
                fprintf(
                    stderr,
                    "p5scope: group %u of -e %s needs more than CTR0 and CTR1 have; the real processor could "
                    "not count it in one run\n",
                    group - before, options->words[i]);
    }
    return true;
}
