/* Merges JSON lines into a database: the output of `stat -j` and `stat -I -j`, and traces in JSON lines. A *row* is
 * one of table interval: a row of a trace, an interval of `stat -I`, or the whole run of `stat`. Its values (table
 * value) are totals since the beginning of the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/database/database_internal.h"
#include "report/results.h"
#include "report/stat/list.h"
#include "report/stat/scan.h"

/* Adds a row of table interval from a trace's line of JSON (?4). It is number ?2 of run ?1. ?3 is the id of the row
 * before it; NULL: it is the first. */
static const char add_interval[] =
    "INSERT INTO interval (run, number, previous, kind, label, clock, instructions, address, cpl, "
    "argument, value, cesr, ctr0, ctr1, registers) SELECT ?1, ?2, ?3, coalesce(j ->> '$.kind', ''), j ->> "
    "'$.label', coalesce(CAST(j ->> '$.clock' AS INTEGER), 0), coalesce(CAST(j ->> '$.instructions' AS "
    "INTEGER), 0), CAST(j ->> '$.address' AS INTEGER), CAST(j ->> '$.cpl' AS INTEGER), CAST(j ->> "
    "'$.number' AS INTEGER), CAST(j ->> '$.value' AS INTEGER), CAST(j ->> '$.cesr' AS INTEGER), CAST(j "
    "->> '$.ctr0' AS INTEGER), CAST(j ->> '$.ctr1' AS INTEGER), j -> '$.registers' FROM (SELECT ?4 AS j)";
/* Adds the values of row ?1 from a trace's line of JSON (?3). The path ?4 is that of the object with the counters.
 * If they are differences, they are added to the values of the row before, whose id is ?2. If they are totals, ?2
 * is NULL. */
static const char add_values[] =
    "INSERT INTO value SELECT ?1, e.id, c.value + coalesce((SELECT value FROM value WHERE interval = ?2 AND "
    "event = e.id), 0) FROM json_each(?3, ?4) c JOIN event e ON e.name = c.key";
/* Adds the value of event ?2 to row ?1: the sum of ?3 and the event's value in the row before, whose id is ?4. */
static const char add_sum[] = "INSERT INTO value SELECT ?1, ?2, ?3 + coalesce((SELECT value FROM value WHERE "
                              "interval = ?4 AND event = ?2), 0)";

typedef struct merger {
    p5_database *database;
    const char *file;            /* name of the file that is read */
    const char *label;           /* for the runs; may be NULL */
    sqlite3_stmt *counter_names; /* lists the keys of the object with a trace row's counters */
    sqlite3_stmt *add_interval, *add_values, *add_sum;
    double clock_mhz;           /* of the current run */
    sqlite3_int64 run;          /* id of the current run */
    sqlite3_int64 interval;     /* stat: id of the row that lines are added to; 0: none is open */
    sqlite3_int64 previous;     /* id of the last complete row of the run; 0: none */
    sqlite3_int64 rows;         /* number of rows of the current run so far */
    sqlite3_int64 instructions; /* stat -I: sum over the intervals of the current run so far */
    int counters;               /* number of counters in each row of a trace */
} merger;

/* Executes a statement that adds rows. A value that exists already, or is null, is an error of the file. */
static p5_status add_rows(const merger *m, sqlite3_stmt *statement, p5_error *error)
{
    p5_status status = database_execute(m->database, statement, error);
    return status == P5_ERR_STATE
               ? error_set(error, P5_ERR_FORMAT, "a value is null, or an event stands twice in one run")
               : status;
}

static p5_status begin_run(merger *m, const result_line *header, p5_error *error)
{
    static const char *const names[] = {
        [RESULT_STAT] = "stat", [RESULT_INTERVALS] = "intervals", [RESULT_TRACE] = "trace"};
    m->clock_mhz = line_number(header, LINE_MHZ);
    m->interval = m->previous = m->rows = m->instructions = 0;
    database_run run = {.kind = names[header->kind],
                        .version = line_text(header, LINE_VERSION, ""),
                        .model = line_text(header, LINE_MODEL, ""),
                        .command = line_text(header, LINE_COMMAND, ""),
                        .options = line_text(header, LINE_OPTIONS, ""),
                        .source = m->file,
                        .guest_sha256 = line_text(header, LINE_SHA256, NULL),
                        .label = m->label,
                        .identity = line_text(header, LINE_IDENTITY, NULL),
                        .clock_mhz = m->clock_mhz,
                        .model_revision = (unsigned)line_integer(header, LINE_REVISION)};
    return database_add_run(m->database, &run, &m->run, error);
}

