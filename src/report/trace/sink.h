/* What the formats of `trace` share: the columns of a row, and the functions that a format consists of. */
#ifndef REPORT_TRACE_SINK_H
#define REPORT_TRACE_SINK_H

#include <stdatomic.h>

#include "base/array.h"
#include "p5scope/trace.h"
#include "report/trace/file.h"

/* A counter of the trace. */
typedef struct trace_column {
    char name[112];              /* of the event with its modifiers, "clocks", or "stall_CAUSE" */
    const p5_selected *selected; /* NULL: an owner of clocks */
    p5_stall stall;
} trace_column;

/* Where in the run a row stands. */
typedef struct trace_row {
    uint64_t number;            /* from 0 */
    const char *kind;           /* p5_observation_name, "start", "stop" */
    const char *label;          /* the function's name; the register of a PMU instruction; NULL: none */
    const p5_observation *at;   /* kind is meaningless for "start" and "stop" */
    bool has_number, has_value; /* at->number (marker's id, ECX), at->value */
    uint64_t registers[P5_MONITOR_REGISTERS]; /* by p5_trace.registers */
    const uint64_t *values;                   /* totals, by column */
    const uint64_t *before;                   /* those of the row before; zeros at first */
    uint64_t clock_before;
} trace_row;

typedef struct trace_sink trace_sink_type;

struct p5_trace {
    p5_machine *machine;
    p5_observer *observer;
    p5_trace_options options;
    const trace_sink_type *sink;
    void *state;      /* the sink's */
    trace_file *file; /* NULL for a database */
    p5_selection all;
    trace_column *columns;
    size_t column_count;
    const p5_register *registers; /* of the monitor */
    size_t register_count;
    uint64_t *values, *before;
    uint64_t rows, clock_before;
    bool open;                  /* within the window */
    bool began;                 /* has been in it */
    bool closed;                /* behind it */
    p5_observation from, to;    /* where it began and ended */
    ARRAY_OF(uint32_t) entered; /* numbers of the functions that the window begins in, callers first */
    atomic_bool failed;
    p5_error error;   /* of a sink without a file */
    p5_counts counts; /* of the row at hand */
};

/* A format. Functions may be NULL. Whatever goes wrong while rows are written is noted in the file, or by
 * trace_fail. */
struct trace_sink {
    p5_status (*begin)(p5_trace *trace, p5_error *error); /* header */
    void (*window)(p5_trace *trace, bool opens);          /* before the row at which it does */
    void (*row)(p5_trace *trace, const trace_row *row);
    void (*pin)(p5_trace *trace, p5_pin pin, bool level, uint64_t clock);   /* within the window */
    p5_status (*end)(p5_trace *trace, const char *ending, p5_error *error); /* frees `state` */
    bool has_database;                                                      /* writes its file itself */
    bool every_instruction; /* without an interval: a row behind each */
    bool no_rows;           /* only the window matters */
};

extern const trace_sink_type trace_csv, trace_jsonl, trace_sqlite, trace_vcd, trace_chrome, trace_kanata;

/* The trace cannot be written on: stops the run. */
void trace_fail(p5_trace *trace, const p5_error *error);
void trace_fail_for_memory(p5_trace *trace);
/* The monitor is not the Pentium's. */
bool trace_later_monitor(const p5_trace *trace);
/* Its registers as an object of JSON. */
enum { TRACE_REGISTERS_TEXT = 800 };
const char *trace_registers_text(const p5_trace *trace, const trace_row *row,
                                 char text[TRACE_REGISTERS_TEXT]);
/* A register's value: in decimal digits if it counts, else 0xHEX. */
void trace_put_register(trace_file *file, const p5_register *reg, uint64_t value);
/* The header as a JSON object without line end: version, model, clock rate, options, command. */
void trace_put_header(p5_trace *trace);

#endif
