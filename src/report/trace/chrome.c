/* Writes a trace as Chrome trace events for Perfetto and chrome://tracing: a JSON array with one event per
 * line. If the program is killed, the array's closing bracket is missing, which both viewers accept. One clock is
 * shown as 1 microsecond.
 *
 * Rows at intervals become counters: each event's count per 1000 clocks since the previous row. Functions are
 * slices (B, E), markers are asynchronous slices (b, e), and other rows are instants (i). The optional call stack
 * consists of complete slices (X), nested in each other. If two slices begin at the same clock, the caller's comes
 * first in the file, because viewers nest slices in that order. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/trace/sink.h"
#include "report/trace/slices.h"

/* The viewer shows each thread as a track: the selected functions and markers, other rows, and the call stack. */
enum { THREAD_FUNCTIONS = 1, THREAD_PMU = 2, THREAD_CALLS = 3 };

typedef struct chrome_state {
    uint64_t clock;    /* of the last row whose totals are in `values` */
    uint64_t open;     /* functions with a B but no E yet */
    slices *calls;     /* the call stack; NULL: only the selected functions are shown */
    uint64_t values[]; /* totals at `clock`, by column */
} chrome_state;

/* Begins an event of the phase that the format calls by a letter: B, E, X, b, e, i, C, M. The caller writes its arguments
 * and then calls end_event. */
static void begin_event(trace_file *file, const char *name, char phase, uint64_t clock, unsigned thread)
{
    trace_put(file, "{\"name\":");
    trace_put_json(file, name);
    trace_put(file, ",\"ph\":\"");
    trace_put_char(file, phase);
    trace_put(file, "\",\"ts\":");
    trace_put_unsigned(file, clock);
    trace_put(file, ",\"pid\":1,\"tid\":");
    trace_put_unsigned(file, thread);
}

static void end_event(trace_file *file)
{
    trace_put(file, "},\n");
    trace_end_record(file);
}

/* Writes the metadata event `kind` ("thread_name" or "process_name"), which names a thread or the process. */
static void name_thread(trace_file *file, const char *kind, unsigned thread, const char *name)
{
    begin_event(file, kind, 'M', 0, thread);
    trace_put(file, ",\"args\":{\"name\":");
    trace_put_json(file, name);
    trace_put_char(file, '}');
    end_event(file);
}

/* Callback of the slices: writes an activation of a function of the call stack. */
static void put_call(void *context, const char *name, uint64_t from, uint64_t to)
{
    p5_trace *trace = context;
    begin_event(trace->file, name, 'X', from, THREAD_CALLS);
    trace_put_member(trace->file, "dur", to - from);
    end_event(trace->file);
    trace_check_file(trace);
}

static void free_state(chrome_state *state)
{
    slices_close(state->calls);
    free(state);
}

