/* p5scope trace: run the guest and write what it counts over time to a file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/option_values.h"
#include "cli/guest_run.h"
#include "cli/picture.h"
#include "p5scope/observe.h"

enum { KEY_AT = 0x100, KEY_FUNCTIONS, KEY_SYMBOLS, MOST_WORDS = 64, MOST_FUNCTIONS = 1000 };
enum { USUAL_CLOCKS = 100000, USUAL_FUNCTION_CLOCKS = 1000 };

typedef struct trace_options {
    guest_options guest;
    p5_trace_options trace;
    run_interval interval; /* -I */
    const char *format, *from, *to;
    picture_series pictures; /* --pictures */
    event_options events;
    const char *at[MOST_WORDS]; /* --at, as written */
    size_t at_count;
    symbol_files symbols; /* --symbols, and --init's program */
    /* Made from these. */
    p5_selection selection;
    p5_trace_function functions[MOST_FUNCTIONS];
    char *names[MOST_WORDS]; /* what the functions' names are cut from */
} trace_options;

static error_t parse(int key, char *argument, struct argp_state *state)
{
    trace_options *options = state->input;
    switch (key) {
    case 'I':
        return interval_option(argument, &options->interval);
    case 'e':
        return event_options_add(&options->events, argument);
    case KEY_AT:
        if (options->at_count == MOST_WORDS)
            return ENOMEM;
        options->at[options->at_count++] = argument;
        return 0;
    case KEY_SYMBOLS:
        return symbol_files_add(&options->symbols, argument);
    case KEY_FUNCTIONS:
        options->trace.every_function = true;
        options->trace.function_clocks = USUAL_FUNCTION_CLOCKS;
        return argument == NULL
                   ? 0
                   : guest_number("--functions", argument, UINT64_MAX, &options->trace.function_clocks);
    default:
        return cli_set(key, argument, state);
    }
}

/* ---- What the options mean together ---- */

static bool asks_for_rows(const trace_options *options)
{
    const p5_trace_options *trace = &options->trace;
    return trace->every_clocks != 0 || trace->every_instructions != 0 || options->at_count != 0 ||
           trace->markers || trace->pmu;
}

static bool choose_format(trace_options *options)
{
    p5_error error = {0};
    const char *path = options->trace.path;
    bool known = p5_trace_format_of(path, &options->trace.format, &options->trace.compressed);
    if (options->format != NULL) {
        if (p5_trace_format_find(options->format, &options->trace.format, &error) != P5_OK) {
            error.column = 1;
            return cli_refuse_error(&error, "--format", options->format, NULL);
        }
    } else if (!known) {
        return cli_refuse(
            "-o", path, 1,
            "the file's name does not say which format (.csv .jsonl .db .vcd .json .kanata, then .zst); "
            "--format does");
    }
    if (options->trace.bus_clock && options->trace.format != P5_TRACE_VCD)
        return cli_refuse("-o", path, 1, "--bus-clock is for waveforms (.vcd)");
    if (options->trace.format == P5_TRACE_VCD && options->trace.every_clocks == 0 &&
        options->trace.every_instructions == 0 && asks_for_rows(options))
        return cli_refuse(
            "-o", path, 1,
            "--at, --markers and --pmu: a waveform shows every instruction already, unless -I is given");
    if (options->trace.every_function && options->trace.format != P5_TRACE_CHROME)
        return cli_refuse("-o", path, 1, "--functions is for Perfetto (.json)");
    if (options->symbols.count > 0 && !options->trace.every_function)
        return cli_refuse("--symbols", options->symbols.paths[0], 1, "it goes with --functions");
    symbol_files_complete(&options->symbols, &options->guest);
    options->trace.symbols = options->symbols.paths;
    if (options->trace.deltas && options->trace.format != P5_TRACE_CSV &&
        options->trace.format != P5_TRACE_JSON)
        return cli_refuse("-o", path, 1, "--deltas is for CSV and JSON lines (.csv .jsonl)");
    if (options->trace.format == P5_TRACE_KANATA && (asks_for_rows(options) || options->events.count > 0))
        return cli_refuse(
            "-o", path, 1,
            "-I, -e, --at, --markers and --pmu make rows of counters; a log of the pipeline (.kanata) "
            "has none");
    return true;
}

