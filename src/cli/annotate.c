/* p5scope annotate: a function's instructions with what they cost, and why. */
#include <string.h>

#include "cli/output.h"
#include "cli/profile_input.h"
#include "cli/option_values.h"

enum { KEY_ASM_RAW = 0x100, KEY_NO_SOURCE, KEY_SOURCE_DIR };

typedef struct annotate_options {
    const char *input;
    profile_display display;
    p5_profile_listing listing;
    const char *of_text; /* an option that rows for programs do not have */
} annotate_options;

static error_t parse(int key, char *argument, struct argp_state *state)
{
    annotate_options *options = state->input;
    switch (key) {
    case 'M':
        if (strcmp(argument, "intel") != 0)
            return cli_complain("-M", argument, 1, "instructions are shown in intel syntax only");
        return 0;
    case 'l':
        options->listing.source = true;
        options->of_text = "--source";
        return 0;
    case KEY_NO_SOURCE:
        options->listing.source = false;
        options->of_text = "--no-source";
        return 0;
    case KEY_SOURCE_DIR:
        options->of_text = "--source-dir";
        return source_rule_add(&options->display, argument);
    case KEY_ASM_RAW:
        options->listing.bytes = true;
        options->of_text = "--asm-raw";
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            return cli_complain(NULL, NULL, 0, "one function at a time; '%s' is another", argument);
        options->listing.symbol = argument;
        return 0;
    default:
        return cli_set(key, argument, state);
    }
}

int verb_annotate(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"input", CLI_TEXT(annotate_options, input), "FILE", 0, "Profile to read (p5scope.data)", 1},
        CLI_LETTER('i'),
        {"event", CLI_TEXT(annotate_options, listing.event), "EVENT", 0,
         "Event of the first columns (clocks)", 0},
        CLI_LETTER('e'),
        {"source", 'l', NULL, 0, "Source lines between the instructions (default)", 0},
        {"source-dir", KEY_SOURCE_DIR, "FROM=TO", 0, "Sources of folder FROM lie in TO now", 0},
        {"no-demangle", CLI_FLAG(annotate_options, display.mangled), NULL, 0, "Names as in the symbol table",
         0},
        {"no-source", KEY_NO_SOURCE, NULL, 0, "Instructions only", 0},
        {"disassembler-style", 'M', "STYLE", 0, "intel", 0},
        {"asm-raw", KEY_ASM_RAW, NULL, 0, "Code bytes too", 0},
        {0}};
    static const struct argp argp = {
        .options = table,
        .parser = parse,
        .args_doc = "[FUNCTION]",
        .doc = "List the instructions of FUNCTION (default: the costliest one) with "
               "clocks, executions, pipe, stalls, and why they went alone."
               "\vExamples:\n  p5scope annotate main\n  p5scope annotate -e data_read_miss sort",
        .children = row_children};
    annotate_options options = {.input = "p5scope.data", .listing.source = true};
    if (!cli_parse_anywhere(&argp, argc, argv, &options, &options.listing.format))
        return CLI_USAGE;
    if (options.of_text != NULL && options.listing.format != P5_ROWS_TEXT)
        return cli_complain(NULL, NULL, 0,
                            "%s is for the listing as text: --json and --csv always have the line",
                            options.of_text);
    p5_profile *profile = profile_input(options.input, &options.display);
    if (profile == NULL)
        return CLI_USAGE;
    p5_error error = {0};
    p5_status status = options.listing.event != NULL
                           ? p5_profile_event_check(p5_profile_family(profile), options.listing.event, &error)
                           : P5_OK;
    if (status != P5_OK) {
        cli_show_error(&error, "-e", options.listing.event, "Run 'p5scope list' to see the events.");
        p5_profile_free(profile);
        return CLI_USAGE;
    }
    options.listing.colour = cli_colour(stdout);
    status = p5_profile_write_listing(stdout, profile, &options.listing, &error);
    bool fine = false;
    if (status == P5_ERR_NAME)
        cli_show_error(&error, NULL, NULL, "'p5scope report' lists the functions.");
    else
        fine = output_close(stdout, NULL, status, &error);
    p5_profile_free(profile);
    return fine ? CLI_OK : CLI_FAILED;
}
