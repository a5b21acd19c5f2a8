/* p5scope list: what can be counted, derived and modelled. */
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/option_values.h"
#include "p5scope/report.h"

static unsigned section_named(const char *word)
{
    static const struct {
        const char *word;
        unsigned section;
    } sections[] = {{"events", P5_LIST_EVENTS},
                    {"perf", P5_LIST_PERF},
                    {"metrics", P5_LIST_METRICS},
                    {"models", P5_LIST_MODELS},
                    {"instructions", P5_LIST_INSTRUCTIONS}};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strcmp(word, sections[i].word) == 0)
            return sections[i].section;
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    p5_list_options *options = state->input;
    switch (key) {
    case 'j':
        return row_option_set(&options->format, P5_ROWS_JSON);
    case ARGP_KEY_ARG:
        if (options->sections == P5_LIST_ALL && section_named(argument) != 0) {
            options->sections = section_named(argument);
        } else if (options->pattern == NULL) {
            options->pattern = argument;
        } else {
            return cli_complain("p5scope list ...", argument, 1, "one pattern is enough");
        }
        return 0;
    default:
        return cli_set(key, argument, state);
    }
}

int verb_list(int argc, char **argv)
{
    static const struct argp_option table[] = {{"verbose", CLI_FLAG(p5_list_options, verbose), NULL, 0,
                                                "Rules, remarks, formulas, fields of models", 0},
                                               CLI_LETTER('v'),
                                               {NULL, 'j', NULL, 0, "The same as --json", 0},
                                               {0}};
    static const struct argp argp = {
        .options = table,
        .children = row_children,
        .parser = parse,
        .args_doc = "[events|perf|metrics|models|instructions] [PATTERN]",
        .doc = "List the events (code, counter, kind, most per clock, exactness), perf's names for them, "
               "metrics and models. "
               "PATTERN is a "
               "part of a name, title or alias, a pattern with * and ?, a group, or a code such as r2b.0."
               "\vExamples:\n  p5scope list data_read\n  p5scope list -v models"};
    p5_list_options list = {.sections = P5_LIST_ALL};
    if (!cli_parse_anywhere(&argp, argc, argv, &list, &list.format))
        return CLI_USAGE;
    if (list.format == P5_ROWS_CSV && list.sections == P5_LIST_ALL)
        return cli_complain(NULL, NULL, 0,
                            "--csv is one table: 'list --csv events', perf, metrics, models or instructions");
    size_t rows = 0;
    p5_error error = {0};
    p5_status status = p5_list_write(stdout, &list, &rows, &error);
    if (!output_close(stdout, NULL, status, &error))
        return CLI_FAILED;
    if (rows == 0) {
        fprintf(stderr, "p5scope: nothing matches '%s'\n", list.pattern != NULL ? list.pattern : "");
        return CLI_FAILED;
    }
    return CLI_OK;
}
