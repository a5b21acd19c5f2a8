/* A value change dump: its signals, and a queue that brings their changes into the order of time. */
#include "report/trace/vcd_dump.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "core/model/model.h"

enum {
    MOST_WRITTEN = 4096, /* when so many changes of the bus have been written, the array drops them */
    LINE_BYTES = VCD_TEXT_BYTES + 40 /* of a time and a value; a number has at most 64 binary digits */
};

/* Signals with a number (its bits and its first value) and with a text. `in` is the scope. */
#define NUMBER(in, kind, called, width, first)                                                               \
    {                                                                                                        \
        .scope = (in), .type = (kind), .name = (called), .bits = (width), .value = (first)                   \
    }
#define TEXT(in, called)                                                                                     \
    {                                                                                                        \
        .scope = (in), .type = "string", .name = (called)                                                    \
    }
static const vcd_signal common[VCD_COLUMNS] = {
    [VCD_PM0] = NUMBER("pins", "wire", "PM0", 1, VCD_UNKNOWN),
    [VCD_PM1] = NUMBER("pins", "wire", "PM1", 1, VCD_UNKNOWN),
    [VCD_BP] = NUMBER("pins", "wire", "BP", 4, 0),
    [VCD_IERR] = NUMBER("pins", "wire", "IERR_n", 1, VCD_UNKNOWN),
    [VCD_BUS_CLOCK] = NUMBER("bus", "wire", "CLK", 1, 0),
    [VCD_BUS_BUSY] = NUMBER("bus", "wire", "busy", 1, 0),
    [VCD_BUS_OTHER] = NUMBER("bus", "wire", "other", 1, 0),
    [VCD_BTM] = NUMBER("bus", "wire", "btm", 2, 0),
    [VCD_BTM_ADDRESS] = NUMBER("bus", "wire", "btm_address", 32, VCD_UNKNOWN),
    [VCD_CESR] = NUMBER("pmu", "reg", "CESR", 32, VCD_UNKNOWN),
    [VCD_CTR0] = NUMBER("pmu", "reg", "CTR0", 40, VCD_UNKNOWN),
    [VCD_CTR1] = NUMBER("pmu", "reg", "CTR1", 40, VCD_UNKNOWN),
    [VCD_CPL] = NUMBER("cpu", "reg", "CPL", 2, VCD_UNKNOWN),
    [VCD_ADDRESS] = NUMBER("cpu", "reg", "address", 32, VCD_UNKNOWN),
    [VCD_INSN] = TEXT("cpu", "instruction"),
    [VCD_PIPE_ADDRESS] = NUMBER("cpu", "reg", "U_address", 32, VCD_UNKNOWN),
    [VCD_PIPE_INSN] = TEXT("cpu", "U"),
    [VCD_V_ADDRESS] = NUMBER("cpu", "reg", "V_address", 32, VCD_UNKNOWN),
    [VCD_V_INSN] = TEXT("cpu", "V"),
};

