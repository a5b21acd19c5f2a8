/* Tests of generators that read a table: a copy of the table with one change, and what the generator says about it. */
#ifndef CHANGED_TABLE_H
#define CHANGED_TABLE_H

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "unit.h"

enum { TABLE_LINE_BYTES = 4096, GENERATOR_OUTPUT_BYTES = 4096 };

/* Copies `table` to `path`. In the first line that begins with `row` and contains `old`, that becomes `new`. Returns the
 * number of this line. */
static inline unsigned change_table(const char *path, const char *table, const char *row, const char *old,
                                    const char *new)
{
    char line[TABLE_LINE_BYTES];
    unsigned number = 0, changed = 0;
    FILE *in = fopen(table, "r"), *out = fopen(path, "w");
    assert_non_null(in);
    assert_non_null(out);
    while (fgets(line, sizeof line, in) != NULL) {
        number++;
        char *found = changed == 0 && strncmp(line, row, strlen(row)) == 0 ? strstr(line, old) : NULL;
        if (found == NULL) {
            fputs(line, out);
            continue;
        }
        changed = number;
        fprintf(out, "%.*s%s%s", (int)(found - line), line, new, found + strlen(old));
    }
    fclose(in);
    fclose(out);
    if (changed == 0)
        fail_msg("the table has no '%s' in a row '%s'", old, row);
    return changed;
}

/* Runs a shell command. Returns its exit status, and in `output` what it has written. */
static inline int output_of(const char *command, char output[GENERATOR_OUTPUT_BYTES])
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, GENERATOR_OUTPUT_BYTES - 1, pipe)] = '\0';
    while (fgetc(pipe) != EOF)
        continue;
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
