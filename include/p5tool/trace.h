/* Traces: what a run counts over time, written to a file while it runs (formats: p5scope-trace(5)), and the
 * databases that collect traces and sweeps. */
#ifndef P5SCOPE_TRACE_H
#define P5SCOPE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "p5tool/machine.h"
#include "p5tool/observe.h"
#include "p5tool/report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum p5_trace_format {
    P5_TRACE_CSV,    /* a line per observation, a column per counter */
    P5_TRACE_JSON,   /* JSON lines: an object per observation */
    P5_TRACE_SQLITE, /* a database: tables run, event, interval, value; views delta, metric, total */
    P5_TRACE_VCD,    /* value change dump: counters, pins, CPL, bus, branch trace messages */
    P5_TRACE_CHROME, /* trace events for Perfetto and chrome://tracing */
    P5_TRACE_KANATA, /* every instruction in its stages, for the viewer Konata */
    P5_TRACE_SVG,    /* a picture of the pipeline */
    P5_TRACE_HTML,   /* a page with it */
    P5_TRACE_FORMATS
} p5_trace_format;

/* Finds a format by name: csv, jsonl, sqlite, vcd, chrome, kanata, svg or html. P5_ERR_NAME with similar names. */
p5_status p5_trace_format_find(const char *name, p5_trace_format *format, p5_error *error);
/* Gets the format from the extension of a file's name (.csv .jsonl .ndjson .db .sqlite .sqlite3 .vcd .json
 * .kanata .knt .svg .html). *compressed is set if .zst follows it. Returns false for other extensions. */
bool p5_trace_format_of(const char *path, p5_trace_format *format, bool *compressed);

/* A place in a run where a window begins or ends. */
typedef enum p5_bound_kind {
    P5_BOUND_NONE,
    P5_BOUND_CLOCK,
    P5_BOUND_INSTRUCTION,
    P5_BOUND_ADDRESS,
    P5_BOUND_BEGIN, /* the guest's marker (p5scope/guest.h) */
    P5_BOUND_END
} p5_bound_kind;
typedef struct p5_bound {
    p5_bound_kind kind;
    uint64_t at; /* clock, number of instructions, linear address (its first execution), or id of a marker */
    bool relative; /* the end of a window: `at` is its length in clocks or instructions */
} p5_bound;

/* Returns true for P5_BOUND_BEGIN and P5_BOUND_END. */
bool p5_bound_is_marker(const p5_bound *bound);
/* Returns true if the observation is at that place: its marker, an entry at its address (which may be the
 * address of another bound, too), or point number `point` of the observer. */
bool p5_bound_is_here(const p5_bound *bound, const p5_observation *at, uint32_t point);
/* Returns the point to pass to an observer: a clock or number of instructions, or one that is never reached.
 * A relative bound counts from `clock` and `instructions`. */
p5_point p5_bound_point(const p5_bound *bound, uint64_t clock, uint64_t instructions);

/* A function whose entries and exits are rows of the trace. */
typedef struct p5_trace_function {
    const char *name;
    uint32_t address;
} p5_trace_function;

/* Options of p5_trace_open. Zero-initialise, set `size`, then set what you need. Nothing is copied: all of it
 * must live until p5_trace_close. P5_TRACE_KANATA ignores options on rows and columns, because it records
 * instructions. */
