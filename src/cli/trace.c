/* p5scope trace: runs the guest and writes its counters over time to a file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option_values.h"
#include "cli/guest_run.h"
#include "cli/picture.h"
#include "p5scope/observe.h"

enum { MOST_AT = 64, MOST_FUNCTIONS = 1000 }; /* MOST_AT as in options.tsv */
/* The clocks between rows without -I, and the clocks of the shortest call that --functions without a value shows. */
enum { DEFAULT_CLOCKS = 100000, DEFAULT_FUNCTION_CLOCKS = 1000 };

typedef struct trace_options {
    guest_options guest;
    const cli_options *line;
    p5_trace_options trace;
    run_interval interval;   /* -I */
    picture_series pictures; /* --pictures */
    const char **symbols;    /* --symbols, and --init's program */
    p5_selection selection;
    p5_trace_function functions[MOST_FUNCTIONS];
    char *names[MOST_AT]; /* the values of --at, which are cut into the functions' names */
} trace_options;

/* ---- Checks of the options ---- */

/* Returns true if an option chooses when rows of counters are written. */
static bool chooses_rows(const trace_options *options)
{
    const p5_trace_options *trace = &options->trace;
    return trace->every_clocks != 0 || trace->every_instructions != 0 || options->line->at.count != 0 ||
           trace->markers || trace->pmu;
}

/* Chooses the format by --format or the ending of the file's name, and refuses options that it does not have.
 * Returns false after a message. */
static bool choose_format(trace_options *options)
{
    p5_error error = {0};
    const char *path = options->trace.path;
    bool known = p5_trace_format_of(path, &options->trace.format, &options->trace.compressed);
    if (options->line->format != NULL) {
        if (p5_trace_format_find(options->line->format, &options->trace.format, &error) != P5_OK) {
            error.column = 1;
            return cli_refuse_error(&error, "--format", options->line->format, NULL);
        }
    } else if (!known) {
        return cli_refuse(
            "-o", path, 1,
            "the file's name has no known ending (.csv .jsonl .db .vcd .json .kanata .svg .html, also "
            "with .zst); choose the format with --format");
    }
    if (options->trace.bus_clock && options->trace.format != P5_TRACE_VCD)
        return cli_refuse("-o", path, 1, "--bus-clock is for waveforms (.vcd)");
    if (options->trace.format == P5_TRACE_VCD && options->trace.every_clocks == 0 &&
        options->trace.every_instructions == 0 && chooses_rows(options))
        return cli_refuse(
            "-o", path, 1,
            "--at, --markers and --pmu need -I here: without it a waveform (.vcd) shows every instruction");
    if (options->trace.every_function && options->trace.format != P5_TRACE_CHROME)
        return cli_refuse("-o", path, 1, "--functions is for Perfetto (.json)");
    if (options->trace.deltas && options->trace.format != P5_TRACE_CSV &&
        options->trace.format != P5_TRACE_JSON)
        return cli_refuse("-o", path, 1, "--deltas is for CSV and JSON lines (.csv .jsonl)");
    if (options->trace.format >= P5_TRACE_KANATA && (chooses_rows(options) || options->line->event.count > 0))
        return cli_refuse(
            "-o", path, 1,
            "-I, -e, --at, --markers and --pmu have no effect here: the pipeline (.kanata .svg .html) has no "
            "rows of counters");
    return true;
}

/* Selects the events of -e as columns. Returns false after a message. */
static bool select_events(trace_options *options)
{
    if (options->line->event.count > 0)
        options->trace.selection = &options->selection;
    return events_select(&options->line->event, p5_model_family(options->guest.model), false,
                         &options->selection);
}

/* Adds the functions of --at a,b, the option's value number `word`. Their names label rows, so they are made
 * printable. Returns false after a message. */
static bool add_functions(trace_options *options, size_t word, const char *guest)
{
    const char *text = options->line->at.items[word];
    char *copy = p5_printable(text);
    if (copy == NULL)
        return false;
    options->names[word] = copy;
    for (char *name = copy, *next; name != NULL; name = next) {
        p5_error error = {0};
        const char *comma = place_comma(name);
        next = comma != NULL ? name + (comma - name) + 1 : NULL;
        if (next != NULL)
            next[-1] = '\0';
        if (name[0] == '\0')
            return cli_refuse("--at", text, (unsigned)(name - copy) + 1, "a function is missing here");
        uint32_t address;
        if (p5_symbol_find(guest, name, &address, NULL, &error) != P5_OK) {
            error.column = (unsigned)(name - copy) + 1;
            return cli_refuse_error(&error, "--at", text, NULL);
        }
        if (options->trace.function_count == MOST_FUNCTIONS)
            return cli_refuse("--at", text, 1, "more than %d functions", MOST_FUNCTIONS);
        options->functions[options->trace.function_count++] = (p5_trace_function){name, address};
    }
    return true;
}

