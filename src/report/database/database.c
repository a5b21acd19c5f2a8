/* Creates, opens and closes databases, and adds rows. database.sql has the tables. */
#include "report/database/database_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/embed.h"
#include "base/error.h"
#include "p5tool/report.h"
#include "report/stat/list.h"

/* APPLICATION ("p5sc") is the application_id in database.sql. FORM is the user_version there, the version of the tables.
 * BUSY_MILLISECONDS is how long a statement waits for another process that writes. */
enum { APPLICATION = 0x70357363, FORM = 3, BUSY_MILLISECONDS = 60000 };

extern const embedded_file database_files[]; /* database.sql */

p5_status database_error(const p5_database *database, p5_error *error)
{
    int code = sqlite3_errcode(database->sqlite);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return error_set(error, P5_ERR_FORMAT, "%s is not a database of p5scope, or is damaged (%s)",
                         database->path, sqlite3_errmsg(database->sqlite));
    int host = code == SQLITE_CANTOPEN ? sqlite3_system_errno(database->sqlite) : 0;
    return error_set(error, P5_ERR_IO, "cannot write %s: %s", database->path,
                     host != 0 ? strerror(host) : sqlite3_errmsg(database->sqlite));
}

p5_status database_do(p5_database *database, const char *sql, p5_error *error)
{
    return sqlite3_exec(database->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK
               ? P5_OK
               : database_error(database, error);
}

/* Adds a run. Its column `identity` is a JSON object. 'run' in it is the identity that the writer of the result has
 * recorded (?7), or the command and its options if there is none. json_patch leaves out 'model_revision' if it is NULL. */
static const char add_run[] =
    "INSERT INTO run "
    "(kind, p5scope, model, clock_mhz, command, options, source, guest_sha256, label, identity) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?8, ?9, ?10, json_patch("
    "json_object('kind', ?1, 'p5scope', ?2, 'model', ?3, 'clock-mhz', ?4, 'guest-sha256', ?9, "
    "'run', iif(?7 IS NULL, json_array(?5, ?6), json(?7)), 'label', ?10), "
    "json_object('model_revision', ?11)))";

/* Prepares the statements that every database needs. */
static p5_status prepare(p5_database *database, p5_error *error)
{
    const struct {
        sqlite3_stmt **statement;
        const char *sql;
    } all[] = {
        {&database->add_run, add_run},
        {&database->end_run,
         "UPDATE run SET complete = 1, clocks = ?, instructions = ?, seconds = ?, ending = ? WHERE id = ?"},
        {&database->find_event, "SELECT id FROM event WHERE name = ?"},
        {&database->add_event,
         "INSERT INTO event (name, event, mode, code, ctr, grade) VALUES (?, ?, ?, ?, ?, ?)"},
        {&database->add_interval,
         "INSERT INTO interval (run, number, previous, kind, label, clock, instructions, address, cpl, "
         "argument, value, cesr, ctr0, ctr1, registers) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
         "?)"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (sqlite3_prepare_v3(database->sqlite, all[i].sql, -1, SQLITE_PREPARE_PERSISTENT, all[i].statement,
                               NULL) != SQLITE_OK)
            return database_error(database, error);
    return P5_OK;
}

sqlite3_int64 database_ask(const p5_database *database, const char *sql)
{
    sqlite3_stmt *statement;
    sqlite3_int64 number = -1;
    if (sqlite3_prepare_v2(database->sqlite, sql, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    if (sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

/* Checks that the file is a database of p5scope of this form. Creates the tables in an empty one. */
static p5_status check_or_create_tables(p5_database *database, p5_error *error)
{
    p5_status status = database_do(database, "BEGIN IMMEDIATE", error);
    if (status != P5_OK)
        return status;
    sqlite3_int64 objects = database_ask(database, "SELECT count(*) FROM sqlite_schema");
    if (objects == 0)
        status = database_do(database, database_files[0].text, error);
    else if (database_ask(database, "PRAGMA application_id") != APPLICATION)
        status = error_set(error, P5_ERR_FORMAT, "%s is a database, but not one of p5scope", database->path);
    else if (database_ask(database, "PRAGMA user_version") != FORM)
        status = error_set(error, P5_ERR_FORMAT,
                           "%s was written by a p5scope with a different database format", database->path);
    if (status == P5_OK)
        return database_do(database, "COMMIT", error);
    sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* Restricts what the contents of a file may do: no triggers, no views in place of tables, no functions with side
 * effects, no values of more than LONGEST_VALUE. */
static void restrict_contents(sqlite3 *sqlite)
{
    enum { LONGEST_VALUE = 16 << 20 /* bytes */ };
    static const int off[] = {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++)
        sqlite3_db_config(sqlite, off[i], 0, NULL);
    sqlite3_db_config(sqlite, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_limit(sqlite, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
}

char *database_file_name(const char *path)
{
    size_t size = strlen(path) + sizeof "./";
    char *name = malloc(size);
    if (name != NULL)
        snprintf(name, size, "%s%s", path[0] == '/' ? "" : "./", path);
    return name;
}

/* Opens the file, or creates an empty one, without checking its contents. */
static p5_status open_file(const char *path, p5_database **out, p5_error *error)
{
    *out = NULL;
    p5_database *database = calloc(1, sizeof *database);
    char *name = database_file_name(path);
    if (database == NULL || name == NULL) {
        free(database);
        free(name);
        return error_set(error, P5_ERR_MEMORY, "no memory for a database");
    }
    database->path = path;
    database->lock = -1;
    p5_status status = P5_OK;
    /* NOMUTEX: a database is never used by two threads at the same time. */
    enum { FLAGS = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX };
    if (sqlite3_open_v2(name, &database->sqlite, FLAGS, NULL) != SQLITE_OK)
        status = database->sqlite != NULL ? database_error(database, error)
                                          : error_set(error, P5_ERR_MEMORY, "no memory for a database");
    free(name);
    if (status != P5_OK) {
        p5_database_close(database, NULL);
        return status;
    }
    restrict_contents(database->sqlite);
    sqlite3_busy_timeout(database->sqlite, BUSY_MILLISECONDS); /* another p5scope merge may be writing */
    *out = database;
    return P5_OK;
}

/* Prepares an open file for use: checks or creates its tables, and prepares the statements. Closes it after an
 * error. */
static p5_status make_usable(p5_database **database, p5_error *error)
{
    p5_status status = check_or_create_tables(*database, error);
    if (status == P5_OK)
        status = prepare(*database, error);
    if (status != P5_OK) {
        p5_database_close(*database, NULL);
        *database = NULL;
    }
    return status;
}

p5_status p5_database_open(const char *path, p5_database **database, p5_error *error)
{
    *database = NULL;
    /* Without write permission SQLite would open the file for reading and report a later error, so that is checked
     * first. A file that exists is not opened for that: closing it would release the locks that SQLite holds for
     * another database of this process (POSIX record locks). */
    if (access(path, W_OK) != 0) {
        int made = errno == ENOENT ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
        if (made < 0)
            return error_set(error, P5_ERR_IO, "cannot write %s: %s", path, strerror(errno));
        close(made);
    }
    p5_status status = open_file(path, database, error);
    return status == P5_OK ? make_usable(database, error) : status;
}

p5_status database_create(const char *path, p5_database **database, p5_error *error)
{
    *database = NULL;
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return error_set(error, P5_ERR_IO, "cannot write %s: this is not a regular file", path);
    /* This descriptor stays open until SQLite has closed the file, because closing it would release SQLite's own locks
     * (POSIX record locks). */
    int lock = p5_output_open(path, P5_OUTPUT_KEEP, NULL);
    if (lock < 0)
        return error_set(error, P5_ERR_IO, "cannot write %s: %s", path, p5_output_reason(-lock));
    p5_status status = open_file(path, database, error);
    if (status != P5_OK) {
        close(lock);
        return status;
    }
    (*database)->lock = lock;
    /* Like other traces, it is not forced to the disk: the journal protects against a killed run, and after a
     * power failure the run can be repeated. */
    status = database_do(*database, "PRAGMA synchronous = OFF", error);
    /* SQLite empties the file. The file is not unlinked and made anew, because a reader that still has the old file
     * open would mistake the new journal for that file's and delete it. */
    if (status == P5_OK && fstat(lock, &about) == 0 && about.st_size > 0) {
        sqlite3_db_config((*database)->sqlite, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
        status = database_do(*database, "VACUUM", error);
        sqlite3_db_config((*database)->sqlite, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
    }
    if (status != P5_OK) {
        p5_database_close(*database, NULL);
        *database = NULL;
        return status;
    }
    return make_usable(database, error);
}

p5_status p5_database_close(p5_database *database, p5_error *error)
{
    if (database == NULL)
        return P5_OK;
    sqlite3_finalize(database->add_run);
    sqlite3_finalize(database->end_run);
    sqlite3_finalize(database->add_event);
    sqlite3_finalize(database->find_event);
    sqlite3_finalize(database->add_interval);
    sqlite3_finalize(database->add_values);
    p5_status status = P5_OK;
    if (sqlite3_close(database->sqlite) != SQLITE_OK)
        status = error_set(error, P5_ERR_IO, "cannot close %s", database->path);
    if (database->lock >= 0)
        close(database->lock);
    free(database);
    return status;
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

/* Binds parameter number `at`, from 1, to a text, which must live until the statement has run, or to NULL. */
static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

/* Binds a number. SQLite's integers have a sign, so a value of an MSR from 2^63 on becomes negative. */
static void bind_unsigned(sqlite3_stmt *statement, int at, uint64_t value)
{
    sqlite3_bind_int64(statement, at, (sqlite3_int64)value);
}

p5_status database_execute(const p5_database *database, sqlite3_stmt *statement, p5_error *error)
{
    int result = sqlite3_step(statement);
    p5_status status = P5_OK;
    if (result == SQLITE_CONSTRAINT)
        status = error_set(error, P5_ERR_STATE, "%s refuses a row: %s", database->path,
                           sqlite3_errmsg(database->sqlite));
    else if (result != SQLITE_DONE)
        status = database_error(database, error);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status;
}

p5_status database_add_run(p5_database *database, const database_run *run, sqlite3_int64 *id, p5_error *error)
{
    sqlite3_stmt *add = database->add_run;
    bind_text(add, 1, run->kind);
    bind_text(add, 2, run->version);
    bind_text(add, 3, run->model);
    sqlite3_bind_double(add, 4, run->clock_mhz);
    bind_text(add, 5, run->command);
    bind_text(add, 6, run->options);
    bind_text(add, 7, run->identity);
    bind_text(add, 8, run->source);
    bind_text(add, 9, run->guest_sha256);
    bind_text(add, 10, run->label);
    if (run->model_revision != 0)
        bind_unsigned(add, 11, run->model_revision);
    p5_status status = database_execute(database, add, error);
    if (status == P5_ERR_STATE)
        error_set(error, P5_ERR_STATE, "the run of %s on %s is already in %s", run->command, run->model,
                  database->path);
    *id = sqlite3_last_insert_rowid(database->sqlite);
    return status;
}

p5_status database_end_run(p5_database *database, sqlite3_int64 run, const database_end *end, p5_error *error)
{
    sqlite3_stmt *statement = database->end_run;
    bind_unsigned(statement, 1, end->clocks);
    bind_unsigned(statement, 2, end->instructions);
    sqlite3_bind_double(statement, 3, end->seconds);
    bind_text(statement, 4, end->ending);
    sqlite3_bind_int64(statement, 5, run);
    return database_execute(database, statement, error);
}

p5_status database_event(p5_database *database, const char *name, const p5_event_info *event,
                         const char *mode, sqlite3_int64 *id, p5_error *error)
{
    sqlite3_stmt *find = database->find_event;
    bind_text(find, 1, name);
    bool found = sqlite3_step(find) == SQLITE_ROW;
    if (found)
        *id = sqlite3_column_int64(find, 0);
    sqlite3_reset(find);
    if (found)
        return P5_OK;
    sqlite3_stmt *add = database->add_event;
    bind_text(add, 1, name);
    bind_text(add, 3, mode);
    if (event != NULL) {
        bind_text(add, 2, event->name);
        sqlite3_bind_int(add, 4, event->code);
        bind_text(add, 5, event_counters_text(event->counters));
        bind_text(add, 6, event_grade_text(event->grade));
    }
    p5_status status = database_execute(database, add, error);
    *id = sqlite3_last_insert_rowid(database->sqlite);
    return status;
}

p5_status database_add_interval(p5_database *database, const database_interval *row, sqlite3_int64 *id,
                                p5_error *error)
{
    sqlite3_stmt *add = database->add_interval;
    sqlite3_bind_int64(add, 1, row->run);
    sqlite3_bind_int64(add, 2, row->number);
    if (row->previous != 0)
        sqlite3_bind_int64(add, 3, row->previous);
    bind_text(add, 4, row->kind);
    bind_text(add, 5, row->label);
    bind_unsigned(add, 6, row->clock);
    bind_unsigned(add, 7, row->instructions);
    if (row->at != NULL) {
        bind_unsigned(add, 8, row->at->address);
        bind_unsigned(add, 9, row->at->cpl);
    }
    if (row->has_number)
        bind_unsigned(add, 10, row->at->number);
    if (row->has_value)
        bind_unsigned(add, 11, row->at->value);
    for (unsigned i = 0; i < 3 && row->registers != NULL; i++)
        bind_unsigned(add, 12 + (int)i, row->registers[i]);
    bind_text(add, 15, row->later_registers);
    p5_status status = database_execute(database, add, error);
    *id = sqlite3_last_insert_rowid(database->sqlite);
    return status;
}

/* Prepares the statement that adds `count` values: (?1, ?, ?) for each, where ?1 is the interval's id. */
static p5_status prepare_values(p5_database *database, size_t count, p5_error *error)
{
    static const char start[] = "INSERT INTO value (interval, event, value) VALUES ", one[] = "(?1, ?, ?),";
    char *sql = malloc(sizeof start + count * sizeof one);
    if (sql == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a database");
    char *end = stpcpy(sql, start);
    for (size_t i = 0; i < count; i++)
        end = stpcpy(end, one);
    end[-1] = '\0'; /* the comma after the last */
    int result =
        sqlite3_prepare_v3(database->sqlite, sql, -1, SQLITE_PREPARE_PERSISTENT, &database->add_values, NULL);
    free(sql);
    return result == SQLITE_OK ? P5_OK : database_error(database, error);
}

p5_status database_add_values(p5_database *database, sqlite3_int64 interval, const sqlite3_int64 *events,
                              const uint64_t *values, size_t count, p5_error *error)
{
    if (count == 0)
        return P5_OK;
    p5_status status = database->add_values != NULL ? P5_OK : prepare_values(database, count, error);
    if (status != P5_OK)
        return status;
    sqlite3_stmt *add = database->add_values;
    assert(sqlite3_bind_parameter_count(add) == (int)(1 + 2 * count));
    sqlite3_bind_int64(add, 1, interval);
    for (size_t i = 0; i < count; i++) {
        sqlite3_bind_int64(add, (int)(2 + 2 * i), events[i]);
        bind_unsigned(add, (int)(3 + 2 * i), values[i]);
    }
    return database_execute(database, add, error);
}
