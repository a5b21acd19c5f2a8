/* p5scope bench: what one trip of a case file, or of code from the command line, costs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench_loop.h"
#include "cli/file_use.h"
#include "cli/guest_options.h"
#include "cli/model_option.h"
#include "cli/output.h"
#include "cli/row_option.h"

enum {
    KEY_ASM = 0x100,
    KEY_SETUP,
    KEY_UNROLL,
    KEY_REPEAT,
    KEY_MODEL,
    KEY_N,
    KEY_KONATA,
    KEY_TRIPS,
    KEY_CPL,
    KEY_NO_DIAGRAM,
    KEY_FUNCTION,
    KEY_ARG,
    KEY_X87
};
enum { KONATA_TRIPS = 16, MOST_TRIPS = 1000, MOST_COPIES = 10000 };

typedef struct bench_options {
    const char *path;
    p5_case_function function; /* --function */
    const char *of_function;   /* an option that only --function can have */
    const char *code, *setup;  /* --asm, --setup */
    const char *of_code;       /* an option that only --asm can have, as written */
    unsigned copies;           /* --unroll */
    unsigned repeat;           /* --repeat, 0 = not given */
    const char *model;
    unsigned trips[2]; /* --n, 0 = not given */
    const char *konata;
    unsigned show_trips;
    unsigned cpl;
    bool zeros, no_diagram;
    p5_row_format rows;
} bench_options;

/* What is measured: two programs for N1 and N2, and how they run. */
typedef struct bench {
    p5_case_program *programs[2];
    unsigned trips[2];
    p5_case_conditions conditions;
    p5_counts counts[2];
} bench;

/* ---- Code from the command line ---- */

static bool assemble_loop(const bench_options *options, const char *counter, unsigned copies, bench *out)
{
    char *source = loop_source(options->code, options->setup, counter, copies);
    p5_status status = source == NULL ? P5_ERR_MEMORY : P5_OK;
    p5_error error = {.status = status};
    for (unsigned i = 0; i < 2 && status == P5_OK; i++)
        status = p5_case_assemble_text("--asm", source, out->trips[i], &out->programs[i], &error);
    free(source);
    if (status == P5_OK)
        return true;
    error.line = 0; /* lines of the text around the user's say nothing */
    cli_show_error(&error, "--asm", options->code, NULL);
    return false;
}

static void release(bench *of)
{
    for (unsigned i = 0; i < 2; i++) {
        p5_case_program_free(of->programs[i]);
        of->programs[i] = NULL;
    }
}

/* ---- Measuring ---- */

static bool measure(bench *of)
{
    p5_error error = {0};
    p5_status status = P5_OK;
    for (unsigned i = 0; i < 2 && status == P5_OK; i++)
        status = p5_case_run(of->programs[i], &of->conditions, NULL, NULL, &of->counts[i], &error);
    if (status != P5_OK)
        cli_show_error(&error, NULL, NULL, NULL);
    return status == P5_OK;
}

static bool write_konata(const p5_window *window, const char *path)
{
    p5_error error = {0};
    FILE *out = fopen(path, "we");
    if (out == NULL) {
        cli_complain("--konata", path, 1, "cannot write %s: %s", path, strerror(errno));
        return false;
    }
    p5_status status = p5_window_write_kanata(out, window, &error);
    return output_close(out, path, status, &error);
}