/* Completes the options of the trace after those of the guest. Returns false after a message. */
static bool complete(trace_options *options)
{
    if (options->trace.path == NULL)
        return cli_refuse(NULL, NULL, 0, "trace needs -o FILE; the file's name chooses the format");
    interval_complete(&options->interval, options->guest.model);
    options->trace.every_clocks = options->interval.clocks;
    options->trace.every_instructions = options->interval.instructions;
    options->symbols = guest_symbol_files(&options->guest);
    if (options->symbols == NULL)
        return false;
    options->trace.symbols = options->symbols;
    const char *guest = options->guest.command[0];
    const file_use output = {"-o", strcmp(options->trace.path, "-") != 0 ? options->trace.path : NULL, false};
    bool good =
        guest_files_distinct(&options->guest, &output, 1) && choose_format(options) && select_events(options);
    for (size_t i = 0; i < options->line->at.count && good; i++)
        good = add_functions(options, i, guest);
    if (good && options->line->from != NULL)
        good = bound_option("--from", options->line->from, guest, &options->trace.from);
    if (good && options->line->to != NULL)
        good = end_option("--to", options->line->to, guest, &options->trace.to) &&
               bounds_in_order(&options->trace.from, &options->trace.to, "--to", options->line->to, 1);
    if (options->line->pictures != NULL && options->trace.every_clocks == 0)
        return cli_refuse("--pictures", options->line->pictures, 1,
                          "--pictures needs -I with an interval of clocks.");
    options->trace.functions = options->functions;
    options->trace.guest = guest;
    if (!chooses_rows(options) && options->trace.format != P5_TRACE_VCD)
        options->trace.every_clocks = DEFAULT_CLOCKS;
    return good;
}

/* ---- The run ---- */

/* Returns false after a message if nothing was executed between --from and --to. */
static bool check_window(const trace_options *options, const p5_trace *trace)
{
    const char *from = options->line->from != NULL ? options->line->from : "the start",
               *to = options->line->to;
    switch (p5_trace_window_of(trace)) {
    case P5_TRACE_HAS_WINDOW:
        return true;
    case P5_TRACE_NEVER_BEGAN:
        fprintf(stderr, "p5scope: nothing was traced: the run ended before it reached --from %s\n", from);
        break;
    case P5_TRACE_ENDED_FIRST:
        fprintf(stderr,
                "p5scope: nothing was traced: the run reached --to %s before --from %s\n"
                "  --to +%s counts from there on\n",
                to, from, to);
        break;
    case P5_TRACE_NO_LENGTH:
        fprintf(stderr, "p5scope: nothing was traced: from %s to %s no instruction was completed\n", from,
                to != NULL ? to : "the end of the run");
        break;
    }
    return false;
}

static void take_picture(void *context, p5_machine *machine, const p5_observation *observation)
{
    (void)observation;
    picture_series_add(context, machine);
}

/* Opens the observer of --pictures. Returns false after a message. */
static bool observe_screen(trace_options *options, p5_machine *machine)
{
    p5_error error = {0};
    const p5_observe_options wanted = {.size = sizeof wanted,
                                       .observed = take_picture,
                                       .context = &options->pictures,
                                       .every_clocks = options->trace.every_clocks};
    return options->line->pictures == NULL || p5_machine_observe(machine, &wanted, NULL, &error) == P5_OK ||
           cli_refuse_error(&error, "--pictures", NULL, NULL);
}

