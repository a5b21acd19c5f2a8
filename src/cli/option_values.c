/* Parsers for values of options that several verbs have. */
#include "cli/option_values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

error_t number_option(const char *option, const char *text, uint64_t largest, uint64_t *value)
{
    const bool parsed = p5_parse_number(text, value);
    if (!parsed && (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0'))
        return cli_complain(option, text, 1, "'%s' is not a number (1200, 0x4b0, 64k, 1e6)", text);
    if (!parsed || *value > largest)
        return cli_complain(option, text, 1, "%s is more than %s can be (%llu)", text, option,
                            (unsigned long long)largest);
    return 0;
}

bool fraction_parse(const char *text, size_t length, double *value)
{
    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return false;
    char *end;
    *value = strtod(text, &end);
    return end == text + length && isfinite(*value);
}

bool two_numbers_option(const char *option, const char *text, const char *separator, const char *advice,
                        uint64_t numbers[2])
{
    const char *between = strstr(text, separator);
    if (between == NULL)
        return cli_refuse(option, text, 1, "%s", advice);
    const char *const begins[] = {text, between + strlen(separator)};
    for (unsigned i = 0; i < 2; i++) {
        char *part = strndup(begins[i], i == 0 ? (size_t)(between - text) : strlen(begins[i]));
        const bool good = part != NULL && p5_parse_number(part, &numbers[i]) && numbers[i] <= INT32_MAX;
        free(part);
        if (!good)
            return cli_refuse(option, text, (unsigned)(begins[i] - text) + 1,
                              "a number up to %" PRIi32 " is expected here", INT32_MAX);
    }
    return true;
}

error_t word_list_add(word_list *list, const char *option, const char *text, const char *what)
{
    if (list->text_count == WORDS_MOST)
        return cli_complain(option, text, 1, "more than %d %s", WORDS_MOST, what);
    char *copy = strdup(text), *next = copy;
    if (copy == NULL)
        return ENOMEM;
    list->text[list->text_count++] = copy;
    while (next != NULL) {
        char *word = next + strspn(next, " ");
        size_t length = strcspn(word, ",");
        next = word[length] == ',' ? word + length + 1 : NULL;
        unsigned column = (unsigned)(word - copy) + 1;
        while (length > 0 && word[length - 1] == ' ')
            length--;
        word[length] = '\0';
        if (length == 0)
            return cli_complain(option, text, column, "a name is missing here");
        if (list->count == WORDS_MOST)
            return cli_complain(option, text, column, "more than %d %s", WORDS_MOST, what);
        list->words[list->count++] = word;
    }
    return 0;
}

void word_list_free(word_list *list)
{
    for (size_t i = 0; i < list->text_count; i++)
        free(list->text[i]);
}

/* ---- events ---- */

bool events_select(const text_list *events, unsigned family, bool remark, p5_selection *selection)
{
    for (size_t i = 0; i < events->count; i++) {
        unsigned before = selection->groups;
        p5_error error = {0};
        if (p5_selection_add(selection, events->items[i], family, &error) != P5_OK)
            return cli_refuse_error(&error, "-e", events->items[i], "Run 'p5scope list' to see the events.");
        for (unsigned group = before + 1; remark && group <= selection->groups; group++)
            if (!p5_selection_fits_counters(selection, group))
                fprintf(
                    stderr,
                    "p5scope: group %u of -e %s needs more than CTR0 and CTR1 have; the real processor could "
                    "not count it in one run\n",
                    group - before, events->items[i]);
    }
    p5_selection_join_groups(selection);
    return true;
}

/* ---- rows ---- */

error_t separator_option(const char *option, const char *text, bool several)
{
    if (strcmp(text, "\\t") == 0)
        return 0;
    if (text[0] == '\0' || (text[1] != '\0' && !several))
        return cli_complain(option, text, 1, "%s needs the separator of CSV: a single character, or \\t",
                            option);
    for (const char *at = text; *at != '\0'; at++)
        if (isalnum((unsigned char)*at) || strchr("._+-%\"\r\n", *at) != NULL)
            return cli_complain(option, text, (unsigned)(at - text) + 1,
                                "numbers and names contain '%c'; use another separator, such as ; or \\t",
                                *at);
    return 0;
}

p5_row_format rows_format(const cli_options *options)
{
    const char *separator = options->field_separator;
    if (separator != NULL)
        return P5_ROWS_SEPARATED(separator[0] == '\\' && separator[1] != '\0' ? '\t' : separator[0]);
    return options->csv ? P5_ROWS_CSV : options->json ? P5_ROWS_JSON : P5_ROWS_TEXT;
}

/* ---- models ---- */

p5_model *model_option_open(const char *option, const char *name)
{
    p5_error error = {0};
    p5_model *model;
    if (p5_model_open(name, &model, &error) == P5_OK)
        return model;
    bool in_file = error.line != 0;
    if (!in_file)
        error.column = 1;
    cli_show_error(&error, option, in_file ? NULL : name, "Run 'p5scope list models' to see the models.");
    return NULL;
}

bool model_option_check(const char *option, const char *name)
{
    p5_model *model = model_option_open(option, name);
    p5_model_close(model);
    return model != NULL;
}

/* ---- intervals and places ---- */

typedef struct interval_unit {
    const char *name;
    bool clocks, instructions; /* the unit is one of these if true */
    double seconds;            /* else the length of the unit of modelled time */
} interval_unit;

/* The first unit with which a text ends is the text's unit, so "s" comes after the names that end with it. */
static const interval_unit interval_units[] = {{"clocks", true, false, 0}, {"instructions", false, true, 0},
                                               {"ms", false, false, 1e-3}, {"us", false, false, 1e-6},
                                               {"c", true, false, 0},      {"i", false, true, 0},
                                               {"s", false, false, 1}};

/* Parses a number followed by its unit, c (clocks) or i (instructions). Returns false if the text is something else. */
static bool parse_amount(const char *text, uint64_t *number, char *unit)
{
    size_t length = strlen(text);
    *unit = length > 0 ? text[length - 1] : '\0';
    if (*unit != 'c' && *unit != 'i')
        return false;
    if (strncmp(text, "0x", 2) == 0 && *unit == 'c') /* an address: c is its last digit */
        return false;
    char *digits = strndup(text, length - 1);
    bool good = digits != NULL && digits[0] != '\0' && p5_parse_number(digits, number);
    free(digits);
    return good;
}

/* Parses a number and its unit: 1000c, 1000clocks, 5e3i, 10ms. Only units of time take fractions. Returns false if
 * there is no such unit or no number. */
static bool parse_length(const char *text, double *number, const interval_unit **unit)
{
    for (size_t i = 0; i < sizeof interval_units / sizeof interval_units[0]; i++) {
        const char *name = interval_units[i].name;
        size_t length = strlen(text), end = strlen(name);
        if (length <= end || strcmp(text + length - end, name) != 0)
            continue;
        uint64_t whole;
        char *digits = strndup(text, length - end);
        bool good = digits != NULL && p5_parse_number(digits, &whole);
        if (good)
            *number = (double)whole;
        else if (interval_units[i].seconds != 0)
            good = fraction_parse(text, length - end, number); /* 0.5ms */
        free(digits);
        *unit = &interval_units[i];
        if (good)
            return true;
    }
    return false;
}

error_t interval_option(const char *text, run_interval *of)
{
    const interval_unit *unit;
    double number;
    uint64_t bare;
    if (p5_parse_number(text, &bare))
        return cli_complain(
            "-I", text, 1,
            "an interval needs a unit: %sclocks, %sinstructions, or %sms (us, s) of modelled time", text,
            text, text);
    if (!parse_length(text, &number, &unit))
        return cli_complain(
            "-I", text, 1,
            "'%s' is not an interval (100000clocks, 5000instructions, 10ms; c and i for short)", text);
    if (!(number > 0) || number >= 0x1p53)
        return cli_complain("-I", text, 1, "an interval is at least 1, and less than 9e15");
    *of = (run_interval){.clocks = unit->clocks ? (uint64_t)number : 0,
                         .instructions = unit->instructions ? (uint64_t)number : 0,
                         .seconds = number * unit->seconds};
    return 0;
}

void interval_complete(run_interval *of, const p5_model *model)
{
    if (of->seconds > 0) {
        double clocks = of->seconds * p5_model_clock_mhz(model) * 1e6;
        of->clocks = clocks < 1 ? 1 : clocks < 0x1p63 ? (uint64_t)(clocks + 0.5) : UINT64_C(1) << 63;
    }
}

const char *place_comma(const char *text)
{
    int depth = 0;
    const char *first = NULL;
    for (const char *at = text; *at != '\0'; at++) {
        depth += (*at == '(' || *at == '<') - (*at == ')' || *at == '>');
        if (*at == ',' && depth == 0 && first == NULL)
            first = at;
    }
    return depth == 0 ? first : strchr(text, ','); /* the name has a < that is no bracket, as in operator< */
}

bool bound_option(const char *option, const char *text, const char *path, p5_bound *bound)
{
    char unit;
    bool begins = strncmp(text, "begin:", 6) == 0;
    if (begins || strncmp(text, "end:", 4) == 0) {
        const char *id = strchr(text, ':') + 1;
        bound->kind = begins ? P5_BOUND_BEGIN : P5_BOUND_END;
        if (p5_parse_number(id, &bound->at) && bound->at <= UINT32_MAX)
            return true;
        return cli_refuse(option, text, (unsigned)(id - text) + 1,
                          "a marker's number is expected here, as in begin:1");
    }
    if (parse_amount(text, &bound->at, &unit)) {
        bound->kind = unit == 'c' ? P5_BOUND_CLOCK : P5_BOUND_INSTRUCTION;
        return true;
    }
    p5_error error = {0};
    uint32_t address;
    if (p5_symbol_find(path, text, &address, NULL, &error) != P5_OK) {
        error.column = 1;
        return cli_refuse_error(
            &error, option, text,
            "A clock (5000c), a number of instructions (300i), a symbol, an address, begin:ID or "
            "end:ID.");
    }
    bound->kind = P5_BOUND_ADDRESS;
    bound->at = address;
    return true;
}

bool end_option(const char *option, const char *text, const char *path, p5_bound *bound)
{
    char unit;
    if (text[0] != '+')
        return bound_option(option, text, path, bound);
    if (!parse_amount(text + 1, &bound->at, &unit))
        return cli_refuse(option, text, 2,
                          "a number of clocks or instructions is expected here, as in +5000c or +300i");
    if (bound->at == 0)
        return cli_refuse(option, text, 2, "the length is 0; the shortest is +1c or +1i");
    bound->kind = unit == 'c' ? P5_BOUND_CLOCK : P5_BOUND_INSTRUCTION;
    bound->relative = true;
    return true;
}

bool bounds_in_order(const p5_bound *from, const p5_bound *to, const char *option, const char *text,
                     unsigned column)
{
    bool comparable = from->kind == P5_BOUND_CLOCK || from->kind == P5_BOUND_INSTRUCTION;
    if (!comparable || to->relative || from->kind != to->kind || from->at < to->at)
        return true;
    return cli_refuse(option, text, column, "the region ends before it begins");
}
