/* Writes a trace as CSV: a comment with the header, a line with the names of the columns, a line per row. */
#include "report/trace/sink.h"

#include "p5scope/version.h"

/* Begins the trace (trace_sink.begin): writes the comment and the names of the columns. */
static p5_status begin(p5_trace *trace, p5_error *error)
{
    (void)error;
    const p5_model *model = p5_machine_model(trace->machine);
    trace_file *file = trace->file;
    trace_put_format(file, "# p5scope %s, model %s at %g MHz, options: ", p5_version(), p5_model_name(model),
                     p5_model_clock_mhz(model));
    trace_put_without(file, trace->options.options, "\n");
    trace_put(file, ", guest: ");
    trace_put_without(file, trace->options.command, "\n");
    trace_put(file, "\nrow,kind,label,clock,instructions,address,cpl,number,value");
    for (size_t i = 0; i < trace->register_count; i++) {
        trace_put_char(file, ',');
        trace_put(file, trace->registers[i].name);
    }
    for (size_t i = 0; i < trace->column_count; i++) {
        trace_put_char(file, ',');
        trace_put(file, trace->columns[i].name);
    }
    trace_put_char(file, '\n');
    trace_end_record(file);
    return P5_OK;
}

/* Writes a comma, and after it the number if it is `given`. */
static void put_number(trace_file *file, uint64_t number, bool given)
{
    trace_put_char(file, ',');
    if (given)
        trace_put_unsigned(file, number);
}

/* Writes a row (trace_sink.row) as a line. */
static void row(p5_trace *trace, const trace_row *r)
{
    trace_file *file = trace->file;
    trace_put_unsigned(file, r->number);
    trace_put_char(file, ',');
    trace_put(file, r->kind);
    trace_put_char(file, ',');
    trace_put_without(file, r->label != NULL ? r->label : "", ","); /* values are never quoted */
    put_number(file, r->at->clock, true);
    put_number(file, r->at->instructions, true);
    trace_put_format(file, ",0x%08x,%u", r->at->address, r->at->cpl);
    put_number(file, r->at->number, r->has_number);
    put_number(file, r->at->value, r->has_value);
    for (size_t i = 0; i < trace->register_count; i++) {
        trace_put_char(file, ',');
        trace_put_register(file, &trace->registers[i], r->registers[i]);
    }
    for (size_t i = 0; i < trace->column_count; i++)
        put_number(file, trace->options.deltas ? r->values[i] - r->before[i] : r->values[i], true);
    trace_put_char(file, '\n');
    trace_end_record(file);
}

/* Ends the trace (trace_sink.end): writes how the run ended, if it did not simply exit. */
static p5_status end(p5_trace *trace, const char *ending, p5_error *error)
{
    (void)error;
    if (ending == NULL)
        return P5_OK;
    trace_put(trace->file, "# ");
    trace_put_without(trace->file, ending, "\n");
    trace_put_char(trace->file, '\n');
    trace_end_record(trace->file);
    return P5_OK;
}

const trace_sink_type trace_csv = {.begin = begin, .row = row, .end = end};
