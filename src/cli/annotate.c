/* p5scope annotate: lists a function's instructions with their costs and the reasons. */
#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/option_values.h"
#include "p5tool/profile.h"

static int run(const cli_options *line)
{
    if (line->operand_count > 1)
        return cli_complain(NULL, NULL, 0, "one function at a time; '%s' is another", line->operands[1]);
    p5_profile_listing listing = {.symbol = line->operand_count > 0 ? line->operands[0] : NULL,
                                  .event = line->event.count > 0 ? line->event.items[0] : NULL,
                                  .source = !line->no_source,
                                  .bytes = line->asm_raw,
                                  .att = line->syntax == 1, /* the second choice of --syntax */
                                  .colour = cli_colour(stdout),
                                  .format = rows_format(line)};
    p5_profile *profile = profile_input(line->input != NULL ? line->input : "p5scope.data", line);
    if (profile == NULL)
        return CLI_USAGE;
    p5_error error = {0};
    p5_status status = listing.event != NULL
                           ? p5_profile_event_check(p5_profile_family(profile), listing.event, NULL, &error)
                           : P5_OK;
    if (status != P5_OK) {
        cli_show_error(&error, "-e", listing.event, "Run 'p5scope list' to see the events.");
        p5_profile_free(profile);
        return CLI_USAGE;
    }
    status = p5_profile_write_listing(stdout, profile, &listing, &error);
    bool written = false;
    if (status == P5_ERR_NAME)
        cli_show_error(&error, NULL, NULL, "'p5scope report' lists the functions.");
    else
        written = output_close(stdout, NULL, status, &error);
    p5_profile_free(profile);
    return written ? CLI_OK : CLI_FAILED;
}

const cli_verb verb_annotate = {
    .name = "annotate",
    .summary = "a function's instructions with their costs, pipes and stalls",
    .operands = "[FUNCTION]",
    .doc = "List the instructions of FUNCTION (default: the costliest one) with clocks, executions, pipe, "
           "stalls, and why they went alone."
           "\vExamples:\n  p5scope annotate main\n  p5scope annotate -e data_read_miss sort",
    .run = run};
