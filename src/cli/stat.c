/* p5scope stat: run the guest and report what was counted. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option_values.h"
#include "cli/guest_run.h"
#include "cli/output.h"
#include "cli/stat_budget.h"

enum {
    KEY_LOG_FD = 0x100,
    KEY_NO_BIG_NUM,
    KEY_TABLE,
    KEY_ROI,
    KEY_INTERVAL_COUNT,
    KEY_EXPECT,
    MOST_RUNS = 10000
};

typedef struct stat_options {
    guest_options guest;
    output_options output;
    event_options events;
    word_list metrics; /* -M */
    p5_stat_style style;
    bool digits; /* -B or --no-big-num */
    bool csv, json, no_events, check_laws, summary, detailed;
    run_interval interval;               /* -I, */
    p5_stat_intervals_options intervals; /* ... and what belongs to it */
    stat_budget budget;                  /* --expect, --junit */
    const char *roi[REGION_MOST_PARTS];  /* --roi as written */
    size_t roi_count;
    region region;
    char sha256[P5_SHA256_TEXT]; /* of the guest's file */
    guest_identity identity;
    uint64_t fast_forwarded; /* instructions of the last run */
    p5_status written;       /* the rows of its intervals, */
    p5_error error;          /* ... and why not */
    size_t runs;
    bool compare; /* --compare: the operands are results */
    bool of_run;  /* an option was given that only a run can follow */
    FILE *to;     /* the report, for a comparison; NULL: where the options say */
} stat_options;

/* CLI_USAGE after a message: `option`'s argument `text` names a metric group at `name` that there is not, or
 * that is in a broken file. */
static error_t check_group(const char *option, const char *text, const char *name)
{
    char group[200];
    snprintf(group, sizeof group, "%.*s", (int)strcspn(name, ","), name);
    p5_error error = {0};
    if (p5_metric_group_check(group, &error) == P5_OK)
        return 0;
    bool in_file = error.line != 0;
    error.column = in_file ? error.column : (unsigned)(name - text) + 1;
    return cli_show_error(&error, option, in_file ? NULL : text,
                          "Run 'p5scope list metrics' to see the groups.");
}

/* -M a,b */
static error_t add_metrics(stat_options *options, const char *text)
{
    word_list *list = &options->metrics;
    size_t before = list->count;
    error_t wrong = word_list_add(list, "-M", text, WORDS_MOST, "metric groups");
    for (size_t i = before; i < list->count && wrong == 0; i++)
        wrong = check_group("-M", text, text + (list->words[i] - list->text[list->text_count - 1]));
    return wrong;
}

