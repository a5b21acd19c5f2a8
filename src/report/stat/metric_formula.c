/* Compiles formulas of metrics to postfix steps and evaluates them. The grammar is in metric.h. */
#include "report/stat/metric.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"

/* Limits of nesting and of values on the stack, so that no text can exhaust the stack. Practical formulas are
 * far below. */
enum { DEEPEST = 64, NAME_SPACE = 128 };

typedef enum step_kind {
    STEP_NUMBER,
    STEP_VARIABLE,
    STEP_ADD,
    STEP_SUBTRACT,
    STEP_MULTIPLY,
    STEP_DIVIDE,
    STEP_NEGATE
} step_kind;

typedef struct step {
    step_kind kind;
    unsigned variable;
    double number;
} step;

struct metric_formula {
    ARRAY_OF(step) steps;
    unsigned families;
};

typedef struct parser {
    const char *text;
    const char *at;
    metric_formula *formula;
    unsigned nesting;
    unsigned waiting; /* depth of the evaluation stack at this point */
    p5_error *error;
} parser;

static bool fail(parser *p, const char *at, p5_status status, const char *message)
{
    error_set_at(p->error, status, NULL, 0, (unsigned)(at - p->text) + 1, "%s", message);
    return false;
}

static bool emit(parser *p, step s)
{
    if (s.kind == STEP_NUMBER || s.kind == STEP_VARIABLE) {
        if (++p->waiting > DEEPEST)
            return fail(p, p->at, P5_ERR_SYNTAX, "the formula is nested too deeply");
    } else if (s.kind != STEP_NEGATE) {
        p->waiting--;
    }
    return ARRAY_ADD(&p->formula->steps, s) || fail(p, p->at, P5_ERR_MEMORY, "out of memory");
}

static void skip_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t')
        p->at++;
}

static bool parse_number(parser *p)
{
    char *end;
    double number = strtod(p->at, &end);
    if (!isfinite(number))
        return fail(p, p->at, P5_ERR_RANGE, "the number is too large");
    if (isalpha((unsigned char)*end) || *end == '_')
        return fail(p, end, P5_ERR_SYNTAX, "a number must be followed by an operator");
    p->at = end;
    return emit(p, (step){.kind = STEP_NUMBER, .number = number});
}

