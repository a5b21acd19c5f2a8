#define _GNU_SOURCE /* asprintf */
#include "cli/bench_input.h"

#include <stdlib.h>
#include <string.h>

#include "cli/bench_loop.h"
#include "cli/case_files.h"
#include "cli/cli.h"

/* The usual numbers of trips, and the time limit of a run. */
enum { DEFAULT_N1 = 200, DEFAULT_N2 = 1200, CODE_SECONDS = 60 };

/* The prepare_ functions assemble the programs of an input and make its descriptions `name` and `per`. They return
 * false with *error. */
static bool prepare_case(bench *out, p5_error *error)
{
    const char *path = out->input->path;
    if (p5_case_read(path, &out->case_file, error) != P5_OK)
        return false;
    const p5_case *c = &out->case_file;
    out->conditions = case_conditions(c);
    for (unsigned i = 0; i < 2; i++) {
        if (out->trips[1] == 0) /* no --n */
            memcpy(out->trips, c->trips, sizeof out->trips);
        if (p5_case_assemble(path, out->trips[i], &out->programs[i], error) != P5_OK)
            return false;
    }
    return asprintf(&out->name, "%s", c->name) >= 0 &&
           asprintf(&out->per, "per trip (N %u to %u)", out->trips[0], out->trips[1]) >= 0;
}

/* Assembles the loop around `copies` copies of the code, for both numbers of trips. Returns false with *error. */
static bool assemble_loop(const bench *of, const bench_terms *terms, const char *counter, unsigned copies,
                          p5_case_program *programs[2], p5_error *error)
{
    char *source = loop_source(of->input->code, terms->setup, counter, copies);
    p5_status status = source == NULL ? P5_ERR_MEMORY : P5_OK;
    for (unsigned i = 0; i < 2 && status == P5_OK; i++)
        status = p5_case_assemble_text("--asm", source, of->trips[i], &programs[i], error);
    free(source);
    return status == P5_OK;
}

/* Finds the statement of `text` that causes the same error when it is assembled alone, and stores its line and
 * column, both from 1, in *error. Line and column stay 0 if there is none. */
static void place_by_trial(const char *text, p5_error *error)
{
    char *copy = strdup(text), *rest = NULL;
    for (char *part = copy != NULL ? strtok_r(copy, ";\n", &rest) : NULL; part != NULL && error->column == 0;
         part = strtok_r(NULL, ";\n", &rest)) {
        p5_case_program *program;
        p5_error of_part = {0};
        if (p5_case_assemble_text("", part, 1, &program, &of_part) == P5_OK)
            p5_case_program_free(program);
        else if (strcmp(of_part.message, error->message) == 0)
            for (const char *at = text; at <= text + (part - copy) + strspn(part, " \t"); at++) {
                error->line += at == text || at[-1] == '\n';
                error->column = at == text || at[-1] == '\n' ? 1 : error->column + 1;
            }
    }
    free(copy);
}

/* Replaces the place of an assembler's error by the place in the text of --asm or --setup, whichever contains it. */
static void place_in_texts(bench *out, const bench_terms *terms, p5_error *error)
{
    const char *const texts[] = {out->input->code, terms->setup};
    error->where[0] = '\0';
    for (unsigned i = 0; i < 2 && texts[i] != NULL; i++) {
        error->line = error->column = 0; /* they were places in the assembled source */
        p5_code_locate(texts[i], error);
        if (error->column == 0)
            place_by_trial(texts[i], error);
        out->wrong_setup = i == 1;
        if (error->column != 0)
            return;
    }
    out->wrong_setup = false;
}

/* Returns false with *error if --asm or --setup has a form that the assembler would misread. */
static bool check_texts(bench *out, const bench_terms *terms, p5_error *error)
{
    out->wrong_setup = terms->setup != NULL && p5_code_check(terms->setup, error) != P5_OK;
    return !out->wrong_setup && p5_code_check(out->input->code, error) == P5_OK;
}

