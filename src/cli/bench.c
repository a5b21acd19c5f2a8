/* p5scope bench: what one trip costs: an iteration of the loop in a case file or around code of the command line, or a
 * call of a function. */
#include <assert.h>
#include <string.h>

#include "cli/bench_show.h"
#include "cli/file_use.h"
#include "cli/guest_options.h"
#include "cli/option_values.h"

enum { MOST_INPUTS = 2 };

typedef struct bench_options {
    const cli_options *line;
    p5_case_function call; /* arguments and result of --function */
    bench_terms terms;
    bench_view view;
    bench_input inputs[MOST_INPUTS];
    size_t input_count;
} bench_options;

/* ---- One input, or two ---- */

/* Measures a prepared input on a model and shows its counts, what became of the expectations of a case, and what
 * bench_show adds. The expectations apply only to the case's own N1 and N2. Returns false after a message, but not if
 * an expectation fails. */
static bool show_one(const bench_options *options, const char *model_name, bench *of)
{
    p5_model *model = model_option_open("--model", model_name);
    bool good = model != NULL && bench_measure(of, model_name, &options->terms);
    const p5_case *c = &of->case_file;
    bool text = options->view.rows == P5_ROWS_TEXT;
    if (good) {
        const p5_bench_side side = {of->name, of->per, of->measured.counts, of->divisor};
        if (text)
            printf("%s on %s, %s:\n\n", of->name, model_name, of->per);
        p5_bench_write(stdout, options->view.rows, model, &side, 1, options->line->verbose);
        if (text && c->expectation_count + c->state_count > 0 && of->trips[0] == c->trips[0] &&
            of->trips[1] == c->trips[1]) {
            putchar('\n');
            p5_case_judge(c, model, of->measured.counts,
                          (const uint64_t(*)[P5_CASE_REGISTERS])of->measured.registers, true, stdout);
            p5_case_judge_states(c, model, of->measured.found, true, stdout);
        }
    }
    good = good && bench_show(&options->view, of);
    p5_model_close(model);
    return good;
}

/* Measures one input on the models of --model; without it, on the models of the case or the first model. Returns
 * false after a message. */
static bool bench_one(bench_options *options)
{
    bench of;
    bool good = bench_prepare(&of, &options->inputs[0], &options->terms);
    const char *const first[] = {p5_model_names()[0], NULL};
    const char *const *models = options->line->model.count > 0 ? options->line->model.items
                                : good && of.case_file.models != NULL
                                    ? (const char *const *)of.case_file.models
                                    : first;
    if (good && (options->line->konata != NULL || options->line->output != NULL) && models[1] != NULL) {
        cli_complain(NULL, NULL, 0, "%s works with a single model; choose it with --model.",
                     options->line->konata != NULL ? "--konata" : "-o");
        good = false;
    }
    for (const char *const *model = models; good && *model != NULL; model++) {
        if (model != models && options->view.rows == P5_ROWS_TEXT)
            putchar('\n');
        good = options->line->listing ? bench_show_static(&options->view, &of, *model)
                                      : show_one(options, *model, &of);
        options->view.rows = P5_ROWS_CONTINUED(options->view.rows);
    }
    bench_release(&of);
    return good;
}

/* Measures two inputs on one model and shows them side by side. Returns false after a message. */
static bool bench_two(const bench_options *options)
{
    bench of[2] = {{0}, {0}};
    p5_bench_side sides[2];
    bool good = true;
    const char *name = options->line->model.count > 0 ? options->line->model.items[0] : p5_model_names()[0];
    p5_model *model = model_option_open("--model", name);
    for (unsigned i = 0; i < 2 && good; i++) {
        good = bench_prepare(&of[i], &options->inputs[i], &options->terms) && model != NULL &&
               bench_measure(&of[i], name, &options->terms);
        sides[i] = (p5_bench_side){of[i].name, of[i].per, of[i].measured.counts, of[i].divisor};
    }
    if (good)
        p5_bench_write(stdout, options->view.rows, model, sides, 2, options->line->verbose);
    for (unsigned i = 0; i < 2; i++) {
        if (good && options->view.rows == P5_ROWS_TEXT && !options->line->no_diagram) {
            printf("\n %c:", 'A' + (int)i);
            good = bench_show(&options->view, &of[i]);
        }
        bench_release(&of[i]);
    }
    p5_model_close(model);
    return good;
}

/* ---- Options ---- */

/* Takes --n N1,N2, the numbers of trips whose difference is measured. Returns false after a message. */
static bool set_trips(bench_options *options, const char *text)
{
    uint64_t n[2];
    if (!two_numbers_option("--n", text, ",", "--n needs two trip counts, for example --n 200,1200", n))
        return false;
    if (n[0] == 0 || n[0] >= n[1])
        return cli_refuse("--n", text, 1, "N1 is at least 1 and smaller than N2");
    options->terms.trips[0] = (unsigned)n[0];
    options->terms.trips[1] = (unsigned)n[1];
    return true;
}

/* Adds --arg NUMBER, buffer:SIZE or file:PATH. Returns false after a message. options.tsv limits how often --arg may be
 * given. */