/* Opens the row of values that a line of stat belongs to, unless it is open. */
static p5_status open_interval(merger *m, const result_line *line, p5_error *error)
{
    if (m->interval != 0)
        return P5_OK;
    database_interval interval = {.run = m->run,
                                  .kind = line->kind == RESULT_INTERVALS ? "interval" : "stop",
                                  .number = m->rows++,
                                  .previous = m->previous};
    return database_add_interval(m->database, &interval, &m->interval, error);
}

/* Completes the open row with the clock and the instruction count at its end. An interval has no line for a stall
 * cause that cost no clocks in it, so the value of each event without a line is copied from the row before. */
static p5_status close_interval(merger *m, uint64_t clock, uint64_t instructions, p5_error *error)
{
    char sql[400];
    snprintf(sql, sizeof sql,
             "UPDATE interval SET clock = %llu, instructions = %llu WHERE id = %lld;"
             "INSERT OR IGNORE INTO value SELECT %lld, event, value FROM value WHERE interval = %lld",
             (unsigned long long)clock, (unsigned long long)instructions, m->interval, m->interval,
             m->previous);
    m->previous = m->interval;
    m->interval = 0;
    return database_do(m->database, sql, error);
}

/* Finds or adds the event `name`, which may have modifiers, and gets its id. If `mode` is NULL, the mode follows
 * from the modifiers. */
static p5_status event_id(merger *m, const char *name, const char *mode, sqlite3_int64 *id, p5_error *error)
{
    p5_selected found;
    char text[4];
    if (scan_selected(name, P5_FAMILY_P54C | P5_FAMILY_P55C, &found, NULL) != P5_OK) /* of another version */
        found = (p5_selected){.event = P5_SELECT_CLOCKS, .cpl_mask = P5_CPL_MASK_ALL};
    return database_event(m->database, name, p5_selected_event(&found),
                          mode != NULL ? mode : event_mode_text(&found, text), id, error);
}

/* Adds the value of an event or a stall cause of `stat` to the open row. A line without a value, for an event that the
 * processor lacks, only opens the row. */
static p5_status add_value(merger *m, const result_line *line, p5_error *error)
{
    p5_status status = open_interval(m, line, error);
    if (status != P5_OK || !line_has(line, LINE_VALUE))
        return status;
    sqlite3_int64 event;
    status = event_id(m, line_text(line, LINE_EVENT, ""), line_text(line, LINE_MODE, "uk"), &event, error);
    if (status != P5_OK)
        return status;
    sqlite3_bind_int64(m->add_sum, 1, m->interval);
    sqlite3_bind_int64(m->add_sum, 2, event);
    /* The value is bound as it is, because a mean of `stat -r` may be a fraction. */
    sqlite3_bind_value(m->add_sum, 3, sqlite3_column_value(line->columns, LINE_VALUE));
    if (m->previous != 0)
        sqlite3_bind_int64(m->add_sum, 4, m->previous);
    return add_rows(m, m->add_sum, error);
}

/* Adds the events that the first row of a trace has and the database does not, and counts those of the row. All
 * rows of a trace have the same counters. `object` is the path of the object with them. */
static p5_status add_counter_names(merger *m, const result_line *line, const char *object, p5_error *error)
{
    p5_status status = P5_OK;
    sqlite3_bind_value(m->counter_names, 1, sqlite3_column_value(line->columns, LINE_ITSELF));
    sqlite3_bind_text(m->counter_names, 2, object, -1, SQLITE_STATIC);
    for (m->counters = 0; status == P5_OK && sqlite3_step(m->counter_names) == SQLITE_ROW; m->counters++) {
        sqlite3_int64 id;
        status = event_id(m, (const char *)sqlite3_column_text(m->counter_names, 0), NULL, &id, error);
    }
    sqlite3_reset(m->counter_names);
    return status;
}

