/* p5scope report: shows where a profile's clocks and events went. */
#include <string.h>

#include "cli/file_use.h"
#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/option_values.h"
#include "p5tool/report.h"
#include "p5tool/profile.h"

/* The kinds of reports, which the ending of the file's name chooses. */
typedef enum report_kind {
    REPORT_TABLE,
    REPORT_PAGE,      /* an HTML page with everything */
    REPORT_PAGE_DATA, /* the data of that page as JSON */
    REPORT_GRAPH,     /* a flame graph */
    REPORT_FOLDED     /* the stacks of a flame graph as lines of text */
} report_kind;
static const struct {
    const char *ending;
    report_kind kind;
    p5_row_format rows;
} endings[] = {{".html", REPORT_PAGE, P5_ROWS_TEXT},     {".svg", REPORT_GRAPH, P5_ROWS_TEXT},
               {".folded", REPORT_FOLDED, P5_ROWS_TEXT}, {".json", REPORT_TABLE, P5_ROWS_JSON},
               {".jsonl", REPORT_TABLE, P5_ROWS_JSON},   {".csv", REPORT_TABLE, P5_ROWS_CSV},
               {".txt", REPORT_TABLE, P5_ROWS_TEXT}};

typedef struct report_options {
    const cli_options *line;
    const char *input;
    report_kind kind;
    word_list events;
    p5_profile_table table;
} report_options;

/* By index of the choice of --sort in options.tsv; the last two choices are other names. */
static const p5_profile_key keys[] = {P5_PROFILE_BY_SYMBOL, P5_PROFILE_BY_LINE, P5_PROFILE_BY_ADDRESS,
                                      P5_PROFILE_BY_FILE,   P5_PROFILE_BY_MODE, P5_PROFILE_BY_SYMBOL,
                                      P5_PROFILE_BY_LINE};

/* Options that apply to the table only. */
static const char table_options[] =
    "event sort show-nr-samples columns-separator children samples symbol percent-limit "
    "json csv field-separator";

/* Writes the profile in another format to the file that `option` names; NULL: there is none. Returns false after a
 * message. */
static bool write_format(const char *option, const char *path, const p5_profile *profile,
                         p5_status (*write)(FILE *out, const p5_profile *profile, p5_error *error))
{
    if (path == NULL)
        return true;
    FILE *out = output_open_file(option, path);
    if (out == NULL)
        return false;
    p5_error error = {0};
    p5_status status = write(out, profile, &error);
    return output_close(out, path, status, &error);
}

/* Chooses the kind of report, and the format of a table, by the ending of the name of -o FILE. --fold shows stacks:
 * as a flame graph in a .svg file, else as lines of text. Returns false after a message. */
static bool choose_kind(report_options *options)
{
    const char *output = options->line->output, *dot = output != NULL ? strrchr(output, '.') : NULL;
    const bool fold = options->line->fold != NULL;
    options->kind = fold ? REPORT_FOLDED : REPORT_TABLE;
    if (dot == NULL || strchr(dot, '/') != NULL || dot == output)
        return true;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (strcmp(dot, endings[i].ending) != 0)
            continue;
        bool stacks = endings[i].kind == REPORT_GRAPH || endings[i].kind == REPORT_FOLDED;
        if (fold && !stacks && endings[i].rows == P5_ROWS_TEXT && endings[i].kind == REPORT_TABLE)
            return true; /* .txt: the stacks as lines of text */
        if (fold && !stacks)
            return cli_refuse("-o", output, 1, "--fold writes stacks (.folded, .svg, .txt), not this");
        if (options->table.format != P5_ROWS_TEXT && (options->table.format & 0xff) != endings[i].rows)
            return cli_refuse("-o", output, 1,
                              "--json, --csv and -x write tables, and this file is of another kind");
        options->kind = endings[i].kind;
        if (options->table.format == P5_ROWS_TEXT)
            options->table.format = endings[i].rows;
        return true;
    }
    return cli_refuse(
        "-o", output, (unsigned)(dot - output) + 1,
        "no format ends in '%s': .html, .svg (flame graph), .folded, .json, .csv, .txt, or no ending", dot);
}

/* Applies --page: the page's data as JSON, unless -o names an HTML file. Returns false after a message. */
static bool choose_page(report_options *options)
{
    if (!options->line->page || options->kind == REPORT_PAGE)
        return true;
    if (options->kind != REPORT_TABLE || (options->table.format & 0xff) == P5_ROWS_CSV)
        return cli_refuse(NULL, NULL, 0, "--page writes a page (.html) or JSON (.json), nothing else.");
    options->kind = REPORT_PAGE_DATA;
    options->table.format = P5_ROWS_TEXT;
    return true;
}

