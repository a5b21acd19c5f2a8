/* Warns about results that differ in more than what the user wants to compare. */
#include "cli/warnings.h"

#include <stdio.h>

#include "cli/options.h"
#include "p5tool/report.h"

static void warn(const char *before, const char *values, const char *after)
{
    fprintf(stderr, "p5scope: warning: the runs %s (", before);
    p5_write_printable(stderr, values);
    fprintf(stderr, "); %s\n", after);
}

void warn_of_differences(const warn_results *results)
{
    char values[500], what[80];
    if (!results->same_revision(results->results, values, sizeof values))
        warn("are of different revisions of the model", values,
             "their counts may differ because the model was corrected");
    if (results->same_model != NULL && !results->same_model(results->results, values, sizeof values))
        warn("are on different models", values, "their counts differ because the processors do");
    for (size_t i = 0; i < cli_option_row_count; i++) {
        const cli_option_row *row = &cli_option_rows[i];
        if ((row->flags & OPTION_IS_PART) == 0 ||
            results->same_option(results->results, row->name, values, sizeof values))
            continue;
        snprintf(what, sizeof what, "differ in --%s", row->name);
        warn(what, values, "they counted different parts of the guest");
    }
}
