/* The database of traces and sweeps: creates and opens it, and writes rows. */
#ifndef REPORT_DATABASE_DATABASE_H
#define REPORT_DATABASE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "p5tool/trace.h"

/* A row of table run. Strings belong to the caller. */
typedef struct database_run {
    const char *kind, *version, *model, *command, *options, *source;
    const char *guest_sha256, *label; /* may be NULL */
    const char *identity; /* JSON from the writer of the result (run_identity.h); NULL: an older writer made
                             none, and command and options identify the run */
    double clock_mhz;
    unsigned model_revision; /* 0: the writer did not state it */
} database_run;

/* A row of table interval. */
typedef struct database_interval {
    sqlite3_int64 run, number, previous; /* previous 0: none */
    const char *kind, *label;
    const p5_observation *at; /* NULL: use the clock and instructions below */
    uint64_t clock, instructions;
    bool has_number, has_value;
    const uint64_t *registers;   /* CESR, CTR0, CTR1; NULL: none */
    const char *later_registers; /* registers of a later monitor; NULL: none */
} database_interval;

/* Makes a new database, overwriting a file at `path`. */
p5_status database_create(const char *path, p5_database **database, p5_error *error);
/* Runs statements without results. */
p5_status database_do(p5_database *database, const char *sql, p5_error *error);
/* Each adds a row and gets its id. P5_ERR_STATE from database_add_run: the run has been added before. */
p5_status database_add_run(p5_database *database, const database_run *run, sqlite3_int64 *id,
                           p5_error *error);
/* The results of a run. */
typedef struct database_end {
    uint64_t clocks, instructions;
    double seconds;
    const char *ending;
} database_end;
/* Completes the run. */
p5_status database_end_run(p5_database *database, sqlite3_int64 run, const database_end *end,
                           p5_error *error);
/* Finds or adds an event; `base` may be NULL. `id` is P5_SELECT_CLOCKS for names that are not events. */
p5_status database_event(p5_database *database, const char *name, int event, const char *mode,
                         sqlite3_int64 *id, p5_error *error);
p5_status database_add_interval(p5_database *database, const database_interval *interval, sqlite3_int64 *id,
                                p5_error *error);
/* Adds the values of an interval in one statement; one by one they would take twice the time. The count must
 * always be the same in one database. */
p5_status database_add_values(p5_database *database, sqlite3_int64 interval, const sqlite3_int64 *events,
                              const uint64_t *values, size_t count, p5_error *error);

#endif
