/* p5scope bench: what one trip of a case file, or of code from the command line, costs. */
#include <string.h>

#include "cli/bench_input.h"
#include "cli/file_use.h"
#include "cli/guest_options.h"
#include "cli/option_values.h"
#include "cli/output.h"

enum {
    KEY_ASM = 0x100,
    KEY_SETUP,
    KEY_UNROLL,
    KEY_REPEAT,
    KEY_N,
    KEY_TRIPS,
    KEY_CPL,
    KEY_NO_DIAGRAM,
    KEY_FUNCTION,
    KEY_ARG,
    KEY_X87,
    KEY_MODEL
};
enum { KONATA_TRIPS = 16, MOST_TRIPS = 1000, MOST_COPIES = 10000 };

enum { MOST_INPUTS = 2, MOST_MODELS = 8 };

typedef struct bench_options {
    const char *paths[MOST_INPUTS], *codes[MOST_INPUTS], *functions[MOST_INPUTS];
    size_t path_count, code_count, function_count;
    p5_case_function call;   /* arguments and result of --function */
    const char *of_function; /* an option that only --function can have */
    const char *of_code;     /* an option that only --asm can have, as written */
    const char *of_diagram;  /* an option that only the diagram can have */
    bool cpl_given, show_trips_given;
    bench_terms terms;
    const char *models[MOST_MODELS + 1]; /* NULL behind the last; none: the case's, or the first there is */
    size_t model_count;
    const char *konata;
    unsigned show_trips;
    bool zeros, no_diagram;
    p5_row_format rows;
    bench_input inputs[MOST_INPUTS];
    size_t input_count;
} bench_options;

/* ---- The diagram ---- */

