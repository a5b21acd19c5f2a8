/* Turns observations of the machine into rows, and passes the rows to a format (a sink). The *window* is the part of the run
 * between the bounds `from` and `to` of the options; rows are written inside it only. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/model/model.h"
#include "machine/machine.h"
#include "p5scope/version.h"
#include "report/run_identity.h"
#include "report/trace/sink.h"

void trace_fail(p5_trace *trace, const p5_error *error)
{
    if (trace->failed)
        return;
    assert(error->status != P5_OK);
    trace->error = *error;
    trace->failed = true;
    p5_machine_stop(trace->machine);
}

void trace_check_file(p5_trace *trace)
{
    p5_error error;
    if (trace_file_error(trace->file, &error) != P5_OK)
        trace_fail(trace, &error);
}

void trace_fail_for_memory(p5_trace *trace)
{
    p5_error error;
    error_set(&error, P5_ERR_MEMORY, "no memory for the trace");
    trace_fail(trace, &error);
}

uint64_t p5_trace_rows(const p5_trace *trace)
{
    return trace->rows;
}

/* Returns the machine's present place in the run, without an address and CPL. */
static p5_observation now(const p5_trace *trace)
{
    return (p5_observation){.size = sizeof(p5_observation),
                            .clock = p5_machine_clock(trace->machine),
                            .instructions = p5_machine_instructions(trace->machine)};
}

/* Returns whether the run had the window that was asked for. The whole run, without bounds, always has one. */
p5_trace_window p5_trace_window_of(const p5_trace *trace)
{
    if (!trace->began)
        return trace->closed ? P5_TRACE_ENDED_FIRST : P5_TRACE_NEVER_BEGAN;
    const p5_observation *from = &trace->from;
    const p5_observation to = trace->open ? now(trace) : trace->to;
    bool part = trace->options.from.kind != P5_BOUND_NONE || trace->options.to.kind != P5_BOUND_NONE;
    bool has_length = to.instructions != from->instructions || to.clock != from->clock;
    return part && !has_length ? P5_TRACE_NO_LENGTH : P5_TRACE_HAS_WINDOW;
}

bool p5_trace_failed(const p5_trace *trace)
{
    return trace->failed;
}

void trace_put_header(p5_trace *trace)
{
    const p5_model *model = p5_machine_model(trace->machine);
    trace_put_format(trace->file, "{\"p5scope\":\"%s\",\"model_revision\":%d,\"model\":", p5_version(),
                     MODEL_REVISION);
    trace_put_json(trace->file, p5_model_name(model));
    trace_put_format(trace->file, ",\"clock-mhz\":%.15g,\"options\":", p5_model_clock_mhz(model));
    trace_put_json(trace->file, trace->options.options);
    trace_put(trace->file, ",\"command\":");
    trace_put_json(trace->file, trace->options.command);
    if (trace->options.guest_sha256 != NULL && trace->options.guest_sha256[0] != '\0') {
        trace_put(trace->file, ",\"guest-sha256\":");
        trace_put_json(trace->file, trace->options.guest_sha256);
    }
    char *identity = run_identity_text(trace->options.identity, model);
    if (identity != NULL)
        trace_put_format(trace->file, ",\"identity\":%s", identity);
    else if (trace->options.identity != NULL)
        trace_fail_for_memory(trace);
    free(identity);
    trace_put(trace->file, "}");
}

void trace_put_register(trace_file *file, const p5_register *reg, uint64_t value)
{
    if (p5_register_counts(reg))
        trace_put_unsigned(file, value);
    else
        trace_put_format(file, "0x%08llx", (unsigned long long)value);
}

bool trace_later_monitor(const p5_trace *trace)
{
    return trace->registers[0].msr != P5_MSR_CESR;
}

const char *trace_registers_text(const p5_trace *trace, const trace_row *row, char text[TRACE_REGISTERS_TEXT])
{
    int at = snprintf(text, TRACE_REGISTERS_TEXT, "{");
    for (size_t i = 0; i < trace->register_count; i++)
        at += snprintf(text + at, (size_t)(TRACE_REGISTERS_TEXT - at), "%s\"%s\":%" PRIu64, i > 0 ? "," : "",
                       trace->registers[i].name, row->registers[i]);
    snprintf(text + at, (size_t)(TRACE_REGISTERS_TEXT - at), "}");
    return text;
}

/* Returns the name of a register of the monitor or of the TSC; NULL for other MSRs. */
static const char *register_name(const p5_trace *trace, uint32_t msr)
{
    for (size_t i = 0; i < trace->register_count; i++)
        if (trace->registers[i].msr == msr)
            return trace->registers[i].name;
    return msr == P5_MSR_TSC ? "tsc" : NULL;
}