p5_status metric_variable_find(const char *name, unsigned *variable, p5_error *error)
{
    static const char *const names[] = {"clocks", "seconds", "bus_read_bytes", "bus_written_bytes"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (text_same_name(name, names[i])) {
            *variable = METRIC_CLOCKS + i;
            return P5_OK;
        }
    for (unsigned i = 0; i < P5_STALL_COUNT; i++) {
        char stall[NAME_SPACE];
        snprintf(stall, sizeof stall, "stall_%s", p5_stall_name((p5_stall)i));
        if (text_same_name(name, stall)) {
            *variable = METRIC_STALL + i;
            return P5_OK;
        }
    }
    enum p5_event event;
    p5_status status = p5_event_find(name, &event, error);
    if (status == P5_OK)
        *variable = (unsigned)event;
    return status;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool parse_name(parser *p)
{
    const char *start = p->at;
    while (is_name_char(*p->at))
        p->at++;
    char name[NAME_SPACE];
    size_t length = (size_t)(p->at - start);
    if (length >= sizeof name)
        return fail(p, start, P5_ERR_NAME, "there is no event with so long a name");
    memcpy(name, start, length);
    name[length] = '\0';
    unsigned variable;
    if (metric_variable_find(name, &variable, p->error) != P5_OK) {
        error_at(p->error, NULL, 0, (unsigned)(start - p->text) + 1);
        return false;
    }
    if (variable < P5_EVENT_COUNT)
        p->formula->families &= p5_event_describe((enum p5_event)variable)->families;
    return emit(p, (step){.kind = STEP_VARIABLE, .variable = variable});
}

static bool parse_sum(parser *p);

static bool parse_factor(parser *p)
{
    skip_blanks(p);
    const char *start = p->at;
    if (p->nesting == DEEPEST)
        return fail(p, start, P5_ERR_SYNTAX, "the formula is nested too deeply");
    if (isdigit((unsigned char)*start) || (*start == '.' && isdigit((unsigned char)start[1])))
        return parse_number(p);
    if (isalpha((unsigned char)*start) || *start == '_')
        return parse_name(p);
    if (*start == '-' || *start == '(') {
        p->at++;
        p->nesting++;
        bool good = *start == '-' ? parse_factor(p) && emit(p, (step){.kind = STEP_NEGATE}) : parse_sum(p);
        p->nesting--;
        if (!good || *start == '-')
            return good;
        if (*p->at != ')')
            return fail(p, p->at, P5_ERR_SYNTAX, "expected an operator or ')'");
        p->at++;
        return true;
    }
    return fail(p, start, P5_ERR_SYNTAX, "expected a number, an event, 'clocks' or '('");
}

/* Parses operands with signs between them. The first sign means `first`, the second `second`. */
static bool parse_chain(parser *p, bool (*operand)(parser *p), const char signs[2], step_kind first,
                        step_kind second)
{
    if (!operand(p))
        return false;
    for (;;) {
        skip_blanks(p);
        char sign = *p->at;
        if (sign != signs[0] && sign != signs[1])
            return true;
        p->at++;
        if (!operand(p) || !emit(p, (step){.kind = sign == signs[0] ? first : second}))
            return false;
    }
}

static bool parse_product(parser *p)
{
    return parse_chain(p, parse_factor, "*/", STEP_MULTIPLY, STEP_DIVIDE);
}

static bool parse_sum(parser *p)
{
    return parse_chain(p, parse_product, "+-", STEP_ADD, STEP_SUBTRACT);
}

p5_status metric_formula_parse(const char *text, metric_formula **formula, p5_error *error)
{
    p5_error unseen;
    if (error == NULL)
        error = &unseen;
    *formula = calloc(1, sizeof **formula);
    if (*formula == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    (*formula)->families = P5_FAMILY_P54C | P5_FAMILY_P55C;
    parser p = {.text = text, .at = text, .formula = *formula, .error = error};
    if (parse_sum(&p) &&
        (*p.at == '\0' || fail(&p, p.at, P5_ERR_SYNTAX, "expected an operator or the end of the formula")))
        return P5_OK;
    metric_formula_close(*formula);
    *formula = NULL;
    return error->status;
}

void metric_formula_close(metric_formula *formula)
{
    if (formula == NULL)
        return;
    free(formula->steps.items);
    free(formula);
}

unsigned metric_formula_families(const metric_formula *formula)
{
    return formula->families;
}

bool metric_formula_uses(const metric_formula *formula, unsigned variable)
{
    for (size_t i = 0; i < formula->steps.count; i++)
        if (formula->steps.items[i].kind == STEP_VARIABLE && formula->steps.items[i].variable == variable)
            return true;
    return false;
}

double metric_evaluate(const metric_formula *formula, const double *values)
{
    double stack[DEEPEST + 1] = {0};
    unsigned top = 0;
    for (size_t i = 0; i < formula->steps.count; i++) {
        const step *s = &formula->steps.items[i];
        switch (s->kind) {
        case STEP_NUMBER:
            stack[top++] = s->number;
            break;
        case STEP_VARIABLE:
            stack[top++] = values[s->variable];
            break;
        case STEP_ADD:
            top--;
            stack[top - 1] += stack[top];
            break;
        case STEP_SUBTRACT:
            top--;
            stack[top - 1] -= stack[top];
            break;
        case STEP_MULTIPLY:
            top--;
            stack[top - 1] *= stack[top];
            break;
        case STEP_DIVIDE:
            /* A rate of something that never happened has no value, even if the dividend is not 0. */
            top--;
            stack[top - 1] = stack[top] == 0 ? (double)NAN : stack[top - 1] / stack[top];
            break;
        case STEP_NEGATE:
            stack[top - 1] = -stack[top - 1];
            break;
        }
    }
    return stack[0];
}

void metric_values(const p5_counts *counts, unsigned cpl_mask, double clock_mhz, double *values)
{
    memset(values, 0, METRIC_VARIABLES * sizeof *values);
    for (unsigned cpl = 0; cpl < P5_CPL_CLASSES; cpl++) {
        if ((cpl_mask & (1U << cpl)) == 0)
            continue;
        for (unsigned i = 0; i < P5_EVENT_COUNT; i++)
            values[i] += (double)counts->increments[i][cpl];
        for (unsigned i = 0; i < P5_STALL_COUNT; i++)
            values[METRIC_STALL + i] += (double)counts->stalls[i][cpl];
        for (unsigned i = 0; i < 2; i++)
            values[METRIC_BYTES + i] += (double)counts->bus_bytes[i][cpl];
        values[METRIC_CLOCKS] += (double)counts->clocks[cpl];
    }
    values[METRIC_SECONDS] = values[METRIC_CLOCKS] / (clock_mhz * 1e6);
}

const char *metric_text(double value, unsigned decimals, char *buffer, size_t size)
{
    if (isfinite(value))
        text_fixed(value, decimals, buffer, size);
    else
        snprintf(buffer, size, "-");
    return buffer;
}
