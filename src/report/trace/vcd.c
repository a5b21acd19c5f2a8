/* Writes a trace as a value change dump for GTKWave; vcd2fst makes it smaller. One unit of time is one core
 * clock.
 *
 * The model attributes events to the instruction group that caused them, not to a clock within it. A counter
 * therefore changes when its group leaves EX. For the pins, the group's events count as happening in the last
 * clocks before that. The monitor (src/pmu/pins.c) delays these pulses and samples them at bus clocks. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/model/model.h"
#include "p5scope/version.h"
#include "pmu/pins.h"
#include "report/insn_text.h"
#include "report/trace/vcd_dump.h"

/* A pin's pulse or a bus use is added to the dump at most this many clocks after it happens. The longest delay is
 * that of a bus use by a page walk and two line fills. */
enum { LAG_CLOCKS = 4096 };
/* The queue is written at each row, and also after every MOST_CHANGES changes, so that it stays short when rows
 * are far apart. */
enum { MOST_CHANGES = 512 };

typedef struct vcd_state {
    p5_trace *trace;
    vcd_dump dump;
    insn_text *texts;
    uint64_t matches[4]; /* totals of the events of breakpoints 0 to 3 at the last row */
    uint64_t until;      /* clock of the window's end */
    uint64_t free_at[2]; /* clock at which EX of U and V becomes empty; 0: the empty EX has been shown */
} vcd_state;

/* Writes the changes that are complete when the core has reached `clock`. */
static void write_settled(vcd_state *state, uint64_t clock)
{
    vcd_write_before(&state->dump, clock > LAG_CLOCKS ? clock - LAG_CLOCKS : 0);
}

static uint64_t clock_now(const vcd_state *state)
{
    return p5_core_clock_estimate(p5_machine_core(state->trace->machine));
}

/* ---- changes ----------------------------------------------------------------------------------------- */

/* Adds a change. From time to time, gets the uses of the bus so far and writes what is complete. */
static void add_change(vcd_state *state, timed change)
{
    vcd_add(&state->dump, change);
    if (state->dump.order % MOST_CHANGES == 0) {
        p5_core_report_bus(p5_machine_core(state->trace->machine));
        write_settled(state, clock_now(state));
    }
}

static void change(vcd_state *state, uint64_t clock, uint32_t signal, uint64_t value)
{
    add_change(state, (timed){.clock = clock, .what = signal, .value = value});
}

/* Changes a signal at `clock` to the text of the instruction at `address`, cut to VCD_TEXT_BYTES. Blanks become '_',
 * because a text value in a dump ends at a blank. */
static void change_text(vcd_state *state, uint64_t clock, uint32_t signal, uint32_t address)
{
    char *text = strndup(insn_text_at(state->texts, address), VCD_TEXT_BYTES - 1);
    if (text == NULL) {
        trace_fail_for_memory(state->trace);
        return;
    }
    for (char *c = text; *c != '\0'; c++)
        *c = *c == ' ' ? '_' : *c;
    add_change(state, (timed){.clock = clock, .what = signal, .text = text});
}

/* Sets a signal to `value` for the clocks [from, to), and to 0 then. */
static void pulse(vcd_state *state, uint32_t signal, uint64_t from, uint64_t to, uint64_t value)
{
    change(state, from, signal, value);
    change(state, to, signal, 0);
}

/* Callback of the core: uses of the bus. */
static void on_bus(void *context, const p5_bus_use *uses, size_t count)
{
    vcd_state *state = context;
    vcd_add_bus(&state->dump, uses, count);
    write_settled(state, clock_now(state));
}

/* Callback of the core: a branch trace message. */
static void on_message(void *context, const p5_branch_message *message)
{
    vcd_state *state = context;
    pulse(state, VCD_BTM, message->clock, message->clock + 1, message->target ? 2 : 1);
    change(state, message->clock, VCD_BTM_ADDRESS, message->address);
}

/* Shows a pin as high or low (trace_sink.pin). IERR# is low when it is asserted. */
static void pin(p5_trace *trace, p5_pin which, bool level, uint64_t clock)
{
    static const uint32_t signal[P5_PINS] = {VCD_PM0, VCD_PM1, VCD_IERR};
    change(trace->state, clock, signal[which], which == P5_PIN_IERR ? !level : level);
}

/* Shows EX of `pipe` as empty from the clock at which its last instruction left, if that is before `until`, where the next
 * instruction enters. */
static void empty_pipe(vcd_state *state, unsigned pipe, uint64_t until)
{
    uint64_t clock = state->free_at[pipe];
    if (clock == 0 || clock >= until)
        return;
    change(state, clock, VCD_PIPE_ADDRESS + 2 * pipe, VCD_UNKNOWN);
    add_change(state, (timed){.clock = clock, .what = VCD_PIPE_INSN + 2 * pipe});
    state->free_at[pipe] = 0;
}

/* Callback of the core: shows an instruction in EX from its entry until EX is free again. */
static void on_insn(void *context, const p5_trace_insn *insn)
{
    vcd_state *state = context;
    empty_pipe(state, 0, insn->ex);
    empty_pipe(state, 1, insn->ex);
    change(state, insn->ex, VCD_PIPE_ADDRESS + 2u * insn->pipe, insn->address);
    change_text(state, insn->ex, VCD_PIPE_INSN + 2u * insn->pipe, insn->address);
    state->free_at[insn->pipe] = insn->end > insn->ex ? insn->end : insn->ex + 1;
}

