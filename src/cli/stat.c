/* p5scope stat: runs the guest and reports its counts. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option_values.h"
#include "cli/guest_run.h"
#include "cli/output.h"
#include "cli/stat_budget.h"
#include "cli/warnings.h"

typedef struct stat_options {
    guest_options guest;
    const cli_options *line;
    word_list metrics; /* -M */
    p5_stat_style style;
    run_interval interval;               /* -I */
    p5_stat_intervals_options intervals; /* the options of the rows that -I writes */
    stat_budget budget;                  /* --expect, --junit */
    region region;                       /* --roi */
    char sha256[P5_SHA256_TEXT];         /* of the guest's file */
    guest_identity identity;
    /* Of the last run: */
    p5_run_result result;
    uint64_t fast_forwarded; /* instructions */
    p5_status written; /* P5_OK: the rows of its intervals were written; otherwise `error` says why not */
    p5_error error;
    /* Of all runs: */
    unsigned broken; /* how many laws of --check-laws were broken */
    size_t runs;     /* -r: number of runs */
    p5_stat_format format;
    FILE *to; /* the destination of the report in a comparison of models; NULL: as the options say */
} stat_options;

/* Returns false after a message if the metric group `name`, a part of the value `text` of `option`, does not exist
 * or its file is wrong. */
static bool check_group(const char *option, const char *text, const char *name)
{
    char group[200];
    snprintf(group, sizeof group, "%.*s", (int)strcspn(name, ","), name);
    p5_error error = {0};
    if (p5_metric_group_check(group, &error) == P5_OK)
        return true;
    bool in_file = error.line != 0;
    error.column = in_file ? error.column : (unsigned)(name - text) + 1;
    return cli_refuse_error(&error, option, in_file ? NULL : text,
                            "Run 'p5scope list metrics' to see the groups.");
}

/* Adds the groups of -M a,b. Returns false after a message. */
static bool add_metrics(stat_options *options, const char *text)
{
    word_list *list = &options->metrics;
    size_t before = list->count;
    bool good = word_list_add(list, "-M", text, "metric groups") == 0;
    for (size_t i = before; i < list->count && good; i++)
        good = check_group("-M", text, text + (list->words[i] - list->text[list->text_count - 1]));
    return good;
}

/* Takes the values of the options. Returns false after a message. */
static bool take_values(stat_options *options)
{
    const cli_options *line = options->line;
    const char *group = line->table;
    options->runs = line->repeat != 0 ? (size_t)line->repeat : 1;
    options->format = line->json ? P5_STAT_JSON : line->field_separator != NULL ? P5_STAT_CSV : P5_STAT_TEXT;
    options->style = (p5_stat_style){.big_numbers = !line->no_big_num,
                                     .zeros = line->verbose,
                                     .brief = !line->verbose && !line->detailed,
                                     .header = line->header,
                                     .table = line->used[OPTION_TABLE] && group == NULL,
                                     .separator = line->field_separator};
    if (line->field_separator != NULL && strcmp(line->field_separator, "\\t") == 0)
        options->style.separator = "\t";
    options->interval = line->interval;
    options->intervals = (p5_stat_intervals_options){.table = group, .most = line->interval_count};
    options->budget.expect = line->expect;
    options->budget.junit = line->junit;
    options->budget.baseline = line->baseline;
    bool good = (group == NULL || check_group("--table", group, group)) &&
                (line->field_separator == NULL || separator_option("-x", line->field_separator, true) == 0);
    for (size_t i = 0; i < line->metrics.count && good; i++)
        good = add_metrics(options, line->metrics.items[i]);
    return good;
}

/* Continues or pauses the rows of -I where a region begins or ends. The callback region.turned. */
static void turn_intervals(void *intervals, p5_machine *machine, bool inside)
{
    (void)machine;
    p5_stat_intervals_turn(intervals, inside);
}

/* Opens the observer that writes the rows of -I, only within the region if there is one. `options` is NULL without -I.
 * Returns false after a message. */
static bool begin_intervals(p5_machine *machine, const p5_stat_intervals_options *options, region *roi,
                            p5_stat_intervals **intervals)
{
    *intervals = NULL;
    if (options == NULL)
        return true;
    p5_stat_intervals_options own = *options;
    own.paused = roi != NULL && roi->inside == 0;
    p5_error error = {0};
    if (p5_stat_intervals_open(machine, &own, intervals, &error) != P5_OK)
        return cli_refuse_error(&error, NULL, NULL, NULL);
    if (roi != NULL) {
        roi->turned = turn_intervals;
        roi->context = *intervals;
    }
    return true;
}

