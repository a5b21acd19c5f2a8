/* Budgets: what a run may cost. `stat --expect`.
 *
 *   budget    = condition {("," | "&&" | line end) condition}, '#' to the end of a line is a comment
 *   condition = formula ("<" | "<=" | ">" | ">=" | "==" | "!=") formula
 *
 * Formulas are those of metric groups (metric.h). The left one is compared with the limit, usually a number. In the
 * limit, `base` is the value of the left formula in the baseline, an earlier run. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/lines.h"
#include "core/model/model.h"
#include "report/json_writer.h"
#include "report/run_identity.h"
#include "report/stat/baseline.h"
#include "report/stat/metric.h"
#include "report/stat/stat_internal.h"

/* In the order of scanning: "<=" comes before "<", and ">=" before ">". */
typedef enum relation { AT_MOST, AT_LEAST, EQUAL, DIFFERENT, LESS, MORE, RELATIONS } relation;
static const char *const signs[RELATIONS] = {"<=", ">=", "==", "!=", "<", ">"};

typedef struct condition {
    char *text; /* as written; NULL while it is parsed */
    metric_formula *left, *limit;
    relation is;
} condition;

struct p5_budget {
    baseline *base; /* NULL: none */
    ARRAY_OF(condition) conditions;
};

p5_status p5_budget_open(p5_budget **budget, p5_error *error)
{
    *budget = calloc(1, sizeof **budget);
    return *budget != NULL ? P5_OK : error_set(error, P5_ERR_MEMORY, "out of memory");
}

void p5_budget_close(p5_budget *budget)
{
    if (budget == NULL)
        return;
    for (size_t i = 0; i < budget->conditions.count; i++) {
        free(budget->conditions.items[i].text);
        metric_formula_close(budget->conditions.items[i].left);
        metric_formula_close(budget->conditions.items[i].limit);
    }
    free(budget->conditions.items);
    baseline_free(budget->base);
    free(budget);
}

