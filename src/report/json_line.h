/* Parses the JSON lines that stat and trace write, by SQLite's JSON functions. */
#ifndef REPORT_JSON_LINE_H
#define REPORT_JSON_LINE_H

#include <sqlite3.h>
#include <stdbool.h>

/* Columns of the statement below. */
enum {
    LINE_VERSION,
    LINE_MODEL,
    LINE_MHZ,
    LINE_OPTIONS,
    LINE_COMMAND,
    LINE_SHA256,
    LINE_EVENT,
    LINE_VALUE,
    LINE_MODE,
    LINE_METRIC,
    LINE_METRIC_VALUE,
    LINE_METRIC_UNIT,
    LINE_SUMMARY, /* its JSON type, NULL without a summary; likewise the columns below that say "type" */
    LINE_CLOCKS,
    LINE_INSTRUCTIONS,
    LINE_SECONDS,
    LINE_ENDING,
    LINE_ROWS,
    LINE_INTERVAL, /* stat -I: seconds */
    LINE_ROW,      /* trace */
    LINE_KIND,
    LINE_LABEL,
    LINE_CLOCK,
    LINE_COMPLETED,
    LINE_ADDRESS,
    LINE_CPL,
    LINE_NUMBER,
    LINE_CESR,
    LINE_CTR0,
    LINE_CTR1,
    LINE_REGISTERS,
    LINE_DELTAS,   /* type */
    LINE_IDENTITY, /* JSON */
    LINE_ITSELF
};

/* A statement that returns one row for the line ?1, or none if the line is not JSON. */
extern const char json_line_parts[];

/* Returns a column's text, or `otherwise` if the line does not have it. */
const char *line_text(sqlite3_stmt *parts, int column, const char *otherwise);
bool line_has(sqlite3_stmt *parts, int column);

#endif
