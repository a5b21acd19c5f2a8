/* Rows for programs: JSON lines, or CSV whose first line has the names of the columns (RFC 4180). Cells have
 * the same names in both. All rows of one CSV must have the same cells in the same order. */
#ifndef REPORT_ROW_WRITER_H
#define REPORT_ROW_WRITER_H

#include "p5tool/report.h"
#include "report/json_writer.h"

typedef struct row_writer {
    FILE *out;
    bool csv;
    char separator; /* CSV: between the cells */
    bool named;     /* CSV: the first line has been written */
    bool started;   /* CSV: the line has a cell */
    FILE *names;    /* CSV: collects the names of the first row until it is complete */
    FILE *line;
    char *name_text, *line_text;
    size_t name_size, line_size;
    json_writer json;
} row_writer;

/* Opens a writer for rows of the kind `kind`. JSON's first line has it, the program's version, and the keys
 * and values that follow, which NULL ends. CSV has no such line. */
void rows_open(row_writer *rows, FILE *out, p5_row_format format, const char *kind, ...)
    __attribute__((sentinel));

/* Opens a writer without that first line. */
void rows_open_bare(row_writer *rows, FILE *out, p5_row_format format);

void rows_begin(row_writer *rows);
void rows_text(row_writer *rows, const char *key, const char *value); /* NULL: nothing, null */
void rows_unsigned(row_writer *rows, const char *key, uint64_t value);
void rows_double(row_writer *rows, const char *key, double value); /* not a number: nothing, null */
void rows_bool(row_writer *rows, const char *key, bool value);
/* Writes an array of the `count` names; in CSV one cell, with spaces between them. */
void rows_names(row_writer *rows, const char *key, const char *const *names, size_t count);
void rows_end(row_writer *rows);

#endif