static bool prepare_code(bench *out, const bench_terms *terms, p5_error *error)
{
    if (!check_texts(out, terms, error))
        return false;
    const char *counter = loop_counter(out->input->code, terms->setup);
    unsigned copies = terms->repeat != 0 ? terms->repeat : terms->copies;
    if (counter == NULL) {
        *error = (p5_error){.status = P5_ERR_STATE};
        snprintf(error->message, sizeof error->message,
                 "the code leaves no register for the loop's counter; write a case file instead");
        return false;
    }
    if (!assemble_loop(out, terms, counter, copies, out->programs, error) ||
        (terms->repeat != 0 && !assemble_loop(out, terms, counter, 2 * copies, out->others, error))) {
        place_in_texts(out, terms, error);
        return false;
    }
    if (asprintf(&out->name, "%s", out->input->code) < 0)
        return false;
    if (terms->repeat != 0)
        return asprintf(&out->per, "per copy (from loops of %u and %u copies)", copies, 2 * copies) >= 0;
    return asprintf(&out->per, "per trip (%u cop%s, dec %s, jnz; N %u to %u)", copies,
                    copies == 1 ? "y" : "ies", counter, out->trips[0], out->trips[1]) >= 0;
}

static bool prepare_function(bench *out, p5_error *error)
{
    p5_case_function f = out->input->function;
    if (f.listed)
        return p5_case_assemble_function(&f, 0, &out->programs[0], error) == P5_OK &&
               asprintf(&out->name, "%s%s%s", f.name != NULL ? f.name : "", f.name != NULL ? " of " : "",
                        f.path) >= 0;
    f.elsewhere = out->elsewhere; /* the calls are placed at another address */
    p5_case_function empty = f;
    empty.empty = true;
    for (unsigned i = 0; i < 2; i++)
        if (p5_case_assemble_function(&f, out->trips[i], &out->programs[i], error) != P5_OK ||
            p5_case_assemble_function(&empty, out->trips[i], &out->others[i], error) != P5_OK)
            return false;
    out->conditions.function = &out->input->function;
    return asprintf(&out->name, "%s of %s", f.name, f.path) >= 0 &&
           asprintf(&out->per, "per call%s, beyond that of an empty function (N %u to %u)",
                    f.argument_count == 0 ? " without arguments" : "", out->trips[0], out->trips[1]) >= 0;
}

bool bench_prepare(bench *out, const bench_input *input, const bench_terms *terms)
{
    p5_error error = {0};
    *out = (bench){.input = input,
                   .trips = {terms->trips[0], terms->trips[1]},
                   .conditions = {.cpl = terms->cpl, .timeout_seconds = CODE_SECONDS}};
    const bool is_case = input->code == NULL && input->function.name == NULL &&
                         !(input->function.listed && p5_file_has_functions(input->path));
    if (out->trips[1] == 0 && !is_case) {
        out->trips[0] = DEFAULT_N1;
        out->trips[1] = DEFAULT_N2;
    }
    bool good = is_case               ? prepare_case(out, &error)
                : input->code != NULL ? prepare_code(out, terms, &error)
                                      : prepare_function(out, &error);
    if (!good && out->wrong_setup)
        cli_show_error(&error, "--setup", terms->setup, NULL);
    else if (!good && input->code != NULL)
        cli_show_error(&error, "--asm", input->code, NULL);
    else if (!good)
        cli_show_file_error(&error);
    return good;
}

/* Stores `more` - `less` in of->measured, and multiplies of->divisor by `copies`, the number of copies of the code that
 * a trip of `more` has in addition. `more`, `less` and the result are pairs of totals: with N1 trips and with N2. */
static void subtract(bench *of, const p5_case_measured *more, const p5_case_measured *less, unsigned copies)
{
    p5_case_measured difference = *more;
    const uint64_t *few[2] = {(const uint64_t *)&less->counts[0], (const uint64_t *)&less->counts[1]};
    const uint64_t *many[2] = {(const uint64_t *)&more->counts[0], (const uint64_t *)&more->counts[1]};
    uint64_t *out[2] = {(uint64_t *)&difference.counts[0], (uint64_t *)&difference.counts[1]};
    for (size_t i = 0; i < sizeof(p5_counts) / sizeof(uint64_t); i++) {
        /* (m2 - m1) - (f2 - f1), as a difference of two sums that cannot be negative */
        out[1][i] = many[1][i] + few[0][i];
        out[0][i] = many[0][i] + few[1][i];
    }
    of->divisor[0] *= copies;
    of->divisor[1] *= copies;
    of->measured = difference;
}

/* Returns `many` - `few`, the cost of the additional trips, summed over the privilege levels. */
static uint64_t difference(const uint64_t few[P5_CPL_CLASSES], const uint64_t many[P5_CPL_CLASSES])
{
    return p5_counts_sum(many, P5_CPL_MASK_ALL) - p5_counts_sum(few, P5_CPL_MASK_ALL);
}