p5_status p5_budget_baseline(p5_budget *budget, const char *path, p5_error *error)
{
    budget->base = calloc(1, sizeof *budget->base);
    if (budget->base == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    return baseline_read(budget->base, path, error);
}

bool p5_budget_same_revision(const p5_budget *budget, char *text, size_t size)
{
    const baseline *base = budget->base;
    char number[24] = "not stated";
    text[0] = '\0';
    if (base == NULL || base->revision == MODEL_REVISION)
        return true;
    if (base->revision != 0)
        snprintf(number, sizeof number, "%" PRIu64, base->revision);
    snprintf(text, size, "baseline: %s, this run: %d", number, MODEL_REVISION);
    return false;
}

bool p5_budget_same_model(const p5_budget *budget, const p5_model *model, char *text, size_t size)
{
    const baseline *base = budget->base;
    text[0] = '\0';
    if (base == NULL || strcmp(base->model, p5_model_name(model)) == 0)
        return true;
    snprintf(text, size, "baseline: %s, this run: %s", base->model, p5_model_name(model));
    return false;
}

bool p5_budget_same_option(const p5_budget *budget, const p5_run_identity *run, const p5_model *model,
                           const char *name, char *text, size_t size)
{
    text[0] = '\0';
    if (budget->base == NULL)
        return true;
    char *own = run_identity_text(run, model);
    const run_identified runs[] = {{"baseline", budget->base->identity}, {"this run", own}};
    const bool same = run_identity_same_option(runs, 2, name, text, size);
    free(own);
    return same;
}

/* ---- Parsing ---- */

/* Parses one condition and adds it. After an error, the incomplete condition stays in the budget, which the caller then
 * closes. */
static p5_status parse_condition(p5_budget *budget, scanner *s, unsigned family)
{
    if (!ARRAY_ADD(&budget->conditions, (condition){.text = NULL}))
        return error_set(s->error, P5_ERR_MEMORY, "out of memory");
    condition *to = &budget->conditions.items[budget->conditions.count - 1];
    const char *start = s->at;
    p5_status status = metric_formula_scan(s, family, NULL, &to->left);
    if (status != P5_OK)
        return status;
    while (to->is < RELATIONS && !scan_sign(s, signs[to->is]))
        to->is++;
    if (to->is == RELATIONS)
        return scan_fail(s, s->at, P5_ERR_SYNTAX,
                         "expected an operator or a comparison: <, <=, >, >=, == or !=");
    const metric_base base = baseline_value(budget->base, to->left);
    status = metric_formula_scan(s, family, &base, &to->limit);
    if (status != P5_OK)
        return status;
    const char *end = s->at;
    while (isspace((unsigned char)end[-1]))
        end--;
    to->text = strndup(start, (size_t)(end - start));
    return to->text != NULL ? P5_OK : error_set(s->error, P5_ERR_MEMORY, "out of memory");
}

/* Parses the conditions of one line. `family` is that of the model, whose events they may use. */
static p5_status parse_line(p5_budget *budget, const char *line, unsigned family, p5_error *error)
{
    scanner s = {line, line, error};
    for (bool separated = true;;) {
        if (*scan_blanks(&s) == '\0' || *s.at == '#')
            return P5_OK;
        if (scan_sign(&s, ",") || scan_sign(&s, "&&")) {
            separated = true;
            continue;
        }
        p5_status status = separated ? parse_condition(budget, &s, family)
                                     : scan_fail(&s, s.at, P5_ERR_SYNTAX,
                                                 "expected an operator, or a comma before another condition");
        if (status != P5_OK)
            return status;
        separated = false;
    }
}

p5_status p5_budget_add(p5_budget *budget, const char *text, unsigned family, p5_error *error)
{
    size_t before = budget->conditions.count;
    p5_status status = parse_line(budget, text, family, error);
    if (status == P5_OK && budget->conditions.count == before)
        status = error_set_at(error, P5_ERR_SYNTAX, (error_place){.column = 1},
                              "a condition is missing here, such as clocks<=1.2e6");
    return status;
}

p5_status p5_budget_read(p5_budget *budget, const char *path, unsigned family, p5_error *error)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t capacity = 0, before = budget->conditions.count;
    unsigned number = 0;
    p5_status status = P5_OK;
    if (file == NULL)
        return error_set(error, P5_ERR_IO, "cannot open the budget '%s': %s", path, strerror(errno));
    while (status == P5_OK && lines_next(&line, &capacity, file) >= 0) {
        number++;
        status = parse_line(budget, line, family, error);
        if (status != P5_OK)
            error_at(error, path, number, error != NULL ? error->column : 0);
    }
    if (status == P5_OK && (status = lines_end(file, error)) != P5_OK)
        error_at(error, path, number, 0);
    free(line);
    fclose(file);
    if (status == P5_OK && budget->conditions.count == before)
        status = error_set_at(error, P5_ERR_SYNTAX, (error_place){path, 1, 0}, "there is no condition in it");
    return status;
}

/* ---- Judging ---- */

typedef struct verdict {
    double value, limit; /* of the left formula and of the right one */
    bool holds;
    char number[40];   /* the value */
    char distance[80]; /* from the limit, as a number and in per cent of the limit */
} verdict;

/* Returns true if the condition holds. NaN (a ratio with divisor 0) breaks every condition. */
static bool compare(double value, relation is, double limit)
{
    switch (is) {
    case LESS:
        return value < limit;
    case AT_MOST:
        return value <= limit;
    case MORE:
        return value > limit;
    case AT_LEAST:
        return value >= limit;
    case EQUAL:
        return value == limit;
    case DIFFERENT:
        return value < limit || value > limit;
    case RELATIONS:
        break;
    }
    return false;
}