static bool show_window(const bench_options *options, const bench *of)
{
    if ((options->no_diagram || options->rows != P5_ROWS_TEXT) && options->konata == NULL)
        return true;
    unsigned trips = options->show_trips;
    if (options->konata != NULL && trips < KONATA_TRIPS)
        trips = KONATA_TRIPS;
    p5_error error = {0};
    p5_window *window;
    if (p5_window_capture(of->programs, of->trips, &of->conditions, trips, &window, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        return false;
    }
    bool good = true;
    if (!options->no_diagram && options->rows == P5_ROWS_TEXT) {
        putchar('\n');
        p5_status status = p5_window_write_diagram(stdout, window, options->show_trips, &error);
        good = output_close(stdout, NULL, status, &error);
    }
    if (good && options->konata != NULL)
        good = write_konata(window, options->konata);
    p5_window_free(window);
    return good;
}

/* ---- A case file ---- */

static bool bench_case_on(const bench_options *options, const p5_case *c, const char *model_name, bench *of)
{
    p5_model *model = model_option_open("--model", model_name);
    if (model == NULL)
        return false;
    of->conditions.model = model_name;
    bool good = measure(of);
    if (good && options->rows != P5_ROWS_TEXT) {
        p5_bench_write_rows(stdout, options->rows, c->name, model, of->counts, of->trips, options->zeros);
        good = show_window(options, of);
    } else if (good) {
        printf("%s on %s, per trip (N %u to %u):\n\n", c->name, model_name, of->trips[0], of->trips[1]);
        p5_bench_write(stdout, model, of->counts, of->trips, options->zeros);
        if (c->expectation_count > 0 && of->trips[0] == c->trips[0] && of->trips[1] == c->trips[1]) {
            putchar('\n');
            p5_case_judge(c, model, of->counts, true, stdout);
        }
        good = show_window(options, of);
    }
    p5_model_close(model);
    return good;
}

static int bench_case(const bench_options *options)
{
    p5_case c;
    p5_error error = {0};
    if (p5_case_read(options->path, &c, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        return CLI_FAILED;
    }
    bench of = {.conditions = {.cpl = c.cpl, .cr4 = c.cr4}};
    bool good = true;
    for (unsigned i = 0; i < 2 && good; i++) {
        of.trips[i] = options->trips[1] != 0 ? options->trips[i] : c.trips[i];
        if (p5_case_assemble(options->path, of.trips[i], &of.programs[i], &error) != P5_OK) {
            cli_show_error(&error, NULL, NULL, NULL);
            good = false;
        }
    }
    if (options->model != NULL) {
        good = good && bench_case_on(options, &c, options->model, &of);
    } else {
        for (char **model = c.models; good && *model != NULL; model++) {
            if (model != c.models)
                putchar('\n'); /* an empty line between tables, whatever they are */
            good = bench_case_on(options, &c, *model, &of);
        }
    }
    release(&of);
    p5_case_free(&c);
    return good ? CLI_OK : CLI_FAILED;
}

/* ---- --asm ---- */

/* --repeat: bodies of R and of 2R copies; the difference is R copies without the loop's own instructions. The
 * totals are put together so that "per trip" of them is one copy: N2 - N1 trips with R copies each. */
static bool measure_copies(const bench_options *options, const char *counter, const bench *single,
                           p5_counts counts[2])
{
    bench twice = *single;
    memset(twice.programs, 0, sizeof twice.programs);
    bool good = assemble_loop(options, counter, 2 * options->repeat, &twice) && measure(&twice);
    release(&twice);
    if (!good)
        return false;
    const uint64_t *few[2] = {(const uint64_t *)&single->counts[0], (const uint64_t *)&single->counts[1]};
    const uint64_t *many[2] = {(const uint64_t *)&twice.counts[0], (const uint64_t *)&twice.counts[1]};
    uint64_t *out[2] = {(uint64_t *)&counts[0], (uint64_t *)&counts[1]};
    for (size_t i = 0; i < sizeof(p5_counts) / sizeof(uint64_t); i++) {
        /* (m2 - m1) - (f2 - f1), as a difference of two sums that cannot be negative */
        out[1][i] = many[1][i] + few[0][i];
        out[0][i] = many[0][i] + few[1][i];
    }
    return true;
}

static bool bench_code_on(const bench_options *options, const p5_model *model, const char *counter, bench *of)
{
    unsigned copies = options->repeat != 0 ? options->repeat : options->copies;
    if (!assemble_loop(options, counter, copies, of) || !measure(of))
        return false;
    if (options->repeat != 0) {
        p5_counts counts[2];
        unsigned per_copy[2] = {of->trips[0] * copies, of->trips[1] * copies};
        if (!measure_copies(options, counter, of, counts))
            return false;
        if (options->rows != P5_ROWS_TEXT) {
            p5_bench_write_rows(stdout, options->rows, options->code, model, counts, per_copy,
                                options->zeros);
            return show_window(options, of);
        }
        printf("%s on %s, per copy (from loops of %u and %u copies):\n\n", options->code,
               p5_model_name(model), copies, 2 * copies);
        p5_bench_write(stdout, model, counts, per_copy, options->zeros);
    } else if (options->rows != P5_ROWS_TEXT) {
        p5_bench_write_rows(stdout, options->rows, options->code, model, of->counts, of->trips,
                            options->zeros);
    } else {
        printf("%s on %s, per trip (%u cop%s, dec %s, jnz; N %u to %u):\n\n", options->code,
               p5_model_name(model), copies, copies == 1 ? "y" : "ies", counter, of->trips[0], of->trips[1]);
        p5_bench_write(stdout, model, of->counts, of->trips, options->zeros);
    }
    return show_window(options, of);
}

static int bench_code(const bench_options *options)
{
    const char *counter = loop_counter(options->code, options->setup);
    if (counter == NULL) {
        cli_complain("--asm", options->code, 1,
                     "the code leaves no register for the loop's counter; write a case file instead");
        return CLI_USAGE;
    }
    p5_model *model =
        model_option_open("--model", options->model != NULL ? options->model : p5_model_names()[0]);
    if (model == NULL)
        return CLI_USAGE;
    bench of = {.trips = {200, 1200},
                .conditions = {.model = options->model, .cpl = options->cpl, .timeout_seconds = 60}};
    if (options->trips[1] != 0)
        memcpy(of.trips, options->trips, sizeof of.trips);
    bool good = bench_code_on(options, model, counter, &of);
    release(&of);
    p5_model_close(model);
    return good ? CLI_OK : CLI_FAILED;
}

/* ---- --function ---- */

static int bench_function(bench_options *options)
{
    p5_error error = {0};
    p5_model *model =
        model_option_open("--model", options->model != NULL ? options->model : p5_model_names()[0]);
    if (model == NULL)
        return CLI_USAGE;
    bench of = {.trips = {200, 1200},
                .conditions = {.model = p5_model_name(model), .cpl = options->cpl, .timeout_seconds = 60}};
    if (options->trips[1] != 0)
        memcpy(of.trips, options->trips, sizeof of.trips);
    options->function.path = options->path;
    p5_status status = P5_OK;
    for (unsigned i = 0; i < 2 && status == P5_OK; i++)
        status = p5_case_assemble_function(&options->function, of.trips[i], &of.programs[i], &error);
    if (status != P5_OK)
        cli_show_error(&error, NULL, NULL, NULL);
    bool good = status == P5_OK && measure(&of);
    if (good && options->rows != P5_ROWS_TEXT) {
        p5_bench_write_rows(stdout, options->rows, options->function.name, model, of.counts, of.trips,
                            options->zeros);
    } else if (good) {
        printf("%s of %s on %s, per call (with the call, dec ebx, jnz; N %u to %u):\n\n",
               options->function.name, options->path, p5_model_name(model), of.trips[0], of.trips[1]);
        p5_bench_write(stdout, model, of.counts, of.trips, options->zeros);
    }
    good = good && show_window(options, &of);
    release(&of);
    p5_model_close(model);
    return good ? CLI_OK : CLI_FAILED;
}

/* ---- Options ---- */

static error_t set_count(const char *option, const char *text, uint64_t largest, unsigned *value)
{
    uint64_t number;
    if (!guest_number(option, text, largest, &number))
        return CLI_REPORTED;
    if (number == 0) {
        cli_complain(option, text, 1, "%s is at least 1", option);
        return CLI_REPORTED;
    }
    *value = (unsigned)number;
    return 0;
}

/* --n N1,N2 */
static error_t set_trips(bench_options *options, const char *text)
{
    char few[32];
    const char *comma = strchr(text, ',');
    uint64_t n[2];
    if (comma == NULL || (size_t)(comma - text) >= sizeof few) {
        cli_complain("--n", text, 1, "two trip counts are due, as in 200,1200");
        return CLI_REPORTED;
    }
    snprintf(few, sizeof few, "%.*s", (int)(comma - text), text);
    if (!guest_number("--n", few, INT32_MAX, &n[0]) || !guest_number("--n", comma + 1, INT32_MAX, &n[1]))
        return CLI_REPORTED;
    if (n[0] == 0 || n[0] >= n[1]) {
        cli_complain("--n", text, 1, "N1 is at least 1 and smaller than N2");
        return CLI_REPORTED;
    }
    options->trips[0] = (unsigned)n[0];
    options->trips[1] = (unsigned)n[1];
    return 0;
}

/* --arg NUMBER or --arg buffer:SIZE */
static error_t add_argument(p5_case_function *f, const char *text)
{
    enum { LARGEST_BUFFER = 16 << 20 };
    uint64_t number = 0;
    bool buffer = strncmp(text, "buffer:", 7) == 0, negative = text[0] == '-';
    if (f->argument_count == P5_CASE_ARGUMENTS) {
        cli_complain("--arg", text, 1, "more than %d arguments", P5_CASE_ARGUMENTS);
        return CLI_REPORTED;
    }
    bool good = buffer ? p5_parse_size(text + 7, &number) && number > 0 && number <= LARGEST_BUFFER
                       : p5_parse_number(text + negative, &number) && number <= UINT32_MAX;
    if (!good) {
        cli_complain("--arg", text, 1,
                     "an argument is a number of 32 bits, or buffer:SIZE for a pointer (buffer:64K)");
        return CLI_REPORTED;
    }
    p5_case_argument *to = &f->arguments[f->argument_count++];
    if (buffer)
        to->buffer_bytes = (uint32_t)number;
    else
        to->value = negative ? (uint32_t)-number : (uint32_t)number;
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    bench_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->rows;
        return 0;
    case KEY_ASM:
        options->code = argument;
        return 0;
    case KEY_FUNCTION:
        options->function.name = argument;
        return 0;
    case KEY_ARG:
        options->of_function = "--arg";
        return add_argument(&options->function, argument);
    case KEY_X87:
        options->of_function = "--x87";
        options->function.x87_result = true;
        return 0;
    case KEY_SETUP:
        options->setup = argument;
        options->of_code = "--setup";
        return 0;
    case KEY_UNROLL:
        options->of_code = "--unroll";
        return set_count("--unroll", argument, MOST_COPIES, &options->copies);
    case KEY_REPEAT:
        options->of_code = "--repeat";
        return set_count("--repeat", argument, MOST_COPIES, &options->repeat);
    case KEY_MODEL:
        options->model = argument;
        return 0;
    case KEY_N:
        return set_trips(options, argument);
    case KEY_KONATA:
        options->konata = argument;
        return 0;
    case KEY_TRIPS:
        return set_count("--trips", argument, MOST_TRIPS, &options->show_trips);
    case KEY_NO_DIAGRAM:
        options->no_diagram = true;
        return 0;
    case KEY_CPL:
        if (strcmp(argument, "0") != 0 && strcmp(argument, "3") != 0) {
            cli_complain("--cpl", argument, 1, "code runs at CPL 0 or 3");
            return CLI_REPORTED;
        }
        options->cpl = (unsigned)(argument[0] - '0');
        options->of_code = "--cpl";
        return 0;
    case 'v':
        options->zeros = true;
        return 0;
    case ARGP_KEY_ARG:
        if (options->path != NULL) {
            cli_complain("p5scope bench ...", argument, 1, "one case file is enough");
            return CLI_REPORTED;
        }
        options->path = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int verb_bench(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"asm", KEY_ASM, "CODE", 0, "Measure CODE (Intel syntax, parts by ';')", 0},
        {"function", KEY_FUNCTION, "NAME", 0, "Call NAME of FILE, an object or assembly", 0},
        {"arg", KEY_ARG, "N|buffer:SIZE", 0, "Its next argument; a pointer to SIZE bytes", 0},
        {"x87", KEY_X87, NULL, 0, "It returns float or double", 0},
        {"setup", KEY_SETUP, "CODE", 0, "Code before the loop", 0},
        {"unroll", KEY_UNROLL, "K", 0, "K copies of CODE in one trip (default 1)", 0},
        {"repeat", KEY_REPEAT, "K", 0, "Per copy: the loop's own clocks cancel out", 0},
        {"model", KEY_MODEL, "NAME", 0, "Model (default: the case's, or the first)", 0},
        {"n", KEY_N, "N1,N2", 0, "The two trip counts (default 200,1200)", 0},
        {"cpl", KEY_CPL, "0|3", 0, "Privilege level of CODE (default 3)", 0},
        {"trips", KEY_TRIPS, "T", 0, "Trips to show in the pairing diagram (default 1)", 0},
        {"no-diagram", KEY_NO_DIAGRAM, NULL, 0, "Only the counts", 0},
        {"konata", KEY_KONATA, "FILE", 0, "The last trips as a log for Konata", 0},
        {"verbose", 'v', NULL, 0, "Show events that do not occur too", 0},
        {0}};
    static const struct argp_child children[] = {{&row_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = table,
        .parser = parse,
        .args_doc = "FILE|--asm CODE",
        .doc = "Show clocks and events per trip, and how code went through the pipes."
               "\vExamples:\n  p5scope bench --asm 'add eax, ebx; mov ecx, [esi]'\n  p5scope bench --repeat "
               "20 --model p54c-133 --asm 'imul eax, ebx'",
        .children = children};
    bench_options options = {.copies = 1, .show_trips = 1, .cpl = 3};
    if (!cli_parse_anywhere(&argp, argc, argv, &options))
        return CLI_USAGE;
    if ((options.path != NULL) == (options.code != NULL)) {
        cli_complain(NULL, NULL, 0, "bench measures one case file, or --asm CODE");
        return CLI_USAGE;
    }
    if (options.of_function != NULL && options.function.name == NULL) {
        cli_complain(NULL, NULL, 0, "%s: of which function? --function NAME", options.of_function);
        return CLI_USAGE;
    }
    if (options.function.name != NULL && options.path == NULL) {
        cli_complain(NULL, NULL, 0, "--function: of which object or assembly file?");
        return CLI_USAGE;
    }
    if (options.path != NULL && options.of_code != NULL &&
        (options.function.name == NULL || strcmp(options.of_code, "--cpl") != 0)) {
        cli_complain(NULL, NULL, 0, "%s is for --asm: a case file says it itself", options.of_code);
        return CLI_USAGE;
    }
    if (options.repeat != 0 && options.copies != 1) {
        cli_complain(NULL, NULL, 0, "--unroll and --repeat: copies in one trip, or per copy");
        return CLI_USAGE;
    }
    const file_use files[] = {{"--konata", options.konata, false}, {"the case", options.path, true}};
    if (!file_uses_apart(files, 2))
        return CLI_USAGE;
    if (options.function.name != NULL)
        return bench_function(&options);
    return options.path != NULL ? bench_case(&options) : bench_code(&options);
}
