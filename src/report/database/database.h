/* The database of traces and sweeps: making, opening, and writing rows to it. */
#ifndef REPORT_DATABASE_DATABASE_H
#define REPORT_DATABASE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "p5scope/trace.h"

/* What stands in table run. Strings are the caller's. */
typedef struct database_run {
    const char *kind, *version, *model, *command, *options, *source;
    const char *guest_sha256, *label; /* may be NULL */
    const char *identity; /* JSON, as the writer of the result made it (run_identity.h); NULL: an older writer
                             made none, and the run is known by its command and options as they are */
    double clock_mhz;
} database_run;

/* What stands in table interval. */
typedef struct database_interval {
    sqlite3_int64 run, number, previous; /* previous 0: none */
    const char *kind, *label;
    const p5_observation *at; /* NULL: only the clock and instructions below */
    uint64_t clock, instructions;
    bool has_number, has_value;
    const uint64_t *registers;   /* CESR, CTR0, CTR1; NULL: none */
    const char *later_registers; /* of a later monitor; NULL: none */
} database_interval;

/* Makes a new database, overwriting a file at `path`. */
p5_status database_create(const char *path, p5_database **database, p5_error *error);
/* Runs statements without results. */
p5_status database_do(p5_database *database, const char *sql, p5_error *error);
/* Each adds a row and answers its id. P5_ERR_STATE from database_add_run: the run is there already. */
p5_status database_add_run(p5_database *database, const database_run *run, sqlite3_int64 *id,
                           p5_error *error);
/* The run is whole. */
p5_status database_end_run(p5_database *database, sqlite3_int64 run, uint64_t clocks, uint64_t instructions,
                           double seconds, const char *ending, p5_error *error);
/* Finds or adds an event; `base` may be NULL, `id` is P5_SELECT_CLOCKS for what is none. */
p5_status database_event(p5_database *database, const char *name, int event, const char *mode,
                         sqlite3_int64 *id, p5_error *error);
p5_status database_add_interval(p5_database *database, const database_interval *interval, sqlite3_int64 *id,
                                p5_error *error);
/* The values of an interval, together: one by one they would take twice the time. Of one database always as
 * many. */
p5_status database_add_values(p5_database *database, sqlite3_int64 interval, const sqlite3_int64 *events,
                              const uint64_t *values, size_t count, p5_error *error);

#endif
