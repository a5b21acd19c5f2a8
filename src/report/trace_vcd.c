/* `trace` as a value change dump: GTKWave opens it, vcd2fst makes it small. One unit of time is one core
 * clock.
 *
 * The model knows events by the instruction group that brought them, not by the clock within it. So a counter
 * changes where its group leaves EX, and what a pin shows of it was on in the last clocks up to there. The
 * pins themselves are the monitor's (src/pmu/pins.c): delayed, and sampled at bus clocks. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/model.h"
#include "p5scope/version.h"
#include "pmu/monitor.h"
#include "pmu/pins.h"
#include "report/insn_text.h"
#include "report/trace_sink.h"
#include "report/vcd_queue.h"

/* The bus is told of that long after its time at most: a page walk and two lines. */
enum { LAG_CLOCKS = 4096, TEXTS = 1 << 12, PROBES = 32, CHANGE_BYTES = 48, EDGES = 64, QUEUED = 1024 };

/* The signals; the columns of the trace follow. */
enum {
    SIGNAL_PM0,
    SIGNAL_PM1,
    SIGNAL_BP,
    SIGNAL_IERR,
    SIGNAL_BUS_CLOCK,
    SIGNAL_BUS_BUSY,
    SIGNAL_BUS_OWN,
    SIGNAL_BTM,
    SIGNAL_BTM_ADDRESS,
    SIGNAL_CESR,
    SIGNAL_CTR0,
    SIGNAL_CTR1,
    SIGNAL_CPL,
    SIGNAL_ADDRESS,
    SIGNAL_INSN,
    SIGNAL_COLUMNS
};

static const struct {
    const char *scope, *type, *name;
    unsigned bits;
    uint64_t initial;
} signals[SIGNAL_COLUMNS] = {
    [SIGNAL_PM0] = {"pins", "wire", "PM0", 1, 0},
    [SIGNAL_PM1] = {"pins", "wire", "PM1", 1, 0},
    [SIGNAL_BP] = {"pins", "wire", "BP", 4, 0},
    [SIGNAL_IERR] = {"pins", "wire", "IERR_n", 1, 1},
    [SIGNAL_BUS_CLOCK] = {"bus", "wire", "CLK", 1, 0},
    [SIGNAL_BUS_BUSY] = {"bus", "wire", "busy", 1, 0},
    [SIGNAL_BUS_OWN] = {"bus", "wire", "own", 1, 0},
    [SIGNAL_BTM] = {"bus", "wire", "btm", 2, 0},
    [SIGNAL_BTM_ADDRESS] = {"bus", "wire", "btm_address", 32, 0},
    [SIGNAL_CESR] = {"pmu", "reg", "CESR", 32, 0},
    [SIGNAL_CTR0] = {"pmu", "reg", "CTR0", 40, 0},
    [SIGNAL_CTR1] = {"pmu", "reg", "CTR1", 40, 0},
    [SIGNAL_CPL] = {"cpu", "reg", "CPL", 2, 0},
    [SIGNAL_ADDRESS] = {"cpu", "reg", "address", 32, 0},
    [SIGNAL_INSN] = {"cpu", "string", "instruction", 1, 0},
};

/* A number that mostly grows by little, with its digits. */
typedef struct decimal {
    uint64_t value;
    unsigned length;
    char digits[24];
} decimal;

typedef struct vcd_state {
    vcd_queue queue;
    bool out_of_memory;
    insn_text *texts;
    char *strings[TEXTS]; /* values of SIGNAL_INSN, by hash */
    size_t signal_count;
    uint64_t *shown;    /* values as last written */
    decimal time;       /* #time as last written */
    uint64_t bus_clock; /* number of the next edge of CLK */
    bool clock_runs;
    uint64_t matches[4];
} vcd_state;

static void change(vcd_state *state, uint64_t clock, uint32_t signal, uint64_t value)
{
    if (!vcd_queue_add(&state->queue, clock, signal, value))
        state->out_of_memory = true;
}

