/* Merges JSON lines into a database: the output of `stat -j` and `stat -I -j`, and traces in JSON lines.
 * SQLite's JSON functions parse them. A run consists of a header, lines of one kind, and a summary. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lines.h"
#include "report/database/database_internal.h"
#include "report/json_line.h"

/* Adds the counters of a trace's row ?3 from the object ?4: totals, or differences to row ?2. */
static const char add_row[] =
    "INSERT INTO value SELECT ?1, e.id, c.value + coalesce((SELECT value FROM value WHERE interval = ?2 AND "
    "event = e.id), 0) FROM json_each(?3, ?4) c JOIN event e ON e.name = c.key";
/* Adds an event's value ?3 to that of row ?4. */
static const char add_sum[] = "INSERT INTO value SELECT ?1, ?2, ?3 + coalesce((SELECT value FROM value WHERE "
                              "interval = ?4 AND event = ?2), 0)";

typedef enum run_kind { RUN_NONE, RUN_STAT, RUN_INTERVALS, RUN_TRACE } run_kind;

typedef struct line_reader {
    p5_database *database;
    const char *file, *label;
    unsigned line;
    sqlite3_stmt *parts, *head, *names, *add_row, *add_sum;
    char *header; /* of a run without further lines so far */
    size_t header_size;
    run_kind kind; /* of the current run */
    double clock_mhz;
    sqlite3_int64 run, interval, previous; /* interval 0: none is open */
    sqlite3_int64 rows, instructions;
    double until; /* seconds: end of the open interval */
    int columns;  /* of a trace */
    size_t runs;
} line_reader;

static const char neither[] = "this is neither lines of JSON from stat or trace nor a database of p5scope";

static p5_status wrong(const line_reader *reader, p5_error *error, const char *what)
{
    return error_set_at(error, P5_ERR_FORMAT, reader->file, reader->line, 0, "%s", what);
}

