/* Warns about results that differ in more than what the user wants to compare. */
#include "cli/warnings.h"

#include <stdio.h>

#include "p5tool/report.h"

static void warn(const char *before, const char *values, const char *after)
{
    fprintf(stderr, "p5scope: warning: the runs %s (", before);
    p5_write_printable(stderr, values);
    fprintf(stderr, "); %s\n", after);
}

void warn_of_revisions(const char *values)
{
    warn("are of different revisions of the model", values,
         "their counts may differ because the model was corrected");
}

void warn_of_models(const char *values)
{
    warn("are on different models", values, "their counts differ because the processors do");
}

const char *warn_next_part(size_t *next)
{
    while (*next < cli_option_row_count && (cli_option_rows[*next].flags & OPTION_IS_PART) == 0)
        ++*next;
    return *next < cli_option_row_count ? cli_option_rows[(*next)++].name : NULL;
}

void warn_of_part(const char *option, const char *values)
{
    char what[80];
    snprintf(what, sizeof what, "differ in --%s", option);
    warn(what, values, "they counted different parts of the guest");
}
