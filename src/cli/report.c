/* p5scope report: where a profile's clocks and events went. */
#include <string.h>

#include "cli/file_use.h"
#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/option_values.h"
#include "p5scope/report.h"

enum { KEY_LIMIT = 0x100, KEY_SOURCE_DIR };

/* What the name of a file says that goes into it. */
typedef enum report_kind {
    REPORT_TABLE,
    REPORT_PAGE,
    REPORT_PAGE_DATA,
    REPORT_GRAPH,
    REPORT_FOLDED
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
    const char *input, *output, *fold, *callgrind, *cachegrind;
    report_kind kind;
    word_list events;
    profile_display display;
    p5_profile_table table;
    const char *of_table; /* an option that only a table can follow, as written */
    bool page;            /* --page */
    bool input_given;
} report_options;

static const struct {
    const char *name;
    p5_profile_key key;
} keys[] = {{"symbol", P5_PROFILE_BY_SYMBOL},   {"sym", P5_PROFILE_BY_SYMBOL},
            {"line", P5_PROFILE_BY_LINE},       {"srcline", P5_PROFILE_BY_LINE},
            {"address", P5_PROFILE_BY_ADDRESS}, {"file", P5_PROFILE_BY_FILE},
            {"mode", P5_PROFILE_BY_MODE}};
enum { KEYS = sizeof keys / sizeof keys[0] };

static error_t parse_key(report_options *options, const char *text)
{
    const char *names[KEYS + 1];
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].name, text) == 0) {
            options->table.key = keys[i].key;
            return 0;
        }
        names[i] = keys[i].name;
    }
    names[KEYS] = NULL;
    char hint[200];
    cli_complain("-s", text, 1, "cannot sort by '%s': symbol, line, address, file or mode", text);
    if (p5_suggest(text, names, hint, sizeof hint)[0] != '\0')
        fprintf(stderr, "  %s\n", hint);
    return CLI_USAGE;
}

/* Options that say what the table is like. */
static const struct {
    int key;
    const char *name;
} of_table[] = {{'e', "-e"},
                {'s', "-s"},
                {CLI_FLAG(report_options, table.counts), "-n"},
                {'t', "-t"},
                {CLI_FLAG(report_options, table.inclusive), "--children"},
                {CLI_FLAG(report_options, table.samples), "--samples"},
                {CLI_TEXT(report_options, table.function), "-S"},
                {KEY_LIMIT, "--percent-limit"}};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    report_options *options = state->input;
    for (size_t i = 0; i < sizeof of_table / sizeof of_table[0]; i++)
        if (of_table[i].key == key)
            options->of_table = of_table[i].name;
    switch (key) {
    case 'i':
    case ARGP_KEY_ARG:
        if (options->input_given)
            return cli_complain(NULL, NULL, 0, "one profile at a time; '%s' is another", argument);
        options->input = argument;
        options->input_given = true;
        return 0;
    case 's':
        return parse_key(options, argument);
    case 'e':
        return event_words_add(&options->events, argument);
    case 't':
        options->table.separator = strcmp(argument, "\\t") == 0 ? "\t" : argument;
        return 0;
    case KEY_SOURCE_DIR:
        return source_rule_add(&options->display, argument);
    case KEY_LIMIT:
        return percent_option("--percent-limit", argument, &options->table.least_percent);
    default:
        return cli_set(key, argument, state);
    }
}

static bool write_format(const char *path, const p5_profile *profile,
                         p5_status (*write)(FILE *out, const p5_profile *profile, p5_error *error))
{
    FILE *out = path != NULL ? profile_output(path) : NULL;
    if (path == NULL)
        return true;
    if (out == NULL)
        return false;
    p5_error error = {0};
    p5_status status = write(out, profile, &error);
    return output_close(out, path, status, &error);
}

/* What goes into the file, by its name; --fold makes stacks of anything but a graph. False after a message.
 */
