/* Writes a trace as a database (report/database/database.sql). Rows are committed together: when they have many
 * values, or when a row comes a second or more after the last commit. SQLite's journal rolls back the rows that a
 * killed run had not committed. */
#include <stdlib.h>

#include "base/error.h"
#include "base/host_time.h"
#include "base/held_signals.h"
#include "core/model/model.h"
#include "p5scope/version.h"
#include "report/database/database.h"
#include "report/run_identity.h"
#include "report/stat/list.h"
#include "report/trace/sink.h"

/* Rows are committed after so many values (about 300 KB), or so many seconds after the last commit. */
enum { COMMIT_VALUES = 20000, COMMIT_SECONDS = 1 };

typedef struct sqlite_state {
    p5_database *database;
    sqlite3_int64 run;      /* id of the run */
    sqlite3_int64 previous; /* id of the row before; 0: none */
    size_t uncommitted;     /* values since the last commit */
    int64_t committed;      /* host time of the last commit, in whole seconds */
    sqlite3_int64 events[]; /* id of each column's event */
} sqlite_state;

static p5_status add_events(p5_trace *trace, sqlite_state *state, p5_error *error)
{
    p5_status status = P5_OK;
    for (size_t i = 0; i < trace->column_count && status == P5_OK; i++) {
        const p5_selected *column = &trace->columns[i];
        char mode[4];
        status = database_event(state->database, column->name, p5_selected_event(column),
                                event_mode_text(column, mode), &state->events[i], error);
    }
    return status;
}

static void free_state(sqlite_state *state)
{
    p5_database_close(state->database, NULL);
    free(state);
}

/* Begins the trace (trace_sink.begin): writes the run and its events, in a new database. */
static p5_status begin(p5_trace *trace, p5_error *error)
{
    sqlite_state *state = calloc(1, sizeof *state + trace->column_count * sizeof *state->events);
    if (state == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a database");
    const p5_model *model = p5_machine_model(trace->machine);
    database_run run = {.kind = "trace",
                        .version = p5_version(),
                        .model_revision = MODEL_REVISION,
                        .model = p5_model_name(model),
                        .clock_mhz = p5_model_clock_mhz(model),
                        .command = trace->options.command,
                        .options = trace->options.options,
                        .guest_sha256 = trace->options.guest_sha256,
                        .source = trace->options.path};
    char *identity = run_identity_text(trace->options.identity, model);
    run.identity = identity;
    p5_status status = P5_OK;
    if (identity == NULL && trace->options.identity != NULL)
        status = error_set(error, P5_ERR_MEMORY, "no memory for a database");
    if (status == P5_OK)
        status = database_create(trace->options.path, &state->database, error);
    if (status == P5_OK)
        status = database_do(state->database, "BEGIN", error);
    if (status == P5_OK)
        status = database_add_run(state->database, &run, &state->run, error);
    free(identity);
    if (status == P5_OK)
        status = add_events(trace, state, error);
    if (status == P5_OK)
        status = database_do(state->database, "COMMIT; BEGIN", error);
    state->committed = host_now_whole();
    if (status == P5_OK)
        trace->state = state;
    else
        free_state(state);
    return status;
}

/* Adds a row and its values, and commits if it is time. */
static void add_row(p5_trace *trace, const trace_row *r)
{
    sqlite_state *state = trace->state;
    p5_error error = {0};
    char text[TRACE_REGISTERS_TEXT];
    bool later = trace_later_monitor(trace);
    database_interval interval = {.run = state->run,
                                  .number = (sqlite3_int64)r->number,
                                  .previous = state->previous,
                                  .kind = r->kind,
                                  .label = r->label,
                                  .at = r->at,
                                  .clock = r->at->clock,
                                  .instructions = r->at->instructions,
                                  .has_number = r->has_number,
                                  .has_value = r->has_value,
                                  .registers = later ? NULL : r->registers,
                                  .later_registers = later ? trace_registers_text(trace, r, text) : NULL};
    sqlite3_int64 id;
    p5_status status = database_add_interval(state->database, &interval, &id, &error);
    if (status == P5_OK)
        status =
            database_add_values(state->database, id, state->events, r->values, trace->column_count, &error);
    state->uncommitted += trace->column_count;
    if (status == P5_OK &&
        (state->uncommitted >= COMMIT_VALUES || host_now_whole() - state->committed >= COMMIT_SECONDS)) {
        status = database_do(state->database, "COMMIT; BEGIN", &error);
        state->uncommitted = 0;
        state->committed = host_now_whole();
    }
    state->previous = id;
    if (status != P5_OK)
        trace_fail(trace, &error);
}

/* Writes a row (trace_sink.row). Signals are held, so that a full disk makes the write fail but does not end the
 * program. */
static void row(p5_trace *trace, const trace_row *r)
{
    held_signals held;
    signals_hold(&held, true);
    add_row(trace, r);
    signals_release(&held, trace->failed);
}

/* Ends the trace (trace_sink.end): completes the run, unless writing has failed. Frees the state. */
static p5_status end(p5_trace *trace, const char *ending, p5_error *error)
{
    held_signals held;
    sqlite_state *state = trace->state;
    p5_status status = P5_OK;
    uint64_t clocks = p5_machine_clock(trace->machine);
    double hertz = p5_model_clock_mhz(p5_machine_model(trace->machine)) * 1e6;
    signals_hold(&held, true);
    if (!trace->failed) {
        const database_end end = {clocks, p5_machine_instructions(trace->machine), (double)clocks / hertz,
                                  ending};
        status = database_end_run(state->database, state->run, &end, error);
        if (status == P5_OK)
            status = database_do(state->database, "COMMIT", error);
    } else {
        /* The committed rows are kept. A full disk may have rolled back the transaction already. */
        (void)database_do(state->database, "ROLLBACK", NULL);
    }
    free_state(state);
    signals_release(&held, trace->failed || status != P5_OK);
    return status;
}

const trace_sink_type trace_sqlite = {.begin = begin, .row = row, .end = end, .has_database = true};
