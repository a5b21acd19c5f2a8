#define _GNU_SOURCE /* asprintf */
#include "cli/bench_input.h"

#include <stdlib.h>
#include <string.h>

#include "cli/bench_loop.h"
#include "cli/cli.h"

enum { DEFAULT_N1 = 200, DEFAULT_N2 = 1200, CODE_SECONDS = 60 };

static bool prepare_case(bench *out, p5_error *error)
{
    const char *path = out->input->path;
    if (p5_case_read(path, &out->case_file, error) != P5_OK)
        return false;
    const p5_case *c = &out->case_file;
    out->conditions = (p5_case_conditions){
        .cpl = c->cpl, .cr4 = c->cr4, .registers = c->registers, .register_count = c->register_count};
    for (unsigned i = 0; i < 2; i++) {
        if (out->trips[1] == 0)
            memcpy(out->trips, c->trips, sizeof out->trips);
        if (p5_case_assemble(path, out->trips[i], &out->programs[i], error) != P5_OK)
            return false;
    }
    return asprintf(&out->name, "%s", c->name) >= 0 &&
           asprintf(&out->per, "per trip (N %u to %u)", out->trips[0], out->trips[1]) >= 0;
}

static bool assemble_loop(const bench *of, const bench_terms *terms, const char *counter, unsigned copies,
                          p5_case_program *programs[2], p5_error *error)
{
    char *source = loop_source(of->input->code, terms->setup, counter, copies);
    p5_status status = source == NULL ? P5_ERR_MEMORY : P5_OK;
    for (unsigned i = 0; i < 2 && status == P5_OK; i++)
        status = p5_case_assemble_text("--asm", source, of->trips[i], &programs[i], error);
    free(source);
    error->line = 0; /* lines of the text around the user's say nothing */
    return status == P5_OK;
}

static bool prepare_code(bench *out, const bench_terms *terms, p5_error *error)
{
    const char *counter = loop_counter(out->input->code, terms->setup);
    unsigned copies = terms->repeat != 0 ? terms->repeat : terms->copies;
    if (counter == NULL) {
        *error = (p5_error){.status = P5_ERR_STATE};
        snprintf(error->message, sizeof error->message,
                 "the code leaves no register for the loop's counter; write a case file instead");
        return false;
    }
    if (!assemble_loop(out, terms, counter, copies, out->programs, error) ||
        (terms->repeat != 0 && !assemble_loop(out, terms, counter, 2 * copies, out->twice, error)))
        return false;
    if (asprintf(&out->name, "%s", out->input->code) < 0)
        return false;
    if (terms->repeat != 0)
        return asprintf(&out->per, "per copy (from loops of %u and %u copies)", copies, 2 * copies) >= 0;
    return asprintf(&out->per, "per trip (%u cop%s, dec %s, jnz; N %u to %u)", copies,
                    copies == 1 ? "y" : "ies", counter, out->trips[0], out->trips[1]) >= 0;
}

static bool prepare_function(bench *out, p5_error *error)
{
    p5_case_function function = out->input->function;
    function.path = out->input->path;
    for (unsigned i = 0; i < 2; i++)
        if (p5_case_assemble_function(&function, out->trips[i], &out->programs[i], error) != P5_OK)
            return false;
    return asprintf(&out->name, "%s of %s", function.name, function.path) >= 0 &&
           asprintf(&out->per, "per call (with the call, dec ebx, jnz; N %u to %u)", out->trips[0],
                    out->trips[1]) >= 0;
}

bool bench_prepare(bench *out, const bench_input *input, const bench_terms *terms)
{
    p5_error error = {0};
    *out = (bench){.input = input,
                   .trips = {terms->trips[0], terms->trips[1]},
                   .conditions = {.cpl = terms->cpl, .timeout_seconds = CODE_SECONDS}};
    bool is_case = input->code == NULL && input->function.name == NULL;
    if (out->trips[1] == 0 && !is_case) {
        out->trips[0] = DEFAULT_N1;
        out->trips[1] = DEFAULT_N2;
    }
    bool good = is_case               ? prepare_case(out, &error)
                : input->code != NULL ? prepare_code(out, terms, &error)
                                      : prepare_function(out, &error);
    if (!good && input->code != NULL)
        cli_show_error(&error, "--asm", input->code, NULL);
    else if (!good)
        cli_show_error(&error, NULL, NULL, NULL);
    return good;
}

static p5_status run_both(const bench *of, p5_case_program *const programs[2], p5_counts counts[2],
                          uint64_t registers[2][P5_CASE_REGISTERS], p5_error *error)
{
    p5_status status = P5_OK;
    for (unsigned i = 0; i < 2 && status == P5_OK; i++)
        status = p5_case_run(programs[i], &of->conditions, NULL, NULL, &counts[i], registers[i], error);
    return status;
}

/* --repeat: bodies of R and of 2R copies; the difference is R copies without the loop's own instructions. The
 * totals are put together so that "per trip" of them is one copy: N2 - N1 trips with R copies each. */
static void take_loop_out(bench *of, const p5_counts twice[2], unsigned copies)
{
    p5_counts single[2] = {of->counts[0], of->counts[1]};
    const uint64_t *few[2] = {(const uint64_t *)&single[0], (const uint64_t *)&single[1]};
    const uint64_t *many[2] = {(const uint64_t *)&twice[0], (const uint64_t *)&twice[1]};
    uint64_t *out[2] = {(uint64_t *)&of->counts[0], (uint64_t *)&of->counts[1]};
    for (size_t i = 0; i < sizeof(p5_counts) / sizeof(uint64_t); i++) {
        /* (m2 - m1) - (f2 - f1), as a difference of two sums that cannot be negative */
        out[1][i] = many[1][i] + few[0][i];
        out[0][i] = many[0][i] + few[1][i];
    }
    of->divisor[0] *= copies;
    of->divisor[1] *= copies;
}

bool bench_measure(bench *of, const char *model, const bench_terms *terms)
{
    p5_error error = {0};
    p5_counts twice[2];
    uint64_t unused[2][P5_CASE_REGISTERS];
    of->conditions.model = model;
    memcpy(of->divisor, of->trips, sizeof of->divisor);
    p5_status status = run_both(of, of->programs, of->counts, of->registers, &error);
    if (status == P5_OK && of->twice[0] != NULL &&
        (status = run_both(of, of->twice, twice, unused, &error)) == P5_OK)
        take_loop_out(of, twice, terms->repeat);
    if (status != P5_OK)
        cli_show_error(&error, NULL, NULL, NULL);
    return status == P5_OK;
}

void bench_release(bench *of)
{
    for (unsigned i = 0; i < 2; i++) {
        p5_case_program_free(of->programs[i]);
        p5_case_program_free(of->twice[i]);
    }
    p5_case_free(&of->case_file);
    free(of->name);
    free(of->per);
}
