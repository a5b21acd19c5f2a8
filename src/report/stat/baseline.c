#include "report/stat/baseline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/results.h"

/* Refuses anything but the totals of a run, and keeps what identifies the run. */
static p5_status take_header(baseline *to, const result_line *line, p5_error *error)
{
    if (line->kind != RESULT_STAT)
        return error_set(error, P5_ERR_FORMAT,
                         "intervals and traces are no baseline, only what stat -j writes");
    to->revision = (uint64_t)line_integer(line, LINE_REVISION);
    if (line_has(line, LINE_IDENTITY) && to->identity == NULL &&
        (to->identity = strdup(line_text(line, LINE_IDENTITY, ""))) == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    if (to->model == NULL && (to->model = strdup(line_text(line, LINE_MODEL, ""))) == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    return P5_OK;
}

/* Stores a total, as that of CPL 3 (baseline.counts). Skips names that are not variables of formulas, for example
 * `event:u`, a count at one privilege level. */
static void store_total(baseline *to, const char *name, uint64_t value)
{
    unsigned variable;
    if (metric_variable_find(name, &variable, NULL) != P5_OK)
        return;
    if (variable < P5_EVENT_COUNT)
        to->counts.increments[variable][P5_CPL_USER] = value;
    else if (variable == METRIC_CLOCKS)
        to->counts.clocks[P5_CPL_USER] = value;
    else if (variable >= METRIC_STALL)
        to->counts.stalls[variable - METRIC_STALL][P5_CPL_USER] = value;
    else
        return;
    to->known[variable] = true;
}

/* Ends the run. Results list only stall causes with more than 0 clocks. So if one cause is listed, all others are known to
 * be 0; if none is, they may not have been measured. */
static p5_status end_run(baseline *to, const result_line *line, p5_error *error)
{
    const char *ending = line_text(line, LINE_ENDING, "");
    bool causes = false;
    if (ending[0] != '\0')
        return error_set(error, P5_ERR_FORMAT, "the run was cut short, so it is no baseline: %s", ending);
    store_total(to, "clocks", (uint64_t)line_integer(line, LINE_CLOCKS));
    for (unsigned i = METRIC_STALL; i < METRIC_VARIABLES; i++)
        causes = causes || to->known[i];
    for (unsigned i = METRIC_STALL; i < METRIC_VARIABLES; i++)
        to->known[i] = causes;
    return P5_OK;
}

static p5_status read_line(void *context, const result_line *line, p5_error *error)
{
    baseline *to = context;
    if (line->part == RESULT_HEADER)
        return take_header(to, line, error);
    if (line->part == RESULT_VALUE && line_has(line, LINE_VALUE))
        store_total(to, line_text(line, LINE_EVENT, ""), (uint64_t)line_integer(line, LINE_VALUE));
    return line->part == RESULT_SUMMARY ? end_run(to, line, error) : P5_OK;
}

p5_status baseline_read(baseline *to, const char *path, p5_error *error)
{
    size_t runs = 0;
    FILE *in = fopen(path, "re");
    memset(to, 0, sizeof *to);
    if (in == NULL)
        return error_set_at(error, P5_ERR_IO, (error_place){.where = path}, "cannot open the file: %s",
                            strerror(errno));
    p5_status status = results_read(in, path, read_line, to, &runs, error);
    fclose(in);
    if (status == P5_OK && runs != 1)
        status = error_set_at(error, P5_ERR_FORMAT, (error_place){.where = path},
                              "a baseline is one run, and the file has %zu", runs);
    return status;
}

void baseline_free(baseline *of)
{
    if (of == NULL)
        return;
    free(of->identity);
    free(of->model);
    free(of);
}

metric_base baseline_value(const baseline *of, const metric_formula *formula)
{
    metric_base base = {0};
    if (of == NULL)
        base.missing = "'base' needs --baseline FILE, which a run with 'stat -j' writes";
    else if (metric_formula_modified(formula))
        base.missing = "the baseline has totals only, no counts by privilege level";
    for (unsigned v = 0; v < METRIC_VARIABLES && base.missing == NULL; v++)
        if (metric_formula_uses(formula, v) && !of->known[v])
            base.missing = "the baseline lacks a count that is used before 'base'";
    if (base.missing == NULL)
        base.value = metric_evaluate(formula, &(metric_source){.counts = &of->counts,
                                                               .runs = 1,
                                                               .cpl_mask = P5_CPL_MASK_ALL,
                                                               .clock_mhz = 0 /* seconds are never known */});
    return base;
}
