/* p5scope diff: how one profile differs from another. */

#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/option_values.h"

enum { KEY_THRESHOLD = 0x100, KEY_LIMIT };

typedef struct diff_options {
    const char *inputs[2];
    profile_display display;
    word_list events;
    bool limited; /* --percent-limit is given */
    p5_profile_comparison comparison;
} diff_options;

static error_t parse(int key, char *argument, struct argp_state *state)
{
    diff_options *options = state->input;
    switch (key) {
    case 'e':
        return event_words_add(&options->events, argument);
    case KEY_THRESHOLD:
        return percent_option("--threshold", argument, &options->comparison.threshold_percent);
    case KEY_LIMIT:
        options->limited = true;
        return percent_option("--percent-limit", argument, &options->comparison.least_percent);
    case ARGP_KEY_ARG:
        if (state->arg_num >= 2)
            return cli_complain(NULL, NULL, 0, "two profiles are compared; '%s' is a third", argument);
        options->inputs[state->arg_num] = argument;
        return 0;
    default:
        return cli_set(key, argument, state);
    }
}

static int compare(diff_options *options)
{
    if (options->inputs[1] == NULL)
        return cli_complain(NULL, NULL, 0, "which two profiles? Try 'p5scope diff --help'");
    if (options->limited && !options->comparison.functions)
        return cli_complain(NULL, NULL, 0,
                            "--percent-limit is for functions, and --no-functions leaves out all");
    p5_profile *a = profile_input(options->inputs[0], &options->display);
    p5_profile *b = a != NULL ? profile_input(options->inputs[1], &options->display) : NULL;
    int status = CLI_USAGE;
    if (b != NULL && event_words_check("-e", &options->events, false, p5_profile_family(a))) {
        p5_error error = {0};
        unsigned exceeded = 0;
        options->comparison.events = options->events.words;
        status = CLI_FAILED;
        p5_status written = p5_profile_write_diff(stdout, a, b, &options->comparison, &exceeded, &error);
        if (output_close(stdout, NULL, written, &error) && exceeded == 0)
            status = CLI_OK;
    }
    p5_profile_free(a);
    p5_profile_free(b);
    return status;
}

int verb_diff(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"event", 'e', "LIST", 0, "Events to compare (clocks and all that differ)", 1},
        {"threshold", KEY_THRESHOLD, "P", 0, "Status 1 if a total has grown by more than P %", 0},
        {"percent-limit", KEY_LIMIT, "P", 0, "Leave out functions that changed by less than P % of A", 0},
        {"no-demangle", CLI_FLAG(diff_options, display.mangled), NULL, 0, "Names as in the symbol table", 0},
        {"no-functions", CLI_CLEAR(diff_options, comparison.functions), NULL, 0, "Totals only", 0},
        {0}};
    static const struct argp argp = {.options = table,
                                     .parser = parse,
                                     .args_doc = "A B",
                                     .doc =
                                         "Compare the profiles A (before) and B (after), in all and function "
                                         "by function."
                                         "\vExamples:\n  p5scope diff before.data after.data\n  p5scope diff "
                                         "-e data_read_miss before.data after.data",
                                     .children = row_children};
    diff_options options = {.comparison = {.threshold_percent = -1, .functions = true}};
    int status = cli_parse_anywhere(&argp, argc, argv, &options, &options.comparison.format)
                     ? compare(&options)
                     : CLI_USAGE;
    word_list_free(&options.events);
    return status;
}