static p5_status add_trace_row(merger *m, const result_line *line, p5_error *error)
{
    bool deltas = line_has(line, LINE_DELTAS);
    const char *object = deltas ? "$.deltas" : "$.totals";
    p5_status status = m->rows == 0 ? add_counter_names(m, line, object, error) : P5_OK;
    if (status != P5_OK)
        return status;
    sqlite3_bind_int64(m->add_interval, 1, m->run);
    sqlite3_bind_int64(m->add_interval, 2, m->rows++);
    if (m->previous != 0)
        sqlite3_bind_int64(m->add_interval, 3, m->previous);
    sqlite3_bind_value(m->add_interval, 4, sqlite3_column_value(line->columns, LINE_ITSELF));
    status = add_rows(m, m->add_interval, error);
    if (status != P5_OK)
        return status;
    sqlite3_int64 id = sqlite3_last_insert_rowid(m->database->sqlite);
    sqlite3_bind_int64(m->add_values, 1, id);
    if (deltas && m->previous != 0)
        sqlite3_bind_int64(m->add_values, 2, m->previous);
    sqlite3_bind_value(m->add_values, 3, sqlite3_column_value(line->columns, LINE_ITSELF));
    sqlite3_bind_text(m->add_values, 4, object, -1, SQLITE_STATIC);
    status = add_rows(m, m->add_values, error);
    if (status == P5_OK && sqlite3_changes(m->database->sqlite) != m->counters)
        status = error_set(error, P5_ERR_FORMAT, "this row has other counters than the one before");
    m->previous = id;
    return status;
}

/* Completes the row of an interval of `stat -I`, whose line has the time at its end and the instructions in it. */
static p5_status end_interval(merger *m, const result_line *line, p5_error *error)
{
    p5_status status = open_interval(m, line, error); /* not open after stat -n, which writes no events */
    m->instructions += line_integer(line, LINE_INSTRUCTIONS);
    double clock = line_number(line, LINE_INTERVAL) * m->clock_mhz * 1e6;
    return status == P5_OK ? close_interval(m, (uint64_t)llround(clock), (uint64_t)m->instructions, error)
                           : status;
}

/* Completes the row of a whole run, and the run. */
static p5_status end_run(merger *m, const result_line *line, p5_error *error)
{
    uint64_t clocks = (uint64_t)line_integer(line, LINE_CLOCKS);
    uint64_t instructions = (uint64_t)line_integer(line, LINE_INSTRUCTIONS);
    p5_status status = P5_OK;
    if (line->kind == RESULT_STAT) {
        status = open_interval(m, line, error);
        if (status == P5_OK)
            status = close_interval(m, clocks, instructions, error);
    }
    const database_end end = {.clocks = clocks,
                              .instructions = instructions,
                              .seconds = line_has(line, LINE_SECONDS) ? line_number(line, LINE_SECONDS)
                                                                      : (double)clocks / (m->clock_mhz * 1e6),
                              .ending = line_text(line, LINE_ENDING, NULL)};
    return status == P5_OK ? database_end_run(m->database, m->run, &end, error) : status;
}

/* Callback of results_read. */
static p5_status read_line(void *context, const result_line *line, p5_error *error)
{
    merger *m = context;
    switch (line->part) {
    case RESULT_HEADER:
        return begin_run(m, line, error);
    case RESULT_VALUE:
        return add_value(m, line, error);
    case RESULT_ROW:
        return add_trace_row(m, line, error);
    case RESULT_INTERVAL_END:
        return end_interval(m, line, error);
    case RESULT_SUMMARY:
        return end_run(m, line, error);
    case RESULT_METRIC:
    case RESULT_OTHER:
        break;
    }
    return P5_OK;
}

p5_status merge_lines(p5_database *database, const char *file, const char *label, FILE *in, size_t *runs,
                      p5_error *error)
{
    merger m = {.database = database, .file = file, .label = label};
    const struct {
        sqlite3_stmt **statement;
        const char *sql;
    } all[] = {{&m.counter_names, "SELECT key FROM json_each(?1, ?2)"},
               {&m.add_interval, add_interval},
               {&m.add_values, add_values},
               {&m.add_sum, add_sum}};
    enum { STATEMENTS = sizeof all / sizeof all[0] };
    p5_status status = P5_OK;
    for (size_t i = 0; i < STATEMENTS && status == P5_OK; i++)
        if (sqlite3_prepare_v2(database->sqlite, all[i].sql, -1, all[i].statement, NULL) != SQLITE_OK)
            status = database_error(database, error);
    if (status == P5_OK)
        status = database_do(database, "BEGIN IMMEDIATE", error);
    bool begun = status == P5_OK;
    *runs = 0;
    if (status == P5_OK)
        status = results_read(in, file, read_line, &m, runs, error);
    for (size_t i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(*all[i].statement);
    if (status == P5_OK)
        status = database_do(database, "COMMIT", error);
    if (status != P5_OK && begun)
        sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    *runs = status == P5_OK ? *runs : 0;
    return status;
}
