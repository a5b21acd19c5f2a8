/* Writes a trace as JSON lines: an object with the header, one per row, and one that marks the trace as
 * complete. */
#include "report/trace/sink.h"

/* Begins the trace (trace_sink.begin): writes the header. */
static p5_status begin(p5_trace *trace, p5_error *error)
{
    (void)error;
    trace_put_header(trace);
    trace_put_char(trace->file, '\n');
    trace_end_record(trace->file);
    return P5_OK;
}

/* Writes a row. Its member "row" is the row's number. Its member "number" is the marker's id, or the value of ECX
 * that selects a counter or register. */
static void row(p5_trace *trace, const trace_row *r)
{
    trace_file *file = trace->file;
    trace_put(file, "{\"row\":");
    trace_put_unsigned(file, r->number);
    trace_put(file, ",\"kind\":\"");
    trace_put(file, r->kind);
    trace_put_char(file, '"');
    if (r->label != NULL) {
        trace_put(file, ",\"label\":");
        trace_put_json(file, r->label);
    }
    trace_put_member(file, "clock", r->at->clock);
    trace_put_member(file, "instructions", r->at->instructions);
    trace_put_member(file, "address", r->at->address);
    trace_put_member(file, "cpl", r->at->cpl);
    if (r->has_number)
        trace_put_member(file, "number", r->at->number);
    if (r->has_value)
        trace_put_member(file, "value", r->at->value);
    /* CESR, CTR0 and CTR1 are members of the row. The registers of a later processor's monitor are members of
     * the object "registers", which trace_registers_text makes. */
    if (trace_later_monitor(trace)) {
        char text[TRACE_REGISTERS_TEXT];
        trace_put(file, ",\"registers\":");
        trace_put(file, trace_registers_text(trace, r, text));
    } else {
        for (size_t i = 0; i < trace->register_count; i++)
            trace_put_member(file, trace->registers[i].name, r->registers[i]);
    }
    trace_put(file, trace->options.deltas ? ",\"deltas\":{" : ",\"totals\":{");
    for (size_t i = 0; i < trace->column_count; i++) {
        trace_put(file, i == 0 ? "\"" : ",\"");
        trace_put(file, trace->columns[i].name);
        trace_put(file, "\":");
        trace_put_unsigned(file, trace->options.deltas ? r->values[i] - r->before[i] : r->values[i]);
    }
    trace_put(file, "}}\n");
    trace_end_record(file);
}

/* Ends the trace (trace_sink.end): writes the summary, whose presence marks the trace as complete. */
static p5_status end(p5_trace *trace, const char *ending, p5_error *error)
{
    (void)error;
    trace_put(trace->file, "{\"summary\":{\"rows\":");
    trace_put_unsigned(trace->file, trace->rows);
    trace_put_member(trace->file, "clocks", p5_machine_clock(trace->machine));
    trace_put_member(trace->file, "instructions", p5_machine_instructions(trace->machine));
    if (ending != NULL) {
        trace_put(trace->file, ",\"ending\":");
        trace_put_json(trace->file, ending);
    }
    trace_put(trace->file, "}}\n");
    trace_end_record(trace->file);
    return P5_OK;
}

const trace_sink_type trace_jsonl = {.begin = begin, .row = row, .end = end};
