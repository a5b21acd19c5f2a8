/* p5scope diff: compares two profiles. */

#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/option_values.h"
#include "p5tool/profile.h"

/* Returns false after a message if the profile's run was cut short, so that --threshold cannot judge its totals. */
static bool is_whole(const p5_profile *profile, const char *path)
{
    const char *ending = p5_profile_ending(profile);
    if (ending != NULL)
        cli_complain(NULL, NULL, 0, "--threshold cannot be judged, because the run of %s was cut short: %s",
                     path, ending);
    return ending == NULL;
}

/* Compares the profiles of both operands. Returns the exit status: CLI_FAILED if --threshold is exceeded, and
 * CLI_UNMEASURED if it cannot be judged. */
static int compare(const cli_options *line, word_list *events)
{
    p5_profile *a = profile_input(line->operands[0], line);
    p5_profile *b = a != NULL ? profile_input(line->operands[1], line) : NULL;
    int status = CLI_USAGE;
    if (b != NULL && event_words_resolve("-e", events, false, p5_profile_family(a))) {
        const p5_profile_comparison comparison = {.events = events->words,
                                                  .threshold_percent =
                                                      line->used[OPTION_THRESHOLD] ? line->threshold : -1,
                                                  .least_percent = line->percent_limit,
                                                  .functions = !line->no_functions,
                                                  .format = rows_format(line)};
        p5_error error = {0};
        unsigned exceeded = 0;
        status = CLI_FAILED;
        p5_status written = p5_profile_write_diff(stdout, a, b, &comparison, &exceeded, &error);
        if (output_close(stdout, NULL, written, &error) && exceeded == 0)
            status = CLI_OK;
        if (written == P5_OK && comparison.threshold_percent >= 0 &&
            (!is_whole(a, line->operands[0]) || !is_whole(b, line->operands[1])))
            status = CLI_UNMEASURED;
    }
    p5_profile_free(a);
    p5_profile_free(b);
    return status;
}

static int run(const cli_options *line)
{
    word_list events = {0};
    if (line->operand_count > 2)
        return cli_complain(NULL, NULL, 0, "two profiles are compared; '%s' is a third", line->operands[2]);
    if (line->operand_count < 2)
        return cli_complain(NULL, NULL, 0, "which two profiles? Try 'p5scope diff --help'");
    int status = event_words_add(&events, "-e", &line->event) ? compare(line, &events) : CLI_USAGE;
    word_list_free(&events);
    return status;
}

const cli_verb verb_diff = {
    .name = "diff",
    .summary = "compare two profiles",
    .operands = "A B",
    .doc = "Compare the profiles A (before) and B (after), in all and function by function."
           "\vExamples:\n  p5scope diff before.data after.data\n  p5scope diff -e data_read_miss before.data "
           "after.data",
    .run = run};
