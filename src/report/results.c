/* Reads results: a file has one or more runs. A *run* is what one command wrote: a header, lines of one kind
 * (counts, intervals or the rows of a trace), and a summary. The header does not say of which kind the lines are,
 * so it is kept until the next line. */
#include "report/results.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lines.h"

/* Selects the columns of the line ?1 and, as LINE_ITSELF, its JSON. Selects no row if the line is not JSON. */
#define COLUMN_SQL(column, sql) sql ", "
static const char line_columns[] =
    "SELECT " RESULT_COLUMNS(COLUMN_SQL) "j FROM (SELECT ?1 AS j) WHERE json_valid(j)";

typedef struct reader {
    result_callback *callback;
    void *context;   /* of the callback */
    sqlite3 *sqlite; /* an empty database in memory, for the JSON functions */
    /* Two statements of line_columns: the kept header is passed on while `columns` holds the line after it. */
    sqlite3_stmt *columns, *header_columns;
    char *header; /* the kept header; NULL: none */
    size_t header_size;
    result_kind kind;   /* of the current run; RESULT_NONE between runs and while its header is kept */
    bool in_interval;   /* the current interval has lines but not yet its RESULT_INTERVAL_END */
    double interval;    /* modelled seconds at the end of the current interval */
    sqlite3_int64 rows; /* number of rows of the current trace so far */
    size_t runs;        /* number of complete runs */
} reader;

const char *line_text(const result_line *line, int column, const char *otherwise)
{
    const unsigned char *text = sqlite3_column_text(line->columns, column);
    return text != NULL ? (const char *)text : otherwise;
}

double line_number(const result_line *line, int column)
{
    return sqlite3_column_double(line->columns, column);
}

sqlite3_int64 line_integer(const result_line *line, int column)
{
    return sqlite3_column_int64(line->columns, column);
}

bool line_has(const result_line *line, int column)
{
    return sqlite3_column_type(line->columns, column) != SQLITE_NULL;
}

static p5_status format_error(p5_error *error, const char *what)
{
    return error_set(error, P5_ERR_FORMAT, "%s", what);
}

/* Returns what the line is, by the keys that it has. */
static result_part part_of(const result_line *line)
{
    return line_has(line, LINE_VERSION)    ? RESULT_HEADER
           : line_has(line, LINE_ROW)      ? RESULT_ROW
           : line_has(line, LINE_EVENT)    ? RESULT_VALUE
           : line_has(line, LINE_METRIC)   ? RESULT_METRIC
           : !line_has(line, LINE_SUMMARY) ? RESULT_OTHER
           : line_has(line, LINE_INTERVAL) ? RESULT_INTERVAL_END
                                           : RESULT_SUMMARY;
}

