#include "cli/option_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

error_t percent_option(const char *option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && *value >= 0)
        return 0;
    return cli_complain(option, text, 1, "'%s' is not a number of percent", text);
}

error_t word_list_add(word_list *list, const char *option, const char *text, size_t most, const char *what)
{
    if (list->text_count == most)
        return cli_complain(option, text, 1, "more than %zu %s", most, what);
    char *copy = strdup(text), *rest;
    if (copy == NULL)
        return ENOMEM;
    list->text[list->text_count++] = copy;
    for (char *word = strtok_r(copy, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        if (list->count == most)
            return cli_complain(option, text, (unsigned)(word - copy) + 1, "more than %zu %s", most, what);
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

error_t event_options_add(event_options *options, const char *text)
{
    if (options->count == EVENT_OPTIONS_MOST)
        return ENOMEM;
    options->words[options->count++] = text;
    return 0;
}

bool event_options_select(const event_options *options, unsigned family, bool remark, p5_selection *selection)
{
    for (size_t i = 0; i < options->count; i++) {
        unsigned before = selection->groups;
        p5_error error = {0};
        if (p5_selection_add(selection, options->words[i], family, &error) != P5_OK)
            return cli_refuse_error(&error, "-e", options->words[i], "Run 'p5scope list' to see the events.");
        for (unsigned group = before + 1; remark && group <= selection->groups; group++)
            if (!p5_selection_fits_counters(selection, group))
                fprintf(
                    stderr,
                    "p5scope: group %u of -e %s needs more than CTR0 and CTR1 have; the real processor could "
                    "not count it in one run\n",
                    group - before, options->words[i]);
    }
    return true;
}

/* ---- rows ---- */

enum { KEY_JSON = 0x800, KEY_CSV };

error_t row_option_set(p5_row_format *format, p5_row_format wanted)
{
    if (*format != P5_ROWS_TEXT && *format != wanted)
        return cli_complain(NULL, NULL, 0, "--json and --csv are two formats: one output has one");
    *format = wanted;
    return 0;
}

static error_t parse_row(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    if (key != KEY_JSON && key != KEY_CSV)
        return ARGP_ERR_UNKNOWN;
    return row_option_set(state->input, key == KEY_CSV ? P5_ROWS_CSV : P5_ROWS_JSON);
}

static const struct argp_option row_table[] = {{"json", KEY_JSON, NULL, 0, "JSON, one object per line", 0},
                                               {"csv", KEY_CSV, NULL, 0, "CSV with a line of names", 0},
                                               {0}};
static const struct argp row_argp = {.options = row_table, .parser = parse_row};
const struct argp_child row_children[] = {{&row_argp, 0, NULL, 0}, {0}};

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

/* ---- intervals and places ---- */

/* A number with c or i behind it; false if it is something else. */
static bool parse_amount(const char *text, uint64_t *number, char *unit)
{
    size_t length = strlen(text);
    *unit = length > 0 ? text[length - 1] : '\0';
    if (*unit != 'c' && *unit != 'i')
        return false;
    if (strncmp(text, "0x", 2) == 0 && *unit == 'c')
        return false; /* an address */
    char *digits = strndup(text, length - 1);
    bool good = digits != NULL && digits[0] != '\0' && p5_parse_number(digits, number);
    free(digits);
    return good;
}

error_t interval_option(const char *text, uint64_t *clocks, uint64_t *instructions)
{
    uint64_t number;
    char unit;
    if (!parse_amount(text, &number, &unit)) {
        unit = 'c';
        if (!p5_parse_number(text, &number))
            return cli_complain("-I", text, 1, "'%s' is not an interval (100000c clocks, 5000i instructions)",
                                text);
    }
    if (number == 0)
        return cli_complain("-I", text, 1, "an interval is at least 1");
    *clocks = unit == 'c' ? number : 0;
    *instructions = unit == 'i' ? number : 0;
    return 0;
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
                          "a marker's number is due here, as in begin:1");
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
    bool counts = from->kind == P5_BOUND_CLOCK || from->kind == P5_BOUND_INSTRUCTION;
    if (!counts || to->relative || from->kind != to->kind || from->at < to->at)
        return true;
    return cli_refuse(option, text, column, "it ends before it begins");
}
