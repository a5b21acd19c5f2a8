/* p5scope explain: says what a name in a report means. */
#include <string.h>

#include "cli/cli.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "p5tool/report.h"

enum { NAME_BYTES = 200 };

/* Joins the operands with spaces, so that a name of several words needs no quotes. Returns false
 * after a message. */
static bool join_operands(const cli_options *line, char name[NAME_BYTES])
{
    name[0] = '\0';
    for (size_t i = 0; i < line->operand_count; i++) {
        if (strlen(name) + strlen(line->operands[i]) + 2 > NAME_BYTES)
            return cli_refuse("p5scope explain ...", line->operands[i], 1, "the name is too long");
        strcat(strcat(name, i > 0 ? " " : ""), line->operands[i]);
    }
    return true;
}

static int run(const cli_options *line)
{
    char name[NAME_BYTES];
    p5_error error = {0};
    if (!join_operands(line, name))
        return CLI_USAGE;
    p5_status status = p5_explain_write(stdout, name[0] != '\0' ? name : NULL, rows_format(line), &error);
    if (status == P5_ERR_NAME)
        return cli_show_error(&error, "p5scope explain", name, "Run 'p5scope explain' to see the names.");
    return output_close(stdout, NULL, status, &error) ? CLI_OK : CLI_FAILED;
}

const cli_verb verb_explain = {
    .name = "explain",
    .summary = "what an event, owner of clocks, reason, metric, column or register is",
    .operands = "[NAME]",
    .doc = "Say what NAME is, when it occurs and how to avoid it, where the manual describes it, and show "
           "an example that 'p5scope bench' runs. NAME is an owner of clocks, a reason for not pairing, an "
           "event or its code, a part of the processor, a metric or metric group, a column of a report, a "
           "register or a field of it, or an exception. With no NAME: list the names."
           "\vExamples:\n  p5scope explain agi\n  p5scope explain next one needs its result",
    .run = run};
