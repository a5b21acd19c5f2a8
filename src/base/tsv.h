/* Tables of text as generators read them: a row a line, fields between tabs, the first row names the columns;
 * '#' begins a line that is none. */
#ifndef BASE_TSV_H
#define BASE_TSV_H

#include <stdbool.h>

typedef struct tsv {
    const char *path;         /* for messages */
    const char *const *names; /* of the columns, of which there are `columns` */
    unsigned columns;
    char *rest;      /* of the text, which is cut up */
    unsigned line;   /* of the last row */
    bool begun;      /* the names have been read */
    char error[160]; /* why there are no more rows; "" at the end */
    char *text;      /* tsv_open's; to be freed */
} tsv;

/* Cuts the next row into its fields, one for each column; false at the end, or where it is not of the form.
 */
bool tsv_row(tsv *t, char **fields);

/* For generators, which end with a message at the first mistake. Reads all of a file: */
void tsv_open(tsv *t, const char *path, const char *const *names, unsigned columns);
/* Likewise tsv_row. */
bool tsv_next(tsv *t, char **fields);
/* "path:line: error: ..." */
__attribute__((format(printf, 3, 4), noreturn)) void tsv_fail(const tsv *t, unsigned line, const char *format,
                                                              ...);

#endif