/* Runs the programs and stores the counts and their divisors. */
static p5_status measure(bench *of, const bench_terms *terms, p5_error *error)
{
    p5_case_measured other;
    memcpy(of->divisor, of->trips, sizeof of->divisor);
    p5_status status = p5_case_measure(of->programs, of->trips, &of->conditions, &of->measured, error);
    if (status != P5_OK || of->others[0] == NULL)
        return status;
    status = p5_case_measure(of->others, of->trips, &of->conditions, &other, error);
    if (status == P5_OK && of->input->function.name != NULL)
        subtract(of, &of->measured, &other, 1);
    else if (status == P5_OK)
        subtract(of, &other, &of->measured, terms->repeat);
    return status;
}

/* Measures a function with mispredicted branches a second time with its calls at other addresses, and keeps the cheaper
 * result. If the second costs less, the function's branches shared a set of the branch target buffer with the calls. */
static p5_status measure_elsewhere(bench *of, const bench_terms *terms, p5_error *error)
{
    const p5_counts *here = of->measured.counts;
    if (of->input->function.name == NULL ||
        difference(here[0].stalls[P5_STALL_BRANCH], here[1].stalls[P5_STALL_BRANCH]) == 0)
        return P5_OK;
    bench elsewhere = {.input = of->input, .elsewhere = !of->elsewhere, .conditions = of->conditions};
    memcpy(elsewhere.trips, of->trips, sizeof of->trips);
    p5_status status =
        prepare_function(&elsewhere, error) ? measure(&elsewhere, terms, error) : error->status;
    const p5_counts *there = elsewhere.measured.counts;
    if (status == P5_OK &&
        difference(there[0].clocks, there[1].clocks) < difference(here[0].clocks, here[1].clocks)) {
        bench replaced = *of;
        *of = elsewhere;
        elsewhere = replaced;
    }
    bench_release(&elsewhere);
    return status;
}

/* Measures again with fewer trips if one trip executes thousands of instructions, because the diagram and the limits
 * price the trips many times more. --n and case files keep their numbers. Returns false after a message. */
static bool take_fewer_trips(bench *of, const bench_terms *terms)
{
    enum { LONG = 1000, VERY_LONG = 5000 }; /* executed instructions per trip */
    const unsigned event = P5_EVENT_INSTRUCTIONS_EXECUTED;
    const p5_counts *counts = of->measured.counts;
    const uint64_t executed =
        difference(counts[0].increments[event], counts[1].increments[event]) / (of->trips[1] - of->trips[0]);
    if (terms->trips[1] != 0 || of->case_file.path != NULL || executed < LONG)
        return true;
    bench_terms fewer = *terms;
    fewer.trips[0] = executed < VERY_LONG ? DEFAULT_N1 / 10 : DEFAULT_N1 / 100;
    fewer.trips[1] = executed < VERY_LONG ? DEFAULT_N2 / 10 : DEFAULT_N2 / 100;
    const bench_input *input = of->input;
    const char *model = of->conditions.model;
    bench_release(of);
    if (!bench_prepare(of, input, &fewer))
        return false;
    of->conditions.model = model;
    p5_error error = {0};
    return measure(of, &fewer, &error) == P5_OK || cli_refuse_error(&error, NULL, NULL, NULL);
}

/* Measures on a model, with fewer trips for long code, and a function at two addresses. Returns false after a message.
 * A remark of the measurement is a failure, except for a case file, which may cause it on purpose. */
bool bench_measure(bench *of, const char *model, const bench_terms *terms)
{
    p5_error error = {0};
    of->conditions.model = model;
    p5_status status = measure(of, terms, &error);
    if (status == P5_OK && !take_fewer_trips(of, terms))
        return false;
    if (status == P5_OK)
        status = measure_elsewhere(of, terms, &error);
    if (status != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        return false;
    }
    if (of->measured.remark.message[0] != '\0')
        cli_show_error(&of->measured.remark, NULL, NULL, NULL);
    return of->measured.remark.status == P5_OK || of->case_file.path != NULL;
}

void bench_release(bench *of)
{
    for (unsigned i = 0; i < 2; i++) {
        p5_case_program_free(of->programs[i]);
        p5_case_program_free(of->others[i]);
    }
    p5_case_free(&of->case_file);
    free(of->name);
    free(of->per);
}