/* Runs the guest once, as number `index` of the runs, and stores its counts in *run. Returns false if there is
 * nothing to report; *status is the exit status in any case. `intervals_wanted` is NULL without -I. */
static bool run_once(stat_options *options, size_t index, p5_stat_run *run,
                     const p5_stat_intervals_options *intervals_wanted, int *status)
{
    const guest_needs needs = {.reads = options->metrics.words,
                               .another = index + 1 != options->runs || options->line->model.count > 1};
    p5_machine *machine = guest_open(&options->guest, options->guest.machine.random_seed + index, status);
    if (machine == NULL)
        return false;
    if (!guest_begin(&options->guest, machine, &needs, status)) {
        if (*status != CLI_INTERNAL)
            stat_budget_note(&options->budget, NULL, NULL);
        p5_machine_close(machine);
        return false;
    }
    region *roi = options->line->roi.count > 0 ? &options->region : NULL;
    p5_stat_intervals *intervals;
    if ((roi != NULL && !region_begin(roi, machine)) ||
        !begin_intervals(machine, intervals_wanted, roi, &intervals)) {
        p5_machine_close(machine);
        *status = CLI_INTERNAL;
        return false;
    }
    uint64_t before = p5_machine_instructions(machine); /* of a snapshot, or fast-forwarded */
    bool ran = guest_run(&options->guest, machine, &options->result, &run->host_seconds);
    *status = ran ? guest_exit_status(&options->result) : CLI_INTERNAL;
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
        stat_budget_note(&options->budget, &options->result, roi);
    }
    if (intervals != NULL)
        options->written = p5_stat_intervals_close(intervals, &options->error);
    if (roi != NULL)
        roi->context = NULL; /* the intervals are closed */
    if (ran && options->line->check_laws) {
        unsigned checked;
        unsigned failed = p5_laws_check_machine(machine, stderr, &checked);
        options->broken += failed;
        fprintf(stderr, "p5scope: %u laws checked, %u broken\n", checked, failed);
    }
    p5_machine_close(machine);
    return ran;
}

/* Returns the style of a report to `out`: with colours if that is a terminal. */
static p5_stat_style style_for(const stat_options *options, FILE *out)
{
    p5_stat_style style = options->style;
    style.colour = cli_colour(out);
    return style;
}

/* Runs the guest as often as -r says, writes the report and judges --expect. `own_options` are p5scope's own options
 * and `command` is the guest's command line, both for the report. Returns the exit status. */
static int run_and_report(stat_options *options, const char *own_options, const char *command,
                          const p5_selection *selection)
{
    FILE *out = options->to != NULL ? options->to : output_open(options->line);
    if (out == NULL)
        return CLI_USAGE;
    int status = CLI_INTERNAL;
    size_t done = 0;
    p5_stat_run *runs = calloc(options->runs, sizeof *runs);
    p5_stat stat = {.model = options->guest.model,
                    .command = command,
                    .guest_sha256 = options->sha256,
                    .options = own_options,
                    .identity = &options->identity.run,
                    .selection = options->line->event.count > 0 ||
                                         (options->metrics.count > 0 && !options->line->detailed)
                                     ? selection
                                     : NULL,
                    .region = options->line->roi.count > 0 ? options->region.text : NULL,
                    .no_events = options->line->null,
                    .metric_groups = options->metrics.words,
                    .runs = runs,
                    .run_count = 1};
    interval_complete(&options->interval, options->guest.model);
    p5_stat_intervals_options intervals = options->intervals;
    intervals.every_clocks = options->interval.clocks;
    intervals.every_instructions = options->interval.instructions;
    intervals.size = sizeof intervals;
    intervals.format = options->format;
    intervals.out = out;
    intervals.stat = &stat;
    intervals.style = &options->style;
    const bool intervals_wanted = options->line->used[OPTION_INTERVAL];
    options->guest.rows_shown = intervals_wanted && isatty(fileno(out));
    while (runs != NULL && done < options->runs) {
        if (!run_once(options, done, &runs[done], intervals_wanted ? &intervals : NULL, &status))
            break;
        done++;
        if (options->result.end == P5_END_STOPPED)
            break;
    }
    stat.unmeasured = options->budget.unmeasured[0] != '\0' ? options->budget.unmeasured : NULL;
    char ending[400] = "";
    p5_error error = options->error;
    p5_status written = options->written;
    if (done > 0 && written == P5_OK) {
        guest_ending(&options->result, ending, sizeof ending);
        stat.ending = guest_ended_itself(&options->result) ? NULL : ending;
        stat.run_count = done;
        stat.region_times = options->region.times;
        stat.region_open = options->region.open;
        stat.fast_forwarded = options->fast_forwarded;
        p5_stat_style style = style_for(options, out);
        if (intervals_wanted && options->format == P5_STAT_JSON)
            p5_stat_write_interval_json_footer(out, &stat);
        if (!intervals_wanted || options->line->summary)
            written = p5_stat_write(out, &stat, options->format, &style, &error);
        if (options->budget.budget != NULL && options->format == P5_STAT_JSON)
            p5_budget_write_json(options->budget.budget, &stat, out);
    }
    if (options->to == NULL && !output_close(out, options->line->output, written, &error))
        status = CLI_INTERNAL;
    if (ending[0] != '\0' && (out != stderr || stat.ending == NULL))
        fprintf(stderr, "%s\n", ending);
    if (done > 0 || options->budget.unmeasured[0] != '\0')
        status = stat_budget_judge(&options->budget, &stat, options->line->quiet, status);
    free(runs);
    return options->broken > 0 ? CLI_FAILED : status;
}

