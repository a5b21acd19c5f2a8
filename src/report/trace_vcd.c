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
#include "report/vcd_bus.h"
#include "report/vcd_queue.h"
#include "report/vcd_time.h"

/* The bus is told of that long after its time at most: a page walk and two lines. */
enum { LAG_CLOCKS = 4096, TEXTS = 1 << 12, PROBES = 32, QUEUED = 512, USES = 64, EDGES = 64 };
/* Text of a change of one signal, and of the bus. */
enum {
    STRING_BYTES = 100,
    CHANGE_BYTES = VCD_TIME_BYTES + STRING_BYTES + 10,
    LEVEL_BYTES = 3,
    EDGE_BYTES = VCD_TIME_BYTES + 3 * LEVEL_BYTES + 1
};

/* The signals; the columns of the trace follow. */
enum {
    SIGNAL_PM0,
    SIGNAL_PM1,
    SIGNAL_BP,
    SIGNAL_IERR,
    SIGNAL_BUS_CLOCK,
    SIGNAL_BUS_BUSY,
    SIGNAL_BUS_OTHER,
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
    [SIGNAL_BUS_OTHER] = {"bus", "wire", "other", 1, 0},
    [SIGNAL_BTM] = {"bus", "wire", "btm", 2, 0},
    [SIGNAL_BTM_ADDRESS] = {"bus", "wire", "btm_address", 32, 0},
    [SIGNAL_CESR] = {"pmu", "reg", "CESR", 32, 0},
    [SIGNAL_CTR0] = {"pmu", "reg", "CTR0", 40, 0},
    [SIGNAL_CTR1] = {"pmu", "reg", "CTR1", 40, 0},
    [SIGNAL_CPL] = {"cpu", "reg", "CPL", 2, 0},
    [SIGNAL_ADDRESS] = {"cpu", "reg", "address", 32, 0},
    [SIGNAL_INSN] = {"cpu", "string", "instruction", 1, 0},
};

