/* The state that all formats of `trace` share, and the functions that make up a format (a *sink*). The *window* is the
 * part of the run that is traced, from p5_trace_options.from to `to`. A *column* is one counter in all rows. */
#ifndef REPORT_TRACE_SINK_H
#define REPORT_TRACE_SINK_H

#include <stdatomic.h>

#include "base/array.h"
#include "p5tool/trace.h"
#include "report/trace/file.h"

/* A row with its place in the run: the totals at an observation, or at the ends of the window. */
typedef struct trace_row {
    uint64_t number;            /* from 0 */
    const char *kind;           /* p5_observation_name, "start", "stop" */
    const char *label;          /* function's name, or register of a PMU instruction; NULL: none */
    const p5_observation *at;   /* place; at->kind has no meaning for "start" and "stop" */
    bool has_number, has_value; /* at->number (marker's id, ECX) and at->value are valid */
    uint64_t registers[P5_MONITOR_REGISTERS]; /* by index of p5_trace.registers */
    const uint64_t *values;                   /* totals, by column */
    const uint64_t *before;                   /* totals of the previous row; zeros at first */
    uint64_t clock_before;                    /* clock of the previous row; 0 at first */
} trace_row;

typedef struct trace_sink trace_sink_type;

struct p5_trace {
    p5_machine *machine;
    p5_observer *observer;
    p5_trace_options options; /* `command` and `options` are "" if they were NULL */
    const trace_sink_type *sink;
    void *state;      /* owned by the sink */
    trace_file *file; /* NULL for a database */
    p5_selection all; /* clocks, every event and the causes of the clocks, if the options select nothing */
    const p5_selected *columns; /* items of `all` or of the options' selection */
    size_t column_count;
    const p5_register *registers; /* of the performance monitor: CESR, CTR0, CTR1, or those of a later one */
    size_t register_count;
    uint64_t *values, *before; /* totals of the current and the previous row, by column */
    uint64_t rows;             /* written so far */
    uint64_t clock_before;     /* of the previous row */
    bool open;                 /* inside the window */
    bool began;                /* has been inside the window */
    bool closed;               /* after the window */
    p5_observation from, to;   /* where the window began and ended */
    /* Selected functions that are active, callers first, as indices of the options' functions. They are tracked until the
     * window begins. */
    ARRAY_OF(uint32_t) entered;
    atomic_bool failed; /* writing failed, and the run is being stopped; other threads may read it */
    p5_error error;     /* why it failed */
    p5_counts counts;   /* totals of the current row */
};

/* A format. Functions may be NULL. An error in `window`, `row` and `pin` is stored by the trace_file, or by trace_fail. */
struct trace_sink {
    p5_status (*begin)(p5_trace *trace, p5_error *error); /* writes the header */
    void (*window)(p5_trace *trace, bool opens);          /* called before row "start" and after row "stop" */
    void (*row)(p5_trace *trace, const trace_row *row);   /* NULL: no rows are written */
    void (*insn)(void *trace, const p5_trace_insn *insn); /* the core's callback within the window; a format
                                                             with it has no rows */
    void (*pin)(p5_trace *trace, p5_pin pin, bool level, uint64_t clock); /* within the window */
    /* Called when the trace is closed, also after an error. `ending` is that of p5_trace_close. Frees `state`. */
    p5_status (*end)(p5_trace *trace, const char *ending, p5_error *error);
    bool has_database;      /* it writes a database and no trace_file */
    bool every_instruction; /* without an interval there is a row after each instruction */
};

extern const trace_sink_type trace_csv, trace_jsonl, trace_sqlite, trace_vcd, trace_chrome, trace_kanata,
    trace_pipeline;
/* Returns the type of a format. */
const trace_sink_type *trace_sink_of(p5_trace_format format);

/* Stores the first error of a trace and stops the run. */
void trace_fail(p5_trace *trace, const p5_error *error);
/* Calls trace_fail with the error of the trace's file, if there is one. */
void trace_check_file(p5_trace *trace);
/* Calls trace_fail with P5_ERR_MEMORY. */
void trace_fail_for_memory(p5_trace *trace);
/* Returns true if the performance monitor is that of a later processor, not the Pentium's. */
bool trace_later_monitor(const p5_trace *trace);
/* Writes the monitor's registers as a JSON object to `text`. Returns `text`. */
enum { TRACE_REGISTERS_TEXT = 800 };
const char *trace_registers_text(const p5_trace *trace, const trace_row *row,
                                 char text[TRACE_REGISTERS_TEXT]);
/* Writes a register's value: in decimal digits if it is a counter, otherwise 0xHEX. */
void trace_put_register(trace_file *file, const p5_register *reg, uint64_t value);
/* Writes the header as a JSON object without line end: version, model, clock rate, options, command. */
void trace_put_header(p5_trace *trace);

#endif