static bool add_argument(p5_case_function *f, const char *text)
{
    enum { LARGEST_BUFFER = 16 << 20 };
    uint64_t number = 0;
    assert(f->argument_count < P5_CASE_ARGUMENTS);
    p5_case_argument *to = &f->arguments[f->argument_count++];
    if (strncmp(text, "file:", 5) == 0 && text[5] != '\0') {
        to->file = text + 5;
        return true;
    }
    bool buffer = strncmp(text, "buffer:", 7) == 0, negative = text[0] == '-';
    bool good = buffer ? p5_parse_size(text + 7, &number) && number > 0 && number <= LARGEST_BUFFER
                       : p5_parse_number(text + negative, &number) &&
                             number <= (negative ? UINT32_C(1) << 31 : UINT32_MAX);
    if (!good)
        return cli_refuse(
            "--arg", text, 1,
            "an argument is a number of 32 bits, or a pointer: buffer:SIZE (up to 16M), file:PATH");
    if (buffer)
        to->buffer_bytes = (uint32_t)number;
    else
        to->value = negative ? (uint32_t)-number : (uint32_t)number;
    return true;
}

/* Fills in one or two inputs: files, --asm, or functions of one file or of two. A file comes before --asm. Returns false
 * after a message. */
static bool choose_inputs(bench_options *options)
{
    const cli_options *line = options->line;
    const size_t paths = line->operand_count, functions = line->function.count;
    if (functions > 0 && paths == 0)
        return cli_refuse(NULL, NULL, 0, "--function needs the object or assembly file that contains it.");
    const size_t files = functions > paths ? functions : paths;
    if (files + line->code.count == 0)
        return cli_refuse(NULL, NULL, 0, "bench measures a case file, a --function of FILE, or --asm CODE");
    if (files + line->code.count > MOST_INPUTS)
        return cli_refuse(NULL, NULL, 0, "bench compares two inputs at most");
    for (size_t i = 0; i < files; i++) {
        bench_input *input = &options->inputs[options->input_count++];
        input->path = line->operands[i < paths ? i : paths - 1];
        input->function = options->call;
        input->function.path = input->path;
        input->function.listed = line->listing;
        if (functions > 0)
            input->function.name = line->function.items[i < functions ? i : functions - 1];
    }
    for (size_t i = 0; i < line->code.count; i++) {
        const char *code = line->code.items[i];
        if (code[strspn(code, " \t;")] == '\0')
            return cli_refuse("--asm", "''", 1, "--asm needs at least one instruction");
        options->inputs[options->input_count++].code = code;
    }
    const char *single = line->konata != NULL   ? "--konata"
                         : line->output != NULL ? "-o"
                         : line->listing        ? "--static"
                                                : NULL;
    if (options->input_count == 2 && single != NULL)
        return cli_refuse(NULL, NULL, 0, "%s works with a single input.", single);
    if (options->input_count == 2 && line->model.count > 1)
        return cli_refuse(NULL, NULL, 0, "Two inputs are compared on a single --model.");
    return true;
}

/* Takes the values of the options. Returns false after a message. */
static bool take_values(bench_options *options)
{
    const cli_options *line = options->line;
    options->call.x87_result = line->x87;
    const bool cpl0 = line->used[OPTION_CPL] && line->cpl == 0; /* an index into the choices 0|3 */
    options->terms = (bench_terms){.setup = line->setup,
                                   .copies = line->unroll != 0 ? (unsigned)line->unroll : 1,
                                   .repeat = (unsigned)line->repeat,
                                   .cpl = cpl0 ? 0 : 3};
    bool good = bench_view_take(&options->view, line) && (line->n == NULL || set_trips(options, line->n));
    for (size_t i = 0; i < line->model.count && good; i++)
        good = model_option_check("--model", line->model.items[i]);
    for (size_t i = 0; i < line->arg.count && good; i++)
        good = add_argument(&options->call, line->arg.items[i]);
    return good;
}

/* Returns false after a message if an output would overwrite another, an input, or a file of --arg. */
static bool outputs_distinct(const bench_options *options)
{
    file_use files[2 + MOST_INPUTS + P5_CASE_ARGUMENTS] = {{"--konata", options->line->konata, false},
                                                           {"-o", options->line->output, false}};
    size_t count = 2;
    for (size_t i = 0; i < options->input_count; i++)
        files[count++] = (file_use){"the input", options->inputs[i].path, true};
    for (size_t i = 0; i < options->call.argument_count; i++)
        files[count++] = (file_use){"the file of --arg", options->call.arguments[i].file, true};
    return file_uses_distinct(files, count);
}

static int run(const cli_options *line)
{
    bench_options options = {.line = line};
    if (!take_values(&options) || !choose_inputs(&options) || !outputs_distinct(&options))
        return CLI_USAGE;
    return (options.input_count == 2 ? bench_two(&options) : bench_one(&options)) ? CLI_OK : CLI_FAILED;
}

const cli_verb verb_bench = {
    .name = "bench",
    .summary = "what one trip through a piece of code costs, with a pairing diagram",
    .operands = "FILE|--asm CODE [FILE|--asm CODE]",
    .doc = "Show clocks and events per trip, and the pipes' use; two inputs side by side."
           "\vExample:\n  p5scope bench --asm 'add eax, ebx; mov ecx, [esi]'",
    .run = run};