static bool select_events(trace_options *options)
{
    if (options->events.count > 0)
        options->trace.selection = &options->selection;
    return event_options_select(&options->events, p5_model_family(options->guest.model), false,
                                &options->selection);
}

/* --at a,b. The names label rows, so that they are printable. */
static bool add_functions(trace_options *options, size_t word, const char *guest)
{
    const char *text = options->at[word];
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
            continue;
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

static bool complete(trace_options *options)
{
    if (options->trace.path == NULL)
        return cli_refuse(NULL, NULL, 0,
                          "-o FILE says where the trace goes, and by its name in which format");
    interval_complete(&options->interval, options->guest.model);
    options->trace.every_clocks = options->interval.clocks;
    options->trace.every_instructions = options->interval.instructions;
    if (options->guest.gdb != NULL)
        return cli_refuse(NULL, NULL, 0, "--gdb: a run that gdb controls is not traced");
    const char *guest = options->guest.command[0];
    const file_use output = {"-o", strcmp(options->trace.path, "-") != 0 ? options->trace.path : NULL, false};
    bool good =
        guest_files_apart(&options->guest, &output, 1) && choose_format(options) && select_events(options);
    for (size_t i = 0; i < options->at_count && good; i++)
        good = add_functions(options, i, guest);
    if (good && options->from != NULL)
        good = bound_option("--from", options->from, guest, &options->trace.from);
    if (good && options->to != NULL)
        good = end_option("--to", options->to, guest, &options->trace.to) &&
               bounds_in_order(&options->trace.from, &options->trace.to, "--to", options->to, 1);
    if (options->pictures.directory != NULL && options->trace.every_clocks == 0)
        return cli_refuse("--pictures", options->pictures.directory, 1,
                          "it needs -I with an interval of clocks");
    options->trace.functions = options->functions;
    options->trace.guest = guest;
    if (!asks_for_rows(options) && options->trace.format != P5_TRACE_VCD)
        options->trace.every_clocks = USUAL_CLOCKS;
    return good;
}

/* ---- The run ---- */

/* False after a message if the window was empty. */
static bool check_window(const trace_options *options, const p5_trace *trace)
{
    const char *from = options->from != NULL ? options->from : "the start", *to = options->to;
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

/* --pictures. False after a message. */
static bool follow_screen(trace_options *options, p5_machine *machine)
{
    p5_error error = {0};
    const p5_observe_options wanted = {.size = sizeof wanted,
                                       .observed = take_picture,
                                       .context = &options->pictures,
                                       .every_clocks = options->trace.every_clocks};
    return options->pictures.directory == NULL ||
           p5_machine_observe(machine, &wanted, NULL, &error) == P5_OK ||
           cli_refuse_error(&error, "--pictures", NULL, NULL);
}

static int trace_machine(trace_options *options, p5_machine *machine)
{
    p5_error error = {0};
    p5_trace *trace;
    p5_run_result result = {0};
    double seconds;
    options->trace.size = sizeof options->trace;
    /* What is fast-forwarded comes before the trace, so its file is made within the wall then. */
    int status = CLI_INTERNAL;
    options->guest.rows_shown = strcmp(options->trace.path, "-") == 0 && isatty(STDOUT_FILENO);
    bool to_file = strcmp(options->trace.path, "-") != 0, early = options->guest.fast_forward != 0;
    guest_needs needs = {.reads = options->symbols.paths, .read_count = options->symbols.count};
    if (to_file && (early || options->trace.format == P5_TRACE_SQLITE))
        needs.output = options->trace.path;
    char pictures[4096] = "";
    if (options->pictures.directory != NULL)
        snprintf(pictures, sizeof pictures, "%s/000000.png", options->pictures.directory);
    needs.pictures = options->pictures.directory != NULL ? pictures : NULL;
    if (early && !guest_begin(&options->guest, machine, &needs, &status))
        return status;
    if (p5_trace_open(machine, &options->trace, &trace, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        return error.status == P5_ERR_IO ? CLI_INTERNAL : CLI_USAGE;
    }
    /* A trace on standard output has it alone: what the guest writes goes to standard error. */
    if (!to_file && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return CLI_INTERNAL;
    if (!early && !guest_begin(&options->guest, machine, &needs, &status))
        return status;
    if (!follow_screen(options, machine))
        return CLI_USAGE;
    bool ran = guest_run(&options->guest, machine, &result, &seconds);
    bool cut = p5_trace_failed(trace);
    status = ran ? guest_exit_status(&result) : CLI_INTERNAL;
    char ending[400] = "";
    if (ran && !cut)
        guest_ending(&result, ending, sizeof ending);
    uint64_t rows = p5_trace_rows(trace);
    if (ran && !cut && !check_window(options, trace))
        status = CLI_INTERNAL;
    if (options->pictures.failed)
        status = CLI_INTERNAL;
    if (p5_trace_close(trace, ending[0] != '\0' ? ending : NULL, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        fprintf(stderr, "  the trace ends there; of %" PRIu64 " row%s made, those that fitted can be read\n",
                rows, rows == 1 ? "" : "s");
        status = CLI_INTERNAL;
    }
    if (ending[0] != '\0')
        fprintf(stderr, "%s\n", ending);
    return status;
}

static int trace_guest(trace_options *options, char **argv)
{
    char *own_options = guest_own_options(&options->guest, argv);
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

int verb_trace(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"output", CLI_TEXT(trace_options, trace.path), "FILE", 0,
         "To FILE: .csv .jsonl .db .vcd .json .kanata [.zst]", 1},
        CLI_LETTER('o'),
        {"format", CLI_TEXT(trace_options, format), "NAME", 0, "csv, jsonl, sqlite, vcd, chrome or kanata",
         0},
        {"interval", 'I', "N[c|i|ms]", 0, "A row every N clocks, instructions or ms (100000c)", 0},
        {"at", KEY_AT, "SYMBOLS", 0, "Rows at entry to and exit from these functions", 0},
        {"functions", KEY_FUNCTIONS, "CLOCKS", OPTION_ARG_OPTIONAL,
         "Perfetto: all functions, from that many on (1000)", 0},
        {"symbols", KEY_SYMBOLS, "FILE", 0, "--functions: more of them, as for record", 0},
        {"markers", CLI_FLAG(trace_options, trace.markers), NULL, 0,
         "Rows at the guest's markers (p5scope/guest.h)", 0},
        {"pmu", CLI_FLAG(trace_options, trace.pmu), NULL, 0,
         "Rows at RDPMC, and RDMSR and WRMSR of the monitor", 0},
        {"event", 'e', "LIST", 0, "Columns, as for stat (all events and stalls)", 0},
        {"pictures", CLI_TEXT(trace_options, pictures.directory), "DIR", 0,
         "The screen at each -I (clocks), as DIR/000000.png", 0},
        {"deltas", CLI_FLAG(trace_options, trace.deltas), NULL, 0,
         "CSV, JSON: what came since the row before", 0},
        {"bus-clock", CLI_FLAG(trace_options, trace.bus_clock), NULL, 0,
         "VCD: the bus clock, too, edge by edge", 0},
        {"from", CLI_TEXT(trace_options, from), "PLACE", 0, "Begin at clock Nc, instruction Ni, or SYMBOL",
         0},
        {"to", CLI_TEXT(trace_options, to), "PLACE", 0, "End there, or +Nc or +Ni after --from", 0},
        {0}};
    static const struct argp_child children[] = {{&guest_argp, 0, NULL, 10}, {0}};
    static const struct argp argp = {
        .options = table,
        .parser = parse,
        .args_doc = "[--] GUEST [ARG...]",
        .doc = "Run GUEST and write its counters over time, its pins or its "
               "pipeline to FILE."
               "\vExample:\n  p5scope trace -o pipe.kanata --from main --to +2000i ./program",
        .children = children};
    trace_options *options = calloc(1, sizeof *options);
    if (options == NULL)
        return CLI_INTERNAL;
    guest_options_init(&options->guest, "trace");
    int status = CLI_USAGE;
    if (cli_parse(&argp, argc, argv, options, &options->guest) &&
        guest_options_complete(&options->guest, &status)) {
        options->guest.given = cli_given(&argp, argc, argv);
        status = complete(options) ? trace_guest(options, argv) : CLI_USAGE;
    }
    for (size_t i = 0; i < options->at_count; i++)
        free(options->names[i]);
    p5_selection_free(&options->selection);
    guest_options_free(&options->guest);
    free(options);
    return status;
}