/* On from clock `from` up to before `to`. */
static void pulse(vcd_state *state, uint32_t signal, uint64_t from, uint64_t to, uint64_t value,
                  uint64_t rest)
{
    change(state, from, signal, value);
    change(state, to, signal, rest);
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static void decimal_set(decimal *d, uint64_t value)
{
    uint64_t more = value - d->value;
    d->value = value;
    if (more < 10 && d->length > 0) {
        char *digit = d->digits + d->length - 1;
        *digit = (char)(*digit + (int)more);
        for (; *digit > '9' && digit > d->digits; digit--) {
            *digit = (char)(*digit - 10);
            digit[-1]++;
        }
        if (*d->digits <= '9')
            return;
    }
    d->length = (unsigned)snprintf(d->digits, sizeof d->digits, "%" PRIu64, value);
}

/* "#time" if it has not been written; answers where the text goes on. */
static char *add_time(vcd_state *state, char *to, uint64_t clock)
{
    if (clock <= state->time.value)
        return to; /* what is told of too late belongs to the time that has been reached */
    decimal_set(&state->time, clock);
    *to++ = '#';
    memcpy(to, state->time.digits, sizeof state->time.digits); /* and what is behind them */
    to += state->time.length;
    *to++ = '\n';
    return to;
}

static unsigned bits_of(uint32_t signal)
{
    return signal < SIGNAL_COLUMNS ? signals[signal].bits : 64;
}

/* Printable characters from ! on, lowest digit first. */
static const char *identifier(uint32_t signal, char text[8])
{
    enum { FIRST = 33, DIGITS = 94 };
    size_t at = 0;
    do {
        text[at++] = (char)(FIRST + signal % DIGITS);
        signal /= DIGITS;
    } while (signal != 0);
    text[at] = '\0';
    return text;
}

static void put_value(p5_trace *trace, uint32_t signal, uint64_t value)
{
    vcd_state *state = trace->state;
    trace_file *file = trace->file;
    char id[8], digits[65];
    identifier(signal, id);
    if (signal == SIGNAL_INSN) {
        const char *text = value < TEXTS && state->strings[value] != NULL ? state->strings[value] : "-";
        trace_put_char(file, 's');
        trace_put(file, text);
        trace_put_char(file, ' ');
    } else if (bits_of(signal) == 1) {
        trace_put_char(file, value != 0 ? '1' : '0');
    } else {
        size_t at = sizeof digits - 1;
        digits[at] = '\0';
        do {
            digits[--at] = (char)('0' + (value & 1));
            value >>= 1;
        } while (value != 0);
        trace_put_char(file, 'b');
        trace_put(file, digits + at);
        trace_put_char(file, ' ');
    }
    trace_put(file, id);
    trace_put_char(file, '\n');
}

static void show(p5_trace *trace, uint64_t clock, uint32_t signal, uint64_t value)
{
    vcd_state *state = trace->state;
    if (state->shown[signal] == value)
        return;
    state->shown[signal] = value;
    char text[CHANGE_BYTES], *end = add_time(state, text, clock);
    if (bits_of(signal) == 1 && signal != SIGNAL_INSN) {
        *end++ = value != 0 ? '1' : '0';
        end = stpcpy(end, identifier(signal, (char[8]){0}));
        *end++ = '\n';
        trace_put_bytes(trace->file, text, (size_t)(end - text));
    } else {
        trace_put_bytes(trace->file, text, (size_t)(end - text));
        put_value(trace, signal, value);
    }
    trace_end_record(trace->file);
}

/* Edges of the bus clock before `clock`; bus clock n begins at half core clock n * half_ratio. They are most
 * of what is written, and gathered. */
static void put_bus_clock(p5_trace *trace, uint64_t clock)
{
    vcd_state *state = trace->state;
    uint64_t quarter_ratio =
        p5_machine_model(trace->machine)->half_ratio; /* half a bus clock, in quarter core clocks */
    if (!state->clock_runs)
        return;
    char text[EDGES * CHANGE_BYTES], *end = text, id[8];
    identifier(SIGNAL_BUS_CLOCK, id);
    uint64_t *shown = &state->shown[SIGNAL_BUS_CLOCK];
    for (;; state->bus_clock++) {
        uint64_t at = (state->bus_clock * quarter_ratio + 3) / 4, level = state->bus_clock % 2 == 0;
        if (end != text && (at >= clock || end - text > (EDGES - 1) * CHANGE_BYTES)) {
            trace_put_bytes(trace->file, text, (size_t)(end - text));
            trace_end_record(trace->file);
            end = text;
        }
        if (at >= clock)
            return;
        if (level == *shown)
            continue;
        *shown = level;
        end = add_time(state, end, at);
        *end++ = level ? '1' : '0';
        end = stpcpy(end, id);
        *end++ = '\n';
    }
}

/* Writes everything that happens before `clock`. */
static void write_before(p5_trace *trace, uint64_t clock)
{
    vcd_state *state = trace->state;
    vcd_change next;
    while (vcd_queue_take(&state->queue, clock, &next)) {
        put_bus_clock(trace, next.clock);
        show(trace, next.clock, next.signal, next.value);
    }
    put_bus_clock(trace, clock);
}

/* ---- what is told between rows ------------------------------------------------------------------------- */

static void on_bus(void *context, uint64_t from, uint64_t to, bool own)
{
    p5_trace *trace = context;
    pulse(trace->state, SIGNAL_BUS_BUSY, from, to, 1, 0);
    if (own)
        pulse(trace->state, SIGNAL_BUS_OWN, from, to, 1, 0);
    const vcd_state *state = trace->state;
    uint64_t clock = p5_core_clock_estimate(p5_machine_core(trace->machine));
    if (state->queue.heap.count >= QUEUED && clock > LAG_CLOCKS) /* a long queue is a slow one */
        write_before(trace, clock - LAG_CLOCKS);
}

static void on_message(void *context, const p5_branch_message *message)
{
    p5_trace *trace = context;
    pulse(trace->state, SIGNAL_BTM, message->clock, message->clock + 1, message->target ? 2 : 1, 0);
    change(trace->state, message->clock, SIGNAL_BTM_ADDRESS, message->address);
}

static void pin(p5_trace *trace, p5_pin which, bool level, uint64_t clock)
{
    static const uint32_t signal[P5_PINS] = {SIGNAL_PM0, SIGNAL_PM1, SIGNAL_IERR};
    change(trace->state, clock, signal[which], which == P5_PIN_IERR ? !level : level);
}

static void listen(p5_trace *trace, bool on)
{
    p5_core *core = p5_machine_core(trace->machine);
    p5_core_on_bus(core, on ? on_bus : NULL, trace);
    p5_core_on_branch_message(core, on ? on_message : NULL, trace);
}

/* ---- header -------------------------------------------------------------------------------------------- */

static void put_text(trace_file *file, const char *text)
{
    for (; *text != '\0'; text++) /* "$end" would end the section */
        trace_put_char(file, *text == '$' || *text == '\n' ? ' ' : *text);
}

static void declare(p5_trace *trace)
{
    trace_file *file = trace->file;
    const char *scope = "";
    char id[8];
    for (uint32_t i = 0; i < SIGNAL_COLUMNS; i++) {
        if (strcmp(scope, signals[i].scope) != 0)
            trace_put_format(file, "%s$scope module %s $end\n", scope[0] != '\0' ? "$upscope $end\n" : "",
                             signals[i].scope);
        scope = signals[i].scope;
        trace_put_format(file, "$var %s %u %s %s", signals[i].type, signals[i].bits, identifier(i, id),
                         signals[i].name);
        if (signals[i].bits > 1)
            trace_put_format(file, " [%u:0]", signals[i].bits - 1);
        trace_put(file, " $end\n");
    }
    trace_put(file, "$upscope $end\n");
    if (trace->column_count == 0)
        return;
    trace_put(file, "$scope module events $end\n");
    for (size_t i = 0; i < trace->column_count; i++) {
        char name[sizeof trace->columns[i].name];
        memcpy(name, trace->columns[i].name, sizeof name);
        for (char *c = name; *c != '\0'; c++)
            if (!isalnum((unsigned char)*c))
                *c = '_';
        trace_put_format(file, "$var reg 64 %s %s [63:0] $end\n",
                         identifier(SIGNAL_COLUMNS + (uint32_t)i, id), name);
    }
    trace_put(file, "$upscope $end\n");
}

static p5_status begin(p5_trace *trace, p5_error *error)
{
    const p5_trace_options *options = &trace->options;
    /* With a row for every instruction all events would be most of the file: only those asked for. */
    if (options->selection == NULL && options->every_clocks == 0 && options->every_instructions == 0)
        trace->column_count = 0;
    vcd_state *state = calloc(1, sizeof *state);
    if (state != NULL) {
        state->signal_count = SIGNAL_COLUMNS + trace->column_count;
        state->shown = calloc(state->signal_count, sizeof *state->shown);
        state->texts = insn_text_open(trace->machine);
    }
    trace->state = state;
    if (state == NULL || state->shown == NULL || state->texts == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a trace");
    for (uint32_t i = 0; i < SIGNAL_COLUMNS; i++)
        state->shown[i] = signals[i].initial;
    trace_file *file = trace->file;
    const p5_model *model = p5_machine_model(trace->machine);
    trace_put_format(file, "$version p5scope %s $end\n$comment model ", p5_version());
    put_text(file, p5_model_name(model));
    trace_put_format(file, " at %g MHz, options: ", p5_model_clock_mhz(model));
    put_text(file, options->options != NULL ? options->options : "");
    trace_put(file, ", guest: ");
    put_text(file, options->command != NULL ? options->command : "");
    trace_put(file, " $end\n$comment 1 ns stands for 1 core clock $end\n$timescale 1 ns $end\n");
    declare(trace);
    trace_put(file, "$enddefinitions $end\n#0\n$dumpvars\n");
    for (uint32_t i = 0; i < state->signal_count; i++)
        put_value(trace, i, i == SIGNAL_INSN ? UINT64_MAX : state->shown[i]);
    trace_put(file, "$end\n");
    trace_end_record(file);
    state->shown[SIGNAL_INSN] = UINT64_MAX;
    return P5_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* The number under which a text without blanks stands in `strings`. */
static uint64_t string_number(vcd_state *state, const char *text)
{
    char plain[100];
    size_t length = 0;
    uint64_t hash = 0xcbf29ce484222325u;
    for (; text[length] != '\0' && length + 1 < sizeof plain; length++) {
        plain[length] = text[length] == ' ' ? '_' : text[length];
        hash = (hash ^ (unsigned char)plain[length]) * 0x100000001b3u;
    }
    plain[length] = '\0';
    for (uint64_t probe = 0; probe < PROBES; probe++) {
        uint64_t at = (hash + probe) % TEXTS;
        if (state->strings[at] == NULL)
            state->strings[at] = strdup(plain);
        if (state->strings[at] != NULL && strcmp(state->strings[at], plain) == 0)
            return at;
    }
    return UINT64_MAX; /* more different instructions than there is room for */
}

/* A match of a breakpoint address shows on its pin, whether or not a counter counts it. */
static void show_breakpoints(p5_trace *trace, uint64_t clock, bool first)
{
    vcd_state *state = trace->state;
    uint64_t matched = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t *by_class = trace->counts.increments[P5_EVENT_BREAKPOINT_MATCH_ON_DR0_REGISTER + i];
        uint64_t total = by_class[P5_CPL_SYSTEM] + by_class[P5_CPL_USER];
        if (total != state->matches[i])
            matched |= 1u << i;
        state->matches[i] = total;
    }
    if (matched != 0 && !first) {
        const pins *p = &p5_machine_pmu(trace->machine)->pins;
        uint64_t up, down;
        pins_span(p, clock, 1, p->delay_clocks, &up, &down);
        pulse(state, SIGNAL_BP, up, down, matched, 0);
    }
}

static void row(p5_trace *trace, const trace_row *r)
{
    vcd_state *state = trace->state;
    uint64_t clock = r->at->clock;
    bool first = strcmp(r->kind, "start") == 0;
    for (unsigned i = 0; i < 2; i++)
        change(state, clock, SIGNAL_CTR0 + i, r->counter[i]);
    change(state, clock, SIGNAL_CESR, r->cesr);
    show_breakpoints(trace, clock, first);
    change(state, clock, SIGNAL_CPL, r->at->cpl);
    if (r->at->address != 0) {
        change(state, clock, SIGNAL_ADDRESS, r->at->address);
        change(state, clock, SIGNAL_INSN, string_number(state, insn_text_at(state->texts, r->at->address)));
    }
    for (size_t i = 0; i < trace->column_count; i++)
        if (first || r->values[i] != r->before[i])
            change(state, clock, SIGNAL_COLUMNS + (uint32_t)i, r->values[i]);
    if (clock > LAG_CLOCKS)
        write_before(trace, clock - LAG_CLOCKS);
    if (state->out_of_memory) {
        p5_error error;
        error_set(&error, P5_ERR_MEMORY, "no memory for the trace");
        trace_fail(trace, &error);
    }
}

static void window(p5_trace *trace, bool opens)
{
    vcd_state *state = trace->state;
    uint64_t clock = p5_machine_clock(trace->machine);
    listen(trace, opens);
    if (opens) {
        const pins *p = &p5_machine_pmu(trace->machine)->pins;
        for (unsigned i = 0; i < P5_PINS; i++)
            pin(trace, (p5_pin)i, p->pin[i].level, clock);
        state->bus_clock = (clock * 4 + p5_machine_model(trace->machine)->half_ratio - 1) /
                           p5_machine_model(trace->machine)->half_ratio;
        state->clock_runs = true;
        return;
    }
    write_before(trace, clock + 1);
    state->clock_runs = false;
    write_before(trace, UINT64_MAX);
}

static p5_status end(p5_trace *trace, const char *ending, p5_error *error)
{
    (void)error;
    vcd_state *state = trace->state;
    listen(trace, false);
    trace_put(trace->file, "$comment ");
    put_text(trace->file, ending != NULL ? ending : "the guest has exited");
    trace_put(trace->file, " $end\n");
    trace_end_record(trace->file);
    for (size_t i = 0; i < TEXTS; i++)
        free(state->strings[i]);
    free(state->queue.heap.items);
    free(state->shown);
    insn_text_close(state->texts);
    free(state);
    return P5_OK;
}

const trace_sink_type trace_vcd = {
    .begin = begin, .window = window, .row = row, .pin = pin, .end = end, .every_instruction = true};