bool vcd_shows_pipes(const p5_trace *trace)
{
    return trace->options.every_clocks == 0 && trace->options.every_instructions == 0;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

/* Writes a signal's identifier: its number in base 94, with printable characters from '!' on as digits, the lowest
 * first. */
static char *put_identifier(char *to, uint32_t signal)
{
    enum { FIRST = '!', COUNT = 94 };
    do {
        *to++ = (char)(FIRST + signal % COUNT);
        signal /= COUNT;
    } while (signal != 0);
    return to;
}

/* Writes b and the binary digits without leading zeros. */
static char *put_binary(char *to, uint64_t value)
{
    *to++ = 'b';
    for (int bit = value != 0 ? 63 - __builtin_clzll(value) : 0; bit >= 0; bit--)
        *to++ = (char)('0' + (value >> bit & 1));
    return to;
}

/* Writes a signal's value, or that it is unknown. Returns the end of the text. */
static char *put_value(const vcd_dump *dump, char *to, uint32_t number, bool known)
{
    const vcd_signal *signal = &dump->signals[number];
    uint64_t value = known ? signal->value : VCD_UNKNOWN;
    if (signal->bits == 1) {
        *to++ = value == VCD_UNKNOWN ? 'x' : value != 0 ? '1' : '0';
    } else {
        if (signal->bits == 0)
            to = stpcpy(stpcpy(to, "s"), known && signal->text != NULL ? signal->text : "-");
        else
            to = value == VCD_UNKNOWN ? stpcpy(to, "bx") : put_binary(to, value);
        *to++ = ' ';
    }
    to = put_identifier(to, number);
    *to++ = '\n';
    return to;
}

/* Writes a change of a signal. A change that arrives too late is written at the time already reached. */
static void put_change(vcd_dump *dump, uint64_t clock, uint32_t signal)
{
    trace_file *file = dump->trace->file;
    char *to = trace_room(file, LINE_BYTES);
    if (to == NULL)
        return;
    if (clock > dump->time) {
        dump->time = clock;
        *to++ = '#';
        to = text_put_unsigned(to, clock);
        *to++ = '\n';
    }
    trace_wrote(file, put_value(dump, to, signal, true));
}

/* Writes a number if it differs from the last one written. */
static void show(vcd_dump *dump, uint64_t clock, uint32_t signal, uint64_t value)
{
    if (dump->signals[signal].value == value)
        return;
    dump->signals[signal].value = value;
    put_change(dump, clock, signal);
}

/* Writes a text (NULL: none) if it differs from the last one written. The signal then owns it. */
static void show_text(vcd_dump *dump, uint64_t clock, uint32_t signal, char *text)
{
    char **shown = &dump->signals[signal].text;
    if (text != NULL && *shown != NULL ? strcmp(text, *shown) == 0 : text == *shown) {
        free(text);
        return;
    }
    free(*shown);
    *shown = text;
    put_change(dump, clock, signal);
}

void vcd_section(vcd_dump *dump, const char *name, uint64_t clock, bool known)
{
    trace_file *file = dump->trace->file;
    if (!dump->begun || dump->time < clock)
        trace_put_format(file, "#%llu\n", (unsigned long long)clock);
    if (!dump->begun)
        dump->time = clock;
    dump->begun = true;
    trace_put_format(file, "%s\n", name);
    for (uint32_t i = 0; i < dump->signal_count; i++) {
        char *to = dump->signals[i].hidden ? NULL : trace_room(file, LINE_BYTES);
        if (to != NULL)
            trace_wrote(file, put_value(dump, to, i, known));
    }
    trace_put(file, "$end\n");
    trace_end_record(file);
}

/* ---- signals ------------------------------------------------------------------------------------------- */

/* Returns whether this trace has no use for one of the common signals. */
static bool is_hidden(const p5_trace *trace, uint32_t signal)
{
    bool pipe = signal >= VCD_PIPE_ADDRESS, program = signal == VCD_ADDRESS || signal == VCD_INSN;
    bool monitor = signal == VCD_CESR || signal == VCD_CTR0 || signal == VCD_CTR1;
    return pipe                      ? !vcd_shows_pipes(trace)
           : program                 ? vcd_shows_pipes(trace)
           : signal == VCD_BUS_CLOCK ? !trace->options.bus_clock
                                     : monitor && trace_later_monitor(trace);
}

bool vcd_dump_open(vcd_dump *dump, p5_trace *trace)
{
    dump->trace = trace;
    size_t later_registers = trace_later_monitor(trace) ? trace->register_count : 0;
    dump->first_register = later_registers > 0 ? VCD_COLUMNS : VCD_CESR;
    dump->first_column = VCD_COLUMNS + (uint32_t)later_registers;
    size_t count = dump->first_column + trace->column_count;
    dump->signals = calloc(count, sizeof *dump->signals);
    if (dump->signals == NULL)
        return false;
    dump->signal_count = count;
    /* The common signals are followed by the registers of a later monitor and by the columns. */
    for (uint32_t i = 0; i < count; i++) {
        vcd_signal *signal = &dump->signals[i];
        *signal = i < VCD_COLUMNS ? common[i] : (vcd_signal){.type = "reg", .bits = 64, .value = VCD_UNKNOWN};
        if (i >= VCD_COLUMNS) {
            bool monitor = i < dump->first_column;
            signal->scope = monitor ? "pmu" : "events";
            signal->name = monitor ? trace->registers[i - VCD_COLUMNS].name
                                   : trace->columns[i - dump->first_column].name;
        }
        signal->hidden = i < VCD_COLUMNS && is_hidden(trace, i);
    }
    return true;
}

void vcd_declare(const vcd_dump *dump)
{
    trace_file *file = dump->trace->file;
    const char *scope = "";
    for (uint32_t i = 0; i < dump->signal_count; i++) {
        const vcd_signal *signal = &dump->signals[i];
        char id[8];
        if (signal->hidden)
            continue;
        if (strcmp(scope, signal->scope) != 0)
            trace_put_format(file, "%s$scope module %s $end\n", scope[0] != '\0' ? "$upscope $end\n" : "",
                             signal->scope);
        scope = signal->scope;
        *put_identifier(id, i) = '\0';
        trace_put_format(file, "$var %s %u %s ", signal->type, signal->bits != 0 ? signal->bits : 1, id);
        for (const char *c = signal->name; *c != '\0'; c++)
            trace_put_char(file, isalnum((unsigned char)*c) ? *c : '_');
        if (signal->bits > 1)
            trace_put_format(file, " [%u:0]", signal->bits - 1);
        trace_put(file, " $end\n");
    }
    trace_put(file, "$upscope $end\n");
}

void vcd_dump_close(vcd_dump *dump)
{
    timed left;
    while (time_queue_take(&dump->queue, UINT64_MAX, &left))
        if (dump->signals[left.what].bits == 0)
            free(left.text);
    free(dump->queue.heap.items);
    free(dump->bus.items);
    for (size_t i = 0; i < dump->signal_count; i++)
        free(dump->signals[i].text);
    free(dump->signals);
}

/* ---- changes in the order of time ---------------------------------------------------------------------- */

/* Queues a change whose order is set. Frees its text if memory is out. */
static void enqueue(vcd_dump *dump, timed change)
{
    if (time_queue_add(&dump->queue, &change))
        return;
    if (dump->signals[change.what].bits == 0)
        free(change.text);
    trace_fail_for_memory(dump->trace);
}

/* Returns the distance of two edges of the bus clock, half its period, in quarters of a core clock. This is the model's
 * half_ratio: the core clocks in two bus clocks. */
static unsigned edge_quarters(const vcd_dump *dump)
{
    return (unsigned)p5_machine_model(dump->trace->machine)->half_ratio;
}

/* Queues the next edge of the bus clock, after other changes at the same clock. */
static void enqueue_bus_clock(vcd_dump *dump)
{
    enqueue(dump, (timed){.clock = (dump->bus_clock_edges * edge_quarters(dump) + 3) / 4,
                          .order = UINT64_MAX,
                          .what = VCD_BUS_CLOCK});
}

void vcd_start_bus_clock(vcd_dump *dump, uint64_t clock)
{
    unsigned quarters = edge_quarters(dump);
    dump->bus_clock = true;
    dump->bus_clock_edges = (clock * 4 + quarters - 1) / quarters;
    enqueue_bus_clock(dump);
}

/* Writes a change of the queue. An edge of the bus clock queues the next one. */
static void write_change(vcd_dump *dump, const timed *change)
{
    if (dump->signals[change->what].bits == 0) {
        show_text(dump, change->clock, change->what, change->text);
    } else if (change->what != VCD_BUS_CLOCK) {
        show(dump, change->clock, change->what, change->value);
    } else if (dump->bus_clock) {
        show(dump, change->clock, VCD_BUS_CLOCK, dump->bus_clock_edges++ % 2 == 0); /* even edges rise */
        enqueue_bus_clock(dump);
    }
}

void vcd_stop_bus_clock(vcd_dump *dump)
{
    dump->bus_clock = false;
}

void vcd_write_before(vcd_dump *dump, uint64_t clock)
{
    timed change;
    for (; dump->bus_written < dump->bus.count; dump->bus_written++) {
        const bus_edge *edge = &dump->bus.items[dump->bus_written];
        if (edge->clock >= clock)
            break;
        while (time_queue_take(&dump->queue, edge->clock + 1, &change))
            write_change(dump, &change);
        show(dump, edge->clock, VCD_BUS_BUSY, edge->busy);
        show(dump, edge->clock, VCD_BUS_OTHER, edge->other);
    }
    while (time_queue_take(&dump->queue, clock, &change))
        write_change(dump, &change);
    size_t rest = dump->bus.count - dump->bus_written;
    if (dump->bus_written >= MOST_WRITTEN) {
        memmove(dump->bus.items, dump->bus.items + dump->bus_written, rest * sizeof *dump->bus.items);
        dump->bus.count = rest;
        dump->bus_written = 0;
    }
    trace_end_record(dump->trace->file);
    trace_check_file(dump->trace);
}

void vcd_add(vcd_dump *dump, timed change)
{
    change.order = dump->order++;
    enqueue(dump, change);
}

void vcd_add_bus(vcd_dump *dump, const p5_bus_use *uses, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bus_edge begins = {uses[i].from, true, (uses[i].to & P5_BUS_OTHER) != 0};
        const bus_edge ends = {.clock = uses[i].to & ~P5_BUS_OTHER};
        size_t last = dump->bus.count;
        /* A use that begins where the previous one ends leaves the bus busy. */
        if (last > dump->bus_written && dump->bus.items[last - 1].clock == begins.clock)
            dump->bus.count--;
        if (!ARRAY_ADD(&dump->bus, begins) || !ARRAY_ADD(&dump->bus, ends)) {
            trace_fail_for_memory(dump->trace);
            return;
        }
    }
}
