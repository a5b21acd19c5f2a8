/* p5scope list: lists events, causes of clocks, metrics and models. */
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/option_values.h"
#include "p5tool/report.h"

/* Returns P5_LIST_* of the section that `word` names; 0: none. */
static unsigned section_named(const char *word)
{
    static const struct {
        const char *word;
        unsigned section;
    } sections[] = {{"events", P5_LIST_EVENTS}, {"stalls", P5_LIST_STALLS},
                    {"perf", P5_LIST_PERF},     {"metrics", P5_LIST_METRICS},
                    {"models", P5_LIST_MODELS}, {"instructions", P5_LIST_INSTRUCTIONS}};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strcmp(word, sections[i].word) == 0)
            return sections[i].section;
    return 0;
}

/* Takes the operands: a section's name and a pattern. Returns false after a message. */
static bool take_operands(const cli_options *line, p5_list_options *list)
{
    for (size_t i = 0; i < line->operand_count; i++) {
        const char *word = line->operands[i];
        if (list->sections == P5_LIST_ALL && section_named(word) != 0)
            list->sections = section_named(word);
        else if (list->pattern == NULL)
            list->pattern = word;
        else
            return cli_refuse("p5scope list ...", word, 1, "one pattern is enough");
    }
    return true;
}

static int run(const cli_options *line)
{
    p5_list_options list = {.sections = P5_LIST_ALL, .verbose = line->verbose, .format = rows_format(line)};
    if (!take_operands(line, &list))
        return CLI_USAGE;
    if (list.format != P5_ROWS_TEXT && list.format != P5_ROWS_JSON && list.sections == P5_LIST_ALL)
        return cli_complain(
            NULL, NULL, 0,
            "--csv is one table: 'list --csv events', stalls, perf, metrics, models or instructions");
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

const cli_verb verb_list = {
    .name = "list",
    .summary = "events, causes of clocks, metrics and models",
    .operands = "[events|stalls|perf|metrics|models|instructions] [PATTERN]",
    .doc =
        "List the events (code, counter, kind, most per clock, exactness), the causes of clocks, perf's "
        "names for events, metrics and models. PATTERN is a part of a name, title or alias, a pattern with * "
        "and ?, a group, or a code such as r2b.0."
        "\vExamples:\n  p5scope list data_read\n  p5scope list -v models",
    .run = run};
