#include "base/tsv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void check_names(tsv *t, char *const *fields)
{
    for (unsigned i = 0; i < t->columns && t->error[0] == '\0'; i++)
        if (strcmp(fields[i], t->names[i]) != 0)
            snprintf(t->error, sizeof t->error, "column %u is '%s' instead of '%s'", i + 1, fields[i],
                     t->names[i]);
    t->begun = true;
}

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

bool tsv_row(tsv *t, char **fields)
{
    for (char *row; t->error[0] == '\0' && (row = text_field(&t->rest, '\n')) != NULL;) {
        bool names = !t->begun;
        t->line++;
        if (row[0] == '#' || row[0] == '\0')
            continue;
        cut(t, row, fields);
        if (!names && t->error[0] == '\0')
            return true;
    }
    return false;
}

void tsv_fail(const tsv *t, unsigned line, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s:%u: error: ", t->path, line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

bool tsv_next(tsv *t, char **fields)
{
    if (tsv_row(t, fields))
        return true;
    if (t->error[0] != '\0')
        tsv_fail(t, t->line, "%s", t->error);
    return false;
}

void tsv_open(tsv *t, const char *path, const char *const *names, unsigned columns)
{
    size_t room = 0;
    *t = (tsv){.path = path, .names = names, .columns = columns};
    FILE *file = fopen(path, "r");
    if (file == NULL || getdelim(&t->text, &room, '\0', file) < 0) {
        perror(path);
        exit(1);
    }
    t->rest = t->text;
    fclose(file);
}
