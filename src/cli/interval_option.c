#include "cli/interval_option.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

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

bool bounds_in_order(const p5_bound *from, const p5_bound *to, const char *option, const char *text,
                     unsigned column)
{
    bool counts = from->kind == P5_BOUND_CLOCK || from->kind == P5_BOUND_INSTRUCTION;
    if (!counts || from->kind != to->kind || from->at < to->at)
        return true;
    return cli_refuse(option, text, column, "it ends before it begins");
}