/* Chooses the kind of report, and refuses options that have no effect on it. Returns false after a message. */
static bool choose_report(report_options *options)
{
    char shown[CLI_SHOWN_LENGTH];
    if (!choose_kind(options) || !choose_page(options))
        return false;
    const char *instead = options->kind == REPORT_FOLDED || options->kind == REPORT_GRAPH
                              ? "a graph (.svg) or .folded shows stacks"
                          : options->kind == REPORT_PAGE ? "a page (.html) has everything"
                                                         : NULL;
    if (instead != NULL && cli_first_used(options->line, table_options, shown) != NULL)
        return cli_refuse(NULL, NULL, 0, "%s is for the table, and %s.", shown, instead);
    if (options->table.inclusive && options->table.key != P5_PROFILE_BY_SYMBOL)
        return cli_refuse(NULL, NULL, 0, "--children works with -s symbol only.");
    if (options->table.format != P5_ROWS_TEXT && (options->table.counts || options->table.separator != NULL))
        return cli_refuse(NULL, NULL, 0,
                          "-n and -t are for the table in text: JSON and CSV have the counts, too.");
    return true;
}

/* Writes the report of the chosen kind. */
static p5_status write_report(report_options *options, FILE *out, const p5_profile *profile, p5_error *error)
{
    options->table.events = options->events.words;
    options->table.colour = options->line->output == NULL && cli_colour(stdout);
    switch (options->kind) {
    case REPORT_PAGE:
        return p5_profile_write_html(out, profile, error);
    case REPORT_PAGE_DATA:
        return p5_profile_write_page_data(out, profile, error);
    case REPORT_GRAPH:
        return p5_profile_write_flame_graph(out, profile, options->line->fold, error);
    case REPORT_FOLDED:
        return p5_profile_write_folded(out, profile,
                                       options->line->fold != NULL ? options->line->fold : "clocks", error);
    case REPORT_TABLE:
        break;
    }
    return p5_profile_write_table(out, profile, &options->table, error);
}

/* Reads the profile and writes the report, or converts the profile (--callgrind, --cachegrind). Returns the exit
 * status. */
static int report(report_options *options)
{
    const cli_options *line = options->line;
    if (!choose_report(options))
        return CLI_USAGE;
    const file_use files[] = {{"-o", line->output, false},
                              {"--callgrind", line->callgrind, false},
                              {"--cachegrind", line->cachegrind, false},
                              {"the profile", options->input, true}};
    if (!file_uses_distinct(files, sizeof files / sizeof files[0]))
        return CLI_USAGE;
    p5_profile *profile = profile_input(options->input, line);
    if (profile == NULL)
        return CLI_USAGE;
    p5_error error = {0};
    bool converts = line->callgrind != NULL || line->cachegrind != NULL;
    bool good = event_words_resolve("-e", &options->events, converts && line->output == NULL,
                                    p5_profile_family(profile));
    if (good && line->fold != NULL &&
        p5_profile_event_check(p5_profile_family(profile), line->fold, NULL, &error) != P5_OK) {
        cli_show_error(&error, "--fold", line->fold, "Run 'p5scope list' to see the events.");
        good = false;
    }
    if (!good) {
        p5_profile_free(profile);
        return CLI_USAGE;
    }
    if (converts && options->events.count > 0)
        (void)p5_profile_show_events(profile, options->events.words, NULL); /* checked above */
    good = write_format("--callgrind", line->callgrind, profile, p5_profile_write_callgrind) &&
           write_format("--cachegrind", line->cachegrind, profile, p5_profile_write_cachegrind);
    if (good && (!converts || line->output != NULL)) {
        FILE *out = line->output != NULL ? output_open_file("-o", line->output) : stdout;
        good = out != NULL &&
               output_close(out, line->output, write_report(options, out, profile, &error), &error);
    }
    p5_profile_free(profile);
    return good ? CLI_OK : CLI_FAILED;
}

static int run(const cli_options *line)
{
    if (line->operand_count > 1)
        return cli_complain(NULL, NULL, 0, "one profile at a time; '%s' is another", line->operands[1]);
    const char *separator = line->columns_separator;
    report_options options = {.line = line,
                              .input = line->operand_count > 0 ? line->operands[0] : "p5scope.data",
                              .table = {.key = keys[line->sort],
                                        .format = rows_format(line),
                                        .function = line->symbol,
                                        .counts = line->show_nr_samples,
                                        .inclusive = line->children,
                                        .samples = line->samples,
                                        .least_percent = line->percent_limit}};
    if (separator != NULL)
        options.table.separator = strcmp(separator, "\\t") == 0 ? "\t" : separator;
    int status = event_words_add(&options.events, "-e", &line->event) ? report(&options) : CLI_USAGE;
    word_list_free(&options.events);
    return status;
}

const cli_verb verb_report = {.name = "report",
                              .summary = "where a profile's clocks and events went: table, stacks, HTML page",
                              .operands = "[FILE]",
                              .doc = "Show where the clocks and events of a profile went.",
                              .run = run};
