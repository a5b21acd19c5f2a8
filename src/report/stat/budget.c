/* Budgets: what a run may cost. `stat --expect`.
 *
 *   budget    = condition {("," | line end) condition}, '#' to the end of a line is a comment
 *   condition = figure ("<" | "<=" | ">" | ">=" | "==" | "!=") number
 *   figure    = event with modifiers as for -e | CPI | IPC | formula as in metric groups
 *   number    = as C writes it, and k, M, G for thousands, millions, milliards behind it */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/lines.h"
#include "base/text.h"
#include "report/json_writer.h"
#include "report/stat/metric.h"
#include "report/stat/stat_internal.h"

typedef enum comparison { LESS, AT_MOST, MORE, AT_LEAST, EQUAL, DIFFERENT, COMPARISONS } comparison;
static const char *const signs[COMPARISONS] = {"<", "<=", ">", ">=", "==", "!="};

typedef struct condition {
    char *text; /* as written */
    p5_selected event;
    metric_formula *formula; /* NULL: the event's value */
    comparison how;
    double limit;
} condition;

struct p5_budget {
    condition *items;
    size_t count, capacity;
};

static const struct {
    const char *name, *formula;
} short_names[] = {{"CPI", "clocks/instructions_executed"}, {"IPC", "instructions_executed/clocks"}};

p5_status p5_budget_open(p5_budget **budget, p5_error *error)
{
    *budget = calloc(1, sizeof **budget);
    return *budget != NULL ? P5_OK : error_set(error, P5_ERR_MEMORY, "out of memory");
}

void p5_budget_close(p5_budget *budget)
{
    for (size_t i = 0; budget != NULL && i < budget->count; i++) {
        free(budget->items[i].text);
        metric_formula_close(budget->items[i].formula);
    }
    if (budget != NULL)
        free(budget->items);
    free(budget);
}

static p5_status wrong(p5_error *error, p5_status status, size_t column, const char *message)
{
    return error_set_at(error, status, NULL, 0, (unsigned)column + 1, "%s", message);
}

/* Parses the left side of a condition: one event with its modifiers, otherwise a formula. */
static p5_status parse_figure(condition *to, const char *figure, unsigned family, p5_error *error)
{
    const char *formula = figure;
    for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++)
        if (text_same_name(figure, short_names[i].name))
            formula = short_names[i].formula;
    p5_selection selection = {0};
    p5_error of_event = {0};
    p5_status status = P5_ERR_NAME;
    unsigned variable;
    bool word = strpbrk(figure, "+-*/()0123456789") == NULL;
    if (formula == figure)
        status = p5_selection_add(&selection, figure, family, &of_event);
    if (status == P5_OK && (selection.count != 1 || selection.groups != 0))
        status = wrong(error, P5_ERR_SYNTAX, 0, "a condition is about one event");
    else if (status == P5_OK && !selection.items[0].supported)
        status = wrong(error, P5_ERR_NAME, 0, "the model has no such event");
    else if (status == P5_OK)
        to->event = selection.items[0];
    else if (formula == figure && word && metric_variable_find(figure, &variable, NULL) != P5_OK)
        *error = of_event; /* its hint suggests events */
    else if ((status = metric_formula_parse(formula, &to->formula, error)) == P5_OK &&
             (metric_formula_families(to->formula) & family) == 0)
        status = wrong(error, P5_ERR_NAME, 0, "the model does not have all events of this formula");
    p5_selection_free(&selection);
    return status;
}

static p5_status parse_limit(condition *to, const char *number, size_t column, p5_error *error)
{
    char *end;
    to->limit = strtod(number, &end);
    bool fine = end != number && isfinite(to->limit);
    static const struct {
        char letter;
        double factor;
    } factors[] = {{'k', 1e3}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}};
    for (size_t i = 0; fine && i < sizeof factors / sizeof factors[0]; i++)
        if (*end == factors[i].letter) {
            to->limit *= factors[i].factor;
            end++;
            break;
        }
    if (!fine || *end != '\0')
        return wrong(error, P5_ERR_SYNTAX, column, "a number is due here: 1200, 1.2e6, 1.2M");
    return P5_OK;
}

static comparison comparison_at(const char *sign)
{
    comparison found = COMPARISONS;
    for (unsigned i = 0; i < COMPARISONS; i++)
        if (strncmp(sign, signs[i], strlen(signs[i])) == 0 &&
            (found == COMPARISONS || strlen(signs[i]) > strlen(signs[found])))
            found = (comparison)i;
    return found;
}