/* Sets or ends the callbacks of the core. */
static void set_core_callbacks(p5_trace *trace, bool on)
{
    p5_core *core = p5_machine_core(trace->machine);
    if (vcd_shows_pipes(trace))
        p5_core_set_trace(core, on ? on_insn : NULL, trace->state);
    p5_core_on_bus(core, on ? on_bus : NULL, trace->state);
    p5_core_on_branch_message(core, on ? on_message : NULL, trace->state);
}

/* Shows on the pins BP0-BP3 which breakpoints have matched since the previous row, whether or not a counter counts
 * them. The `first` row only stores the totals. */
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
        pulse(state, VCD_BP, up, down, matched);
    }
}

/* Queues what changed since the previous row (trace_sink.row). Columns change at the clock of the row. */
static void row(p5_trace *trace, const trace_row *r)
{
    vcd_state *state = trace->state;
    uint64_t clock = r->at->clock;
    bool first = strcmp(r->kind, "start") == 0;
    for (uint32_t i = 0; i < trace->register_count; i++)
        change(state, clock, state->dump.first_register + i, r->registers[i]);
    show_breakpoints(trace, clock, first);
    change(state, clock, VCD_CPL, r->at->cpl);
    if (r->at->address != 0 /* unknown at the ends of the run */ && !vcd_shows_pipes(trace)) {
        change(state, clock, VCD_ADDRESS, r->at->address);
        change_text(state, clock, VCD_INSN, r->at->address);
    }
    for (uint32_t i = 0; i < trace->column_count; i++)
        if (first || r->values[i] != r->before[i])
            change(state, clock, state->dump.first_column + i, r->values[i]);
    p5_core_report_bus(p5_machine_core(trace->machine));
    write_settled(state, clock);
}

/* Called when the window opens or closes (trace_sink.window). Begins the dump with the value of every signal. At the
 * end of the window, writes all changes that are queued, even later ones, such as the end of a pin's pulse. */
static void window(p5_trace *trace, bool opens)
{
    vcd_state *state = trace->state;
    uint64_t clock = p5_machine_clock(trace->machine);
    set_core_callbacks(trace, opens);
    if (opens) {
        vcd_section(&state->dump, "$dumpvars", clock, true);
        for (unsigned i = 0; i < P5_PINS; i++)
            pin(trace, (p5_pin)i, pmu_pin_level(p5_machine_pmu(trace->machine), (p5_pin)i), clock);
        if (trace->options.bus_clock)
            vcd_start_bus_clock(&state->dump, clock);
        return;
    }
    empty_pipe(state, 0, UINT64_MAX);
    empty_pipe(state, 1, UINT64_MAX);
    state->until = clock;
    vcd_write_before(&state->dump, clock + 1);
    vcd_stop_bus_clock(&state->dump);
    vcd_write_before(&state->dump, UINT64_MAX);
}

/* ---- header and end ------------------------------------------------------------------------------------ */

static const char unsafe[] = "$\n"; /* not allowed in the text of a section, which "$end" would end */

static void free_state(vcd_state *state)
{
    if (state == NULL)
        return;
    vcd_dump_close(&state->dump);
    insn_text_close(state->texts);
    free(state);
}

/* Begins the trace (trace_sink.begin): writes the declarations of the signals. */
static p5_status begin(p5_trace *trace, p5_error *error)
{
    const p5_trace_options *options = &trace->options;
    /* With a row per instruction, all events would make up most of the file, so only selected ones are
     * shown. */
    if (options->selection == NULL && vcd_shows_pipes(trace))
        trace->column_count = 0;
    const p5_model *model = p5_machine_model(trace->machine);
    vcd_state *state = calloc(1, sizeof *state);
    trace->state = state;
    if (state != NULL) {
        state->trace = trace;
        state->texts = insn_text_open(trace->machine);
    }
    if (state == NULL || state->texts == NULL || !vcd_dump_open(&state->dump, trace)) {
        free_state(state);
        return error_set(error, P5_ERR_MEMORY, "no memory for a trace");
    }
    trace_file *file = trace->file;
    trace_put_format(file, "$version p5scope %s $end\n$comment model ", p5_version());
    trace_put_without(file, p5_model_name(model), unsafe);
    trace_put_format(file, " at %g MHz, options: ", p5_model_clock_mhz(model));
    trace_put_without(file, options->options, unsafe);
    trace_put(file, ", guest: ");
    trace_put_without(file, options->command, unsafe);
    trace_put(file, " $end\n$comment 1 ns stands for 1 core clock $end\n$timescale 1 ns $end\n");
    vcd_declare(&state->dump);
    trace_put(file, "$enddefinitions $end\n");
    return P5_OK;
}

/* Ends the trace (trace_sink.end): makes all values unknown from the end of the window on. Frees the state. */
static p5_status end(p5_trace *trace, const char *ending, p5_error *error)
{
    (void)error;
    vcd_state *state = trace->state;
    set_core_callbacks(trace, false);
    if (!trace->began)
        vcd_section(&state->dump, "$dumpvars", 0, true);
    vcd_section(&state->dump, "$dumpoff", state->until, false);
    trace_put(trace->file, "$comment ");
    trace_put_without(trace->file, ending != NULL ? ending : "the guest has ended", unsafe);
    trace_put(trace->file, " $end\n");
    trace_end_record(trace->file);
    free_state(state);
    return P5_OK;
}

const trace_sink_type trace_vcd = {
    .begin = begin, .window = window, .row = row, .pin = pin, .end = end, .every_instruction = true};