/* Keeps a copy of the header until the next line decides the kind of the run. */
static p5_status keep_header(reader *r, const char *text, size_t size, p5_error *error)
{
    if (r->kind != RESULT_NONE || r->header != NULL)
        return format_error(error, "the run before this line is cut off: it has no summary");
    r->header = malloc(size);
    if (r->header == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    memcpy(r->header, text, size);
    r->header_size = size;
    return P5_OK;
}

/* Makes sure that a run of this kind is open. If none is, begins one and passes on the kept header. If one of another
 * kind is open, sets an error. */
static p5_status begin_run(reader *r, result_kind kind, p5_error *error)
{
    if (r->kind != RESULT_NONE)
        return r->kind == kind ? P5_OK : format_error(error, "a line of another kind than its run");
    if (r->header == NULL)
        return format_error(error,
                            "a line before the header of its run: this is not what stat or trace write");
    result_line header = {kind, RESULT_HEADER, r->header_columns};
    sqlite3_bind_text(r->header_columns, 1, r->header, (int)r->header_size, SQLITE_STATIC);
    p5_status status = sqlite3_step(r->header_columns) == SQLITE_ROW
                           ? r->callback(r->context, &header, error)
                           : error_set(error, P5_ERR_MEMORY, "out of memory");
    sqlite3_reset(r->header_columns);
    free(r->header);
    r->header = NULL;
    r->kind = kind;
    r->in_interval = false;
    r->rows = 0;
    return status;
}

/* Returns the kind of run that a line belongs to. The summary after all intervals has no time, so it looks like that of
 * RESULT_STAT. */
static result_kind kind_of(const reader *r, const result_line *line)
{
    if (line->part == RESULT_ROW || (line->part == RESULT_SUMMARY && line_has(line, LINE_ROWS)))
        return RESULT_TRACE;
    bool last = line->part == RESULT_SUMMARY && r->kind == RESULT_INTERVALS;
    return line_has(line, LINE_INTERVAL) || last ? RESULT_INTERVALS : RESULT_STAT;
}

/* Checks that no line is missing before this one, and updates what is expected of the next one. */
static p5_status check_order(reader *r, const result_line *line, p5_error *error)
{
    bool in_interval = r->kind == RESULT_INTERVALS && line->part != RESULT_SUMMARY;
    double interval = line_number(line, LINE_INTERVAL);
    if (r->in_interval && (!in_interval || interval != r->interval))
        return format_error(error, "the interval before this line is cut off: it has no summary");
    r->in_interval = in_interval && line->part != RESULT_INTERVAL_END;
    r->interval = interval;
    if (line->part == RESULT_ROW && line_integer(line, LINE_ROW) != r->rows++)
        return error_set(error, P5_ERR_FORMAT, "row %lld is missing: this is row %lld", r->rows - 1,
                         line_integer(line, LINE_ROW));
    if (line->part == RESULT_SUMMARY && r->kind == RESULT_TRACE && line_integer(line, LINE_ROWS) != r->rows)
        return error_set(error, P5_ERR_FORMAT, "the summary is of %lld rows, but there are %lld",
                         line_integer(line, LINE_ROWS), r->rows);
    return P5_OK;
}

/* Reads a line: keeps a header, skips lines that are not results, and passes on all others to the callback. */
static p5_status read_line(reader *r, const char *text, size_t size, p5_error *error)
{
    static const char not_a_result[] = "this is not a result of stat or trace in lines of JSON";
    bool begun = r->kind != RESULT_NONE || r->header != NULL;
    result_line line = {.columns = r->columns};
    sqlite3_bind_text(r->columns, 1, text, (int)size, SQLITE_STATIC);
    if (memchr(text, '\0', size) != NULL || sqlite3_step(r->columns) != SQLITE_ROW)
        return format_error(error, begun ? "the line is cut off, or damaged: it is not JSON" : not_a_result);
    line.part = part_of(&line);
    if (line.part == RESULT_HEADER)
        return keep_header(r, text, size, error);
    if (line.part == RESULT_OTHER) /* for instance the budgets after a summary */
        return begun || r->runs > 0 ? P5_OK : format_error(error, not_a_result);
    line.kind = kind_of(r, &line);
    p5_status status = begin_run(r, line.kind, error);
    if (status == P5_OK)
        status = check_order(r, &line, error);
    if (status == P5_OK)
        status = r->callback(r->context, &line, error);
    if (line.part == RESULT_SUMMARY) {
        r->kind = RESULT_NONE;
        r->runs++;
    }
    return status;
}

/* Reads all lines; blank ones are skipped. The last run must have its summary. */
static p5_status read_lines(reader *r, FILE *in, const char *name, p5_error *error)
{
    char *text = NULL;
    size_t capacity = 0;
    unsigned number = 0;
    ssize_t length;
    p5_status status = P5_OK;
    while (status == P5_OK && (length = lines_next(&text, &capacity, in)) > 0) {
        number++;
        if (text[0] != '\n')
            status = read_line(r, text, (size_t)length, error);
        sqlite3_reset(r->columns);
    }
    free(text);
    if (status == P5_OK)
        status = lines_end(in, error);
    if (status == P5_OK && (r->kind != RESULT_NONE || r->header != NULL))
        status = format_error(error, "the file is cut off: its run has no summary");
    else if (status == P5_OK && r->runs == 0)
        status = format_error(error, "there is no run in it");
    if (status != P5_OK)
        error_at(error, name, number, 0);
    return status;
}

/* Reads all runs of `in` to its end, and leaves it open. *runs gets the number of complete runs, also after an
 * error. */
p5_status results_read(FILE *in, const char *name, result_callback *callback, void *context, size_t *runs,
                       p5_error *error)
{
    reader r = {.callback = callback, .context = context};
    p5_status status = P5_OK;
    if (sqlite3_open(":memory:", &r.sqlite) != SQLITE_OK ||
        sqlite3_prepare_v2(r.sqlite, line_columns, -1, &r.columns, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(r.sqlite, line_columns, -1, &r.header_columns, NULL) != SQLITE_OK)
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    else
        status = read_lines(&r, in, name, error);
    sqlite3_finalize(r.columns);
    sqlite3_finalize(r.header_columns);
    sqlite3_close(r.sqlite);
    free(r.header);
    *runs = r.runs;
    return status;
}
