/* Compiles formulas to postfix steps and evaluates them. The grammar is in metric.h. A *variable* is a name in a formula:
 * its number is an event's id (below P5_EVENT_COUNT), or METRIC_CLOCKS, METRIC_SECONDS and so on. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "p5tool/report.h"
#include "report/decimal.h"
#include "report/stat/metric.h"

/* DEEPEST limits nesting and the values on the evaluation stack, so that no text can exhaust the host's stack. Practical
 * formulas are far below. NAME_SPACE is the bytes of a name, with its NUL. */
enum { DEEPEST = 64, NAME_SPACE = 128 };

/* The characters of which the words of a name consist. */
#define WORD "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

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
    unsigned variable; /* of STEP_VARIABLE, as the next two */
    uint8_t cpl_mask;  /* if it has modifiers; 0: it has none */
    bool asserted;     /* counts clocks in which the event's signal was on */
    double number;     /* of STEP_NUMBER */
} step;

struct metric_formula {
    ARRAY_OF(step) steps;
    unsigned families; /* P5_FAMILY_*: processors that have all events of the formula */
};

typedef struct parser {
    scanner *scan;
    metric_formula *formula;
    unsigned family;         /* of the model; 0 = any */
    const metric_base *base; /* what `base` stands for; NULL: that name is an error */
    uint8_t cpl_mask; /* of variables without modifiers, inside CPI:u and IPC:u; 0: that of the evaluation */
    unsigned nesting; /* signs and parentheses that are open */
    unsigned depth;   /* values on the evaluation stack after the steps so far */
} parser;

static p5_status emit(parser *p, step s)
{
    if (s.kind == STEP_NUMBER || s.kind == STEP_VARIABLE) {
        if (++p->depth > DEEPEST)
            return scan_fail(p->scan, p->scan->at, P5_ERR_SYNTAX, "the formula is nested too deeply");
    } else if (s.kind != STEP_NEGATE) {
        p->depth--;
    }
    return ARRAY_ADD(&p->formula->steps, s) ? P5_OK
                                            : error_set(p->scan->error, P5_ERR_MEMORY, "out of memory");
}

/* Parses a number, which may end in k, M or G (10^3, 10^6, 10^9). */
static p5_status parse_number(parser *p)
{
    const char *start = p->scan->at;
    char *end;
    double number = strtod(start, &end);
    const double factor = decimal_factor(*end);
    if (factor != 1)
        end++;
    decimal_scale(number, factor, &number);
    if (!isfinite(number))
        return scan_fail(p->scan, start, P5_ERR_RANGE, "the number is too large");
    if (isalnum((unsigned char)*end) || *end == '_' || *end == '.')
        return scan_fail(p->scan, end, P5_ERR_SYNTAX,
                         "a number must be followed by an operator; its suffix may be k, M or G");
    p->scan->at = end;
    return emit(p, (step){.kind = STEP_NUMBER, .number = number});
}

