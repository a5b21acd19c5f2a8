/* p5scope merge: adds results of many runs to one SQLite database. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/warnings.h"
#include "p5tool/trace.h"

/* Warns if one of the runs that `file` has added last did not end as the user wanted. */
static void warn_of_cut(const p5_database *database, const char *file, size_t runs)
{
    char endings[500];
    if (p5_database_whole(database, runs, endings, sizeof endings))
        return;
    fputs("p5scope: warning: ", stderr);
    p5_write_printable(stderr, file);
    fputs(": the run was cut short (", stderr);
    p5_write_printable(stderr, endings);
    fputs("); its counts are not those of the whole guest\n", stderr);
}

/* Merges each file separately, so that a file that cannot be read does not exclude the others. Returns the exit
 * status. */
static int merge_files(const cli_options *line, p5_database *database)
{
    int status = CLI_OK;
    size_t runs = 0, refused = 0;
    for (size_t i = 0; i < line->operand_count; i++) {
        size_t added;
        p5_error error = {0};
        if (p5_database_merge(database, line->operands[i], line->label, &added, &error) == P5_OK) {
            runs += added;
            warn_of_cut(database, line->operands[i], added);
            continue;
        }
        cli_show_error(&error, NULL, NULL, NULL);
        refused++;
        status = CLI_FAILED;
    }
    if (line->quiet)
        return status;
    fprintf(stderr, "p5scope: %zu run%s added to %s", runs, runs == 1 ? "" : "s", line->output);
    if (refused > 0)
        fprintf(stderr, "; %zu of %zu files left out", refused, line->operand_count);
    fputc('\n', stderr);
    return status;
}

/* Warns if the runs of the database differ in more than their guest. */
static void warn_of_differences(const p5_database *database)
{
    char values[500];
    if (!p5_database_same_revision(database, values, sizeof values))
        warn_of_revisions(values);
    size_t next = 0;
    for (const char *part; (part = warn_next_part(&next)) != NULL;)
        if (!p5_database_same_option(database, part, values, sizeof values))
            warn_of_part(part, values);
}

static int run(const cli_options *line)
{
    p5_database *database;
    p5_error error = {0};
    int status = CLI_FAILED;
    if (line->output == NULL || line->operand_count == 0)
        return cli_complain(NULL, NULL, 0,
                            line->output == NULL ? "merge needs -o FILE, the database"
                                                 : "merge needs the files to add");
    if (p5_database_open(line->output, &database, &error) == P5_OK) {
        status = merge_files(line, database);
        warn_of_differences(database);
        if (p5_database_close(database, &error) != P5_OK)
            status = CLI_FAILED;
    }
    if (error.status != P5_OK)
        cli_show_error(&error, NULL, NULL, NULL);
    return status;
}

const cli_verb verb_merge = {
    .name = "merge",
    .summary = "collect the results of many runs in one database",
    .operands = "FILE...",
    .doc = "Add the runs in FILEs (of 'stat -j'; .jsonl, .db of 'trace') to one SQLite database."
           "\vExamples:\n  p5scope merge -o sweep.db results/*.json\n  p5scope merge -o history.db --label "
           "1.2-7-g3f2a now.json",
    .run = run};
