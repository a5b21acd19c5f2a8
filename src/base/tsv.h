/* Tab-separated tables: one row per line, the first row names the columns, and '#' begins a
 * comment line. */
#ifndef BASE_TSV_H
#define BASE_TSV_H

#include <stdbool.h>

typedef struct tsv {
    const char *path;         /* for messages */
    const char *const *names; /* names of the `columns` columns */
    unsigned columns;
    char *rest;      /* rest of the text, which is cut into fields in place; NULL after the last line */
    unsigned line;   /* number of the last line that was read, from 1 */
    bool begun;      /* the names have been read */
    char error[160]; /* why there are no more rows; "" at the end of the text */
    char *text;      /* allocated by tsv_open; to be freed */
} tsv;

/* Cuts the next row into its fields, one for each column, which stay valid as long as the text. Returns false at the
 * end or after an error. */
bool tsv_row(tsv *t, char **fields);

/* The functions from here on are for generators (tsv_gen.c). */

/* Reads all of a file; ends the program with a message if it cannot be read. */
void tsv_open(tsv *t, const char *path, const char *const *names, unsigned columns);
/* Does the same as tsv_row, but ends the program with a message at a mistake. */
bool tsv_next(tsv *t, char **fields);
/* Prints "path:line: error: ..." and ends the program. */
__attribute__((format(printf, 3, 4), noreturn)) void tsv_fail(const tsv *t, unsigned line, const char *format,
                                                              ...);

#endif
