/* `trace` as a value change dump: GTKWave opens it, vcd2fst makes it small. One unit of time is one core
 * clock.
 *
 * The model knows events by the instruction group that brought them, not by the clock within it. So a counter
 * changes where its group leaves EX, and what a pin shows of it was on in the last clocks up to there. The
 * pins themselves are the monitor's (src/pmu/pins.c): delayed, and sampled at bus clocks. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/aside.h"
#include "base/error.h"
#include "core/model/model.h"
#include "p5scope/version.h"
#include "pmu/pins.h"
#include "report/insn_text.h"
#include "report/trace/sink.h"
#include "report/trace/vcd_text.h"

/* The bus is told of that long after its time at most: a page walk and two lines. */
enum { LAG_CLOCKS = 4096 };
/* Changes in a batch, but for those of a row; batches that are put aside at most. */
enum { MOST_CHANGES = 512, SLOTS = 512 };

typedef struct vcd_state {
    p5_trace *trace;
    vcd_told *slots, *now; /* batches, and the one that is told */
    aside *aside;          /* the others, by number */
    uint64_t order;        /* of the next change */
    vcd_text *text;
    insn_text *texts;
    uint64_t matches[4];
    bool began;          /* the window, and the text */
    uint64_t until;      /* the window's end */
    uint64_t free_at[2]; /* EX of U and V has nothing from then on */
} vcd_state;

/* A row behind each instruction: so the pipes are shown, not just where the program is at a row. */
static bool shows_pipes(const p5_trace *trace)
{
    return trace->options.every_clocks == 0 && trace->options.every_instructions == 0;
}

/* ---- batches ------------------------------------------------------------------------------------------- */

static void fail_for_memory(p5_trace *trace)
{
    p5_error error;
    error_set(&error, P5_ERR_MEMORY, "no memory for the trace");
    trace_fail(trace, &error);
}

static void write_slot(void *context, unsigned slot)
{
    vcd_state *state = context;
    if (!vcd_text_write(state->text, &state->slots[slot]))
        fail_for_memory(state->trace);
}

/* The next batch. */
static void begin_batch(vcd_state *state)
{
    vcd_told *now = &state->slots[aside_slot(state->aside)];
    state->now = now;
    now->bus_clock = VCD_CLOCK_STAYS;
    now->changes.count = now->use_count = 0;
}

/* Nothing that happens before clock `before` will be told any more. */
static void end_batch(vcd_state *state, uint64_t before)
{
    state->now->before = before;
    aside_put(state->aside);
    begin_batch(state);
    aside_keep_up(state->aside);
    if (trace_file_failed(state->trace->file))
        trace_fail(state->trace, NULL);
}

/* Up to where everything has been told when the core has come to `clock`. */
static uint64_t settled(uint64_t clock)
{
    return clock > LAG_CLOCKS ? clock - LAG_CLOCKS : 0;
}

static uint64_t clock_now(const vcd_state *state)
{
    return p5_core_clock_estimate(p5_machine_core(state->trace->machine));
}

/* ... with all that the core knows of the bus. */
static void end_batch_at(vcd_state *state, uint64_t clock)
{
    p5_core_tell_bus(p5_machine_core(state->trace->machine));
    end_batch(state, settled(clock));
}

static void end_batch_if_full(vcd_state *state)
{
    if (state->now->changes.count >= MOST_CHANGES)
        end_batch_at(state, clock_now(state));
}

static bool some(p5_trace *trace)
{
    const vcd_state *state = trace->state;
    return aside_some(state->aside);
}

static void change(vcd_state *state, uint64_t clock, uint32_t signal, uint64_t value)
{
    vcd_told *now = state->now;
    if (!ARRAY_ADD(&now->changes,
                   (timed){.clock = clock, .order = state->order++, .value = value, .what = signal}))
        fail_for_memory(state->trace);
}

/* On from clock `from` up to before `to`. */
static void pulse(vcd_state *state, uint32_t signal, uint64_t from, uint64_t to, uint64_t value,
                  uint64_t rest)
{
    change(state, from, signal, value);
    change(state, to, signal, rest);
}

