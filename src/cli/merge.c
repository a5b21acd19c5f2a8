/* p5scope merge: results of many runs into one database. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "p5scope/trace.h"

enum { KEY_LABEL = 0x100 };

typedef struct merge_options {
    const char *output, *label;
    bool quiet;
    char **files;
    size_t file_count;
} merge_options;

static error_t parse(int key, char *argument, struct argp_state *state)
{
    merge_options *options = state->input;
    switch (key) {
    case KEY_LABEL:
        if (argument[0] == '\0')
            return cli_complain("--label", "''", 1, "a label has at least one character");
        options->label = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (options->files == NULL) {
            options->files = calloc((size_t)state->argc + 1, sizeof *options->files);
            if (options->files == NULL)
                return ENOMEM;
        }
        options->files[options->file_count++] = argument;
        return 0;
    default:
        return cli_set(key, argument, state);
    }
}

/* Each file by itself: one that cannot be taken does not keep the others out. */
static int merge_files(const merge_options *options, p5_database *database)
{
    int status = CLI_OK;
    size_t runs = 0, refused = 0;
    p5_error error;
    for (size_t i = 0; i < options->file_count; i++) {
        size_t added;
        memset(&error, 0, sizeof error);
        if (p5_database_merge(database, options->files[i], options->label, &added, &error) == P5_OK) {
            runs += added;
            continue;
        }
        cli_show_error(&error, NULL, NULL, NULL);
        refused++;
        status = CLI_FAILED;
    }
    if (!options->quiet)
        fprintf(stderr, "p5scope: %zu run%s added to %s%s", runs, runs == 1 ? "" : "s", options->output,
                refused == 0 ? "\n" : "");
    if (!options->quiet && refused > 0)
        fprintf(stderr, "; %zu of %zu files left out\n", refused, options->file_count);
    return status;
}

int verb_merge(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"output", CLI_TEXT(merge_options, output), "FILE", 0,
         "The database; made if there is none, else added to", 1},
        CLI_LETTER('o'),
        {"label", KEY_LABEL, "TEXT", 0, "What these runs are called, such as a commit", 0},
        {"quiet", CLI_FLAG(merge_options, quiet), NULL, 0, "Say nothing if all goes well", 0},
        CLI_LETTER('q'),
        {0}};
    static const struct argp argp = {
        .options = table,
        .parser = parse,
        .args_doc = "FILE...",
        .doc = "Add the runs in FILEs (of 'stat -j'; .jsonl, .db of 'trace') to one SQLite database."
               "\vExamples:\n  p5scope merge -o sweep.db results/*.json\n  p5scope merge -o history.db "
               "--label 1.2-7-g3f2a now.json"};
    merge_options options = {0};
    int status = CLI_USAGE;
    bool parsed = cli_parse_anywhere(&argp, argc, argv, &options, NULL);
    if (parsed && (options.output == NULL || options.file_count == 0)) {
        cli_complain(NULL, NULL, 0, options.output == NULL ? "-o FILE says which database" : "which files?");
    } else if (parsed) {
        p5_database *database;
        p5_error error = {0};
        status = CLI_FAILED;
        if (p5_database_open(options.output, &database, &error) == P5_OK) {
            status = merge_files(&options, database);
            if (p5_database_close(database, &error) != P5_OK)
                status = CLI_FAILED;
        }
        if (error.status != P5_OK)
            cli_show_error(&error, NULL, NULL, NULL);
    }
    free(options.files);
    return status;
}