/* Prepares the run after the trace was opened. Returns false after a message, with the exit status in *status. */
static bool begin_run(trace_options *options, p5_machine *machine, const guest_needs *needs, int *status)
{
    /* If the trace goes to standard output, the guest's output goes to standard error. */
    *status = CLI_INTERNAL;
    if (strcmp(options->trace.path, "-") == 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return false; /* a message has no place to go */
    if (options->line->fast_forward == 0 && !guest_begin(&options->guest, machine, needs, status))
        return false;
    *status = CLI_USAGE;
    return observe_screen(options, machine);
}

/* Opens the trace, runs the guest and closes the trace. Returns the exit status. */
static int trace_machine(trace_options *options, p5_machine *machine)
{
    p5_error error = {0};
    p5_trace *trace;
    p5_run_result result = {.size = sizeof result};
    double seconds;
    options->trace.size = sizeof options->trace;
    int status = CLI_INTERNAL;
    const bool to_file = strcmp(options->trace.path, "-") != 0, early = options->line->fast_forward != 0;
    options->guest.rows_shown = !to_file && isatty(STDOUT_FILENO);
    guest_needs needs = {.reads = options->symbols};
    /* Inside the sandbox, the trace's file is created if --fast-forward comes first, and so are SQLite's files beside
     * it. */
    if (to_file && (early || options->trace.format == P5_TRACE_SQLITE))
        needs.output = options->trace.path;
    char pictures[4096] = "";
    if (options->line->pictures != NULL)
        snprintf(pictures, sizeof pictures, "%s/000000.png", options->line->pictures);
    needs.pictures = options->line->pictures != NULL ? pictures : NULL;
    if (early && !guest_begin(&options->guest, machine, &needs, &status))
        return status;
    if (p5_trace_open(machine, &options->trace, &trace, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        return error.status == P5_ERR_IO ? CLI_INTERNAL : CLI_USAGE;
    }
    if (!begin_run(options, machine, &needs, &status)) {
        p5_trace_close(trace, NULL, &error);
        return status;
    }
    bool ran = guest_run(&options->guest, machine, &result, &seconds);
    bool cut = p5_trace_failed(trace); /* the trace could not be written, which has stopped the run */
    status = ran ? guest_exit_status(&result) : CLI_INTERNAL;
    char ending[400] = "";
    if (ran && !cut)
        guest_ending(&result, ending, sizeof ending);
    uint64_t rows = p5_trace_rows(trace);
    if (ran && !cut && !check_window(options, trace))
        status = CLI_INTERNAL;
    if (options->pictures.failed)
        status = CLI_INTERNAL;
    if (p5_trace_close(trace, !ran || cut || guest_ended_itself(&result) ? NULL : ending, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        if (rows != 0)
            fprintf(stderr,
                    "  the trace ends there; of %" PRIu64 " row%s made, those that fitted can be read\n",
                    rows, rows == 1 ? "" : "s");
        status = CLI_INTERNAL;
    }
    if (ending[0] != '\0')
        fprintf(stderr, "%s\n", ending);
    return status;
}

/* Opens the machine and traces it. Returns the exit status. */
static int trace_guest(trace_options *options)
{
    char *own_options = guest_own_options(&options->guest);
    char *command = guest_command_line(&options->guest);
    options->trace.options = own_options;
    options->trace.command = command;
    char sha256[P5_SHA256_TEXT];
    options->trace.guest_sha256 = p5_file_sha256(options->guest.command[0], sha256);
    guest_identity identity;
    options->trace.identity = guest_identity_open(&identity, &options->guest) ? &identity.run : NULL;
    int status;
    p5_machine *machine = guest_open(&options->guest, options->guest.machine.random_seed, &status);
    if (machine != NULL) {
        status = trace_machine(options, machine);
        p5_machine_close(machine);
    }
    guest_identity_close(&identity);
    free(own_options);
    free(command);
    return status;
}

static void take_values(trace_options *options)
{
    const cli_options *line = options->line;
    const char *clocks = cli_value(line, OPTION_FUNCTIONS);
    options->interval = line->interval;
    options->pictures.directory = line->pictures;
    options->trace =
        (p5_trace_options){.path = line->output,
                           .markers = line->markers,
                           .pmu = line->pmu,
                           .deltas = line->deltas,
                           .bus_clock = line->bus_clock,
                           .every_function = line->used[OPTION_FUNCTIONS],
                           .function_clocks = clocks != NULL ? line->functions : DEFAULT_FUNCTION_CLOCKS};
}

static int run(const cli_options *line)
{
    trace_options *options = calloc(1, sizeof *options);
    if (options == NULL)
        return CLI_INTERNAL;
    options->line = line;
    take_values(options);
    int status = CLI_USAGE;
    if (guest_options_open(&options->guest, line) && guest_options_complete(&options->guest, &status))
        status = complete(options) ? trace_guest(options) : CLI_USAGE;
    for (size_t i = 0; i < line->at.count; i++)
        free(options->names[i]);
    p5_selection_free(&options->selection);
    guest_options_free(&options->guest);
    free(options->symbols);
    free(options);
    return status;
}

const cli_verb verb_trace = {
    .name = "trace",
    .summary = "run a guest and write counters over time, pins or the pipeline to a file",
    .operands = "[--] GUEST [ARG...]",
    .doc = "Run GUEST and write its counters over time, its pins or its pipeline to FILE."
           "\vExample:\n  p5scope trace -o pipe.kanata --from main --to +2000i ./program",
    .runs_guest = true,
    .run = run};
