/* p5scope msr: explains a register's value, and makes a value from its fields. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_values.h"
#include "p5tool/report.h"

enum { MOST_FIELDS = 32 };

typedef struct msr_arguments {
    p5_row_format rows;
    const char *name;               /* of the register; NULL: list all */
    const char *counter[2];         /* --ctr0, --ctr1 */
    const char *value;              /* a number: decode */
    const char *field[MOST_FIELDS]; /* FIELD=NUMBER: encode */
    unsigned field_count;
} msr_arguments;

/* Takes an operand: the register, then a value or fields. Returns false after a message. */
static bool take_word(msr_arguments *arguments, const char *word)
{
    if (arguments->name == NULL)
        arguments->name = word;
    else if (strchr(word, '=') != NULL && arguments->field_count < MOST_FIELDS)
        arguments->field[arguments->field_count++] = word;
    else if (arguments->value == NULL)
        arguments->value = word;
    else
        return cli_refuse("p5scope msr ...", word, 1, "one value is enough; fields are set as NAME=NUMBER");
    return true;
}

/* Changes *value, the value of CESR or of one event select register, to what --ctr0 and --ctr1 select. `family` has the
 * bits of the processor's family and of --monitor. Returns false after a message. */
static bool encode_counters(const msr_arguments *arguments, const p5_register *reg, unsigned family,
                            uint64_t *value)
{
    static const char *const option[2] = {"--ctr0", "--ctr1"};
    p5_counter_select select[2];
    p5_cesr_decode((uint32_t)*value, select);
    for (unsigned i = 0; i < 2; i++) {
        if (arguments->counter[i] == NULL)
            continue;
        const bool event_select = reg->msr == P5_MSR_PERFEVTSEL0 + i;
        if (reg->msr != P5_MSR_CESR && !event_select)
            return cli_refuse(option[i], arguments->counter[i], 1, "%s goes with 'p5scope msr %s' only",
                              option[i],
                              (family & P5_MONITORS) == 0 ? "cesr"
                              : i == 0                    ? "perfevtsel0"
                                                          : "perfevtsel1");
        p5_error error = {0};
        if (p5_counter_parse(arguments->counter[i], i, family, &select[i], &error) != P5_OK) {
            if (error.column == 0)
                error.column = 1;
            return cli_refuse_error(&error, option[i], arguments->counter[i],
                                    "Run 'p5scope list' to see the events.");
        }
        *value = event_select ? p5_evtsel_encode(&select[i], i, family) : p5_cesr_encode(select);
    }
    return true;
}

/* Makes *value from the number, the counters and the fields. Returns false after a message. */
static bool evaluate(const msr_arguments *arguments, const p5_register *reg, unsigned family, uint64_t *value)
{
    *value = 0;
    if (arguments->value != NULL && !p5_parse_number(arguments->value, value))
        return cli_refuse("", arguments->value, 1, "'%s' is neither a number nor FIELD=NUMBER",
                          arguments->value);
    if (!encode_counters(arguments, reg, family, value))
        return false;
    for (unsigned i = 0; i < arguments->field_count; i++) {
        p5_error error = {0};
        if (p5_register_set_field(reg, arguments->field[i], value, &error) != P5_OK)
            return cli_refuse_error(&error, "", arguments->field[i], NULL);
    }
    return true;
}

/* Lists registers, or shows a layout or value, or prints the encoded number. Returns the exit status. */
static int show(const msr_arguments *arguments, unsigned family)
{
    if (arguments->name == NULL) {
        p5_registers_write(stdout, family, arguments->rows);
        return CLI_OK;
    }
    p5_error error = {0};
    const p5_register *reg;
    if (p5_register_find(arguments->name, family, &reg, &error) != P5_OK) {
        error.column = 1;
        return cli_show_error(&error, "p5scope msr", arguments->name,
                              "Run 'p5scope msr' to see the registers.");
    }
    bool encode =
        arguments->counter[0] != NULL || arguments->counter[1] != NULL || arguments->field_count > 0;
    if (!encode && arguments->value == NULL) {
        p5_register_write_layout(stdout, reg, arguments->rows);
        return CLI_OK;
    }
    uint64_t value;
    if (!evaluate(arguments, reg, family, &value))
        return CLI_USAGE;
    if (encode && arguments->rows != P5_ROWS_TEXT)
        return cli_complain(NULL, NULL, 0,
                            "--json and --csv are for layouts and values; this is a single number");
    if (encode) { /* the number alone, for scripts */
        printf("0x%08" PRIx64 "\n", value);
        return CLI_OK;
    }
    if (p5_register_write_value(stdout, reg, family, value, arguments->rows, &error) != P5_OK) {
        error.column = 1;
        return cli_show_error(&error, "", arguments->value, NULL);
    }
    return CLI_OK;
}

static int run(const cli_options *line)
{
    msr_arguments arguments = {.rows = rows_format(line), .counter = {line->ctr0, line->ctr1}};
    for (size_t i = 0; i < line->operand_count; i++)
        if (!take_word(&arguments, line->operands[i]))
            return CLI_USAGE;
    p5_model *model =
        model_option_open("--model", line->model.count > 0 ? line->model.items[0] : p5_model_names()[0]);
    if (model == NULL)
        return CLI_USAGE;
    p5_error error = {0};
    if (line->monitor != NULL && p5_model_set_monitor(model, line->monitor, &error) != P5_OK) {
        cli_show_error(&error, "--monitor", line->monitor, NULL);
        p5_model_close(model);
        return CLI_USAGE;
    }
    unsigned family = p5_model_family(model) | p5_model_monitor(model);
    p5_model_close(model);
    return show(&arguments, family);
}

const cli_verb verb_msr = {
    .name = "msr",
    .summary = "model-specific registers in words, and back to numbers",
    .operands = "[REGISTER [VALUE] [FIELD=NUMBER...]]",
    .doc =
        "Model-specific registers and test registers. With no argument: list them. With a register's name or "
        "number: show its layout. With a value: say in words what it means. With fields or --ctr0/--ctr1: "
        "print the number that says it (starting from VALUE or 0)."
        "\vExamples:\n  p5scope msr cesr 0x00d60083\n  p5scope msr cesr --ctr0 data_read_miss:u",
    .run = run};