/* Parses one condition. Cuts `text` where its parts end. */
static p5_status parse_condition(p5_budget *budget, char *text, unsigned family, p5_error *error)
{
    if (!ARRAY_ROOM(budget))
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    condition *to = &budget->items[budget->count];
    memset(to, 0, sizeof *to);
    if ((to->text = strdup(text)) == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    budget->count++;
    size_t length = strcspn(text, "<>=!");
    to->how = comparison_at(text + length);
    if (to->how == COMPARISONS)
        return wrong(error, P5_ERR_SYNTAX, length, "<, <=, >, >=, == or != and a number are due here");
    char *number = text + length + strlen(signs[to->how]);
    while (isspace((unsigned char)*number))
        number++;
    text[length] = '\0';
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    if (length == 0)
        return wrong(error, P5_ERR_SYNTAX, 0, "an event or a formula is due here");
    p5_status status = parse_figure(to, text, family, error);
    return status == P5_OK ? parse_limit(to, number, (size_t)(number - text), error) : status;
}

/* Parses one line without its line end. */
static p5_status parse_line(p5_budget *budget, char *line, unsigned family, p5_error *error)
{
    char *cursor = line;
    line[strcspn(line, "#\r")] = '\0';
    for (char *part; (part = text_field(&cursor, ',')) != NULL;) {
        while (isspace((unsigned char)*part))
            part++;
        size_t length = strlen(part);
        while (length > 0 && isspace((unsigned char)part[length - 1]))
            part[--length] = '\0';
        if (length == 0)
            continue;
        p5_status status = parse_condition(budget, part, family, error);
        if (status != P5_OK) {
            if (error != NULL)
                error->column = (unsigned)(part - line) + (error->column != 0 ? error->column : 1);
            return status;
        }
    }
    return P5_OK;
}

p5_status p5_budget_add(p5_budget *budget, const char *text, unsigned family, p5_error *error)
{
    size_t before = budget->count;
    char *copy = strdup(text);
    if (copy == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    p5_status status = parse_line(budget, copy, family, error);
    free(copy);
    if (status == P5_OK && budget->count == before)
        status = wrong(error, P5_ERR_SYNTAX, 0, "a condition is due here, such as clocks<=1.2e6");
    return status;
}

p5_status p5_budget_read(p5_budget *budget, const char *path, unsigned family, p5_error *error)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0, before = budget->count;
    unsigned number = 0;
    p5_status status = P5_OK;
    if (file == NULL)
        return error_set(error, P5_ERR_IO, "cannot open the budget '%s'", path);
    while (status == P5_OK && lines_next(&line, &room, file) >= 0) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        status = parse_line(budget, line, family, error);
        if (status != P5_OK)
            error_at(error, path, number, error != NULL ? error->column : 0);
    }
    if (status == P5_OK && (status = lines_end(file, error)) != P5_OK)
        error_at(error, path, number, 0);
    free(line);
    fclose(file);
    if (status == P5_OK && budget->count == before)
        status = error_set_at(error, P5_ERR_SYNTAX, path, 1, 0, "there is no condition in it");
    return status;
}

/* ---- Judging ---- */

static double value_of(const condition *of, const p5_stat *stat)
{
    if (of->formula == NULL)
        return stat_summary(stat, STAT_ROW, &of->event).mean;
    p5_counts sum;
    double values[METRIC_VARIABLES];
    stat_sum(stat, &sum);
    metric_values(&sum, P5_CPL_MASK_ALL, p5_model_clock_mhz(stat->model), values);
    for (size_t i = 0; i < METRIC_VARIABLES; i++) /* means per run, so that sums do not depend on the number
                                                     of runs */
        values[i] /= (double)stat->run_count;
    return metric_evaluate(of->formula, values);
}

/* Returns true if the condition holds for its value `value`. NaN (a ratio with divisor 0) breaks every
 * condition, and so do runs that are unmeasured. */
static bool holds(const condition *of, const p5_stat *stat, double value)
{
    if (stat->unmeasured != NULL)
        return false;
    switch (of->how) {
    case LESS:
        return value < of->limit;
    case AT_MOST:
        return value <= of->limit;
    case MORE:
        return value > of->limit;
    case AT_LEAST:
        return value >= of->limit;
    case EQUAL:
        return value == of->limit;
    case DIFFERENT:
        return value < of->limit || value > of->limit;
    case COMPARISONS:
        break;
    }
    return false;
}