static bool write_konata(const p5_window *window, const char *path)
{
    p5_error error = {0};
    FILE *out = output_open_file("--konata", path);
    if (out == NULL)
        return false;
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
    if (p5_window_capture(of->programs, of->trips, &of->conditions, trips, &window, &error) != P5_OK)
        return cli_refuse_error(&error, NULL, NULL, NULL);
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

/* ---- One input, or two ---- */

static bool show_one(const bench_options *options, const char *model_name, bench *of)
{
    p5_model *model = model_option_open("--model", model_name);
    bool good = model != NULL && bench_measure(of, model_name, &options->terms);
    const p5_case *c = &of->case_file;
    bool text = options->rows == P5_ROWS_TEXT;
    if (good) {
        const p5_bench_side side = {of->name, of->per, of->measured.counts, of->divisor};
        if (text)
            printf("%s on %s, %s:\n\n", of->name, model_name, of->per);
        p5_bench_write(stdout, options->rows, model, &side, 1, options->zeros);
        if (text && c->expectation_count > 0 && of->trips[0] == c->trips[0] && of->trips[1] == c->trips[1]) {
            putchar('\n');
            p5_case_judge(c, model, of->measured.counts,
                          (const uint64_t(*)[P5_CASE_REGISTERS])of->measured.registers, true, stdout);
        }
    }
    good = good && show_window(options, of);
    p5_model_close(model);
    return good;
}

/* The models that were asked for; else a case's own, or the first. */
static bool bench_one(const bench_options *options)
{
    bench of;
    bool good = bench_prepare(&of, &options->inputs[0], &options->terms);
    const char *const first[] = {p5_model_names()[0], NULL};
    const char *const *models = options->model_count > 0 ? options->models
                                : good && of.case_file.models != NULL
                                    ? (const char *const *)of.case_file.models
                                    : first;
    if (good && options->konata != NULL && models[1] != NULL) {
        cli_complain(NULL, NULL, 0, "--konata writes the trips of one model: choose it by --model");
        good = false;
    }
    for (const char *const *model = models; good && *model != NULL; model++) {
        if (model != models)
            putchar('\n'); /* an empty line between tables, whatever they are */
        good = show_one(options, *model, &of);
    }
    bench_release(&of);
    return good;
}

static bool bench_two(const bench_options *options)
{
    bench of[2] = {{0}, {0}};
    p5_bench_side sides[2];
    bool good = true;
    const char *name = options->model_count > 0 ? options->models[0] : p5_model_names()[0];
    p5_model *model = model_option_open("--model", name);
    for (unsigned i = 0; i < 2 && good; i++) {
        good = bench_prepare(&of[i], &options->inputs[i], &options->terms) && model != NULL &&
               bench_measure(&of[i], name, &options->terms);
        sides[i] = (p5_bench_side){of[i].name, of[i].per, of[i].measured.counts, of[i].divisor};
    }
    if (good)
        p5_bench_write(stdout, options->rows, model, sides, 2, options->zeros);
    for (unsigned i = 0; i < 2; i++) {
        if (good && options->rows == P5_ROWS_TEXT && !options->no_diagram) {
            printf("\n %c:", 'A' + (int)i);
            good = show_window(options, &of[i]);
        }
        bench_release(&of[i]);
    }
    p5_model_close(model);
    return good;
}

/* ---- Options ---- */

static error_t set_count(const char *option, const char *text, uint64_t largest, unsigned *value)
{
    uint64_t number;
    if (guest_number(option, text, largest, &number) != 0)
        return CLI_USAGE;
    if (number == 0)
        return cli_complain(option, text, 1, "%s is at least 1", option);
    *value = (unsigned)number;
    return 0;
}

/* --n N1,N2 */
static error_t set_trips(bench_options *options, const char *text)
{
    char few[32];
    const char *comma = strchr(text, ',');
    uint64_t n[2];
    if (comma == NULL || (size_t)(comma - text) >= sizeof few)
        return cli_complain("--n", text, 1, "two trip counts are due, as in 200,1200");
    snprintf(few, sizeof few, "%.*s", (int)(comma - text), text);
    if (guest_number("--n", few, INT32_MAX, &n[0]) != 0 ||
        guest_number("--n", comma + 1, INT32_MAX, &n[1]) != 0)
        return CLI_USAGE;
    if (n[0] == 0 || n[0] >= n[1])
        return cli_complain("--n", text, 1, "N1 is at least 1 and smaller than N2");
    options->terms.trips[0] = (unsigned)n[0];
    options->terms.trips[1] = (unsigned)n[1];
    return 0;
}

/* --arg NUMBER or --arg buffer:SIZE */
static error_t add_argument(p5_case_function *f, const char *text)
{
    enum { LARGEST_BUFFER = 16 << 20 };
    uint64_t number = 0;
    bool buffer = strncmp(text, "buffer:", 7) == 0, negative = text[0] == '-';
    if (f->argument_count == P5_CASE_ARGUMENTS)
        return cli_complain("--arg", text, 1, "more than %d arguments", P5_CASE_ARGUMENTS);
    bool good = buffer ? p5_parse_size(text + 7, &number) && number > 0 && number <= LARGEST_BUFFER
                       : p5_parse_number(text + negative, &number) && number <= UINT32_MAX;
    if (!good)
        return cli_complain("--arg", text, 1,
                            "an argument is a number of 32 bits, or buffer:SIZE for a pointer (buffer:64K)");
    p5_case_argument *to = &f->arguments[f->argument_count++];
    if (buffer)
        to->buffer_bytes = (uint32_t)number;
    else
        to->value = negative ? (uint32_t)-number : (uint32_t)number;
    return 0;
}

/* --model NAME: there has to be such a model. */
static error_t add_model(bench_options *options, const char *name)
{
    if (options->model_count == MOST_MODELS)
        return cli_complain("--model", name, 1, "more than %d models", MOST_MODELS);
    p5_model *model = model_option_open("--model", name);
    if (model == NULL)
        return CLI_USAGE;
    p5_model_close(model);
    options->models[options->model_count++] = name;
    return 0;
}

static error_t add_input(const char *option, const char **inputs, size_t *count, const char *text)
{
    if (*count == MOST_INPUTS)
        return cli_complain(option, text, 1, "two can be compared, not three");
    inputs[(*count)++] = text;
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    bench_options *options = state->input;
    switch (key) {
    case KEY_ASM:
        return add_input("--asm", options->codes, &options->code_count, argument);
    case KEY_FUNCTION:
        return add_input("--function", options->functions, &options->function_count, argument);
    case KEY_ARG:
        options->of_function = "--arg";
        return add_argument(&options->call, argument);
    case KEY_X87:
        options->of_function = "--x87";
        options->call.x87_result = true;
        return 0;
    case KEY_MODEL:
        return add_model(options, argument);
    case KEY_SETUP:
        options->terms.setup = argument;
        options->of_code = "--setup";
        return 0;
    case KEY_UNROLL:
        options->of_code = "--unroll";
        return set_count("--unroll", argument, MOST_COPIES, &options->terms.copies);
    case KEY_REPEAT:
        options->of_code = "--repeat";
        return set_count("--repeat", argument, MOST_COPIES, &options->terms.repeat);
    case KEY_N:
        return set_trips(options, argument);
    case KEY_TRIPS:
        options->of_diagram = "--trips";
        options->show_trips_given = true;
        return set_count("--trips", argument, MOST_TRIPS, &options->show_trips);
    case KEY_NO_DIAGRAM:
        options->no_diagram = true;
        options->of_diagram = "--no-diagram";
        return 0;
    case KEY_CPL:
        if (strcmp(argument, "0") != 0 && strcmp(argument, "3") != 0)
            return cli_complain("--cpl", argument, 1, "code runs at CPL 0 or 3");
        options->terms.cpl = (unsigned)(argument[0] - '0');
        options->cpl_given = true;
        return 0;
    case ARGP_KEY_ARG:
        return add_input("p5scope bench ...", options->paths, &options->path_count, argument);
    default:
        return cli_set(key, argument, state);
    }
}

/* Files, code and functions as inputs: two files, two of --asm, one of each, or two functions. NULL, or what
 * is wrong. */
static const char *choose_inputs(bench_options *options)
{
    size_t paths = options->path_count, functions = options->function_count;
    if (functions > 0 && (paths == 0 || options->code_count > 0))
        return "--function: of which object or assembly file?";
    size_t files = functions > paths ? functions : paths;
    if (files + options->code_count == 0)
        return "bench measures a case file, a --function of FILE, or --asm CODE";
    if (files + options->code_count > MOST_INPUTS)
        return "two inputs can be compared, not three";
    for (size_t i = 0; i < files; i++) {
        bench_input *input = &options->inputs[options->input_count++];
        input->path = options->paths[i < paths ? i : paths - 1];
        input->function = options->call;
        input->function.path = input->path;
        if (functions > 0)
            input->function.name = options->functions[i < functions ? i : functions - 1];
    }
    for (size_t i = 0; i < options->code_count; i++)
        options->inputs[options->input_count++].code = options->codes[i];
    return NULL;
}

/* What was asked for and nothing here can have: NULL, or a sentence. */
static const char *without_effect(const bench_options *options)
{
    static char sentence[160];
    bool cases = options->path_count > 0 && options->function_count == 0;
    sentence[0] = '\0';
    if (options->of_function != NULL && options->function_count == 0)
        snprintf(sentence, sizeof sentence, "%s: of which function? --function NAME", options->of_function);
    else if (options->of_code != NULL && options->code_count == 0)
        snprintf(sentence, sizeof sentence, "%s is for --asm: a case file says it itself", options->of_code);
    else if (options->cpl_given && cases && options->code_count == 0)
        return "--cpl is for --asm and --function: a case file says it itself";
    else if (options->terms.repeat != 0 && options->terms.copies != 1)
        return "--unroll and --repeat: copies in one trip, or per copy";
    else if (options->input_count == 2 && options->model_count > 1)
        return "two inputs are compared on one model: give one --model";
    else if (options->konata != NULL && options->model_count > 1)
        return "--konata writes the trips of one model: give one --model";
    else if (options->input_count == 2 && options->konata != NULL)
        return "--konata writes the trips of one input, not of two";
    else if (options->of_diagram != NULL && options->rows != P5_ROWS_TEXT && options->konata == NULL)
        snprintf(sentence, sizeof sentence, "%s is of the diagram, which --json and --csv do not have",
                 options->of_diagram);
    else if (options->show_trips_given && options->no_diagram && options->konata == NULL)
        return "--trips: of which diagram? not with --no-diagram";
    return sentence[0] != '\0' ? sentence : NULL;
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
        {"model", KEY_MODEL, "NAME", 0, "Model (default: the case's, or the first); several", 0},
        {"n", KEY_N, "N1,N2", 0, "The two trip counts (default 200,1200)", 0},
        {"cpl", KEY_CPL, "0|3", 0, "Privilege level of CODE (default 3)", 0},
        {"trips", KEY_TRIPS, "T", 0, "Trips to show in the pairing diagram (default 1)", 0},
        {"no-diagram", KEY_NO_DIAGRAM, NULL, 0, "Only the counts", 0},
        {"konata", CLI_TEXT(bench_options, konata), "FILE", 0, "The last trips as a log for Konata", 0},
        {"verbose", CLI_FLAG(bench_options, zeros), NULL, 0, "Show events that do not occur too", 0},
        CLI_LETTER('v'),
        {0}};
    static const struct argp argp = {
        .options = table,
        .parser = parse,
        .args_doc = "FILE|--asm CODE [FILE|--asm CODE]",
        .doc = "Show clocks and events per trip, and the pipes' use; two inputs side by side."
               "\vExamples:\n  p5scope bench --asm 'add eax, ebx; mov ecx, [esi]'\n  p5scope bench --repeat "
               "20 --model p54c-133 --asm 'imul eax, ebx'",
        .children = row_children};
    bench_options options = {.terms = {.copies = 1, .cpl = 3}, .show_trips = 1};
    if (!cli_parse_anywhere(&argp, argc, argv, &options, &options.rows))
        return CLI_USAGE;
    const char *wrong = choose_inputs(&options);
    if (wrong == NULL)
        wrong = without_effect(&options);
    if (wrong != NULL)
        return cli_complain(NULL, NULL, 0, "%s", wrong);
    const file_use files[] = {{"--konata", options.konata, false},
                              {"the input", options.paths[0], true},
                              {"the input", options.paths[1], true}};
    if (!file_uses_apart(files, 3))
        return CLI_USAGE;
    return (options.input_count == 2 ? bench_two(&options) : bench_one(&options)) ? CLI_OK : CLI_FAILED;
}
