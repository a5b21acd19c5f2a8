/* The database of traces and merged results: creates it and writes rows. database.sql has its tables. */
#ifndef REPORT_DATABASE_DATABASE_H
#define REPORT_DATABASE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "p5tool/trace.h"

/* A row of table run. Strings belong to the caller. */
typedef struct database_run {
    const char *kind; /* "trace", "stat" or "intervals" */
    const char *version, *model, *command, *options;
    const char *source;               /* file that the run came from */
    const char *guest_sha256, *label; /* may be NULL */
    const char *identity; /* JSON from the writer of the result (run_identity.h); NULL: an older writer made
                             none, and command and options identify the run */
    double clock_mhz;
    unsigned model_revision; /* 0: the writer did not state it */
} database_run;

/* A row of table interval. */
typedef struct database_interval {
    sqlite3_int64 run;      /* id of its run */
    sqlite3_int64 number;   /* of the row in its run, from 0 */
    sqlite3_int64 previous; /* id of the row before; 0: it is the first */
    const char *kind;       /* as in table interval, for example "start" */
    const char *label;      /* name of a function or a register; NULL: none */
    uint64_t clock, instructions;
    const p5_observation *at;    /* its address, CPL, number and value; NULL: it has none of these */
    bool has_number, has_value;  /* at->number and at->value are valid */
    const uint64_t *registers;   /* CESR, CTR0, CTR1; NULL: none */
    const char *later_registers; /* registers of a later monitor; NULL: none */
} database_interval;

/* Makes a new database at `path`, in place of a database that is there. P5_ERR_FORMAT if the file there is anything else.
 * The file is locked until p5_database_close. `path` must live as long as the database. */
p5_status database_create(const char *path, p5_database **database, p5_error *error);
/* Runs SQL statements, separated by semicolons, without results. */
p5_status database_do(p5_database *database, const char *sql, p5_error *error);
/* Adds a row of table run and gets its id. P5_ERR_STATE: the database has the run already. */
p5_status database_add_run(p5_database *database, const database_run *run, sqlite3_int64 *id,
                           p5_error *error);
/* The results of a run. */
typedef struct database_end {
    uint64_t clocks, instructions;
    double seconds;
    const char *ending; /* how the run was cut short; NULL: the guest ended it */
} database_end;
/* Completes the run with the id `run`. */
p5_status database_end_run(p5_database *database, sqlite3_int64 run, const database_end *end,
                           p5_error *error);
/* Finds the event `name` (with modifiers), or adds it, and gets its id. `event` is NULL for the clocks and their
 * causes, which are no events. `mode` is as in table event. */
p5_status database_event(p5_database *database, const char *name, const p5_event_info *event,
                         const char *mode, sqlite3_int64 *id, p5_error *error);
/* Adds a row of table interval and gets its id. */
p5_status database_add_interval(p5_database *database, const database_interval *interval, sqlite3_int64 *id,
                                p5_error *error);
/* Adds the values of the row with the id `interval`, one for each id of an event. One statement adds all, because
 * one by one they would take twice the time. `count` must be the same in all calls for one database. */
p5_status database_add_values(p5_database *database, sqlite3_int64 interval, const sqlite3_int64 *events,
                              const uint64_t *values, size_t count, p5_error *error);

#endif