/* Begins the trace (trace_sink.begin): writes the names of the threads, and the header as an event. */
static p5_status begin(p5_trace *trace, p5_error *error)
{
    chrome_state *state = calloc(1, sizeof *state + trace->column_count * sizeof *state->values);
    if (state == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a trace");
    trace->state = state;
    const p5_trace_options *options = &trace->options;
    if (options->every_function) {
        const slices_options calls = {options->guest, options->symbols, options->function_clocks, put_call,
                                      trace};
        p5_status status = slices_open(trace->machine, &calls, &state->calls, error);
        if (status != P5_OK) {
            free_state(state);
            return status;
        }
    }
    trace_file *file = trace->file;
    trace_put(file, "[\n");
    name_thread(file, "process_name", 0, options->command[0] != '\0' ? options->command : "guest");
    name_thread(file, "thread_name", THREAD_FUNCTIONS, "functions");
    name_thread(file, "thread_name", THREAD_PMU, "performance monitor");
    if (options->every_function)
        name_thread(file, "thread_name", THREAD_CALLS, "call stack");
    begin_event(file, "p5scope", 'i', 0, THREAD_PMU);
    trace_put(file, ",\"s\":\"g\",\"args\":{\"unit\":\"1 us is 1 clock\",\"header\":");
    trace_put_header(trace);
    trace_put_char(file, '}');
    end_event(file);
    return P5_OK;
}

/* Writes one of the two counter tracks for the time since the previous row: that of the stall causes or, if not
 * `stalls`, that of the events. The values are counts per 1000 clocks. */
static void put_counters(p5_trace *trace, const trace_row *r, const char *track, bool stalls)
{
    chrome_state *state = trace->state;
    trace_file *file = trace->file;
    double clocks = (double)(r->at->clock - state->clock);
    bool first = true;
    for (size_t i = 0; i < trace->column_count; i++) {
        const p5_selected *column = &trace->columns[i];
        bool is_clocks = column->event == P5_SELECT_CLOCKS;
        if ((column->event >= P5_SELECT_STALL) != stalls || is_clocks) /* clocks per clock are always 1000 */
            continue;
        if (first)
            begin_event(file, track, 'C', state->clock, 0);
        trace_put(file, first ? ",\"args\":{\"" : ",\"");
        trace_put(file, column->name);
        trace_put(file, "\":");
        uint64_t delta = r->values[i] - state->values[i];
        if (delta == 0)
            trace_put_char(file, '0');
        else
            trace_put_format(file, "%.6g", 1000 * (double)delta / clocks);
        first = false;
    }
    if (first)
        return;
    trace_put_char(file, '}');
    end_event(file);
}

/* Writes both counter tracks for the time up to this row, unless no clock has passed since the previous one. */
static void counters(p5_trace *trace, const trace_row *r)
{
    chrome_state *state = trace->state;
    if (r->at->clock > state->clock) {
        put_counters(trace, r, "events per 1000 clocks", false);
        put_counters(trace, r, "clocks of 1000", true);
    }
    memcpy(state->values, r->values, trace->column_count * sizeof *state->values);
    state->clock = r->at->clock;
}

/* Writes an instant event whose arguments are the monitor's registers and the totals. */
static void instant(p5_trace *trace, const trace_row *r, const char *name)
{
    trace_file *file = trace->file;
    begin_event(file, name, 'i', r->at->clock, THREAD_PMU);
    trace_put(file, ",\"s\":\"t\",\"args\":{\"instructions\":");
    trace_put_unsigned(file, r->at->instructions);
    trace_put_format(file, ",\"address\":\"0x%08x\"", r->at->address);
    for (size_t i = 0; i < trace->register_count; i++) {
        const char *quote = p5_register_counts(&trace->registers[i]) ? "" : "\"";
        trace_put_format(file, ",\"%s\":%s", trace->registers[i].name, quote);
        trace_put_register(file, &trace->registers[i], r->registers[i]);
        trace_put(file, quote);
    }
    if (r->has_value)
        trace_put_format(file, ",\"value\":\"0x%llx\"", (unsigned long long)r->at->value);
    for (size_t i = 0; i < trace->column_count; i++)
        trace_put_member(file, trace->columns[i].name, r->values[i]);
    trace_put_char(file, '}');
    end_event(file);
}

/* Begins and ends the call stack with the window (trace_sink.window). */
static void window(p5_trace *trace, bool opens)
{
    chrome_state *state = trace->state;
    if (state->calls != NULL)
        slices_window(state->calls, p5_machine_clock(trace->machine), opens);
}

/* Writes the beginning or the end of a selected function. */
static void slice(p5_trace *trace, const char *name, uint64_t clock, bool begins)
{
    chrome_state *state = trace->state;
    begin_event(trace->file, name, begins ? 'B' : 'E', clock, THREAD_FUNCTIONS);
    state->open = begins ? state->open + 1 : state->open - 1;
    end_event(trace->file);
}

/* Handles the row "start": begins the functions that were entered before the window and have not returned. */
static void start(p5_trace *trace, const trace_row *r)
{
    chrome_state *state = trace->state;
    memcpy(state->values, r->values, trace->column_count * sizeof *state->values);
    state->clock = r->at->clock;
    for (size_t i = 0; i < trace->entered.count; i++)
        slice(trace, trace->options.functions[trace->entered.items[i]].name, r->at->clock, true);
}

/* Writes the guest's marker; `phase` is b for begin, e for end. */
static void marker(p5_trace *trace, const trace_row *r, char phase)
{
    char name[32];
    snprintf(name, sizeof name, "marker %u", r->at->number);
    begin_event(trace->file, name, phase, r->at->clock, THREAD_FUNCTIONS);
    trace_put_format(trace->file, ",\"cat\":\"marker\",\"id\":%u", r->at->number);
    end_event(trace->file);
}

/* Writes a row (trace_sink.row) as counters, a slice, a marker or an instant, by its kind. */
static void row(p5_trace *trace, const trace_row *r)
{
    chrome_state *state = trace->state;
    if (strcmp(r->kind, "start") == 0) {
        start(trace, r);
        return;
    }
    if (strcmp(r->kind, "stop") == 0) {
        counters(trace, r);
        while (state->open > 0) /* functions that have not returned */
            slice(trace, "", r->at->clock, false);
        instant(trace, r, "stop");
        return;
    }
    char name[64];
    switch (r->at->kind) {
    case P5_OBSERVE_INTERVAL:
        counters(trace, r);
        break;
    case P5_OBSERVE_ENTRY:
    case P5_OBSERVE_EXIT:
        slice(trace, r->label != NULL ? r->label : "?", r->at->clock, r->at->kind == P5_OBSERVE_ENTRY);
        break;
    case P5_OBSERVE_BEGIN:
    case P5_OBSERVE_END:
        marker(trace, r, r->at->kind == P5_OBSERVE_BEGIN ? 'b' : 'e');
        break;
    default:
        snprintf(name, sizeof name, "%s %s", r->kind, r->label != NULL ? r->label : "");
        instant(trace, r, name);
        break;
    }
}

/* Ends the trace (trace_sink.end): writes the end as an event, and the closing bracket. Frees the state. */
static p5_status end(p5_trace *trace, const char *ending, p5_error *error)
{
    chrome_state *state = trace->state;
    begin_event(trace->file, "end", 'i', state->clock, THREAD_PMU);
    trace_put(trace->file, ",\"s\":\"g\",\"args\":{\"ending\":");
    trace_put_json(trace->file, ending != NULL ? ending : "the guest has ended");
    trace_put(trace->file, "}}\n]\n");
    trace_end_record(trace->file);
    bool good = state->calls == NULL || slices_good(state->calls);
    free_state(state);
    return good ? P5_OK : error_set(error, P5_ERR_MEMORY, "no memory for all of the call stack");
}

const trace_sink_type trace_chrome = {.begin = begin, .window = window, .row = row, .end = end};