static p5_status run_statement(const line_reader *reader, sqlite3_stmt *statement, p5_error *error)
{
    int result = sqlite3_step(statement);
    p5_status status = P5_OK;
    if (result == SQLITE_CONSTRAINT)
        status = wrong(reader, error, "an event stands twice in one run");
    else if (result != SQLITE_DONE)
        status = database_error(reader->database, error);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status;
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

static p5_status take_header(line_reader *reader, const char *text, size_t size, p5_error *error)
{
    if (reader->kind != RUN_NONE || reader->header != NULL)
        return wrong(reader, error, "the run before this line is cut off: it has no summary");
    reader->header = malloc(size);
    if (reader->header == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    memcpy(reader->header, text, size);
    reader->header_size = size;
    return P5_OK;
}

/* Handles the first line after a header, which decides the kind of the run. */
static p5_status begin_run(line_reader *reader, run_kind kind, p5_error *error)
{
    static const char *const names[] = {
        [RUN_STAT] = "stat", [RUN_INTERVALS] = "intervals", [RUN_TRACE] = "trace"};
    if (reader->kind != RUN_NONE)
        return reader->kind == kind ? P5_OK : wrong(reader, error, "a line of another kind than its run");
    if (reader->header == NULL)
        return wrong(reader, error,
                     "a line before the header of its run: this is not what stat or trace write");
    sqlite3_stmt *head = reader->head;
    sqlite3_bind_text(head, 1, reader->header, (int)reader->header_size, SQLITE_STATIC);
    if (sqlite3_step(head) != SQLITE_ROW) {
        sqlite3_reset(head);
        return database_error(reader->database, error);
    }
    reader->clock_mhz = sqlite3_column_double(head, LINE_MHZ);
    database_run run = {.kind = names[kind],
                        .version = line_text(head, LINE_VERSION, ""),
                        .model = line_text(head, LINE_MODEL, ""),
                        .command = line_text(head, LINE_COMMAND, ""),
                        .options = line_text(head, LINE_OPTIONS, ""),
                        .source = reader->file,
                        .guest_sha256 = line_text(head, LINE_SHA256, NULL),
                        .label = reader->label,
                        .identity = line_text(head, LINE_IDENTITY, NULL),
                        .clock_mhz = reader->clock_mhz};
    p5_status status = database_add_run(reader->database, &run, &reader->run, error);
    sqlite3_reset(head);
    free(reader->header);
    reader->header = NULL;
    if (status != P5_OK)
        error_at(error, reader->file, reader->line, 0);
    reader->kind = kind;
    reader->interval = reader->previous = reader->rows = reader->instructions = 0;
    return status;
}

static p5_status open_interval(line_reader *reader, const char *kind, p5_error *error)
{
    database_interval interval = {
        .run = reader->run, .kind = kind, .number = reader->rows++, .previous = reader->previous};
    return database_add_interval(reader->database, &interval, &reader->interval, error);
}

/* Copies the totals of stall causes without clocks in an interval, which its lines leave out. */
static p5_status close_interval(line_reader *reader, uint64_t clock, uint64_t instructions, p5_error *error)
{
    char sql[400];
    snprintf(sql, sizeof sql,
             "UPDATE interval SET clock = %llu, instructions = %llu WHERE id = %lld;"
             "INSERT OR IGNORE INTO value SELECT %lld, event, value FROM value WHERE interval = %lld",
             (unsigned long long)clock, (unsigned long long)instructions, reader->interval, reader->interval,
             reader->previous);
    reader->previous = reader->interval;
    reader->interval = 0;
    return database_do(reader->database, sql, error);
}

/* ---- lines of stat ------------------------------------------------------------------------------------- */

/* Returns the event of `name` with modifiers, or P5_SELECT_CLOCKS. */
static int event_of(const char *name)
{
    char base[112];
    enum p5_event event;
    snprintf(base, sizeof base, "%.*s", (int)strcspn(name, ":"), name);
    return strcmp(base, "clocks") != 0 && p5_event_find(base, &event, NULL) == P5_OK ? (int)event
                                                                                     : P5_SELECT_CLOCKS;
}

/* Returns the column `mode` for a trace's `name`. */
static const char *mode_of(const char *name, char mode[4])
{
    const char *colon = strchr(name, ':'), *letters = colon != NULL ? colon + 1 : "";
    bool user = strchr(letters, 'u') != NULL, system = strchr(letters, 'k') != NULL;
    size_t length = 0;
    if (user || !system)
        mode[length++] = 'u';
    if (system || !user)
        mode[length++] = 'k';
    if (strchr(letters, 'c') != NULL)
        mode[length++] = 'c';
    mode[length] = '\0';
    return mode;
}

static p5_status take_value(line_reader *reader, p5_error *error)
{
    sqlite3_stmt *parts = reader->parts;
    bool in_interval = line_has(parts, LINE_INTERVAL);
    double until = sqlite3_column_double(parts, LINE_INTERVAL);
    p5_status status = begin_run(reader, in_interval ? RUN_INTERVALS : RUN_STAT, error);
    if (status == P5_OK && reader->interval == 0)
        status = open_interval(reader, in_interval ? "interval" : "stop", error);
    else if (status == P5_OK && in_interval && until != reader->until)
        status = wrong(reader, error, "the interval before this line is cut off: it has no summary");
    reader->until = until;
    if (status != P5_OK || !line_has(parts, LINE_VALUE))
        return status; /* without a value: the processor does not have the event */
    const char *name = line_text(parts, LINE_EVENT, "");
    sqlite3_int64 event;
    status = database_event(reader->database, name, event_of(name), line_text(parts, LINE_MODE, "uk"), &event,
                            error);
    if (status != P5_OK)
        return status;
    sqlite3_bind_int64(reader->add_sum, 1, reader->interval);
    sqlite3_bind_int64(reader->add_sum, 2, event);
    sqlite3_bind_value(reader->add_sum, 3,
                       sqlite3_column_value(parts, LINE_VALUE)); /* a mean of -r may be a fraction */
    if (reader->previous != 0)
        sqlite3_bind_int64(reader->add_sum, 4, reader->previous);
    return run_statement(reader, reader->add_sum, error);
}

/* ---- lines of trace ------------------------------------------------------------------------------------ */

/* Adds the counters that the database does not have yet. All rows of a trace have the same counters. */
static p5_status take_names(line_reader *reader, const char *object, p5_error *error)
{
    p5_status status = P5_OK;
    sqlite3_bind_value(reader->names, 1, sqlite3_column_value(reader->parts, LINE_ITSELF));
    sqlite3_bind_text(reader->names, 2, object, -1, SQLITE_STATIC);
    reader->columns = 0;
    while (status == P5_OK && sqlite3_step(reader->names) == SQLITE_ROW) {
        const char *name = line_text(reader->names, 0, "");
        char mode[4];
        sqlite3_int64 id;
        status = database_event(reader->database, name, event_of(name), mode_of(name, mode), &id, error);
        reader->columns++;
    }
    sqlite3_reset(reader->names);
    return status;
}

static p5_status take_row(line_reader *reader, p5_error *error)
{
    sqlite3_stmt *parts = reader->parts;
    p5_status status = begin_run(reader, RUN_TRACE, error);
    if (status == P5_OK && sqlite3_column_int64(parts, LINE_ROW) != reader->rows)
        status = wrong(reader, error, "rows before this line are missing");
    bool deltas = line_has(parts, LINE_DELTAS);
    const char *object = deltas ? "$.deltas" : "$.totals";
    if (status == P5_OK && reader->rows == 0)
        status = take_names(reader, object, error);
    if (status != P5_OK)
        return status;
    p5_observation at = {.address = (uint32_t)sqlite3_column_int64(parts, LINE_ADDRESS),
                         .cpl = (uint8_t)sqlite3_column_int(parts, LINE_CPL),
                         .number = (uint32_t)sqlite3_column_int64(parts, LINE_NUMBER),
                         .value = (uint64_t)sqlite3_column_int64(parts, LINE_VALUE)};
    const uint64_t registers[] = {(uint64_t)sqlite3_column_int64(parts, LINE_CESR),
                                  (uint64_t)sqlite3_column_int64(parts, LINE_CTR0),
                                  (uint64_t)sqlite3_column_int64(parts, LINE_CTR1)};
    database_interval interval = {.run = reader->run,
                                  .number = reader->rows++,
                                  .previous = reader->previous,
                                  .kind = line_text(parts, LINE_KIND, ""),
                                  .label = line_text(parts, LINE_LABEL, NULL),
                                  .at = &at,
                                  .clock = (uint64_t)sqlite3_column_int64(parts, LINE_CLOCK),
                                  .instructions = (uint64_t)sqlite3_column_int64(parts, LINE_COMPLETED),
                                  .has_number = line_has(parts, LINE_NUMBER),
                                  .has_value = line_has(parts, LINE_VALUE),
                                  .registers = line_has(parts, LINE_CESR) ? registers : NULL,
                                  .later_registers = line_text(parts, LINE_REGISTERS, NULL)};
    sqlite3_int64 id;
    status = database_add_interval(reader->database, &interval, &id, error);
    if (status != P5_OK)
        return status;
    sqlite3_bind_int64(reader->add_row, 1, id);
    if (deltas && reader->previous != 0)
        sqlite3_bind_int64(reader->add_row, 2, reader->previous);
    sqlite3_bind_value(reader->add_row, 3, sqlite3_column_value(parts, LINE_ITSELF));
    sqlite3_bind_text(reader->add_row, 4, object, -1, SQLITE_STATIC);
    status = run_statement(reader, reader->add_row, error);
    if (status == P5_OK && sqlite3_changes(reader->database->sqlite) != reader->columns)
        status = wrong(reader, error, "this row has other counters than the one before");
    reader->previous = id;
    return status;
}

/* ---- summaries ----------------------------------------------------------------------------------------- */

static p5_status end_run(line_reader *reader, p5_error *error)
{
    sqlite3_stmt *parts = reader->parts;
    uint64_t clocks = (uint64_t)sqlite3_column_int64(parts, LINE_CLOCKS);
    uint64_t instructions = (uint64_t)sqlite3_column_int64(parts, LINE_INSTRUCTIONS);
    if (reader->kind == RUN_TRACE && sqlite3_column_int64(parts, LINE_ROWS) != reader->rows)
        return wrong(reader, error, "there are fewer rows than the summary says");
    if (reader->kind == RUN_INTERVALS && reader->interval != 0)
        return wrong(reader, error, "the interval before this line is cut off: it has no summary");
    p5_status status = P5_OK;
    if (reader->kind == RUN_STAT && reader->interval == 0)
        status = open_interval(reader, "stop", error); /* stat -n: no event came before */
    if (status == P5_OK && reader->kind == RUN_STAT)
        status = close_interval(reader, clocks, instructions, error);
    double seconds = line_has(parts, LINE_SECONDS) ? sqlite3_column_double(parts, LINE_SECONDS)
                                                   : (double)clocks / (reader->clock_mhz * 1e6);
    if (status == P5_OK)
        status = database_end_run(reader->database, reader->run, clocks, instructions, seconds,
                                  line_text(parts, LINE_ENDING, NULL), error);
    reader->kind = RUN_NONE;
    reader->runs++;
    return status;
}

static p5_status take_summary(line_reader *reader, p5_error *error)
{
    sqlite3_stmt *parts = reader->parts;
    bool trace = line_has(parts, LINE_ROWS), in_interval = line_has(parts, LINE_INTERVAL);
    run_kind kind = trace ? RUN_TRACE : in_interval ? RUN_INTERVALS : RUN_STAT;
    p5_status status = reader->kind == RUN_INTERVALS && !trace ? P5_OK : begin_run(reader, kind, error);
    if (status != P5_OK || !in_interval)
        return status == P5_OK ? end_run(reader, error) : status;
    if (reader->interval == 0)
        status = open_interval(reader, "interval", error);
    reader->instructions += sqlite3_column_int64(parts, LINE_INSTRUCTIONS);
    double clock = sqlite3_column_double(parts, LINE_INTERVAL) * reader->clock_mhz * 1e6;
    return status == P5_OK
               ? close_interval(reader, (uint64_t)llround(clock), (uint64_t)reader->instructions, error)
               : status;
}

/* ---- files --------------------------------------------------------------------------------------------- */

static p5_status take_line(line_reader *reader, const char *text, size_t size, p5_error *error)
{
    sqlite3_stmt *parts = reader->parts;
    bool begun = reader->kind != RUN_NONE || reader->header != NULL;
    sqlite3_bind_text(parts, 1, text, (int)size, SQLITE_STATIC);
    int result = memchr(text, '\0', size) == NULL ? sqlite3_step(parts) : SQLITE_DONE;
    if (result != SQLITE_ROW) {
        sqlite3_reset(parts);
        return result != SQLITE_DONE
                   ? database_error(reader->database, error)
                   : wrong(reader, error,
                           begun ? "the line is cut off, or damaged: it is not JSON" : neither);
    }
    p5_status status = P5_OK;
    if (line_has(parts, LINE_VERSION))
        status = take_header(reader, text, size, error);
    else if (line_has(parts, LINE_ROW))
        status = take_row(reader, error);
    else if (line_has(parts, LINE_EVENT))
        status = take_value(reader, error);
    else if (line_has(parts, LINE_SUMMARY))
        status = take_summary(reader, error);
    else if (!begun && reader->runs == 0)
        status = wrong(reader, error, neither);
    sqlite3_reset(parts);
    return status;
}

static p5_status take_lines(line_reader *reader, FILE *in, p5_error *error)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    p5_status status = P5_OK;
    while (status == P5_OK && (length = lines_next(&text, &room, in)) > 0) {
        reader->line++;
        if (text[0] != '\n')
            status = take_line(reader, text, (size_t)length, error);
    }
    if (status == P5_OK && (status = lines_end(in, error)) != P5_OK)
        error_at(error, reader->file, reader->line, 0);
    free(text);
    if (status == P5_OK && (reader->kind != RUN_NONE || reader->header != NULL))
        status = wrong(reader, error, "the file is cut off: its run has no summary");
    else if (status == P5_OK && reader->runs == 0)
        status = wrong(reader, error, "there is no run in it");
    return status;
}

static p5_status prepare(line_reader *reader, p5_error *error)
{
    const struct {
        sqlite3_stmt **statement;
        const char *sql;
    } all[] = {{&reader->parts, json_line_parts},
               {&reader->head, json_line_parts},
               {&reader->names, "SELECT key FROM json_each(?1, ?2)"},
               {&reader->add_row, add_row},
               {&reader->add_sum, add_sum}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (sqlite3_prepare_v2(reader->database->sqlite, all[i].sql, -1, all[i].statement, NULL) != SQLITE_OK)
            return database_error(reader->database, error);
    return P5_OK;
}

p5_status merge_lines(p5_database *database, const char *file, const char *label, FILE *in, size_t *runs,
                      p5_error *error)
{
    line_reader reader = {.database = database, .file = file, .label = label};
    p5_status status = prepare(&reader, error);
    if (status == P5_OK)
        status = database_do(database, "BEGIN IMMEDIATE", error);
    bool begun = status == P5_OK;
    if (status == P5_OK)
        status = take_lines(&reader, in, error);
    sqlite3_stmt *statements[] = {reader.parts, reader.head, reader.names, reader.add_row, reader.add_sum};
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        sqlite3_finalize(statements[i]);
    free(reader.header);
    if (status == P5_OK)
        status = database_do(database, "COMMIT", error);
    if (status != P5_OK && begun)
        sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    *runs = status == P5_OK ? reader.runs : 0;
    return status;
}
