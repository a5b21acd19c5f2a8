/* Merging: output of `stat -j`, and databases of `trace`, into one database. A file is taken as a whole, in
 * one transaction, or not at all. SQLite's own JSON functions read the lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "report/database.h"

enum { LONGEST_LINE = 1 << 20 };

/* Columns of the statement that takes a line apart. */
enum {
    LINE_VERSION,
    LINE_MODEL,
    LINE_MHZ,
    LINE_OPTIONS,
    LINE_COMMAND,
    LINE_EVENT,
    LINE_VALUE,
    LINE_MODE,
    LINE_SUMMARY,
    LINE_CLOCKS,
    LINE_INSTRUCTIONS,
    LINE_SECONDS,
    LINE_ENDING,
    LINE_TRACE,
    LINE_INTERVAL
};
static const char take_apart[] =
    "SELECT j ->> '$.p5scope', j ->> '$.model', j ->> '$.\"clock-mhz\"', j ->> '$.options', j ->> "
    "'$.command', "
    "j ->> '$.event', j ->> '$.value', j ->> '$.mode', json_type(j, '$.summary'), j ->> '$.summary.clocks', "
    "j ->> '$.summary.instructions', j ->> '$.summary.seconds', j ->> '$.summary.ending', json_type(j, "
    "'$.row'), "
    "json_type(j, '$.interval') FROM (SELECT ?1 AS j)";

typedef struct line_reader {
    p5_database *database;
    const char *file;
    unsigned line;
    sqlite3_stmt *valid, *parts;
    sqlite3_int64 run, interval;
    bool in_run;
    size_t runs;
} line_reader;

static p5_status wrong(const line_reader *reader, p5_error *error, const char *what)
{
    error_set(error, P5_ERR_FORMAT, "%s", what);
    error_at(error, reader->file, reader->line, 0);
    return P5_ERR_FORMAT;
}

static const char *text_of(sqlite3_stmt *parts, int column)
{
    const unsigned char *text = sqlite3_column_text(parts, column);
    return text != NULL ? (const char *)text : "";
}

static p5_status begin_run(line_reader *reader, p5_error *error)
{
    sqlite3_stmt *parts = reader->parts;
    if (reader->in_run)
        return wrong(reader, error, "the run before this line is cut off: it has no summary");
    database_run run = {.kind = "stat",
                        .version = text_of(parts, LINE_VERSION),
                        .model = text_of(parts, LINE_MODEL),
                        .command = text_of(parts, LINE_COMMAND),
                        .options = text_of(parts, LINE_OPTIONS),
                        .source = reader->file,
                        .clock_mhz = sqlite3_column_double(parts, LINE_MHZ)};
    p5_status status = database_add_run(reader->database, &run, &reader->run, error);
    if (status != P5_OK) {
        error_at(error, reader->file, reader->line, 0);
        return status;
    }
    reader->in_run = true;
    database_interval interval = {.run = reader->run, .kind = "stop"};
    return database_add_interval(reader->database, &interval, &reader->interval, error);
}

/* The event that `name` with modifiers is, or P5_SELECT_CLOCKS. */
static int event_of(const char *name)
{
    char base[112];
    enum p5_event event;
    snprintf(base, sizeof base, "%.*s", (int)strcspn(name, ":"), name);
    return strcmp(base, "clocks") != 0 && p5_event_find(base, &event, NULL) == P5_OK ? (int)event
                                                                                     : P5_SELECT_CLOCKS;
}

static p5_status add_value(line_reader *reader, p5_error *error)
{
    sqlite3_stmt *parts = reader->parts;
    if (!reader->in_run)
        return wrong(reader, error, "an event before the header of its run: this is not what stat -j writes");
    if (sqlite3_column_type(parts, LINE_VALUE) == SQLITE_NULL)
        return P5_OK; /* the processor does not have the event */
    const char *name = text_of(parts, LINE_EVENT);
    bool has_mode = sqlite3_column_type(parts, LINE_MODE) != SQLITE_NULL;
    sqlite3_int64 event;
    p5_status status = database_event(reader->database, name, event_of(name),
                                      has_mode ? text_of(parts, LINE_MODE) : "uk", &event, error);
    if (status != P5_OK)
        return status;
    sqlite3_stmt *add = reader->database->add_value;
    sqlite3_bind_int64(add, 1, reader->interval);
    sqlite3_bind_int64(add, 2, event);
    sqlite3_bind_value(add, 3, sqlite3_column_value(parts, LINE_VALUE)); /* a mean of -r may be a fraction */
    int result = sqlite3_step(add);
    if (result == SQLITE_CONSTRAINT)
        status = wrong(reader, error, "an event stands twice in one run");
    else if (result != SQLITE_DONE)
        status = database_error(reader->database, error);
    sqlite3_reset(add);
    return status;
}