static const char *number_text(double value, char *buffer, size_t size)
{
    if (value == floor(value) && fabs(value) < 1e15)
        snprintf(buffer, size, "%.0f", value);
    else
        snprintf(buffer, size, "%.6g", value);
    return buffer;
}

/* Writes the distance from the limit, as a number and in per cent of the limit. */
static const char *miss_text(double value, double limit, char *buffer, size_t size)
{
    char number[40];
    number_text(value - limit, number, sizeof number);
    if (!isfinite(value))
        snprintf(buffer, size, "no value");
    else if (limit != 0)
        snprintf(buffer, size, "%s%s (%+.2f %%)", value > limit ? "+" : "", number,
                 100 * (value - limit) / fabs(limit));
    else
        snprintf(buffer, size, "%s%s", value > limit ? "+" : "", number);
    return buffer;
}

unsigned p5_budget_judge(const p5_budget *budget, const p5_stat *stat, FILE *out)
{
    unsigned broken = 0;
    for (size_t i = 0; i < budget->count; i++)
        broken += !holds(&budget->items[i], stat, value_of(&budget->items[i], stat));
    if (out == NULL)
        return broken;
    if (stat->unmeasured != NULL) {
        fprintf(out, "\n Budget: %zu condition%s cannot be judged\n  %s\n\n", budget->count,
                budget->count == 1 ? "" : "s", stat->unmeasured);
        return broken;
    }
    fprintf(out, "\n Budget: %u of %zu condition%s broken\n\n", broken, budget->count,
            budget->count == 1 ? "" : "s");
    fprintf(out, "  %-6s  %18s  %-26s  %s\n", "", "got", "off the limit", "condition");
    for (size_t i = 0; i < budget->count; i++) {
        const condition *of = &budget->items[i];
        char number[40], miss[80];
        double value = value_of(of, stat);
        fprintf(out, "  %-6s  %18s  %-26s  %s\n", holds(of, stat, value) ? "ok" : "BROKEN",
                number_text(value, number, sizeof number), miss_text(value, of->limit, miss, sizeof miss),
                of->text);
    }
    fputc('\n', out);
    return broken;
}

void p5_budget_write_json(const p5_budget *budget, const p5_stat *stat, FILE *out)
{
    for (size_t i = 0; i < budget->count; i++) {
        const condition *of = &budget->items[i];
        double value = value_of(of, stat);
        json_writer json;
        json_init(&json, out);
        json_open_object(&json);
        json_key_string(&json, "budget", of->text);
        json_key_double(&json, "value", value);
        json_key_double(&json, "limit", of->limit);
        json_key_bool(&json, "holds", holds(of, stat, value));
        if (stat->unmeasured != NULL)
            json_key_string(&json, "unmeasured", stat->unmeasured);
        json_close_object(&json);
    }
}

p5_status p5_budget_write_junit(const p5_budget *budget, const p5_stat *stat, FILE *out, p5_error *error)
{
    enum { SENTENCE = 600 };
    p5_check_result *results = calloc(budget->count, sizeof *results);
    char(*sentences)[SENTENCE] = calloc(budget->count, sizeof *sentences);
    p5_status status = P5_ERR_MEMORY;
    for (size_t i = 0; results != NULL && sentences != NULL && i < budget->count; i++) {
        const condition *of = &budget->items[i];
        char number[40], miss[80];
        double value = value_of(of, stat);
        if (stat->unmeasured != NULL)
            snprintf(sentences[i], SENTENCE, "cannot be judged: %s", stat->unmeasured);
        else
            snprintf(sentences[i], SENTENCE, "got %s: %s off the limit",
                     number_text(value, number, sizeof number),
                     miss_text(value, of->limit, miss, sizeof miss));
        results[i] =
            (p5_check_result){.name = of->text,
                              .path = stat->command,
                              .model = p5_model_name(stat->model),
                              .failure = holds(of, stat, value) ? NULL : sentences[i],
                              .seconds = i == 0 ? stat_summary(stat, STAT_HOST_SECONDS, NULL).mean : 0};
    }
    if (results != NULL && sentences != NULL)
        status = p5_check_write_junit(out, "p5scope stat", results, budget->count, error);
    else
        error_set(error, status, "out of memory");
    free(results);
    free(sentences);
    return status;
}
