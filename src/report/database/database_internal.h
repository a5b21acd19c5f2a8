/* State shared by the files that make databases. */
#ifndef REPORT_DATABASE_DATABASE_INTERNAL_H
#define REPORT_DATABASE_DATABASE_INTERNAL_H

#include "report/database/database.h"

struct p5_database {
    const char *path; /* owned by the caller */
    int lock;         /* descriptor that locks a trace's file for one run; -1: several processes may write */
    sqlite3 *sqlite;
    /* Statements, prepared once. */
    sqlite3_stmt *add_run, *end_run, *add_event, *find_event, *add_interval;
    sqlite3_stmt *add_values; /* for one interval; NULL until the first values */
};

/* Sets an error with SQLite's last message: P5_ERR_FORMAT if the file is no database or damaged, else P5_ERR_IO. */
p5_status database_error(const p5_database *database, p5_error *error);
/* Executes a statement without results, and resets it and its parameters. Returns P5_ERR_STATE if a row breaks a
 * constraint, for example because the database has it already. */
p5_status database_execute(const p5_database *database, sqlite3_stmt *statement, p5_error *error);
/* Returns the number in the first row and column of a query; -1 if there is none, or after an error. */
sqlite3_int64 database_ask(const p5_database *database, const char *sql);

/* Returns the path as SQLite takes it for the name of a file, whatever it begins with (":memory:" and "file:"
 * have a meaning of their own). NULL without memory; the caller frees it. */
char *database_file_name(const char *path);

/* Adds the runs of `file`, whose contents are `in`, if it consists of JSON lines (merge_lines.c). All or nothing is
 * added. *runs gets how many. */
p5_status merge_lines(p5_database *database, const char *file, const char *label, FILE *in, size_t *runs,
                      p5_error *error);

#endif
