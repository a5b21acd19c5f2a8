/* Reads tab-separated tables from text in memory. The first row, which names the columns, is only checked. */
#include "base/tsv.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Sets the error if the first row has other names of columns than expected. */
static void check_names(tsv *t, char *const *fields)
{
    for (unsigned i = 0; i < t->columns && t->error[0] == '\0'; i++)
        if (strcmp(fields[i], t->names[i]) != 0)
            snprintf(t->error, sizeof t->error, "column %u is '%s' instead of '%s'", i + 1, fields[i],
                     t->names[i]);
    t->begun = true;
}

/* Cuts a row into its fields. Sets the error if it has too few or too many. */
static void cut(tsv *t, char *row, char **fields)
{
    unsigned count = 0;
    for (char *field; (field = text_field(&row, '\t')) != NULL && count <= t->columns; count++)
        if (count < t->columns)
            fields[count] = field;
    if (count < t->columns)
        snprintf(t->error, sizeof t->error, "%u columns instead of %u", count, t->columns);
    else if (count > t->columns)
        snprintf(t->error, sizeof t->error, "more than %u columns", t->columns);
    else if (!t->begun)
        check_names(t, fields);
}

/* Finds the next row after comments, empty lines and the names of the columns. */
bool tsv_row(tsv *t, char **fields)
{
    for (char *row; t->error[0] == '\0' && (row = text_field(&t->rest, '\n')) != NULL;) {
        bool heading = !t->begun; /* this row names the columns */
        t->line++;
        if (row[0] == '#' || row[0] == '\0')
            continue;
        cut(t, row, fields);
        if (!heading && t->error[0] == '\0')
            return true;
    }
    return false;
}