static bool choose_kind(report_options *options)
{
    const char *dot = options->output != NULL ? strrchr(options->output, '.') : NULL;
    options->kind = options->fold != NULL ? REPORT_FOLDED : REPORT_TABLE;
    if (dot == NULL || strchr(dot, '/') != NULL || dot == options->output)
        return true;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (strcmp(dot, endings[i].ending) != 0)
            continue;
        bool stacks = endings[i].kind == REPORT_GRAPH || endings[i].kind == REPORT_FOLDED;
        if (options->fold != NULL && !stacks && endings[i].rows == P5_ROWS_TEXT &&
            endings[i].kind == REPORT_TABLE)
            return true; /* stacks as .txt */
        if (options->fold != NULL && !stacks)
            return cli_refuse("-o", options->output, 1,
                              "--fold writes stacks (.folded, .svg, .txt), not this");
        if (options->table.format != P5_ROWS_TEXT && options->table.format != endings[i].rows)
            return cli_refuse("-o", options->output, 1,
                              "--json and --csv are for tables, and this is none of that kind");
        options->kind = endings[i].kind;
        options->table.format = endings[i].rows;
        return true;
    }
    return cli_refuse(
        "-o", options->output, (unsigned)(dot - options->output) + 1,
        "no format ends in '%s': .html, .svg (flame graph), .folded, .json, .csv, .txt, or no ending", dot);
}

/* --page: the table's format can be JSON only. False after a message. */
static bool choose_page(report_options *options)
{
    if (!options->page || options->kind == REPORT_PAGE)
        return true;
    if (options->kind != REPORT_TABLE || options->table.format == P5_ROWS_CSV)
        return cli_refuse(NULL, NULL, 0, "--page writes a page (.html) or JSON (.json), nothing else");
    options->kind = REPORT_PAGE_DATA;
    options->table.format = P5_ROWS_TEXT;
    return true;
}

/* Options that would do nothing. */
static bool check_together(report_options *options)
{
    if (!choose_kind(options) || !choose_page(options))
        return false;
    const p5_profile_table *table = &options->table;
    bool only_events = options->of_table != NULL && strcmp(options->of_table, "-e") == 0;
    bool converts = options->callgrind != NULL || options->cachegrind != NULL;
    const char *instead =
        options->kind == REPORT_FOLDED || options->kind == REPORT_GRAPH ? "--fold writes stacks"
        : options->kind == REPORT_PAGE                                  ? "a page (.html) has everything"
        : options->kind == REPORT_PAGE_DATA                             ? "--page has everything"
        : converts && options->output == NULL && !only_events ? "--callgrind and --cachegrind write no table"
                                                              : NULL;
    if (options->of_table == NULL && instead != NULL && table->format != P5_ROWS_TEXT)
        options->of_table = "--json or --csv";
    if (options->of_table != NULL && instead != NULL)
        cli_complain(NULL, NULL, 0, "%s is for the table, and %s", options->of_table, instead);
    else if (table->inclusive && (table->key != P5_PROFILE_BY_SYMBOL || table->samples))
        cli_complain(NULL, NULL, 0, "--children: what is called is known by symbol only, and not of samples");
    else if (table->format != P5_ROWS_TEXT && (table->counts || table->separator != NULL))
        cli_complain(NULL, NULL, 0,
                     "-n and -t are for the table in text: --json and --csv have the counts, too");
    else
        return true;
    return false;
}

static p5_status write_report(report_options *options, FILE *out, const p5_profile *profile, p5_error *error)
{
    options->table.events = options->events.words;
    options->table.colour = options->output == NULL && cli_colour(stdout);
    switch (options->kind) {
    case REPORT_PAGE:
        return p5_profile_write_html(out, profile, error);
    case REPORT_PAGE_DATA:
        return p5_profile_write_page_data(out, profile, error);
    case REPORT_GRAPH:
        return p5_profile_write_flame_graph(out, profile, options->fold, error);
    case REPORT_FOLDED:
        return p5_profile_write_folded(out, profile, options->fold != NULL ? options->fold : "clocks", error);
    case REPORT_TABLE:
        break;
    }
    return p5_profile_write_table(out, profile, &options->table, error);
}

