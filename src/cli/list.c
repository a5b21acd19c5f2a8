/* p5scope list: what can be counted, derived and modelled. */
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "p5scope/report.h"

static error_t parse(int key, char *argument, struct argp_state *state)
{
    p5_list_options *options = state->input;
    switch (key) {
    case 'v':
        options->verbose = true;
        return 0;
    case 'j':
        options->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (strcmp(argument, "events") == 0 && options->sections == P5_LIST_ALL) {
            options->sections = P5_LIST_EVENTS;
        } else if (strcmp(argument, "metrics") == 0 && options->sections == P5_LIST_ALL) {
            options->sections = P5_LIST_METRICS;
        } else if (strcmp(argument, "models") == 0 && options->sections == P5_LIST_ALL) {
            options->sections = P5_LIST_MODELS;
        } else if (options->pattern == NULL) {
            options->pattern = argument;
        } else {
            cli_complain("p5scope list ...", argument, 1, "one pattern is enough");
            return CLI_REPORTED;
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int verb_list(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"verbose", 'v', NULL, 0, "Rules, remarks, formulas and every field of a model", 0},
        {"json", 'j', NULL, 0, "One JSON object per line", 0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "[events|metrics|models] [PATTERN]",
        .doc = "List the events (code, counter, kind, most per clock, exactness), metrics and models. "
               "PATTERN is a "
               "part of a name, title or alias, a pattern with * and ?, a group, or a code such as r2b.0."};
    p5_list_options list = {.sections = P5_LIST_ALL};
    if (!cli_parse_anywhere(&argp, argc, argv, &list))
        return CLI_USAGE;
    size_t rows;
    p5_error error;
    p5_status status = p5_list_write(stdout, &list, &rows, &error);
    if (!output_close(stdout, NULL, status, &error))
        return CLI_FAILED;
    if (rows == 0) {
        fprintf(stderr, "p5scope: nothing matches '%s'\n", list.pattern != NULL ? list.pattern : "");
        return CLI_FAILED;
    }
    return CLI_OK;
}
