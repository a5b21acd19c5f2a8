/* Reads the results that stat and trace write as JSON lines: runs, each of which is a header, lines of one kind, and
 * a summary. SQLite's JSON functions parse the lines. */
#ifndef REPORT_RESULTS_H
#define REPORT_RESULTS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

#include "p5scope/status.h"

typedef enum result_kind {
    RESULT_NONE,      /* no run */
    RESULT_STAT,      /* the totals of a run, `stat -j` */
    RESULT_INTERVALS, /* `stat -I -j` */
    RESULT_TRACE      /* `trace` with JSON lines */
} result_kind;

/* What a line is. A run has the parts in this order; those from RESULT_VALUE to RESULT_INTERVAL_END repeat. A file
 * ends after a summary. */
typedef enum result_part {
    RESULT_HEADER,
    RESULT_VALUE,        /* of an event or a stall cause */
    RESULT_METRIC,       /* of a metric group */
    RESULT_ROW,          /* of a trace */
    RESULT_INTERVAL_END, /* the totals of one interval, its last line */
    RESULT_SUMMARY,      /* the totals of the run, its last line */
    RESULT_OTHER         /* none of these; not passed on */
} result_part;

/* Columns of a line, and where its JSON `j` has them. They are NULL where the line does not have them. */
#define RESULT_COLUMNS(_)                                                                                    \
    _(LINE_VERSION, "j ->> '$.p5scope'")                                                                     \
    _(LINE_REVISION, "j ->> '$.model_revision'")                                                             \
    _(LINE_MODEL, "j ->> '$.model'")                                                                         \
    _(LINE_MHZ, "j ->> '$.\"clock-mhz\"'")                                                                   \
    _(LINE_OPTIONS, "j ->> '$.options'")                                                                     \
    _(LINE_COMMAND, "j ->> '$.command'")                                                                     \
    _(LINE_SHA256, "j ->> '$.\"guest-sha256\"'")                                                             \
    _(LINE_IDENTITY, "j -> '$.identity'")                                                                    \
    _(LINE_EVENT, "j ->> '$.event'")                                                                         \
    _(LINE_VALUE, "j ->> '$.value'") /* not if the processor lacks the event */                              \
    _(LINE_MODE, "j ->> '$.mode'")                                                                           \
    _(LINE_METRIC, "j ->> '$.metric'")                                                                       \
    _(LINE_METRIC_VALUE, "j ->> '$.\"metric-value\"'")                                                       \
    _(LINE_METRIC_UNIT, "j ->> '$.\"metric-unit\"'")                                                         \
    _(LINE_INTERVAL, "j ->> '$.interval'") /* stat -I: its end in seconds */                                 \
    _(LINE_ROW, "j ->> '$.row'")           /* of a trace: its number */                                      \
    _(LINE_DELTAS, "json_type(j, '$.deltas')")                                                               \
    _(LINE_SUMMARY, "json_type(j, '$.summary')")                                                             \
    _(LINE_CLOCKS, "j ->> '$.summary.clocks'")                                                               \
    _(LINE_INSTRUCTIONS, "j ->> '$.summary.instructions'")                                                   \
    _(LINE_SECONDS, "j ->> '$.summary.seconds'")                                                             \
    _(LINE_ENDING, "j ->> '$.summary.ending'")                                                               \
    _(LINE_ROWS, "j ->> '$.summary.rows'")
#define RESULT_COLUMN(column, sql) column,
enum { RESULT_COLUMNS(RESULT_COLUMN) LINE_ITSELF };

typedef struct result_line {
    result_kind kind; /* of its run */
    result_part part;
    sqlite3_stmt *columns; /* its current row has the RESULT_COLUMNS of the line */
} result_line;

/* Returns a column's text, or `otherwise` if the line does not have it. */
const char *line_text(const result_line *line, int column, const char *otherwise);
/* Return a column's number; 0 if the line does not have it. */
double line_number(const result_line *line, int column);
sqlite3_int64 line_integer(const result_line *line, int column);
bool line_has(const result_line *line, int column);

/* Reads all runs of `in` and calls `callback` for each line, which may refuse it with an error. Errors name the file
 * `name` and the line. P5_ERR_FORMAT if the file has anything else, or a run that is cut off. *runs gets the number
 * of runs. */
typedef p5_status result_callback(void *context, const result_line *line, p5_error *error);
p5_status results_read(FILE *in, const char *name, result_callback *callback, void *context, size_t *runs,
                       p5_error *error);

#endif