p5_status metric_variable_find(const char *name, unsigned *variable, p5_error *error)
{
    static const char *const names[] = {"seconds", "bus_read_bytes", "bus_written_bytes"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (text_same_name(name, names[i])) {
            *variable = METRIC_SECONDS + i;
            return P5_OK;
        }
    int event;
    p5_status status = scan_event(name, &event, error);
    *variable = event == P5_SELECT_CLOCKS  ? METRIC_CLOCKS
                : event >= P5_SELECT_STALL ? METRIC_STALL + (unsigned)(event - P5_SELECT_STALL)
                                           : (unsigned)event;
    return status;
}

/* Finds the variable whose name begins here, with at least one character of WORD. Blanks and '-' may separate the words
 * of a name, as in branch-misses. The longest name that exists is taken, and a '-' after it is a minus. */
static p5_status scan_variable(parser *p, unsigned *variable)
{
    const char *start = p->scan->at;
    size_t shortest = strspn(start, WORD), length = strspn(start, WORD "- ");
    char name[NAME_SPACE];
    if (shortest >= sizeof name)
        return scan_fail(p->scan, start, P5_ERR_NAME, "there is no event with so long a name");
    length = length < sizeof name ? length : sizeof name - 1;
    for (; length >= shortest; length--) {
        bool ends = strchr("- ", start[length - 1]) == NULL && strspn(start + length, WORD) == 0;
        snprintf(name, sizeof name, "%.*s", (int)length, start);
        p->scan->at = start + length;
        if (ends && metric_variable_find(name, variable, NULL) == P5_OK)
            return P5_OK;
    }
    snprintf(name, sizeof name, "%.*s", (int)strspn(start, WORD "-"), start);
    p5_status status = metric_variable_find(name, variable, p->scan->error);
    error_at(p->scan->error, NULL, 0, (unsigned)(start - p->scan->text) + 1);
    return status;
}

/* Fails because of the modifier c of the name at `name`. */
static p5_status fail_asserted(parser *p, const char *name)
{
    return scan_fail(p->scan, name, P5_ERR_SYNTAX, "the modifier c is for events only");
}

/* Parses a name with its modifiers. */
static p5_status parse_variable(parser *p)
{
    const char *start = p->scan->at;
    unsigned variable;
    event_modifiers modifiers;
    p5_status status = scan_variable(p, &variable);
    if (status == P5_OK)
        status = scan_modifiers(p->scan, &modifiers);
    if (status != P5_OK)
        return status;
    if (modifiers.asserted && variable >= P5_EVENT_COUNT)
        return fail_asserted(p, start);
    if (variable < P5_EVENT_COUNT) {
        const p5_event_info *event = p5_event_describe((enum p5_event)variable);
        if (p->family != 0 && (event->families & p->family) == 0)
            return scan_fail(p->scan, start, P5_ERR_NAME, "the model has no event '%s'", event->name);
        p->formula->families &= event->families;
    }
    return emit(p, (step){.kind = STEP_VARIABLE,
                          .variable = variable,
                          .cpl_mask = modifiers.length > 0 ? modifiers.cpl_mask : p->cpl_mask,
                          .asserted = modifiers.asserted});
}

static p5_status parse_operations(parser *p, unsigned least);

/* Parses CPI or IPC, which stand for a formula; modifiers apply to its variables. Returns P5_ERR_NAME, without setting the
 * error, if the next name is another. */
static p5_status parse_abbreviation(parser *p)
{
    static const struct {
        const char *name, *formula;
    } all[] = {{"CPI", "clocks/instructions_executed"}, {"IPC", "instructions_executed/clocks"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const char *end = p->scan->at + strlen(all[i].name);
        if (strncasecmp(p->scan->at, all[i].name, strlen(all[i].name)) != 0 || strspn(end, WORD) != 0)
            continue;
        const char *start = p->scan->at;
        event_modifiers modifiers;
        p->scan->at = end;
        p5_status status = scan_modifiers(p->scan, &modifiers);
        if (status == P5_OK && modifiers.asserted)
            status = fail_asserted(p, start);
        if (status != P5_OK)
            return status;
        scanner *outer = p->scan, inner = {all[i].formula, all[i].formula, outer->error};
        p->scan = &inner;
        p->cpl_mask = modifiers.length > 0 ? modifiers.cpl_mask : 0;
        status = parse_operations(p, 0);
        p->scan = outer;
        p->cpl_mask = 0;
        return status;
    }
    return P5_ERR_NAME;
}

/* Parses the name `base`. Returns P5_ERR_NAME, without setting the error, if the next name is another. */
static p5_status parse_base(parser *p)
{
    static const char name[] = "base";
    const char *start = p->scan->at;
    size_t length = sizeof name - 1;
    if (p->base == NULL || strncasecmp(start, name, length) != 0 || strspn(start + length, WORD) != 0)
        return P5_ERR_NAME;
    if (p->base->missing != NULL)
        return scan_fail(p->scan, start, P5_ERR_SYNTAX, "%s", p->base->missing);
    p->scan->at = start + length;
    return emit(p, (step){.kind = STEP_NUMBER, .number = p->base->value});
}

/* Parses a number, a name, or a sign or parenthesis with what belongs to it. */
static p5_status parse_operand(parser *p)
{
    scanner *s = p->scan;
    const char *start = scan_blanks(s);
    if (p->nesting == DEEPEST)
        return scan_fail(s, start, P5_ERR_SYNTAX, "the formula is nested too deeply");
    if (isdigit((unsigned char)*start) || (*start == '.' && isdigit((unsigned char)start[1])))
        return parse_number(p);
    if (isalpha((unsigned char)*start) || *start == '_') {
        p5_status status = parse_base(p);
        if (status == P5_ERR_NAME)
            status = parse_abbreviation(p);
        return status == P5_ERR_NAME ? parse_variable(p) : status;
    }
    p5_status status;
    p->nesting++;
    if (scan_sign(s, "-")) {
        status = parse_operand(p);
        if (status == P5_OK)
            status = emit(p, (step){.kind = STEP_NEGATE});
    } else if (scan_sign(s, "+")) {
        status = parse_operand(p);
    } else if (scan_sign(s, "(")) {
        status = parse_operations(p, 0);
        if (status == P5_OK && !scan_sign(s, ")"))
            status = scan_fail(s, s->at, P5_ERR_SYNTAX, "expected an operator or ')'");
    } else {
        status = scan_fail(s, start, P5_ERR_SYNTAX, "expected a number, an event, 'clocks' or '('");
    }
    p->nesting--;
    return status;
}

/* Parses operands with operators of at least the precedence `least` between them (precedence climbing). */
static p5_status parse_operations(parser *p, unsigned least)
{
    static const struct {
        char sign;
        unsigned precedence;
        step_kind kind;
    } operators[] = {
        {'+', 0, STEP_ADD}, {'-', 0, STEP_SUBTRACT}, {'*', 1, STEP_MULTIPLY}, {'/', 1, STEP_DIVIDE}};
    enum { OPERATORS = sizeof operators / sizeof operators[0] };
    p5_status status = parse_operand(p);
    while (status == P5_OK) {
        size_t i = 0;
        for (char next = *scan_blanks(p->scan); i < OPERATORS && operators[i].sign != next;)
            i++;
        if (i == OPERATORS || operators[i].precedence < least)
            return P5_OK;
        p->scan->at++;
        status = parse_operations(p, operators[i].precedence + 1);
        if (status == P5_OK)
            status = emit(p, (step){.kind = operators[i].kind});
    }
    return status;
}

p5_status metric_formula_scan(scanner *scan, unsigned family, const metric_base *base,
                              metric_formula **formula)
{
    *formula = calloc(1, sizeof **formula);
    if (*formula == NULL)
        return error_set(scan->error, P5_ERR_MEMORY, "out of memory");
    (*formula)->families = P5_FAMILY_P54C | P5_FAMILY_P55C;
    parser p = {.scan = scan, .formula = *formula, .family = family, .base = base};
    p5_status status = parse_operations(&p, 0);
    if (status != P5_OK) {
        metric_formula_close(*formula);
        *formula = NULL;
    }
    return status;
}

p5_status metric_formula_parse(const char *text, metric_formula **formula, p5_error *error)
{
    scanner s = {text, text, error};
    p5_status status = metric_formula_scan(&s, 0, NULL, formula);
    if (status != P5_OK || *scan_blanks(&s) == '\0')
        return status;
    metric_formula_close(*formula);
    *formula = NULL;
    return scan_fail(&s, s.at, P5_ERR_SYNTAX, "expected an operator or the end of the formula");
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

bool metric_formula_modified(const metric_formula *formula)
{
    for (size_t i = 0; i < formula->steps.count; i++)
        if (formula->steps.items[i].cpl_mask != 0 || formula->steps.items[i].asserted)
            return true;
    return false;
}

bool metric_formula_whole(const metric_formula *formula)
{
    for (size_t i = 0; i < formula->steps.count; i++) {
        const step *s = &formula->steps.items[i];
        if (s->kind == STEP_DIVIDE || (s->kind == STEP_NUMBER && s->number != floor(s->number)) ||
            (s->kind == STEP_VARIABLE && s->variable == METRIC_SECONDS))
            return false;
    }
    return true;
}

bool metric_formula_uses(const metric_formula *formula, unsigned variable)
{
    for (size_t i = 0; i < formula->steps.count; i++)
        if (formula->steps.items[i].kind == STEP_VARIABLE && formula->steps.items[i].variable == variable)
            return true;
    return false;
}

unsigned metric_formula_first(const metric_formula *formula)
{
    for (size_t i = 0; i < formula->steps.count; i++)
        if (formula->steps.items[i].kind == STEP_VARIABLE)
            return formula->steps.items[i].variable;
    return METRIC_VARIABLES;
}

/* Returns the mean of a variable over the runs of the source. */
static double variable_value(const step *s, const metric_source *from)
{
    const p5_counts *counts = from->counts;
    unsigned v = s->variable;
    const uint64_t *parts = v < P5_EVENT_COUNT  ? (s->asserted ? counts->asserted[v] : counts->increments[v])
                            : v >= METRIC_STALL ? counts->stalls[v - METRIC_STALL]
                            : v >= METRIC_BYTES ? counts->bus_bytes[v - METRIC_BYTES]
                                                : counts->clocks;
    double value = (double)p5_counts_sum(parts, s->cpl_mask != 0 ? s->cpl_mask : from->cpl_mask);
    return value / (double)from->runs / (v == METRIC_SECONDS ? from->clock_mhz * 1e6 : 1);
}

double metric_evaluate(const metric_formula *formula, const metric_source *from)
{
    double stack[DEEPEST + 1] = {0};
    unsigned top = 0;
    for (size_t i = 0; i < formula->steps.count; i++) {
        const step *s = &formula->steps.items[i];
        if (s->kind == STEP_NUMBER || s->kind == STEP_VARIABLE) {
            stack[top++] = s->kind == STEP_NUMBER ? s->number : variable_value(s, from);
            continue;
        }
        if (s->kind == STEP_NEGATE) {
            stack[top - 1] = -stack[top - 1];
            continue;
        }
        double right = stack[--top], *left = &stack[top - 1];
        /* A rate of something that never happened has no value, whatever the dividend. */
        if (s->kind == STEP_DIVIDE)
            *left = right == 0 ? (double)NAN : *left / right;
        else
            *left = s->kind == STEP_ADD        ? *left + right
                    : s->kind == STEP_SUBTRACT ? *left - right
                                               : *left * right;
    }
    return stack[0];
}

const char *metric_text(double value, unsigned decimals, char *buffer, size_t size)
{
    if (isfinite(value))
        text_fixed(value, decimals, buffer, size);
    else
        snprintf(buffer, size, "-");
    return buffer;
}