typedef struct p5_trace_options {
    size_t size;
    const char *path; /* "-" = standard output (not for databases) */
    p5_trace_format format;
    bool compressed;               /* zstd (not for databases) */
    const p5_selection *selection; /* NULL: clocks, every event of the model and the stall causes */
    bool deltas;                   /* CSV, JSON: differences to the previous row instead of totals */
    uint64_t every_clocks, every_instructions; /* intervals between rows; 0 and 0: no rows by time. VCD: 0 and
                                                  0 means every instruction */
    const p5_trace_function *functions;
    size_t function_count;
    bool every_function;      /* Chrome: slices of all functions that the symbols of `guest` name and */
    uint64_t function_clocks; /* that last at least this long. The machine is then profiled as by
                                 p5_profile_start, which works once per machine */
    const char *guest;        /* the guest's file; NULL: it has none */
    bool markers, pmu;        /* rows at the guest's markers; at RDPMC, and at RDMSR and WRMSR of the
                                 monitor */
    bool bus_clock;           /* VCD: also the bus clock, edge by edge; the file becomes many times larger */
    p5_bound from, to;        /* the window; kind 0: from the beginning, to the end. `from` must not be
                                 relative */
    const char *guest_sha256; /* of the guest's file, p5_file_sha256; may be NULL */
    const char *command; /* the guest and p5scope's own options, as written, for the header; may be NULL */
    const char *options;
    const p5_run_identity *identity; /* for JSON lines and databases; may be NULL */
    const char *const *symbols;      /* every_function: as p5_profile_options.symbols */
} p5_trace_options;

typedef struct p5_trace p5_trace;

/* Begins a trace of `machine`, which has its guest and has not run, and observes it (p5_machine_observe). The
 * file is overwritten. If it cannot be written later, the run is stopped, and p5_trace_close returns the
 * reason. */
p5_status p5_trace_open(p5_machine *machine, const p5_trace_options *options, p5_trace **trace,
                        p5_error *error);
/* Writes the last row with the run's totals, closes the file and frees the trace. `ending` says
 * how the run was cut short; NULL: the guest ended it. Ends the run's pricing (p5_machine_settle). Returns the first
 * error of writing: the file then holds all complete rows before it. */
p5_status p5_trace_close(p5_trace *trace, const char *ending, p5_error *error);
/* Return the number of rows written so far, and whether writing has failed. */
uint64_t p5_trace_rows(const p5_trace *trace);
bool p5_trace_failed(const p5_trace *trace);

/* The outcome of the trace's window, valid after the run. */
typedef enum p5_trace_window {
    P5_TRACE_HAS_WINDOW,  /* an instruction completed in it, or a clock passed */
    P5_TRACE_NEVER_BEGAN, /* the run did not reach `from` */
    P5_TRACE_ENDED_FIRST, /* the run reached `to` before `from` */
    P5_TRACE_NO_LENGTH    /* it ended where it began: at `to`, or at the end of the run */
} p5_trace_window;
p5_trace_window p5_trace_window_of(const p5_trace *trace);

/* ---- Databases ---- */

typedef struct p5_database p5_database;

/* Opens the database at `path`, or creates it. P5_ERR_FORMAT if the file is anything else. */
p5_status p5_database_open(const char *path, p5_database **database, p5_error *error);
/* Adds the runs of `file`: the output of `stat -j`, a trace in JSON lines, or a database of `trace`. After an
 * error nothing has been added. `label` (may be NULL), such as a commit, is stored with the runs; the same
 * run may be added under another label. P5_ERR_STATE: one of its runs has been added before (same kind,
 * version, model, guest by its hash, p5_run_identity, and label); P5_ERR_FORMAT: the file is truncated, or of
 * another kind. *runs gets the number of runs added. */
p5_status p5_database_merge(p5_database *database, const char *file, const char *label, size_t *runs,
                            p5_error *error);
/* Returns whether all runs of the database have the same revision of the model; a single run always has. `text` gets
 * the revisions, for example "1,2,not stated". */
bool p5_database_same_revision(const p5_database *database, char *text, size_t size);
/* Returns whether the option `name` (without "--") of p5_run_identity is the same in all runs of a guest that begin
 * alike, that is have the same argv[0] and --load. If not, `text` gets the values of one guest, for example "main, not
 * given". Runs that do not state their identity are not compared. */
bool p5_database_same_option(const p5_database *database, const char *name, char *text, size_t size);
/* Returns whether none of the last `runs` runs was cut short by an error, a signal or --timeout; the limits --max-... are
 * no such end. If one was, `text` gets how they ended. */
bool p5_database_whole(const p5_database *database, size_t runs, char *text, size_t size);
/* Closes a database. P5_ERR_IO if something could not be written. */
p5_status p5_database_close(p5_database *database, p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