/* ---- what is told between rows ------------------------------------------------------------------------- */

static void on_bus(void *context, const p5_bus_use *uses, size_t count)
{
    vcd_state *state = context;
    while (count > 0) {
        vcd_told *now = state->now;
        size_t room = VCD_USES - now->use_count, some = count < room ? count : room;
        memcpy(now->uses + now->use_count, uses, some * sizeof *uses);
        now->use_count += some;
        uses += some;
        count -= some;
        if (some == room) {
            uint64_t before = settled(clock_now(state));
            end_batch(state, count > 0 && uses->from < before ? uses->from : before);
        }
    }
}

static void on_message(void *context, const p5_branch_message *message)
{
    p5_trace *trace = context;
    vcd_state *state = trace->state;
    pulse(state, VCD_BTM, message->clock, message->clock + 1, message->target ? 2 : 1, 0);
    change(state, message->clock, VCD_BTM_ADDRESS, message->address);
    end_batch_if_full(state);
}

static void pin(p5_trace *trace, p5_pin which, bool level, uint64_t clock)
{
    static const uint32_t signal[P5_PINS] = {VCD_PM0, VCD_PM1, VCD_IERR};
    vcd_state *state = trace->state;
    change(state, clock, signal[which], which == P5_PIN_IERR ? !level : level);
    end_batch_if_full(state);
}

/* What is in EX, from entering it until it is free again. */
static void in_pipe(vcd_state *state, unsigned pipe, uint64_t clock, uint64_t address, uint64_t text)
{
    change(state, clock, VCD_PIPE_ADDRESS + 2 * pipe, address);
    change(state, clock, VCD_PIPE_INSN + 2 * pipe, text);
}

static void empty_pipe(vcd_state *state, unsigned pipe, uint64_t until)
{
    if (state->free_at[pipe] != 0 && state->free_at[pipe] < until)
        in_pipe(state, pipe, state->free_at[pipe], VCD_UNKNOWN, VCD_UNKNOWN);
}

static void on_insn(void *context, const p5_trace_insn *insn)
{
    p5_trace *trace = context;
    vcd_state *state = trace->state;
    empty_pipe(state, insn->pipe, insn->ex);
    in_pipe(state, insn->pipe, insn->ex, insn->address,
            vcd_text_string(state->text, insn_text_at(state->texts, insn->address)));
    state->free_at[insn->pipe] = insn->end > insn->ex ? insn->end : insn->ex + 1;
    end_batch_if_full(state);
}

static void listen(p5_trace *trace, bool on)
{
    p5_core *core = p5_machine_core(trace->machine);
    if (shows_pipes(trace))
        p5_core_set_trace(core, on ? on_insn : NULL, trace);
    p5_core_on_bus(core, on ? on_bus : NULL, trace->state);
    p5_core_on_branch_message(core, on ? on_message : NULL, trace);
}

/* ---- header -------------------------------------------------------------------------------------------- */

static void put_text(trace_file *file, const char *text)
{
    for (; *text != '\0'; text++) /* "$end" would end the section */
        trace_put_char(file, *text == '$' || *text == '\n' ? ' ' : *text);
}

/* Signals that are not the same for every machine follow the others: the registers of a later monitor, then
 * the columns. */
static uint32_t register_signal(const p5_trace *trace, size_t i)
{
    return (uint32_t)i + (trace_later_monitor(trace) ? (uint32_t)VCD_COLUMNS : (uint32_t)VCD_CESR);
}

static uint32_t column_signal(const p5_trace *trace, size_t i)
{
    return (uint32_t)(VCD_COLUMNS + (trace_later_monitor(trace) ? trace->register_count : 0) + i);
}

