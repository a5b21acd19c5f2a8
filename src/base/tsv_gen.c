/* Reads tab-separated tables from files, for build-time generators, which end at the first mistake. This file is not
 * part of the library. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/tsv.h"

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
    bool read =
        file != NULL && getdelim(&t->text, &room, '\0', file) >= 0; /* all of it: text contains no NUL */
    if (!read) {
        if (file != NULL && feof(file))
            fprintf(stderr, "%s: error: the file is empty; its first row names the columns\n", path);
        else
            perror(path);
        exit(1);
    }
    t->rest = t->text;
    fclose(file);
}
