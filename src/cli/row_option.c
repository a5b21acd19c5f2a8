#include "cli/row_option.h"

enum { KEY_JSON = 0x800, KEY_CSV };

error_t row_option_set(p5_row_format *format, p5_row_format wanted)
{
    if (*format != P5_ROWS_TEXT && *format != wanted)
        return cli_complain(NULL, NULL, 0, "--json and --csv are two formats: one output has one");
    *format = wanted;
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    if (key != KEY_JSON && key != KEY_CSV)
        return ARGP_ERR_UNKNOWN;
    return row_option_set(state->input, key == KEY_CSV ? P5_ROWS_CSV : P5_ROWS_JSON);
}

static const struct argp_option table[] = {{"json", KEY_JSON, NULL, 0, "JSON, one object per line", 0},
                                           {"csv", KEY_CSV, NULL, 0, "CSV with a line of names", 0},
                                           {0}};
const struct argp row_argp = {.options = table, .parser = parse};