/* Bits of the signals that are not shown. */
static uint32_t left_out(const p5_trace *trace)
{
    enum {
        P5_REGISTERS = 1 << VCD_CESR | 1 << VCD_CTR0 | 1 << VCD_CTR1,
        PROGRAM = 1 << VCD_ADDRESS | 1 << VCD_INSN,
        PIPES = 1 << VCD_PIPE_ADDRESS | 1 << VCD_PIPE_INSN | 1 << VCD_V_ADDRESS | 1 << VCD_V_INSN
    };
    return (trace->options.bus_clock ? 0U : 1U << VCD_BUS_CLOCK) |
           (trace_later_monitor(trace) ? P5_REGISTERS : 0U) |
           (shows_pipes(trace) ? (unsigned)PROGRAM : (unsigned)PIPES);
}

static void declare(p5_trace *trace)
{
    trace_file *file = trace->file;
    const char *scope = "";
    char id[VCD_IDENTIFIER_BYTES];
    for (uint32_t i = 0; i < VCD_COLUMNS; i++) {
        if ((left_out(trace) >> i & 1) != 0)
            continue;
        if (strcmp(scope, vcd_signals[i].scope) != 0)
            trace_put_format(file, "%s$scope module %s $end\n", scope[0] != '\0' ? "$upscope $end\n" : "",
                             vcd_signals[i].scope);
        scope = vcd_signals[i].scope;
        trace_put_format(file, "$var %s %u %s %s", vcd_signals[i].type, vcd_signals[i].bits,
                         vcd_identifier(i, id), vcd_signals[i].name);
        if (vcd_signals[i].bits > 1)
            trace_put_format(file, " [%u:0]", vcd_signals[i].bits - 1);
        trace_put(file, " $end\n");
    }
    trace_put(file, "$upscope $end\n");
    if (trace_later_monitor(trace)) {
        trace_put(file, "$scope module pmu $end\n");
        for (size_t i = 0; i < trace->register_count; i++)
            trace_put_format(file, "$var reg 64 %s %s [63:0] $end\n",
                             vcd_identifier(register_signal(trace, i), id), trace->registers[i].name);
        trace_put(file, "$upscope $end\n");
    }
    if (trace->column_count == 0)
        return;
    trace_put(file, "$scope module events $end\n");
    for (size_t i = 0; i < trace->column_count; i++) {
        char name[sizeof trace->columns[i].name];
        memcpy(name, trace->columns[i].name, sizeof name);
        for (char *c = name; *c != '\0'; c++)
            if (!isalnum((unsigned char)*c))
                *c = '_';
        trace_put_format(file, "$var reg 64 %s %s [63:0] $end\n", vcd_identifier(column_signal(trace, i), id),
                         name);
    }
    trace_put(file, "$upscope $end\n");
}

static void free_state(vcd_state *state)
{
    if (state == NULL)
        return;
    aside_close(state->aside);
    for (size_t i = 0; i < SLOTS && state->slots != NULL; i++)
        free(state->slots[i].changes.items);
    free(state->slots);
    vcd_text_close(state->text);
    insn_text_close(state->texts);
    free(state);
}

