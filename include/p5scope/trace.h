/* Traces: what a run counts over time, written to a file while it runs. Formats: p5scope-trace(5). And the
 * databases that traces and sweeps are collected in. */
#ifndef P5SCOPE_TRACE_H
#define P5SCOPE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "p5scope/machine.h"
#include "p5scope/observe.h"
#include "p5scope/report.h"

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
    P5_TRACE_FORMATS
} p5_trace_format;

/* The format of that name: csv, jsonl, sqlite, vcd, chrome, kanata. P5_ERR_NAME with near names. */
p5_status p5_trace_format_find(const char *name, p5_trace_format *format, p5_error *error);
/* The format that a file's name ends in (.csv .jsonl .ndjson .db .sqlite .sqlite3 .vcd .json .kanata .knt);
 * *compressed: the name ends in .zst behind that. False if it ends in something else. */
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
    uint64_t at; /* clock, number of instructions, linear address that is executed (the first time), or id of
                    a marker */
    bool relative; /* the end of a window: `at` is its length in clocks or instructions */
} p5_bound;

/* P5_BOUND_BEGIN or P5_BOUND_END. */
bool p5_bound_is_marker(const p5_bound *bound);
/* True if the observation is that place: its marker, entry to its address (which may also be that of another
 * place), or point number `point` of those that the observer asked for. */
bool p5_bound_is_here(const p5_bound *bound, const p5_observation *at, uint32_t point);
/* The point to ask an observer for: a clock or number of instructions, or one that is never reached. A
 * relative bound counts from `clock` and `instructions`. */
p5_point p5_bound_point(const p5_bound *bound, uint64_t clock, uint64_t instructions);

/* A function whose entries and exits are rows of the trace. */
typedef struct p5_trace_function {
    const char *name;
    uint32_t address;
} p5_trace_function;

/* Zero-initialise, set `size`, then what you need. Nothing is copied: all of it must live until
 * p5_trace_close. What asks for rows or columns means nothing to P5_TRACE_KANATA, which has instructions
 * instead. */
typedef struct p5_trace_options {
    size_t size;
    const char *path; /* "-" = standard output (not for databases) */
    p5_trace_format format;
    bool compressed;               /* zstd (not for databases) */
    const p5_selection *selection; /* NULL: clocks, every event of the model and the owners of the clocks */
    bool deltas;                   /* CSV, JSON: what was added since the row before, not totals */
    uint64_t every_clocks, every_instructions; /* rows; 0 and 0: none by time. VCD: 0 and 0 means every
                                                  instruction */
    const p5_trace_function *functions;
    size_t function_count;
    bool every_function; /* Chrome: slices of all functions that the symbols of the file `guest` name, of */
    uint64_t function_clocks; /* ... this many clocks or more. The machine is profiled: as p5_profile_start,
                                 it can be done once */
    const char *guest;
    bool markers, pmu;        /* rows at the guest's markers; at RDPMC, and RDMSR and WRMSR of the monitor */
    bool bus_clock;           /* VCD: the bus clock, too, edge by edge; a file many times as long */
    p5_bound from, to;        /* the window; kind 0: from the beginning, to the end. `from` is not relative */
    const char *guest_sha256; /* of the guest's file, p5_file_sha256; may be NULL */
    const char *command; /* the guest and p5scope's own options, as written, for the header; may be NULL */
    const char *options;
    const p5_run_identity *identity; /* for JSON lines and databases; may be NULL */
    const char *const *symbols;      /* every_function: as p5_profile_options.symbols */
} p5_trace_options;

typedef struct p5_trace p5_trace;

/* Begins a trace of `machine`, which has its guest and has not run, and observes it (p5_machine_observe).
 * Overwrites the file. If the file cannot be written later on, the run is stopped, and p5_trace_close says
 * why. */
p5_status p5_trace_open(p5_machine *machine, const p5_trace_options *options, p5_trace **trace,
                        p5_error *error);
/* Writes the last row with the run's totals and closes the file; `ending` (may be NULL) says how the run
 * ended if it did not just exit. Ends the run's pricing (p5_machine_settle). Returns the first error of
 * writing: the file then holds all rows up to it, and nothing of the one that failed. */
p5_status p5_trace_close(p5_trace *trace, const char *ending, p5_error *error);
/* Rows written so far; whether writing has failed. */
uint64_t p5_trace_rows(const p5_trace *trace);
bool p5_trace_failed(const p5_trace *trace);

/* What became of the trace's window. Meaningful after the run. */
typedef enum p5_trace_window {
    P5_TRACE_HAS_WINDOW,  /* an instruction completed in it, or a clock passed */
    P5_TRACE_NEVER_BEGAN, /* the run did not reach `from` */
    P5_TRACE_ENDED_FIRST, /* the run reached `to` before `from` */
    P5_TRACE_NO_LENGTH    /* it ended where it began, at `to` or at the end of the run */
} p5_trace_window;
p5_trace_window p5_trace_window_of(const p5_trace *trace);

/* ---- Databases ---- */

typedef struct p5_database p5_database;

/* Opens a database of that form at `path`; makes it if there is none. P5_ERR_FORMAT if it is another kind of
 * file. */
p5_status p5_database_open(const char *path, p5_database **database, p5_error *error);
/* Adds the runs of `file`: the output of `stat -j`, a trace in JSON lines, or a database of `trace`. All of
 * it or, with an error, nothing. `label` (may be NULL) is what the runs are called, such as a commit: with
 * another label the same run is another one. P5_ERR_STATE: a run of it is there already (same kind, version,
 * model, guest by its hash, p5_run_identity, and label); P5_ERR_FORMAT: the file is cut off, or no such file.
 * *runs gets the number of runs added. */
p5_status p5_database_merge(p5_database *database, const char *file, const char *label, size_t *runs,
                            p5_error *error);
/* P5_ERR_IO if something could not be written. */
p5_status p5_database_close(p5_database *database, p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
