/* Rows for programs: JSON lines, or CSV whose first line has the names of the columns (RFC 4180). Cells have
 * the same names in both. All rows of one CSV must have the same cells in the same order. */
#ifndef REPORT_ROW_WRITER_H
#define REPORT_ROW_WRITER_H

#include "base/memory_text.h"
#include "p5tool/report.h"
#include "report/json_writer.h"

typedef struct row_writer {
    FILE *out;
    bool csv;
    char separator;    /* CSV: between the cells */
    bool named;        /* CSV: the line of names has been written, here or by an earlier report */
    bool started;      /* CSV: the current row has a cell */
    memory_text names; /* CSV: collects the columns' names during the first row */
    memory_text line;  /* CSV: collects the cells of the current row */
    json_writer json;  /* JSON lines */
} row_writer;

/* Opens a writer for rows in CSV or else, with any other `format`, in JSON. JSON's first line describes the rows: the
 * program's version, the word `kind`, and the keys and values (strings) that follow, which NULL ends. CSV has no such
 * line. */
void rows_open(row_writer *rows, FILE *out, p5_row_format format, const char *kind, ...)
    __attribute__((sentinel));

/* Opens a writer without that first line. */
void rows_open_bare(row_writer *rows, FILE *out, p5_row_format format);

/* Begin and end a row. Between them, the following functions write one cell each. */
void rows_begin(row_writer *rows);
void rows_end(row_writer *rows);
void rows_text(row_writer *rows, const char *key, const char *value); /* NULL: an empty cell, null */
void rows_unsigned(row_writer *rows, const char *key, uint64_t value);
/* Writes an empty cell or null for NaN and infinities. */
void rows_double(row_writer *rows, const char *key, double value);
void rows_bool(row_writer *rows, const char *key, bool value);
/* Writes an array of the `count` names; in CSV one cell, with spaces between them. */
void rows_names(row_writer *rows, const char *key, const char *const *names, size_t count);

#endif