/* Checks what depends on the model, and runs the guest on it. Returns the exit status. */
static int stat_guest(stat_options *options)
{
    const file_use outputs[] = {{"-o", options->line->output, false},
                                {"--junit", options->budget.junit, false}};
    if (!guest_files_distinct(&options->guest, outputs, 2) ||
        !stat_budget_complete(&options->budget, p5_model_family(options->guest.model)))
        return CLI_USAGE;
    for (size_t i = 0; i < options->line->roi.count; i++)
        if (!region_add(&options->region, options->line->roi.items[i], options->guest.command[0]))
            return CLI_USAGE;
    if (options->line->detailed)
        options->metrics.count =
            p5_metric_group_names(p5_model_family(options->guest.model), options->metrics.words, WORDS_MOST);
    if (options->format == P5_STAT_JSON) /* the other formats do not have the hash */
        p5_file_sha256(options->guest.command[0], options->sha256);
    char *own_options = guest_own_options(&options->guest);
    char *command = guest_command_line(&options->guest);
    p5_selection selection = {0};
    int status = CLI_INTERNAL;
    if (guest_identity_open(&options->identity, &options->guest) && own_options != NULL && command != NULL) {
        stat_budget_warn(&options->budget, &options->identity.run, options->guest.model);
        status = events_select(&options->line->event, p5_model_family(options->guest.model),
                               !options->line->quiet, &selection)
                     ? run_and_report(options, own_options, command, &selection)
                     : CLI_USAGE;
    }
    guest_identity_close(&options->identity);
    p5_selection_free(&selection);
    free(own_options);
    free(command);
    return status;
}

/* Judges a comparison by --threshold. Returns the exit status. */
static int judge_comparison(const stat_options *options, const p5_comparison *comparison)
{
    p5_error error = {0};
    unsigned broken;
    FILE *xml = options->budget.junit != NULL ? output_open_file("--junit", options->budget.junit) : NULL;
    if (options->budget.junit != NULL && xml == NULL)
        return CLI_USAGE;
    p5_status status =
        p5_comparison_judge(comparison, options->line->threshold, stderr, xml, &broken, &error);
    bool written = xml == NULL || output_close(xml, options->budget.junit, status, &error);
    return !written ? CLI_INTERNAL : broken > 0 ? CLI_OVER_BUDGET : CLI_OK;
}

/* Writes the comparison where the report would go, or with --compare to standard output, judges it by --threshold
 * and closes it. `status` is the exit status so far. Returns the exit status. */
static int show_comparison(const stat_options *options, p5_comparison *comparison, int status)
{
    p5_error error = {0};
    bool on_stdout =
        options->line->compare && options->line->output == NULL && !options->line->used[OPTION_LOG_FD];
    FILE *out = on_stdout ? stdout : output_open(options->line); /* no guest uses standard output */
    if (out != NULL) {
        p5_stat_style style = style_for(options, out);
        p5_status written = p5_comparison_write(out, comparison, options->format, &style, &error);
        if (!output_close(out, options->line->output, written, &error))
            status = CLI_INTERNAL;
        if (status == CLI_OK && options->line->used[OPTION_THRESHOLD])
            status = judge_comparison(options, comparison);
    }
    p5_comparison_close(comparison);
    return out != NULL ? status : CLI_USAGE;
}

