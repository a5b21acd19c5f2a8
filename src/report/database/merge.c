/* Merges databases of `trace` and of `merge` into one, and selects the reader for a file. A file is merged
 * completely, in one transaction, or not at all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "report/database/database_internal.h"
#include "report/run_identity.h"

/* ---- Databases ----------------------------------------------------------------------------------------- */

/* SQL: the identity of run `o` of the other database with its label, or with the label in temp.wanted if it has none.
 * Identities that older versions wrote are not JSON. */
#define NEW_IDENTITY                                                                                         \
    "iif(json_valid(o.identity), json_set(o.identity, '$.label', coalesce(o.label, w.label)), "              \
    "o.identity || iif(o.label IS NULL, coalesce(w.label, ''), ''))"

/* Copies all runs of the attached database `other`. Ids of runs and rows are renumbered to follow the existing
 * ones; events are matched by name. */
static const char copy_all[] =
    "INSERT OR IGNORE INTO event (name, event, mode, code, ctr, grade)"
    " SELECT name, event, mode, code, ctr, grade FROM other.event;"
    "CREATE TEMP TABLE shift AS SELECT (SELECT coalesce(max(id), 0) FROM main.run) AS run,"
    " (SELECT coalesce(max(id), 0) FROM main.interval) AS interval;"
    "INSERT INTO run SELECT o.id + s.run, o.kind, o.p5scope, o.model, o.clock_mhz, o.command, o.options, "
    "o.guest_sha256, coalesce(o.label, w.label), " NEW_IDENTITY ","
    " o.source, o.complete, o.clocks, o.instructions, o.seconds, o.ending FROM other.run o, temp.shift s, "
    "temp.wanted w;"
    "INSERT INTO interval SELECT o.id + s.interval, o.run + s.run, o.number, o.previous + s.interval, "
    "o.kind, o.label,"
    " o.clock, o.instructions, o.address, o.cpl, o.argument, o.value, o.cesr, o.ctr0, o.ctr1, o.registers"
    " FROM other.interval o, temp.shift s;"
    "INSERT INTO value SELECT v.interval + s.interval, m.id, v.value FROM other.value v, temp.shift s"
    " JOIN other.event o ON o.id = v.event JOIN main.event m ON m.name = o.name;"
    "DROP TABLE temp.shift";

/* Stores the label (may be NULL) for runs without one in the table temp.wanted. Temporary tables are outside of the
 * file's transaction. */
static p5_status set_label(p5_database *database, const char *label, p5_error *error)
{
    char *sql = sqlite3_mprintf(
        "DROP TABLE IF EXISTS temp.wanted; CREATE TEMP TABLE wanted AS SELECT %Q AS label", label);
    p5_status status =
        sql != NULL ? database_do(database, sql, error) : error_set(error, P5_ERR_MEMORY, "out of memory");
    sqlite3_free(sql);
    return status;
}

/* Checks that all runs of the attached database can be added, and adds them. */
static p5_status copy_runs(p5_database *database, const char *file, p5_error *error)
{
    bool same_form = database_ask(database, "PRAGMA other.application_id") ==
                         database_ask(database, "PRAGMA main.application_id") &&
                     database_ask(database, "PRAGMA other.user_version") ==
                         database_ask(database, "PRAGMA main.user_version");
    p5_status status = P5_OK;
    if (!same_form)
        status = error_set(error, P5_ERR_FORMAT, "this database is not one of p5scope, or of another form");
    else if (database_ask(database, "SELECT count(*) FROM other.run WHERE NOT complete") != 0)
        status = error_set(error, P5_ERR_FORMAT, "it holds a run that was cut off before its end");
    else if (database_ask(database, "SELECT count(*) FROM other.run") == 0)
        status = error_set(error, P5_ERR_FORMAT, "there is no run in it");
    else if (database_ask(database, "SELECT count(*) FROM other.run o, temp.wanted w JOIN main.run m ON "
                                    "m.identity = " NEW_IDENTITY) != 0)
        status = error_set(error, P5_ERR_STATE, "a run of it is in %s already", database->path);
    if (status != P5_OK)
        error_at(error, file, 0, 0);
    return status == P5_OK ? database_do(database, copy_all, error) : status;
}

/* Adds the runs of a database file in one transaction. */
static p5_status merge_database(p5_database *database, const char *file, const char *label, size_t *runs,
                                p5_error *error)
{
    sqlite3_stmt *attach;
    if (sqlite3_prepare_v2(database->sqlite, "ATTACH ? AS other", -1, &attach, NULL) != SQLITE_OK)
        return database_error(database, error);
    char *name = database_file_name(file);
    sqlite3_bind_text(attach, 1, name, -1, free);
    int attached = name != NULL ? sqlite3_step(attach) : SQLITE_NOMEM;
    sqlite3_finalize(attach);
    if (attached != SQLITE_DONE)
        return error_set_at(error, P5_ERR_FORMAT, (error_place){.where = file},
                            "cannot open the database: %s", sqlite3_errmsg(database->sqlite));
    p5_status status = set_label(database, label, error);
    if (status == P5_OK)
        status = database_do(database, "BEGIN IMMEDIATE", error);
    bool begun = status == P5_OK;
    if (status == P5_OK)
        status = copy_runs(database, file, error);
    sqlite3_int64 count = status == P5_OK ? database_ask(database, "SELECT count(*) FROM other.run") : 0;
    if (status == P5_OK)
        status = database_do(database, "COMMIT", error);
    if (status != P5_OK && begun)
        sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(database->sqlite, "DETACH other", NULL, NULL, NULL);
    *runs = status == P5_OK ? (size_t)count : 0;
    return status;
}