/* Where the report goes, and in which form. */
static error_t parse_output(int key, char *argument, struct argp_state *state)
{
    stat_options *options = state->input;
    uint64_t number;
    switch (key) {
    case 'x':
        if (argument[0] == '\0')
            return cli_complain("-x", "''", 1, "a separator has at least one character");
        options->csv = true;
        options->style.separator = strcmp(argument, "\\t") == 0 ? "\t" : argument;
        return 0;
    case KEY_LOG_FD:
        if (guest_number("--log-fd", argument, INT_MAX, &number) != 0)
            return CLI_USAGE;
        options->output.descriptor = (int)number;
        return 0;
    case 'B':
    case KEY_NO_BIG_NUM:
        options->style.big_numbers = key == 'B';
        options->digits = true;
        return 0;
    case KEY_TABLE:
        options->intervals.table = argument;
        options->style.table = argument == NULL;
        return argument == NULL ? 0 : check_group("--table", argument, argument);
    default:
        return cli_set(key, argument, state);
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    stat_options *options = state->input;
    uint64_t number;
    options->of_run |= key > 0 && key != CLI_FLAG(stat_options, compare) &&
                       key != CLI_FLAG(stat_options, style.zeros) && key < ARGP_KEY_END;
    switch (key) {
    case 'e':
        return event_options_add(&options->events, argument);
    case 'M':
        return add_metrics(options, argument);
    case 'r':
        if (guest_number("-r", argument, MOST_RUNS, &number) != 0)
            return CLI_USAGE;
        if (number == 0)
            return cli_complain("-r", argument, 1, "at least one run");
        options->runs = (size_t)number;
        return 0;
    case KEY_ROI:
        if (options->roi_count == REGION_MOST_PARTS)
            return cli_complain("--roi", argument, 1, "more than %d regions", REGION_MOST_PARTS);
        options->roi[options->roi_count++] = argument;
        return 0;
    case 'I':
        return interval_option(argument, &options->interval);
    case KEY_INTERVAL_COUNT:
        return guest_number("--interval-count", argument, UINT64_MAX, &options->intervals.most);
    case KEY_EXPECT:
        if (options->budget.expect_count == BUDGET_MOST_OPTIONS)
            return cli_complain("--expect", argument, 1, "--expect can be given %d times",
                                BUDGET_MOST_OPTIONS);
        options->budget.expect[options->budget.expect_count++] = argument;
        return 0;
    default:
        return cli_set(key, argument, state);
    }
}

static bool has_intervals(const stat_options *options)
{
    return options->interval.clocks != 0 || options->interval.instructions != 0 ||
           options->interval.seconds > 0;
}

static void turn_intervals(void *intervals, p5_machine *machine, bool inside)
{
    (void)machine;
    p5_stat_intervals_turn(intervals, inside);
}

/* Observes the run for -I, if that is wanted: within the region, if there is one. False after a message. */
static bool begin_intervals(p5_machine *machine, const p5_stat_intervals_options *options, region *roi,
                            p5_stat_intervals **intervals)
{
    *intervals = NULL;
    if (options == NULL)
        return true;
    p5_stat_intervals_options own = *options;
    own.paused = roi != NULL && roi->inside == 0;
    p5_error error;
    if (p5_stat_intervals_open(machine, &own, intervals, &error) != P5_OK)
        return cli_refuse_error(&error, NULL, NULL, NULL);
    if (roi != NULL) {
        roi->turned = turn_intervals;
        roi->context = *intervals;
    }
    return true;
}

/* One run of the guest. False if there is nothing to report; *status is what to exit with either way.
 * `options->written` tells whether the intervals could be written. */
static bool run_once(stat_options *options, size_t index, p5_stat_run *run, p5_run_result *result,
                     unsigned *broken, int *status, const p5_stat_intervals_options *wanted)
{
    const guest_needs needs = {.reads = options->metrics.words,
                               .read_count = options->metrics.count,
                               .another = index + 1 != options->runs || options->guest.model_count > 1};
    p5_machine *machine = guest_open(&options->guest, options->guest.machine.random_seed + index, status);
    if (machine == NULL)
        return false;
    if (!guest_begin(&options->guest, machine, &needs, status)) {
        if (*status != CLI_INTERNAL)
            stat_budget_note(&options->budget, NULL, NULL);
        p5_machine_close(machine);
        return false;
    }
    region *roi = options->roi_count > 0 ? &options->region : NULL;
    p5_stat_intervals *intervals;
    if ((roi != NULL && !region_begin(roi, machine)) || !begin_intervals(machine, wanted, roi, &intervals)) {
        p5_machine_close(machine);
        *status = CLI_INTERNAL;
        return false;
    }
    uint64_t before = p5_machine_instructions(machine); /* of a snapshot, or fast-forwarded */
    bool ran = guest_run(&options->guest, machine, result, &run->host_seconds);
    *status = ran ? guest_exit_status(result) : CLI_INTERNAL;
    if (ran) {
        p5_machine_settle(machine);
        p5_machine_counts(machine, &run->counts);
        options->fast_forwarded = p5_machine_fast_forwarded(machine, NULL);
        run->instructions = p5_machine_instructions(machine) - options->fast_forwarded;
        run->host_instructions = p5_machine_instructions(machine) - before;
        run->clock = p5_machine_clock(machine);
        run->permissive = p5_machine_permissive_count(machine);
        if (roi != NULL)
            region_end(roi, machine, run);
        stat_budget_note(&options->budget, result, roi);
    }
    if (intervals != NULL)
        options->written = p5_stat_intervals_close(intervals, &options->error);
    if (roi != NULL)
        roi->context = NULL; /* the intervals are closed */
    if (ran && options->check_laws) {
        unsigned checked;
        unsigned failed = p5_laws_check_machine(machine, stderr, &checked);
        *broken += failed;
        fprintf(stderr, "p5scope: %u laws checked, %u broken\n", checked, failed);
    }
    p5_machine_close(machine);
    return ran;
}

static p5_stat_format format_of(const stat_options *options)
{
    return options->json ? P5_STAT_JSON : options->csv ? P5_STAT_CSV : P5_STAT_TEXT;
}

/* The style of what goes to `out`. */
static p5_stat_style style_for(const stat_options *options, FILE *out)
{
    p5_stat_style style = options->style;
    style.colour = cli_colour(out);
    return style;
}

/* Runs the guest as often as asked and writes the report. */
static int run_and_report(stat_options *options, const char *own_options, const char *command,
                          const p5_selection *selection)
{
    FILE *out = options->to != NULL ? options->to : output_open(&options->output);
    if (out == NULL)
        return CLI_USAGE;
    int status = CLI_INTERNAL;
    unsigned broken = 0;
    size_t done = 0;
    p5_run_result result = {0};
    p5_stat_run *runs = calloc(options->runs, sizeof *runs);
    p5_stat stat = {.model = options->guest.model,
                    .command = command,
                    .guest_sha256 = options->sha256,
                    .options = own_options,
                    .identity = &options->identity.run,
                    .selection =
                        options->events.count > 0 || (options->metrics.count > 0 && !options->detailed)
                            ? selection
                            : NULL,
                    .region = options->roi_count > 0 ? options->region.text : NULL,
                    .no_events = options->no_events,
                    .metric_groups = options->metrics.words,
                    .runs = runs,
                    .run_count = 1};
    interval_complete(&options->interval, options->guest.model);
    p5_stat_intervals_options intervals = options->intervals;
    intervals.every_clocks = options->interval.clocks;
    intervals.every_instructions = options->interval.instructions;
    intervals.size = sizeof intervals;
    intervals.format = format_of(options);
    intervals.out = out;
    intervals.stat = &stat;
    intervals.style = &options->style;
    bool intervals_wanted = has_intervals(options);
    options->guest.rows_shown = intervals_wanted && isatty(fileno(out));
    while (runs != NULL && done < options->runs) {
        if (!run_once(options, done, &runs[done], &result, &broken, &status,
                      intervals_wanted ? &intervals : NULL))
            break;
        done++;
        if (result.end == P5_END_STOPPED)
            break;
    }
    stat.unmeasured = options->budget.unmeasured[0] != '\0' ? options->budget.unmeasured : NULL;
    char ending[400] = "";
    p5_error error = options->error;
    p5_status written = options->written;
    if (done > 0 && written == P5_OK) {
        guest_ending(&result, ending, sizeof ending);
        stat.ending = ending[0] != '\0' ? ending : NULL;
        stat.run_count = done;
        stat.region_times = options->region.times;
        stat.fast_forwarded = options->fast_forwarded;
        p5_stat_style style = style_for(options, out);
        if (intervals_wanted && options->json)
            p5_stat_write_interval_json_footer(out, &stat);
        if (!intervals_wanted || options->summary)
            written = p5_stat_write(out, &stat, format_of(options), &style, &error);
        if (options->budget.budget != NULL && options->json)
            p5_budget_write_json(options->budget.budget, &stat, out);
    }
    if (options->to == NULL && !output_close(out, options->output.path, written, &error))
        status = CLI_INTERNAL;
    if (ending[0] != '\0' && out != stderr)
        fprintf(stderr, "%s\n", ending);
    if (done > 0 || options->budget.unmeasured[0] != '\0') /* without a run there is nothing else to judge */
        status = stat_budget_judge(&options->budget, &stat, options->guest.quiet, status);
    free(runs);
    return broken > 0 ? CLI_FAILED : status;
}

/* Options that contradict each other, or do nothing without another. */
static bool check_together(const stat_options *options)
{
    bool named = options->events.count > 0 || options->metrics.count > 0;
    const struct {
        bool wrong;
        const char *why;
    } rules[] = {
        {options->runs > 1 && has_intervals(options), "-I and -r: intervals are those of one run"},
        {options->runs > 1 && options->guest.save != NULL, "--save and -r: a snapshot is that of one run"},
        {options->runs > 1 && options->guest.model_count > 1 && options->style.table,
         "--table and several --model: a comparison has its own"},
        {options->guest.model_count > 1 && (has_intervals(options) || options->guest.save != NULL),
         "-I, --save and several --model: they are those of one run"},
        {options->guest.model_count > 1 && options->budget.junit != NULL,
         "--junit and several --model: one file has the outcome of one"},
        {options->runs > 1 && options->guest.gdb != NULL, "--gdb and -r: gdb controls one run"},
        {options->guest.gdb != NULL && (has_intervals(options) || options->roi_count > 0),
         "--gdb and -I or --roi: a run that gdb controls is not observed"},
        {options->digits && (options->csv || options->json),
         "-B and --no-big-num are for the report as text"},
        {options->no_events && options->detailed, "-n and -d: no events, or all metric groups"},
        {options->csv && options->json, "-x and -j are two formats: one report has one"},
        {options->no_events && named, "-n and -e or -M: no events, or these"},
        {options->output.path != NULL && options->output.descriptor >= 0,
         "-o and --log-fd: a report goes to one place"},
        {options->output.append && options->output.path == NULL, "--append: to which file? -o FILE"},
        {options->style.header && !options->csv, "--header: of what? Only CSV (-x) has one to choose"},
        {options->budget.junit != NULL && options->budget.expect_count == 0,
         "--junit: of which conditions? --expect"},
        {options->detailed && options->metrics.count > 0, "-d and -M: all metric groups, or these"},
        {options->style.zeros && (options->csv || options->json || options->no_events ||
                                  options->events.count > 0 || options->metrics.count > 0),
         "-v: only the whole table as text leaves anything out"},
        {options->style.table && options->runs < 2,
         "--table: of which runs? -r N; for intervals --table=GROUP"},
        {options->intervals.table != NULL && !has_intervals(options),
         "--table=GROUP: of which intervals? -I N"},
        {options->intervals.table != NULL && (options->csv || options->json),
         "--table=GROUP is text: not with -x or -j"},
        {options->intervals.table != NULL && (named || options->no_events || options->detailed),
         "--table=GROUP has the group's metrics in its columns: not with -e, -M, -n or -d"},
        {(options->summary || options->intervals.most != 0) && !has_intervals(options),
         "--summary and --interval-count: of which intervals? -I N"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].wrong)
            return cli_refuse(NULL, NULL, 0, "%s", rules[i].why);
    return true;
}

static int stat_guest(stat_options *options, char **argv)
{
    const file_use outputs[] = {{"-o", options->output.path, false},
                                {"--junit", options->budget.junit, false}};
    if (!check_together(options) || !guest_files_apart(&options->guest, outputs, 2) ||
        !stat_budget_complete(&options->budget, p5_model_family(options->guest.model)))
        return CLI_USAGE;
    for (size_t i = 0; i < options->roi_count; i++)
        if (!region_add(&options->region, options->roi[i], options->guest.command[0]))
            return CLI_USAGE;
    if (options->detailed)
        options->metrics.count =
            p5_metric_group_names(p5_model_family(options->guest.model), options->metrics.words, WORDS_MOST);
    if (options->json) /* no other format has it */
        p5_file_sha256(options->guest.command[0], options->sha256);
    char *own_options = guest_own_options(&options->guest, argv);
    char *command = guest_command_line(&options->guest);
    p5_selection selection = {0};
    int status = CLI_INTERNAL;
    if (guest_identity_open(&options->identity, &options->guest) && own_options != NULL && command != NULL)
        status = event_options_select(&options->events, p5_model_family(options->guest.model),
                                      !options->guest.quiet, &selection)
                     ? run_and_report(options, own_options, command, &selection)
                     : CLI_USAGE;
    guest_identity_close(&options->identity);
    p5_selection_free(&selection);
    free(own_options);
    free(command);
    return status;
}

static const struct argp_option output_table[] = {
    {"field-separator", 'x', "SEP", 0, "CSV with this separator", 0},
    {"header", CLI_FLAG(stat_options, style.header), NULL, 0, "CSV: begin with the names of the fields", 0},
    {"json", CLI_FLAG(stat_options, json), NULL, 0, "JSON, one object per line", 0},
    CLI_LETTER('j'),
    {"output", CLI_TEXT(stat_options, output.path), "FILE", 0, "Report to FILE instead of stderr", 0},
    CLI_LETTER('o'),
    {"append", CLI_FLAG(stat_options, output.append), NULL, 0,
     "Append to FILE; with --kernel --output-append", 0},
    {"output-append", 0, NULL, OPTION_ALIAS, NULL, 0},
    {"log-fd", KEY_LOG_FD, "N", 0, "Report to file descriptor N", 0},
    {"table", KEY_TABLE, "GROUP", OPTION_ARG_OPTIONAL,
     "With -I: a row for each interval, the metrics of GROUP in the columns; with -r, without GROUP: each "
     "run by itself",
     0},
    {"big-num", 'B', NULL, 0, "Digits in groups of three (default)", 0},
    {"no-big-num", KEY_NO_BIG_NUM, NULL, 0, "Plain digits", 0},
    {"junit", CLI_TEXT(stat_options, budget.junit), "FILE", 0, "With --expect: the outcome for CI services",
     0},
    {0}};
static const struct argp output_argp = {.options = output_table, .parser = parse_output};

/* Writes the comparison where the report would go, and closes it. `status` is what to exit with otherwise. */
static int show_comparison(const stat_options *options, p5_comparison *comparison, int status)
{
    p5_error error = {0};
    bool on_stdout = options->compare && options->output.path == NULL && options->output.descriptor < 0;
    FILE *out = on_stdout ? stdout : output_open(&options->output); /* no guest writes there */
    if (out != NULL) {
        p5_stat_style style = style_for(options, out);
        p5_status written = p5_comparison_write(out, comparison, format_of(options), &style, &error);
        if (!output_close(out, options->output.path, written, &error))
            status = CLI_INTERNAL;
    }
    p5_comparison_close(comparison);
    return out != NULL ? status : CLI_USAGE;
}

/* True if nothing was said about the guest and its machine. */
static bool guest_is_plain(const guest_options *guest)
{
    guest_options plain, given = *guest;
    guest_options_init(&plain, given.verb);
    plain.takes_models = given.takes_models;
    given.command = NULL;
    given.given = NULL;
    given.quiet = false;
    return memcmp(&plain, &given, sizeof plain) == 0;
}

/* --compare A.json B.json ... */
static int compare_files(const stat_options *options)
{
    p5_error error = {0};
    p5_comparison *comparison;
    char *const *files = options->guest.command;
    if (files == NULL || files[0] == NULL || files[1] == NULL)
        return cli_complain(NULL, NULL, 0, "--compare: which results of 'stat -j'? At least two files");
    if (!check_together(options))
        return CLI_USAGE;
    if (options->of_run || !guest_is_plain(&options->guest))
        return cli_complain(NULL, NULL, 0,
                            "--compare reads results and runs nothing: only -o, --append, --log-fd, -j, "
                            "-x, --header, -v and --no-big-num go with it");
    if (p5_comparison_open(&comparison, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        return CLI_INTERNAL;
    }
    for (; *files != NULL; files++)
        if (p5_comparison_read(comparison, *files, &error) != P5_OK) {
            cli_show_error(&error, NULL, NULL, "'p5scope stat -j -o FILE GUEST' makes one.");
            p5_comparison_close(comparison);
            return CLI_USAGE;
        }
    return show_comparison(options, comparison, CLI_OK);
}

/* One run of several --model: its result goes into the comparison. */
static int add_model(const stat_options *options, const char *model, char **argv, p5_comparison *comparison)
{
    stat_options one = *options;
    char *lines = NULL;
    size_t size = 0;
    p5_error error = {0};
    one.guest.machine.model = model;
    one.json = true;
    one.csv = false;
    one.style.zeros = one.style.header = false;
    one.to = open_memstream(&lines, &size);
    int status = CLI_USAGE;
    if (one.to == NULL)
        return CLI_INTERNAL;
    if (guest_options_complete(&one.guest, &status))
        status = stat_guest(&one, argv);
    fclose(one.to);
    if (size > 0 && p5_comparison_add(comparison, model, lines, &error) != P5_OK)
        cli_show_error(&error, NULL, NULL, NULL);
    free(lines);
    stat_budget_close(&one.budget);
    guest_options_free_model(&one.guest);
    return size > 0 ? status : CLI_USAGE;
}

static int compare_models(const stat_options *options, char **argv)
{
    p5_error error = {0};
    p5_comparison *comparison;
    int status = CLI_OK;
    if (options->guest.command != NULL && !check_together(options))
        return CLI_USAGE;
    if (p5_comparison_open(&comparison, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        return CLI_INTERNAL;
    }
    for (size_t i = 0; i < options->guest.model_count; i++) {
        int one = add_model(options, options->guest.models[i], argv, comparison);
        if (one == CLI_USAGE || one == CLI_INTERNAL) {
            p5_comparison_close(comparison);
            return one;
        }
        bool of_budget = one == CLI_OVER_BUDGET || one == CLI_UNMEASURED;
        status = status == CLI_OK || (of_budget && status != CLI_OVER_BUDGET) ? one : status;
    }
    return show_comparison(options, comparison, status);
}

int verb_stat(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"event", 'e', "LIST", 0, "Events or {a,b}; :u CPL 3, :k CPL 0-2, :c clocks", 1},
        {"metrics", 'M', "GROUPS", 0, "Metric groups (see 'p5scope list metrics')", 0},
        {"repeat", 'r', "N", 0, "N runs (seeds count up): mean and +-", 0},
        {"null", CLI_FLAG(stat_options, no_events), NULL, 0, "No events, only clocks and times", 0},
        CLI_LETTER('n'),
        {"roi", KEY_ROI, "FROM,TO", 0, "Count from FROM to TO only, or in one FUNCTION", 0},
        {"interval", 'I', "N[c|i|ms]", 0, "A report every N clocks, instructions or ms", 0},
        {"interval-count", KEY_INTERVAL_COUNT, "N", 0, "With -I: no more than N of them", 0},
        {"summary", CLI_FLAG(stat_options, summary), NULL, 0, "With -I: then the totals", 0},
        {"verbose", CLI_FLAG(stat_options, style.zeros), NULL, 0, "Groups too in which nothing occurred", 0},
        CLI_LETTER('v'),
        {"detailed", CLI_FLAG(stat_options, detailed), NULL, 0, "All metric groups too", 0},
        CLI_LETTER('d'),
        {"compare", CLI_FLAG(stat_options, compare), NULL, 0,
         "GUEST... are results of 'stat -j': side by side", 0},
        {"expect", KEY_EXPECT, "LIST|@FILE", 0, "E.g. 'clocks<=1.2M,CPI<1.1'; status 122 if broken", 0},
        {"check-laws", CLI_FLAG(stat_options, check_laws), NULL, 0,
         "Check the counts' laws; status 1 if one is broken", 0},
        {0}};
    static const struct argp_child children[] = {
        {&guest_argp, 0, NULL, 10}, {&output_argp, 0, "Output:", 9}, {0}};
    static const struct argp argp = {
        .options = table,
        .parser = parse,
        .args_doc = "[--] GUEST [ARG...]",
        .doc = "Run GUEST and report its events, derived figures and where the clocks went."
               "\vExamples:\n  p5scope stat -e cycles,instructions,data_read_miss:u ./program\n  p5scope "
               "stat --expect 'clocks<=1.2M,CPI<1.1' ./program",
        .children = children};
    static const stat_options defaults = {.output.descriptor = -1, .style.big_numbers = true, .runs = 1};
    stat_options options = defaults;
    guest_options_init(&options.guest, "stat");
    options.guest.takes_models = true;
    int status = CLI_USAGE;
    bool parsed = cli_parse(&argp, argc, argv, &options, &options.guest);
    if (parsed)
        options.guest.given = cli_given(&argp, argc, argv);
    if (parsed && options.compare)
        status = compare_files(&options);
    else if (parsed && options.guest.model_count > 1 && !options.guest.dump_config)
        status = compare_models(&options, argv);
    else if (parsed && guest_options_complete(&options.guest, &status))
        status = stat_guest(&options, argv);
    word_list_free(&options.metrics);
    stat_budget_close(&options.budget);
    guest_options_free(&options.guest);
    return status;
}