/* Writes whole numbers in full, others with six significant digits. */
static void write_number(double value, char *buffer, size_t size)
{
    snprintf(buffer, size, value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.6g", value);
}

/* Judges a condition for the means of the runs, so that the number of runs does not matter. */
static verdict judge(const condition *of, const p5_stat *stat)
{
    p5_counts sum;
    stat_sum(stat, &sum);
    metric_source from = {.counts = &sum,
                          .runs = stat->run_count,
                          .cpl_mask = P5_CPL_MASK_ALL,
                          .clock_mhz = p5_model_clock_mhz(stat->model)};
    verdict v = {.value = metric_evaluate(of->left, &from), .limit = metric_evaluate(of->limit, &from)};
    v.holds = stat->unmeasured == NULL && compare(v.value, of->is, v.limit);
    write_number(v.value, v.number, sizeof v.number);
    char number[40];
    write_number(v.value - v.limit, number, sizeof number);
    const char *sign = v.value > v.limit ? "+" : "";
    if (!isfinite(v.value - v.limit))
        snprintf(v.distance, sizeof v.distance, "no value");
    else if (v.limit != 0)
        snprintf(v.distance, sizeof v.distance, "%s%s (%+.2f %%)", sign, number,
                 100 * (v.value - v.limit) / fabs(v.limit));
    else
        snprintf(v.distance, sizeof v.distance, "%s%s", sign, number);
    return v;
}

unsigned p5_budget_judge(const p5_budget *budget, const p5_stat *stat, FILE *out)
{
    unsigned broken = 0;
    size_t count = budget->conditions.count;
    const char *plural = count == 1 ? "" : "s";
    for (size_t i = 0; i < count; i++)
        broken += !judge(&budget->conditions.items[i], stat).holds;
    if (out == NULL)
        return broken;
    if (stat->unmeasured != NULL) {
        fprintf(out, "\n Budget: %zu condition%s cannot be judged\n  %s\n\n", count, plural,
                stat->unmeasured);
        return broken;
    }
    fprintf(out, "\n Budget: %u of %zu condition%s broken\n\n", broken, count, plural);
    fprintf(out, "  %-6s  %18s  %-26s  %s\n", "", "got", "off the limit", "condition");
    for (size_t i = 0; i < count; i++) {
        verdict v = judge(&budget->conditions.items[i], stat);
        fprintf(out, "  %-6s  %18s  %-26s  %s\n", v.holds ? "ok" : "BROKEN", v.number, v.distance,
                budget->conditions.items[i].text);
    }
    fputc('\n', out);
    return broken;
}

void p5_budget_write_json(const p5_budget *budget, const p5_stat *stat, FILE *out)
{
    for (size_t i = 0; i < budget->conditions.count; i++) {
        verdict v = judge(&budget->conditions.items[i], stat);
        json_writer json;
        json_init(&json, out);
        json_open_object(&json);
        json_key_string(&json, "budget", budget->conditions.items[i].text);
        json_key_double(&json, "value", v.value);
        json_key_double(&json, "limit", v.limit);
        json_key_bool(&json, "holds", v.holds);
        if (stat->unmeasured != NULL)
            json_key_string(&json, "unmeasured", stat->unmeasured);
        json_close_object(&json);
    }
}

/* Writes each condition as a test case. The first one has the host's time, because one run served all of them. */
p5_status p5_budget_write_junit(const p5_budget *budget, const p5_stat *stat, FILE *out, p5_error *error)
{
    enum { SENTENCE = 600 };
    size_t count = budget->conditions.count;
    p5_check_result *results = calloc(count, sizeof *results);
    char(*sentences)[SENTENCE] = calloc(count, sizeof *sentences);
    p5_status status = P5_OK;
    if (results == NULL || sentences == NULL)
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < count && status == P5_OK; i++) {
        verdict v = judge(&budget->conditions.items[i], stat);
        if (stat->unmeasured != NULL)
            snprintf(sentences[i], SENTENCE, "cannot be judged: %s", stat->unmeasured);
        else
            snprintf(sentences[i], SENTENCE, "got %s: %s off the limit", v.number, v.distance);
        results[i] =
            (p5_check_result){.name = budget->conditions.items[i].text,
                              .path = stat->command,
                              .model = p5_model_name(stat->model),
                              .failure = v.holds ? NULL : sentences[i],
                              .seconds = i == 0 ? stat_summary(stat, STAT_HOST_SECONDS, NULL).mean : 0};
    }
    if (status == P5_OK)
        status = p5_check_write_junit(out, "p5scope stat", results, count, error);
    free(results);
    free(sentences);
    return status;
}