static p5_status begin(p5_trace *trace, p5_error *error)
{
    const p5_trace_options *options = &trace->options;
    /* With a row for every instruction all events would be most of the file: only those asked for. */
    if (options->selection == NULL && shows_pipes(trace))
        trace->column_count = 0;
    const p5_model *model = p5_machine_model(trace->machine);
    vcd_state *state = calloc(1, sizeof *state);
    trace->state = state;
    if (state != NULL) {
        state->trace = trace;
        state->slots = calloc(SLOTS, sizeof *state->slots);
        state->aside = aside_open(trace->has_helper ? SLOTS : 1, write_slot, state);
        state->text = vcd_text_open(trace->file, column_signal(trace, trace->column_count),
                                    (unsigned)model->half_ratio);
        state->texts = insn_text_open(trace->machine);
    }
    if (state == NULL || state->slots == NULL || state->aside == NULL || state->text == NULL ||
        state->texts == NULL) {
        free_state(state);
        return error_set(error, P5_ERR_MEMORY, "no memory for a trace");
    }
    begin_batch(state);
    trace_file *file = trace->file;
    trace_put_format(file, "$version p5scope %s $end\n$comment model ", p5_version());
    put_text(file, p5_model_name(model));
    trace_put_format(file, " at %g MHz, options: ", p5_model_clock_mhz(model));
    put_text(file, options->options != NULL ? options->options : "");
    trace_put(file, ", guest: ");
    put_text(file, options->command != NULL ? options->command : "");
    trace_put(file, " $end\n$comment 1 ns stands for 1 core clock $end\n$timescale 1 ns $end\n");
    declare(trace);
    trace_put(file, "$enddefinitions $end\n");
    return P5_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* A match of a breakpoint address shows on its pin, whether or not a counter counts it. */
static void show_breakpoints(p5_trace *trace, uint64_t clock, bool first)
{
    vcd_state *state = trace->state;
    uint64_t matched = 0;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t *by_class = trace->counts.increments[P5_EVENT_BREAKPOINT_MATCH_ON_DR0_REGISTER + i];
        uint64_t total = p5_counts_sum(by_class, P5_CPL_MASK_ALL);
        if (total != state->matches[i])
            matched |= 1u << i;
        state->matches[i] = total;
    }
    if (matched != 0 && !first) {
        uint64_t up, down;
        pmu_pin_span(p5_machine_pmu(trace->machine), clock, &up, &down);
        pulse(state, VCD_BP, up, down, matched, 0);
    }
}

static void row(p5_trace *trace, const trace_row *r)
{
    vcd_state *state = trace->state;
    uint64_t clock = r->at->clock;
    bool first = strcmp(r->kind, "start") == 0;
    for (uint32_t i = 0; i < trace->register_count; i++)
        change(state, clock, register_signal(trace, i), r->registers[i]);
    show_breakpoints(trace, clock, first);
    change(state, clock, VCD_CPL, r->at->cpl);
    if (r->at->address != 0 && !shows_pipes(trace)) {
        change(state, clock, VCD_ADDRESS, r->at->address);
        change(state, clock, VCD_INSN,
               vcd_text_string(state->text, insn_text_at(state->texts, r->at->address)));
    }
    for (size_t i = 0; i < trace->column_count; i++)
        if (first || r->values[i] != r->before[i])
            change(state, clock, column_signal(trace, i), r->values[i]);
    end_batch_at(state, clock);
}

static void window(p5_trace *trace, bool opens)
{
    vcd_state *state = trace->state;
    uint64_t clock = p5_machine_clock(trace->machine);
    listen(trace, opens);
    if (opens) {
        vcd_text_begin(state->text, clock, left_out(trace)); /* nothing has been put aside yet */
        state->began = true;
        for (unsigned i = 0; i < P5_PINS; i++)
            pin(trace, (p5_pin)i, pmu_pin_level(p5_machine_pmu(trace->machine), (p5_pin)i), clock);
        if (trace->options.bus_clock) {
            state->now->bus_clock = VCD_CLOCK_STARTS;
            state->now->bus_clock_from = clock;
        }
        return;
    }
    empty_pipe(state, 0, UINT64_MAX);
    empty_pipe(state, 1, UINT64_MAX);
    state->until = clock;
    end_batch(state, clock + 1);
    state->now->bus_clock = VCD_CLOCK_STOPS;
    end_batch(state, UINT64_MAX);
}

static p5_status end(p5_trace *trace, const char *ending, p5_error *error)
{
    (void)error;
    vcd_state *state = trace->state;
    listen(trace, false);
    aside_finish(state->aside);
    if (!state->began)
        vcd_text_begin(state->text, 0, left_out(trace));
    vcd_text_end(state->text, state->until);
    trace_put(trace->file, "$comment ");
    put_text(trace->file, ending != NULL ? ending : "the guest has exited");
    trace_put(trace->file, " $end\n");
    trace_end_record(trace->file);
    free_state(state);
    return P5_OK;
}

const trace_sink_type trace_vcd = {.begin = begin,
                                   .window = window,
                                   .row = row,
                                   .pin = pin,
                                   .end = end,
                                   .some = some,
                                   .every_instruction = true};