typedef struct vcd_state {
    vcd_queue queue; /* all but the bus */
    vcd_bus bus;
    size_t most_changes; /* in the queue until it is looked at */
    bool out_of_memory;
    insn_text *texts;
    char *strings[TEXTS]; /* values of SIGNAL_INSN, by hash */
    size_t signal_count;
    uint64_t *shown;   /* values as last written, but for */
    vcd_levels levels; /* ... those of the bus */
    vcd_time time;
    vcd_digits digits;
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

static unsigned bits_of(uint32_t signal)
{
    return signal < SIGNAL_COLUMNS ? signals[signal].bits : 64;
}

enum { FIRST_IDENTIFIER = '!', IDENTIFIERS = 94 };
/* Printable characters from ! on, lowest digit first. */
static const char *identifier(uint32_t signal, char text[8])
{
    size_t at = 0;
    do {
        text[at++] = (char)(FIRST_IDENTIFIER + signal % IDENTIFIERS);
        signal /= IDENTIFIERS;
    } while (signal != 0);
    text[at] = '\0';
    return text;
}

/* A change of `signal`, without its time, into CHANGE_BYTES; answers where the text goes on. */
static char *put_value(const vcd_state *state, char *to, uint32_t signal, uint64_t value)
{
    char id[8];
    if (signal == SIGNAL_INSN) {
        const char *text = value < TEXTS && state->strings[value] != NULL ? state->strings[value] : "-";
        *to++ = 's';
        to = stpcpy(to, text);
        *to++ = ' ';
    } else if (bits_of(signal) == 1) {
        *to++ = value != 0 ? '1' : '0';
    } else {
        *to++ = 'b';
        for (int bit = value != 0 ? 63 - __builtin_clzll(value) : 0; bit >= 0; bit--)
            *to++ = (char)('0' + (value >> bit & 1));
        *to++ = ' ';
    }
    to = stpcpy(to, identifier(signal, id));
    *to++ = '\n';
    return to;
}

static void show(p5_trace *trace, uint64_t clock, uint32_t signal, uint64_t value)
{
    vcd_state *state = trace->state;
    if (state->shown[signal] == value)
        return;
    state->shown[signal] = value;
    char *to = trace_room(trace->file, CHANGE_BYTES);
    if (to == NULL)
        return;
    trace_wrote(trace->file, put_value(state, vcd_time_put(&state->time, to, clock), signal, value));
}

/* ---- the bus: most of the file, and written in place ---- */

static inline char *put_level(char *to, uint32_t signal, bool level)
{
    _Static_assert((int)SIGNAL_COLUMNS <= (int)IDENTIFIERS, "an identifier is one character");
    const char text[LEVEL_BYTES + 1] = {level ? '1' : '0', (char)(FIRST_IDENTIFIER + signal), '\n'};
    memcpy(to, text, sizeof text); /* a word at once */
    return to + LEVEL_BYTES;
}

static char *put_levels(char *to, const vcd_levels *before, const vcd_levels *levels)
{
    if (levels->bus_clock != before->bus_clock)
        to = put_level(to, SIGNAL_BUS_CLOCK, levels->bus_clock);
    if (levels->busy != before->busy)
        to = put_level(to, SIGNAL_BUS_BUSY, levels->busy);
    if (levels->other != before->other)
        to = put_level(to, SIGNAL_BUS_OTHER, levels->other);
    return to;
}

/* An edge of whatever signal before `clock`. */
static bool put_edge(vcd_state *state, uint64_t clock, char **to)
{
    vcd_levels next = state->levels;
    if (!vcd_bus_take(&state->bus, clock, &next))
        return false;
    char changes[3 * LEVEL_BYTES + 1], *end = put_levels(changes, &state->levels, &next);
    state->levels = next;
    if (end == changes)
        return true;
    *to = vcd_time_put(&state->time, *to, next.clock);
    memcpy(*to, changes, sizeof changes);
    *to += end - changes;
    return true;
}

/* Uses as wholes, as long as no more than the last digits of the time change. */
static char *put_near_uses(vcd_time *time, vcd_uses *uses, char *to)
{
    static const char up[VCD_EDGE_BYTES] = {'\n', '1', FIRST_IDENTIFIER + SIGNAL_BUS_BUSY, '\n'};
    static const char down[VCD_EDGE_BYTES] = {'\n', '0', FIRST_IDENTIFIER + SIGNAL_BUS_BUSY, '\n'};
    const vcd_time same = *time; /* a copy, which writing characters cannot change */
    vcd_uses near = *uses;
    if (near.next >= near.end || near.next->from <= same.value)
        return to;
    if (near.limit > same.end)
        near.limit = same.end;
    for (uint64_t from, until; vcd_uses_take(&near, &from, &until); time->value = until) {
        to = vcd_time_put_near(&same, to, from, up);
        to = vcd_time_put_near(&same, to, until, down);
    }
    uses->next = near.next;
    return to;
}

/* Uses as wholes, as long as nothing else happens; at most `most`. Answers where the text goes on. */
static char *put_uses(vcd_state *state, uint64_t clock, char *to, unsigned most)
{
    vcd_time *time = &state->time;
    vcd_uses uses = vcd_bus_uses(&state->bus, clock, most);
    for (uint64_t from, until;;) {
        to = put_near_uses(time, &uses, to);
        if (!vcd_uses_take(&uses, &from, &until))
            break;
        to = put_level(vcd_time_put(time, to, from), SIGNAL_BUS_BUSY, true);
        to = put_level(vcd_time_put(time, to, until), SIGNAL_BUS_BUSY, false);
    }
    state->bus.next = uses.next;
    return to;
}

/* The bus up to before `clock`. */
static void show_bus(p5_trace *trace, uint64_t clock)
{
    vcd_state *state = trace->state;
    for (bool more = true; more;) {
        char *to = trace_room(trace->file, (2 * USES + EDGES) * EDGE_BYTES);
        if (to == NULL) {
            vcd_bus_drop(&state->bus);
            return;
        }
        char *end = put_uses(state, clock, to, USES);
        for (unsigned left = state->bus.clock_at < clock ? EDGES : 1; more && left > 0; left--)
            more = put_edge(state, clock, &end);
        if (end == to)
            continue;
        trace_wrote(trace->file, end);
        trace_end_record(trace->file);
    }
}

/* ---- in order of time ---- */

/* Writes everything that happens before `clock`. */
static void write_before(p5_trace *trace, uint64_t clock)
{
    vcd_state *state = trace->state;
    vcd_change next;
    while (vcd_queue_take(&state->queue, clock, &next)) {
        show_bus(trace, next.clock);
        show(trace, next.clock, next.signal, next.value);
    }
    show_bus(trace, clock);
    trace_end_record(trace->file);
}

/* Long queues are slow ones: writes what nothing can come before any more. */
static void __attribute__((noinline)) write_settled(void *context)
{
    p5_trace *trace = context;
    vcd_state *state = trace->state;
    uint64_t clock = p5_core_clock_estimate(p5_machine_core(trace->machine));
    if (clock > LAG_CLOCKS)
        write_before(trace, clock - LAG_CLOCKS);
    if (!vcd_bus_tidy(&state->bus, QUEUED)) {
        state->out_of_memory = true;
        vcd_bus_drop(&state->bus);
    }
    state->most_changes = state->queue.heap.count + QUEUED;
    if (trace_file_failed(trace->file))
        trace_fail(trace, NULL);
}

/* ---- what is told between rows ------------------------------------------------------------------------- */

static void on_message(void *context, const p5_branch_message *message)
{
    p5_trace *trace = context;
    pulse(trace->state, SIGNAL_BTM, message->clock, message->clock + 1, message->target ? 2 : 1, 0);
    vcd_state *state = trace->state;
    change(state, message->clock, SIGNAL_BTM_ADDRESS, message->address);
    if (state->queue.heap.count >= state->most_changes)
        write_settled(trace);
}

static void pin(p5_trace *trace, p5_pin which, bool level, uint64_t clock)
{
    static const uint32_t signal[P5_PINS] = {SIGNAL_PM0, SIGNAL_PM1, SIGNAL_IERR};
    vcd_state *state = trace->state;
    change(state, clock, signal[which], which == P5_PIN_IERR ? !level : level);
    if (state->queue.heap.count >= state->most_changes)
        write_settled(trace);
}

static void listen(p5_trace *trace, bool on)
{
    p5_core *core = p5_machine_core(trace->machine);
    p5_core_note_bus(core, on ? &((vcd_state *)trace->state)->bus.notes : NULL);
    p5_core_on_branch_message(core, on ? on_message : NULL, trace);
}

/* ---- header -------------------------------------------------------------------------------------------- */

static void put_text(trace_file *file, const char *text)
{
    for (; *text != '\0'; text++) /* "$end" would end the section */
        trace_put_char(file, *text == '$' || *text == '\n' ? ' ' : *text);
}

static bool is_left_out(const p5_trace *trace, uint32_t signal)
{
    return signal == SIGNAL_BUS_CLOCK && !trace->options.bus_clock;
}

static void declare(p5_trace *trace)
{
    trace_file *file = trace->file;
    const char *scope = "";
    char id[8];
    for (uint32_t i = 0; i < SIGNAL_COLUMNS; i++) {
        if (is_left_out(trace, i))
            continue;
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

static void free_state(vcd_state *state)
{
    if (state == NULL)
        return;
    for (size_t i = 0; i < TEXTS; i++)
        free(state->strings[i]);
    free(state->queue.heap.items);
    vcd_bus_free(&state->bus);
    free(state->shown);
    insn_text_close(state->texts);
    free(state);
}

static p5_status no_memory(vcd_state *state, p5_error *error)
{
    free_state(state);
    return error_set(error, P5_ERR_MEMORY, "no memory for a trace");
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
        return no_memory(state, error);
    for (uint32_t i = 0; i < SIGNAL_COLUMNS; i++)
        state->shown[i] = signals[i].initial;
    vcd_digits_make(&state->digits);
    state->time.digits = &state->digits;
    state->most_changes = QUEUED;
    vcd_bus_init(&state->bus, p5_machine_model(trace->machine)->half_ratio, write_settled, trace);
    if (!vcd_bus_tidy(&state->bus, QUEUED))
        return no_memory(state, error);
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
    for (uint32_t i = 0; i < state->signal_count; i++) {
        char *to = trace_room(file, CHANGE_BYTES);
        if (to != NULL && !is_left_out(trace, i))
            trace_wrote(file, put_value(state, to, i, i == SIGNAL_INSN ? UINT64_MAX : state->shown[i]));
    }
    trace_put(file, "$end\n");
    trace_end_record(file);
    state->shown[SIGNAL_INSN] = UINT64_MAX;
    return P5_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* The number under which a text without blanks stands in `strings`. */
static uint64_t string_number(vcd_state *state, const char *text)
{
    char plain[STRING_BYTES];
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
        if (trace->options.bus_clock)
            vcd_bus_clock_start(&state->bus, clock);
        return;
    }
    write_before(trace, clock + 1);
    vcd_bus_clock_stop(&state->bus);
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
    free_state(state);
    return P5_OK;
}

const trace_sink_type trace_vcd = {
    .begin = begin, .window = window, .row = row, .pin = pin, .end = end, .every_instruction = true};
