#include "report/results.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lines.h"

/* Returns the columns of the line ?1 and, as LINE_ITSELF, its JSON. Returns no row if the line is not JSON. */
#define COLUMN_SQL(column, sql) sql ", "
static const char line_columns[] =
    "SELECT " RESULT_COLUMNS(COLUMN_SQL) "j FROM (SELECT ?1 AS j) WHERE json_valid(j)";

typedef struct reader {
    result_take *take;
    void *context;
    sqlite3 *sqlite;
    /* Two statements of line_columns: the header is passed on while `columns` holds the line after it. */
    sqlite3_stmt *columns, *header_columns;
    char *header; /* of a run without further lines so far; NULL: none */
    size_t header_size;
    result_kind kind; /* of the current run */
    bool in_interval;
    double interval;    /* seconds: end of the current interval */
    sqlite3_int64 rows; /* of a trace, so far */
    size_t runs;
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

static p5_status wrong(p5_error *error, const char *what)
{
    return error_set(error, P5_ERR_FORMAT, "%s", what);
}

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

/* Keeps the header until the next line decides the kind of the run. */
static p5_status keep_header(reader *r, const char *text, size_t size, p5_error *error)
{
    if (r->kind != RESULT_NONE || r->header != NULL)
        return wrong(error, "the run before this line is cut off: it has no summary");
    r->header = malloc(size);
    if (r->header == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    memcpy(r->header, text, size);
    r->header_size = size;
    return P5_OK;
}

/* Unless a run has already begun: begins a run of this kind and passes on its header. A line of another kind than
 * the current run is an error. */
static p5_status begin_run(reader *r, result_kind kind, p5_error *error)
{
    if (r->kind != RESULT_NONE)
        return r->kind == kind ? P5_OK : wrong(error, "a line of another kind than its run");
    if (r->header == NULL)
        return wrong(error, "a line before the header of its run: this is not what stat or trace write");
    result_line header = {kind, RESULT_HEADER, r->header_columns};
    sqlite3_bind_text(r->header_columns, 1, r->header, (int)r->header_size, SQLITE_STATIC);
    p5_status status = sqlite3_step(r->header_columns) == SQLITE_ROW
                           ? r->take(r->context, &header, error)
                           : error_set(error, P5_ERR_MEMORY, "out of memory");
    sqlite3_reset(r->header_columns);
    free(r->header);
    r->header = NULL;
    r->kind = kind;
    r->in_interval = false;
    r->rows = 0;
    return status;
}

/* Returns the kind of run that a line belongs to. The last summary of intervals looks like that of a whole run. */
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
        return wrong(error, "the interval before this line is cut off: it has no summary");
    r->in_interval = in_interval && line->part != RESULT_INTERVAL_END;
    r->interval = interval;
    if (line->part == RESULT_ROW && line_integer(line, LINE_ROW) != r->rows++)
        return wrong(error, "rows before this line are missing");
    if (line->part == RESULT_SUMMARY && r->kind == RESULT_TRACE && line_integer(line, LINE_ROWS) != r->rows)
        return wrong(error, "there are fewer rows than the summary says");
    return P5_OK;
}

static p5_status take_line(reader *r, const char *text, size_t size, p5_error *error)
{
    static const char neither[] = "this is not a result of stat or trace in lines of JSON";
    bool begun = r->kind != RESULT_NONE || r->header != NULL;
    result_line line = {.columns = r->columns};
    sqlite3_bind_text(r->columns, 1, text, (int)size, SQLITE_STATIC);
    if (memchr(text, '\0', size) != NULL || sqlite3_step(r->columns) != SQLITE_ROW)
        return wrong(error, begun ? "the line is cut off, or damaged: it is not JSON" : neither);
    line.part = part_of(&line);
    if (line.part == RESULT_HEADER)
        return keep_header(r, text, size, error);
    if (line.part == RESULT_OTHER) /* for instance the budgets after a summary */
        return begun || r->runs > 0 ? P5_OK : wrong(error, neither);
    line.kind = kind_of(r, &line);
    p5_status status = begin_run(r, line.kind, error);
    if (status == P5_OK)
        status = check_order(r, &line, error);
    if (status == P5_OK)
        status = r->take(r->context, &line, error);
    if (line.part == RESULT_SUMMARY) {
        r->kind = RESULT_NONE;
        r->runs++;
    }
    return status;
}

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
            status = take_line(r, text, (size_t)length, error);
        sqlite3_reset(r->columns);
    }
    free(text);
    if (status == P5_OK)
        status = lines_end(in, error);
    if (status == P5_OK && (r->kind != RESULT_NONE || r->header != NULL))
        status = wrong(error, "the file is cut off: its run has no summary");
    else if (status == P5_OK && r->runs == 0)
        status = wrong(error, "there is no run in it");
    if (status != P5_OK)
        error_at(error, name, number, 0);
    return status;
}

p5_status results_read(FILE *in, const char *name, result_take *take, void *context, size_t *runs,
                       p5_error *error)
{
    reader r = {.take = take, .context = context};
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