static int report(report_options *options)
{
    if (!check_together(options))
        return CLI_USAGE;
    const file_use files[] = {{"-o", options->output, false},
                              {"--callgrind", options->callgrind, false},
                              {"--cachegrind", options->cachegrind, false},
                              {"the profile", options->input, true}};
    if (!file_uses_apart(files, sizeof files / sizeof files[0]))
        return CLI_USAGE;
    p5_profile *profile = profile_input(options->input, &options->display);
    if (profile == NULL)
        return CLI_USAGE;
    p5_error error = {0};
    bool converts = options->callgrind != NULL || options->cachegrind != NULL;
    bool fine = event_words_check("-e", &options->events, converts && options->output == NULL,
                                  p5_profile_family(profile));
    if (fine && options->fold != NULL &&
        p5_profile_event_check(p5_profile_family(profile), options->fold, &error) != P5_OK) {
        cli_show_error(&error, "--fold", options->fold, "Run 'p5scope list' to see the events.");
        fine = false;
    }
    if (!fine) {
        p5_profile_free(profile);
        return CLI_USAGE;
    }
    if (converts && options->events.count > 0)
        (void)p5_profile_show_events(profile, options->events.words, NULL); /* checked above */
    fine = write_format(options->callgrind, profile, p5_profile_write_callgrind) &&
           write_format(options->cachegrind, profile, p5_profile_write_cachegrind);
    FILE *out = fine && (!converts || options->output != NULL) ? profile_output(options->output) : NULL;
    if (out != NULL)
        fine = output_close(out, options->output, write_report(options, out, profile, &error), &error);
    else if (!converts || options->output != NULL)
        fine = false;
    p5_profile_free(profile);
    return fine ? CLI_OK : CLI_FAILED;
}

int verb_report(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"input", 'i', "FILE", 0, "Profile to read (p5scope.data)", 1},
        {"output", CLI_TEXT(report_options, output), "FILE", 0, "To FILE: .html .svg .folded .json .csv .txt",
         0},
        CLI_LETTER('o'),
        {"event", 'e', "LIST", 0, "clocks, executions, events, stall_CAUSE; :u :k", 0},
        {"sort", 's', "KEY", 0, "symbol (default), line, address, file, mode", 0},
        {"symbol", CLI_TEXT(report_options, table.function), "FUNCTION", 0, "Only what lies in FUNCTION", 0},
        CLI_LETTER('S'),
        {"no-demangle", CLI_FLAG(report_options, display.mangled), NULL, 0, "Names as in the symbol table",
         0},
        {"source-dir", KEY_SOURCE_DIR, "FROM=TO", 0, "Sources of folder FROM lie in TO now", 0},
        {"show-nr-samples", CLI_FLAG(report_options, table.counts), NULL, 0, "A column with the counts", 0},
        CLI_LETTER('n'),
        {"children", CLI_FLAG(report_options, table.inclusive), NULL, 0, "Also cost with everything called",
         0},
        {"field-separator", 't', "SEP", 0, "Fields separated by SEP, without padding", 0},
        {"percent-limit", KEY_LIMIT, "P", 0, "Leave out what has less than P %", 0},
        {"samples", CLI_FLAG(report_options, table.samples), NULL, 0,
         "Of record --period's samples, not of all", 0},
        {"fold", CLI_TEXT(report_options, fold), "EVENT", 0, "Folded call stacks, for flame graphs", 0},
        {"page", CLI_FLAG(report_options, page), NULL, 0, "What the page (.html) shows, as one JSON object",
         0},
        {"callgrind", CLI_TEXT(report_options, callgrind), "OUT", 0,
         "Write for callgrind_annotate and KCachegrind", 0},
        {"cachegrind", CLI_TEXT(report_options, cachegrind), "OUT", 0, "Write for cg_annotate", 0},
        {0}};
    static const struct argp argp = {.options = table,
                                     .parser = parse,
                                     .args_doc = "[FILE]",
                                     .doc = "Show where the clocks and events of a profile went.",
                                     .children = row_children};
    report_options options = {.input = "p5scope.data"};
    int status =
        cli_parse_anywhere(&argp, argc, argv, &options, &options.table.format) ? report(&options) : CLI_USAGE;
    word_list_free(&options.events);
    return status;
}