/* Warns if the runs differ in more than their guest. */
static void warn_of_differences(const p5_comparison *comparison)
{
    char values[500];
    if (!p5_comparison_same_revision(comparison, values, sizeof values))
        warn_of_revisions(values);
    size_t next = 0;
    for (const char *part; (part = warn_next_part(&next)) != NULL;)
        if (!p5_comparison_same_option(comparison, part, values, sizeof values))
            warn_of_part(part, values);
}

/* Performs --compare A.json B.json ... Returns the exit status. */
static int compare_files(const stat_options *options)
{
    p5_error error = {0};
    p5_comparison *comparison;
    char *const *files = options->line->operands;
    if (files == NULL || files[0] == NULL || files[1] == NULL)
        return cli_complain(NULL, NULL, 0, "--compare needs at least two results of 'stat -j'");
    for (size_t i = 0; files[i] != NULL; i++) {
        const file_use uses[] = {{"-o", options->line->output, false}, {"a result", files[i], true}};
        if (!file_uses_distinct(uses, 2))
            return CLI_USAGE;
    }
    if (p5_comparison_open(&comparison, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        return CLI_INTERNAL;
    }
    for (; *files != NULL; files++)
        if (p5_comparison_read(comparison, *files, &error) != P5_OK) {
            cli_show_error(&error, NULL, NULL,
                           (*files)[0] == '-' ? "Options of stat stand before the results."
                                              : "'p5scope stat -j -o FILE GUEST' makes one.");
            p5_comparison_close(comparison);
            return CLI_USAGE;
        }
    warn_of_differences(comparison);
    return show_comparison(options, comparison, CLI_OK);
}

/* Runs the guest on one of several models and adds the result, as JSON, to the comparison. Works on a copy of the
 * options, because those of the guest are completed for a model. Returns the exit status. */
static int add_model(const stat_options *options, const char *model, p5_comparison *comparison)
{
    stat_options one = *options;
    char *lines = NULL;
    size_t size = 0;
    p5_error error = {0};
    one.guest.machine.model = model;
    one.format = P5_STAT_JSON;
    one.style.zeros = one.style.header = false;
    one.to = open_memstream(&lines, &size);
    int status = CLI_USAGE;
    if (one.to == NULL)
        return CLI_INTERNAL;
    if (guest_options_complete(&one.guest, &status))
        status = stat_guest(&one);
    if (fclose(one.to) != 0) {
        status = CLI_INTERNAL;
    } else if (size > 0 && p5_comparison_add(comparison, model, lines, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        status = CLI_INTERNAL;
    }
    free(lines);
    stat_budget_close(&one.budget);
    guest_options_free_completed(&one.guest);
    return size > 0 ? status : CLI_USAGE;
}

/* Runs the guest on each --model and compares the results. Returns the exit status. */
static int compare_models(const stat_options *options)
{
    p5_error error = {0};
    p5_comparison *comparison;
    int status = CLI_OK;
    if (p5_comparison_open(&comparison, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        return CLI_INTERNAL;
    }
    for (size_t i = 0; i < options->line->model.count; i++) {
        int one = add_model(options, options->line->model.items[i], comparison);
        if (one == CLI_USAGE || one == CLI_INTERNAL) {
            p5_comparison_close(comparison);
            return one;
        }
        bool of_budget = one == CLI_OVER_BUDGET || one == CLI_UNMEASURED;
        status = status == CLI_OK || (of_budget && status != CLI_OVER_BUDGET) ? one : status;
    }
    return show_comparison(options, comparison, status);
}

static int run(const cli_options *line)
{
    stat_options options = {.line = line, .result = {.size = sizeof options.result}};
    int status = CLI_USAGE;
    bool good = take_values(&options) && guest_options_open(&options.guest, line);
    if (good && line->compare)
        status = compare_files(&options);
    else if (good && line->model.count > 1 && !line->dump_config)
        status = compare_models(&options);
    else if (good && guest_options_complete(&options.guest, &status))
        status = stat_guest(&options);
    word_list_free(&options.metrics);
    stat_budget_close(&options.budget);
    guest_options_free(&options.guest);
    return status;
}

const cli_verb verb_stat = {
    .name = "stat",
    .summary = "run a guest and count: events, derived figures, where the clocks went",
    .operands = "[--] GUEST [ARG...]",
    .doc = "Run GUEST and report its events, derived figures and where the clocks went."
           "\vExamples:\n  p5scope stat -e cycles,instructions,data_read_miss:u ./program\n  p5scope stat "
           "--expect 'clocks<=1.2M,CPI<1.1' ./program",
    .runs_guest = true,
    .run = run};