/* Returns the name of the counter that RDPMC's ECX selects. */
static const char *counter_name(const p5_trace *trace, uint32_t ecx)
{
    /* This bit of ECX selects the fixed-function counters of later monitors. */
    const uint32_t fixed = UINT32_C(1) << 30;
    return register_name(trace, !trace_later_monitor(trace) ? P5_MSR_CTR0 + ecx
                                : ecx & fixed               ? P5_MSR_FIXED_CTR0 + (ecx & ~fixed)
                                                            : P5_MSR_PMC0 + ecx);
}

/* Fills in the label of a row, and which numbers its kind of observation has. */
static void describe_row(const p5_trace *trace, const p5_observation *at, trace_row *row)
{
    switch (at->kind) {
    case P5_OBSERVE_ENTRY:
    case P5_OBSERVE_EXIT:
        assert(at->number < trace->options.function_count); /* `observed` omits the bounds' addresses */
        row->label = trace->options.functions[at->number].name;
        break;
    case P5_OBSERVE_BEGIN:
    case P5_OBSERVE_END:
        row->has_number = true;
        break;
    case P5_OBSERVE_RDPMC:
        row->label = counter_name(trace, at->number);
        row->has_number = row->has_value = true;
        break;
    case P5_OBSERVE_RDMSR:
    case P5_OBSERVE_WRMSR:
        row->label = register_name(trace, at->number);
        row->has_number = row->has_value = true;
        break;
    default:
        break;
    }
}

/* Writes a row of the current totals, which then become those of the previous row. `kind` is "start" or "stop"; NULL:
 * the kind of the observation. */
static void write_row(p5_trace *trace, const char *kind, const p5_observation *at)
{
    if (trace->failed || trace->sink->row == NULL)
        return;
    p5_machine_counts(trace->machine, &trace->counts);
    for (size_t i = 0; i < trace->column_count; i++)
        trace->values[i] = p5_selected_value(&trace->columns[i], &trace->counts);
    const p5_pmu *pmu = p5_machine_pmu(trace->machine);
    trace_row row = {.number = trace->rows,
                     .kind = kind != NULL ? kind : p5_observation_name(at->kind),
                     .at = at,
                     .values = trace->values,
                     .before = trace->before,
                     .clock_before = trace->clock_before};
    for (size_t i = 0; i < trace->register_count; i++)
        row.registers[i] = p5_pmu_peek(pmu, trace->registers[i].msr);
    if (kind == NULL)
        describe_row(trace, at, &row);
    trace->sink->row(trace, &row);
    if (trace->file != NULL)
        trace_check_file(trace);
    if (trace->failed)
        return;
    trace->rows++;
    trace->clock_before = at->clock;
    uint64_t *values = trace->values;
    trace->values = trace->before;
    trace->before = values;
}

/* Begins the window: sets its end if that is relative, starts the intervals, and writes the row "start". */
static void open_window(p5_trace *trace, const p5_observation *at)
{
    const p5_trace_options *options = &trace->options;
    trace->open = trace->began = true;
    trace->from = *at;
    if (options->to.relative) {
        p5_point end = p5_bound_point(&options->to, at->clock, at->instructions);
        p5_observer_point(trace->observer, 1, &end); /* point 1 is the window's end */
    }
    uint64_t instructions = options->every_instructions;
    if (trace->sink->every_instruction && options->every_clocks == 0 && instructions == 0)
        instructions = 1;
    if (trace->sink->insn != NULL)
        p5_core_set_trace(p5_machine_core(trace->machine), trace->sink->insn, trace);
    else
        p5_observer_every(trace->observer, options->every_clocks, instructions);
    if (trace->sink->window != NULL)
        trace->sink->window(trace, true);
    write_row(trace, "start", at);
}

/* Ends the window, which then cannot begin again, and writes the row "stop". */
static void close_window(p5_trace *trace, const p5_observation *at)
{
    trace->open = false;
    trace->closed = true;
    trace->to = *at;
    p5_observer_every(trace->observer, 0, 0);
    if (trace->sink->insn != NULL)
        p5_core_set_trace(p5_machine_core(trace->machine), NULL, NULL);
    write_row(trace, "stop", at);
    if (trace->sink->window != NULL)
        trace->sink->window(trace, false);
}

bool p5_bound_is_marker(const p5_bound *bound)
{
    return bound->kind == P5_BOUND_BEGIN || bound->kind == P5_BOUND_END;
}