/* Runs a query whose row has whether the runs agree, and their values, which `text` gets. Without a row they agree.
 * ?1 is `name`, if the query has a parameter. */
static bool agree(const p5_database *database, const char *sql, const char *name, char *text, size_t size)
{
    sqlite3_stmt *query = NULL;
    bool same = true;
    text[0] = '\0';
    if (sqlite3_prepare_v2(database->sqlite, sql, -1, &query, NULL) == SQLITE_OK)
        sqlite3_bind_text(query, 1, name, -1, SQLITE_STATIC);
    if (query != NULL && sqlite3_step(query) == SQLITE_ROW) {
        const unsigned char *values = sqlite3_column_text(query, 1);
        same = sqlite3_column_int(query, 0) != 0;
        snprintf(text, size, "%s", values != NULL ? (const char *)values : "");
    }
    sqlite3_finalize(query);
    return same;
}

bool p5_database_same_revision(const p5_database *database, char *text, size_t size)
{
    static const char sql[] =
        "SELECT count(*) < 2 OR count(DISTINCT n) = 1 AND count(n) = count(*), "
        "group_concat(DISTINCT ifnull(n, 'not stated')) FROM "
        "(SELECT iif(json_valid(identity), identity ->> '$.model_revision', NULL) AS n FROM run ORDER BY n)";
    return agree(database, sql, NULL, text, size);
}

/* SQL: in the identity `own`, the value of option ?1, and the snapshot from which the run began. */
#define OPTION_VALUE RUN_IDENTITY_OPTION("own", "?1")
#define LOADED       RUN_IDENTITY_OPTION("own", "'load'")

bool p5_database_same_option(const p5_database *database, const char *name, char *text, size_t size)
{
    static const char sql[] =
        "SELECT 0, group_concat(DISTINCT v) FROM (SELECT ifnull(" OPTION_VALUE ", 'not given') AS v, "
        "own ->> '$.argv[0]' AS guest, " LOADED " AS start FROM (SELECT identity -> '$.run' AS own FROM run "
        "WHERE iif(json_valid(identity), json_type(identity, '$.run'), '') = 'object') ORDER BY v) "
        "GROUP BY guest, start HAVING count(DISTINCT v) > 1 LIMIT 1";
    return agree(database, sql, name, text, size);
}

bool p5_database_whole(const p5_database *database, size_t runs, char *text, size_t size)
{
    static const char sql[] = "SELECT count(*) = 0, group_concat(DISTINCT ending) "
                              "FROM (SELECT ending FROM run ORDER BY id DESC LIMIT CAST(?1 AS INTEGER)) "
                              "WHERE ending IS NOT NULL AND ending NOT LIKE 'Stopped by --max-%'";
    char count[24];
    snprintf(count, sizeof count, "%zu", runs);
    return agree(database, sql, count, text, size);
}

/* Returns whether the path `a` and the open file `b` are the same file. */
static bool same_file(const char *a, FILE *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && fstat(fileno(b), &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

p5_status p5_database_merge(p5_database *database, const char *file, const char *label, size_t *runs,
                            p5_error *error)
{
    static const char magic[16] = "SQLite format 3", zstd[4] = {0x28, (char)0xb5, 0x2f, (char)0xfd};
    *runs = 0;
    FILE *in = fopen(file, "re");
    if (in == NULL)
        return error_set_at(error, P5_ERR_IO, (error_place){.where = file}, "cannot open the file: %s",
                            strerror(errno));
    p5_status status;
    char start[sizeof magic];
    size_t size = fread(start, 1, sizeof start, in);
    if (same_file(database->path, in)) {
        status = error_set_at(error, P5_ERR_STATE, (error_place){.where = file},
                              "a database cannot be merged into itself");
    } else if (size == sizeof magic && memcmp(start, magic, sizeof magic) == 0) {
        status = merge_database(database, file, label, runs, error);
    } else if (size >= sizeof zstd && memcmp(start, zstd, sizeof zstd) == 0) {
        status = error_set_at(error, P5_ERR_FORMAT, (error_place){.where = file},
                              "the file is compressed; 'zstd -d' makes one that can be merged");
    } else {
        rewind(in);
        status = merge_lines(database, file, label, in, runs, error);
    }
    fclose(in);
    return status;
}