static p5_status end_run(line_reader *reader, p5_error *error)
{
    sqlite3_stmt *parts = reader->parts;
    if (!reader->in_run)
        return wrong(reader, error,
                     "a summary before the header of its run: this is not what stat -j writes");
    reader->in_run = false;
    reader->runs++;
    uint64_t clocks = (uint64_t)sqlite3_column_int64(parts, LINE_CLOCKS);
    uint64_t instructions = (uint64_t)sqlite3_column_int64(parts, LINE_INSTRUCTIONS);
    bool has_ending = sqlite3_column_type(parts, LINE_ENDING) != SQLITE_NULL;
    p5_status status = database_end_run(reader->database, reader->run, clocks, instructions,
                                        sqlite3_column_double(parts, LINE_SECONDS),
                                        has_ending ? text_of(parts, LINE_ENDING) : NULL, error);
    char sql[160];
    snprintf(sql, sizeof sql, "UPDATE interval SET clock = %llu, instructions = %llu WHERE id = %lld",
             (unsigned long long)clocks, (unsigned long long)instructions, reader->interval);
    return status == P5_OK ? database_do(reader->database, sql, error) : status;
}

static p5_status take_line(line_reader *reader, const char *text, size_t size, p5_error *error)
{
    sqlite3_bind_text(reader->valid, 1, text, (int)size, SQLITE_STATIC);
    bool valid = memchr(text, '\0', size) == NULL && sqlite3_step(reader->valid) == SQLITE_ROW &&
                 sqlite3_column_int(reader->valid, 0) != 0;
    sqlite3_reset(reader->valid);
    if (!valid)
        return wrong(reader, error,
                     reader->in_run ? "the line is cut off, or damaged: it is not JSON"
                                    : "this is neither output of stat -j nor a database of p5scope");
    sqlite3_stmt *parts = reader->parts;
    sqlite3_bind_text(parts, 1, text, (int)size, SQLITE_STATIC);
    if (sqlite3_step(parts) != SQLITE_ROW) {
        sqlite3_reset(parts);
        return database_error(reader->database, error);
    }
    p5_status status = P5_OK;
    if (sqlite3_column_type(parts, LINE_TRACE) != SQLITE_NULL)
        status =
            wrong(reader, error, "this is a trace in JSON lines; of traces, databases (.db) can be merged");
    else if (sqlite3_column_type(parts, LINE_INTERVAL) != SQLITE_NULL)
        status = wrong(reader, error, "this is output of stat -I; of traces, databases (.db) can be merged");
    else if (sqlite3_column_type(parts, LINE_VERSION) != SQLITE_NULL)
        status = begin_run(reader, error);
    else if (sqlite3_column_type(parts, LINE_EVENT) != SQLITE_NULL)
        status = add_value(reader, error);
    else if (sqlite3_column_type(parts, LINE_SUMMARY) != SQLITE_NULL)
        status = end_run(reader, error);
    else if (!reader->in_run)
        status = wrong(reader, error, "this is neither output of stat -j nor a database of p5scope");
    sqlite3_reset(parts);
    return status;
}

static p5_status take_lines(line_reader *reader, FILE *in, p5_error *error)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    p5_status status = P5_OK;
    while (status == P5_OK && (length = getline(&text, &room, in)) > 0) {
        reader->line++;
        if (length > LONGEST_LINE)
            status = wrong(reader, error, "this is neither output of stat -j nor a database of p5scope");
        else if (text[0] != '\n')
            status = take_line(reader, text, (size_t)length, error);
    }
    if (status == P5_OK && ferror(in)) {
        status = error_set(error, P5_ERR_IO, "cannot read the file: %s", strerror(errno));
        error_at(error, reader->file, 0, 0);
    }
    free(text);
    if (status == P5_OK && reader->in_run)
        status = wrong(reader, error, "the file is cut off: its run has no summary");
    else if (status == P5_OK && reader->runs == 0)
        status = wrong(reader, error, "there is no run in it");
    return status;
}