bool p5_bound_is_here(const p5_bound *bound, const p5_observation *at, uint32_t point)
{
    if (bound->kind == P5_BOUND_ADDRESS)
        return at->kind == P5_OBSERVE_ENTRY && at->address == bound->at;
    if (p5_bound_is_marker(bound))
        return at->kind == (bound->kind == P5_BOUND_BEGIN ? P5_OBSERVE_BEGIN : P5_OBSERVE_END) &&
               at->number == bound->at;
    return bound->kind != P5_BOUND_NONE && at->kind == P5_OBSERVE_POINT && at->number == point;
}

p5_point p5_bound_point(const p5_bound *bound, uint64_t clock, uint64_t instructions)
{
    bool counts = bound->kind == P5_BOUND_CLOCK || bound->kind == P5_BOUND_INSTRUCTION;
    p5_point point = {.instruction = bound->kind == P5_BOUND_INSTRUCTION, .at = UINT64_MAX};
    uint64_t start = !bound->relative ? 0 : point.instruction ? instructions : clock;
    if (counts && bound->at < UINT64_MAX - start)
        point.at = start + bound->at;
    return point;
}

/* Tracks calls of the selected functions before the window. Calls deeper than the observer follows have no exits, so
 * they are not tracked either. Ignores other observations. */
static void follow_calls(p5_trace *trace, const p5_observation *at)
{
    enum { MOST_CALLS = 65536 }; /* the depth to which the observer follows calls */
    if (at->kind == P5_OBSERVE_EXIT && trace->entered.count > 0)
        trace->entered.count--;
    else if (at->kind == P5_OBSERVE_ENTRY && trace->entered.count < MOST_CALLS &&
             !ARRAY_ADD(&trace->entered, at->number))
        trace_fail_for_memory(trace);
}

/* Callback of the observer: begins or ends the window, and writes a row if the observation is to have one. Point 0 is
 * `from`, point 1 is `to`. The addresses of the bounds have the numbers after those of the functions. */
static void observed(void *context, p5_machine *machine, const p5_observation *at)
{
    p5_trace *trace = context;
    (void)machine;
    if (trace->failed || trace->closed)
        return;
    const p5_trace_options *options = &trace->options;
    if (trace->open && p5_bound_is_here(&options->to, at, 1)) {
        close_window(trace, at);
    } else if (!trace->open && p5_bound_is_here(&options->from, at, 0)) {
        open_window(trace, at);
    } else if (!trace->open && at->kind == P5_OBSERVE_POINT && p5_bound_is_here(&options->to, at, 1)) {
        trace->closed = true; /* the end has passed before the beginning and does not come again */
    }
    bool function = at->number < options->function_count;
    bool marker = at->kind == P5_OBSERVE_BEGIN || at->kind == P5_OBSERVE_END;
    bool row = at->kind == P5_OBSERVE_ENTRY || at->kind == P5_OBSERVE_EXIT ? function
               : marker                                                    ? options->markers
                                                                           : at->kind != P5_OBSERVE_POINT;
    if (trace->open && row)
        write_row(trace, NULL, at);
    else if (!trace->open && function)
        follow_calls(trace, at);
}

/* Callback of the observer: passes the change of a pin in the window to the sink. */
static void pin_changed(void *context, p5_machine *machine, p5_pin pin, bool level, uint64_t clock)
{
    p5_trace *trace = context;
    (void)machine;
    if (trace->open && !trace->failed)
        trace->sink->pin(trace, pin, level, clock);
}

/* ---- opening and closing ------------------------------------------------------------------------------- */

/* Makes a column for each selected event, or for the clocks, all events and all stall causes. */
static p5_status make_columns(p5_trace *trace, p5_error *error)
{
    const p5_selection *selection = trace->options.selection;
    p5_status status = P5_OK;
    if (selection == NULL) {
        unsigned family = p5_model_family(p5_machine_model(trace->machine));
        status = p5_selection_add(&trace->all, "clocks,all,stalls", family, error);
        selection = &trace->all;
    }
    trace->columns = selection->items;
    trace->column_count = selection->count;
    trace->values = calloc(selection->count + 1, sizeof *trace->values);
    trace->before = calloc(selection->count + 1, sizeof *trace->before);
    if (status == P5_OK && (trace->values == NULL || trace->before == NULL))
        status = error_set(error, P5_ERR_MEMORY, "no memory for a trace");
    for (size_t i = 0; i < selection->count && status == P5_OK; i++)
        if (!selection->items[i].supported)
            status = error_set(error, P5_ERR_NAME, "the model has no event '%s'", selection->items[i].name);
    return status;
}

/* Opens the observer: points for the bounds by clock or instruction, addresses of functions and bounds, markers, PMU
 * instructions, pins. A relative end gets its point when the window begins. */
static p5_status start_observing(p5_trace *trace, p5_error *error)
{
    const p5_trace_options *options = &trace->options;
    uint32_t *addresses = calloc(options->function_count + 2, sizeof *addresses);
    if (addresses == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a trace");
    size_t count = 0;
    for (size_t i = 0; i < options->function_count; i++)
        addresses[count++] = options->functions[i].address;
    p5_point points[2];
    const p5_bound *bounds[2] = {&options->from, &options->to};
    for (unsigned i = 0; i < 2; i++) {
        points[i] = bounds[i]->relative ? (p5_point){.at = UINT64_MAX} : p5_bound_point(bounds[i], 0, 0);
        if (bounds[i]->kind == P5_BOUND_ADDRESS)
            addresses[count++] = (uint32_t)bounds[i]->at;
    }
    p5_observe_options observe = {.size = sizeof observe,
                                  .points = points,
                                  .point_count = 2,
                                  .addresses = addresses,
                                  .address_count = count,
                                  .markers = options->markers || p5_bound_is_marker(&options->from) ||
                                             p5_bound_is_marker(&options->to),
                                  .pmu = options->pmu,
                                  .observed = observed,
                                  .counts_only = true,
                                  .pin = trace->sink->pin != NULL ? pin_changed : NULL,
                                  .context = trace};
    p5_status status = p5_machine_observe(trace->machine, &observe, &trace->observer, error);
    free(addresses);
    return status;
}

static void free_trace(p5_trace *trace)
{
    p5_selection_free(&trace->all);
    free(trace->values);
    free(trace->before);
    free(trace->entered.items);
    free(trace);
}

p5_status p5_trace_open(p5_machine *machine, const p5_trace_options *options, p5_trace **out, p5_error *error)
{
    *out = NULL;
    if (options->size != sizeof *options)
        return error_set(error, P5_ERR_STATE, "p5_trace_options.size is %zu, this library expects %zu",
                         options->size, sizeof *options);
    const trace_sink_type *sink = trace_sink_of(options->format);
    if (sink->has_database && (options->compressed || strcmp(options->path, "-") == 0))
        return error_set(error, P5_ERR_UNSUPPORTED,
                         "a database can be neither compressed nor written to a stream");
    p5_trace *trace = calloc(1, sizeof *trace);
    if (trace == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a trace");
    trace->machine = machine;
    trace->options = *options;
    trace->options.command = options->command != NULL ? options->command : "";
    trace->options.options = options->options != NULL ? options->options : "";
    trace->sink = sink;
    trace->registers = p5_pmu_monitor_registers(p5_machine_pmu(machine), &trace->register_count);
    p5_status status = make_columns(trace, error);
    if (status == P5_OK)
        status = start_observing(trace, error);
    if (status == P5_OK && !sink->has_database)
        status = trace_file_open(options->path, options->compressed, &trace->file, error);
    if (status == P5_OK)
        status = sink->begin(trace, error);
    if (status != P5_OK) {
        p5_observer_close(trace->observer);
        trace_file_close(trace->file, NULL);
        free_trace(trace);
        return status;
    }
    if (options->from.kind == P5_BOUND_NONE) {
        p5_observation at = now(trace);
        open_window(trace, &at);
    }
    *out = trace;
    return P5_OK;
}

p5_status p5_trace_close(p5_trace *trace, const char *ending, p5_error *error)
{
    p5_machine_settle(trace->machine);
    if (trace->sink->pin != NULL)
        p5_pmu_settle_pins(p5_machine_pmu(trace->machine));
    if (trace->open) {
        p5_observation at = now(trace);
        close_window(trace, &at);
    }
    p5_observer_close(trace->observer);
    /* A failure of the file comes first, then one of `end`, then one of a row. */
    p5_status ended = trace->sink->end != NULL ? trace->sink->end(trace, ending, error) : P5_OK;
    p5_error reason;
    p5_status closed = trace_file_close(trace->file, &reason);
    if (closed != P5_OK && error != NULL)
        *error = reason;
    p5_status status = closed != P5_OK ? closed : ended;
    if (trace->failed && status == P5_OK) {
        status = trace->error.status;
        if (error != NULL)
            *error = trace->error;
    }
    free_trace(trace);
    return status;
}