static p5_status merge_lines(p5_database *database, const char *file, FILE *in, size_t *runs, p5_error *error)
{
    line_reader reader = {.database = database, .file = file};
    p5_status status = P5_OK;
    if (sqlite3_prepare_v2(database->sqlite, "SELECT json_valid(?1)", -1, &reader.valid, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(database->sqlite, take_apart, -1, &reader.parts, NULL) != SQLITE_OK)
        status = database_error(database, error);
    if (status == P5_OK)
        status = database_do(database, "BEGIN IMMEDIATE", error);
    bool begun = status == P5_OK;
    if (status == P5_OK)
        status = take_lines(&reader, in, error);
    sqlite3_finalize(reader.valid);
    sqlite3_finalize(reader.parts);
    if (status == P5_OK)
        status = database_do(database, "COMMIT", error);
    if (status != P5_OK && begun)
        sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    *runs = status == P5_OK ? reader.runs : 0;
    return status;
}

/* ---- databases ----------------------------------------------------------------------------------------- */

/* Ids of runs and rows are moved behind those that are there; events are known by their names. */
static const char copy_all[] =
    "INSERT OR IGNORE INTO event (name, event, mode, code, ctr, grade)"
    " SELECT name, event, mode, code, ctr, grade FROM other.event;"
    "CREATE TEMP TABLE shift AS SELECT (SELECT coalesce(max(id), 0) FROM main.run) AS run,"
    " (SELECT coalesce(max(id), 0) FROM main.interval) AS interval;"
    "INSERT INTO run SELECT o.id + s.run, o.kind, o.p5scope, o.model, o.clock_mhz, o.command, o.options, "
    "o.identity,"
    " o.source, o.complete, o.clocks, o.instructions, o.seconds, o.ending FROM other.run o, temp.shift s;"
    "INSERT INTO interval SELECT o.id + s.interval, o.run + s.run, o.number, o.previous + s.interval, "
    "o.kind, o.label,"
    " o.clock, o.instructions, o.address, o.cpl, o.argument, o.value, o.cesr, o.ctr0, o.ctr1"
    " FROM other.interval o, temp.shift s;"
    "INSERT INTO value SELECT v.interval + s.interval, m.id, v.value FROM other.value v, temp.shift s"
    " JOIN other.event o ON o.id = v.event JOIN main.event m ON m.name = o.name;"
    "DROP TABLE temp.shift";

static sqlite3_int64 ask(p5_database *database, const char *sql)
{
    sqlite3_stmt *statement;
    sqlite3_int64 answer = -1;
    if (sqlite3_prepare_v2(database->sqlite, sql, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    if (sqlite3_step(statement) == SQLITE_ROW)
        answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

static p5_status copy_runs(p5_database *database, const char *file, p5_error *error)
{
    bool ours = ask(database, "PRAGMA other.application_id") == ask(database, "PRAGMA main.application_id") &&
                ask(database, "PRAGMA other.user_version") == ask(database, "PRAGMA main.user_version");
    p5_status status = P5_OK;
    if (!ours)
        status = error_set(error, P5_ERR_FORMAT, "this database is not one of p5scope, or of another form");
    else if (ask(database, "SELECT count(*) FROM other.run WHERE NOT complete") != 0)
        status = error_set(error, P5_ERR_FORMAT, "it holds a run that was cut off before its end");
    else if (ask(database, "SELECT count(*) FROM other.run") == 0)
        status = error_set(error, P5_ERR_FORMAT, "there is no run in it");
    else if (ask(database, "SELECT count(*) FROM other.run o JOIN main.run m USING (identity)") != 0)
        status = error_set(error, P5_ERR_STATE, "a run of it is in %s already", database->path);
    if (status != P5_OK)
        error_at(error, file, 0, 0);
    return status == P5_OK ? database_do(database, copy_all, error) : status;
}

static p5_status merge_database(p5_database *database, const char *file, size_t *runs, p5_error *error)
{
    sqlite3_stmt *attach;
    if (sqlite3_prepare_v2(database->sqlite, "ATTACH ? AS other", -1, &attach, NULL) != SQLITE_OK)
        return database_error(database, error);
    sqlite3_bind_text(attach, 1, file, -1, SQLITE_STATIC);
    int attached = sqlite3_step(attach);
    sqlite3_finalize(attach);
    if (attached != SQLITE_DONE) {
        error_set(error, P5_ERR_FORMAT, "cannot open the database: %s", sqlite3_errmsg(database->sqlite));
        error_at(error, file, 0, 0);
        return P5_ERR_FORMAT;
    }
    p5_status status = database_do(database, "BEGIN IMMEDIATE", error);
    bool begun = status == P5_OK;
    if (status == P5_OK)
        status = copy_runs(database, file, error);
    sqlite3_int64 count = status == P5_OK ? ask(database, "SELECT count(*) FROM other.run") : 0;
    if (status == P5_OK)
        status = database_do(database, "COMMIT", error);
    if (status != P5_OK && begun)
        sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(database->sqlite, "DETACH other", NULL, NULL, NULL);
    *runs = status == P5_OK ? (size_t)count : 0;
    return status;
}

static bool same_file(const char *a, FILE *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && fstat(fileno(b), &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

p5_status p5_database_merge(p5_database *database, const char *file, size_t *runs, p5_error *error)
{
    static const char magic[16] = "SQLite format 3";
    *runs = 0;
    FILE *in = fopen(file, "re");
    if (in == NULL) {
        error_set(error, P5_ERR_IO, "cannot open the file: %s", strerror(errno));
        error_at(error, file, 0, 0);
        return P5_ERR_IO;
    }
    p5_status status;
    char start[sizeof magic];
    size_t size = fread(start, 1, sizeof start, in);
    if (same_file(database->path, in)) {
        status = error_set(error, P5_ERR_STATE, "a database cannot be merged into itself");
        error_at(error, file, 0, 0);
    } else if (size == sizeof magic && memcmp(start, magic, sizeof magic) == 0) {
        status = merge_database(database, file, runs, error);
    } else {
        rewind(in);
        status = merge_lines(database, file, in, runs, error);
    }
    fclose(in);
    return status;
}
