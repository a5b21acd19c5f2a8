/* The pins PM0 and PM1: what CESR selects for them, and when they change (manual 26.4.4.3 and 26.4.5). The pins are
 * followed from one call of p5_pmu_follow_pins to the next. What the counters have counted in between is taken to have
 * happened just before the later call, so exact times need a call after every instruction. */
#include "pmu/pins_internal.h"

#include <assert.h>
#include <string.h>

#include "core/model/bound.h"
#include "pmu/internal.h"

pin_function pin_function_of(const pmu_counter *c)
{
    if (c->levels == 0 || c->mode == COUNTS_NOTHING)
        return PIN_IDLE;
    if (c->select.overflow_pin)
        return PIN_OVERFLOW;
    if (c->mode != COUNTS_INCREMENTS || p5_event_describe((enum p5_event)c->event)->duration)
        return PIN_LEVEL;
    return PIN_PULSE;
}

/* ---- bus clocks ---------------------------------------------------------------------------------------- */

/* Return the bus clock that contains core clock `clock`, and the core clock at which bus clock `n` has
 * begun. */
static uint64_t bus_clock_of(const pins *p, uint64_t clock)
{
    return clock * 2 / p->half_ratio;
}

static uint64_t core_clock_of(const pins *p, uint64_t n)
{
    return (n * p->half_ratio + 1) / 2;
}

/* Returns the bus clocks in which a pin is asserted whose condition is true in the `clocks` core clocks before `end`.
 * `delay` core clocks after each of them, the condition reaches the pin's latch; the pin shows it in the bus clock that
 * follows. */
static pin_pulse pulse_of(const pins *p, uint64_t end, uint64_t clocks, unsigned delay)
{
    return (pin_pulse){bus_clock_of(p, end - clocks + delay) + 1, bus_clock_of(p, end - 1 + delay) + 2};
}

void pmu_pin_span(const p5_pmu *pmu, uint64_t end, uint64_t *up, uint64_t *down)
{
    const pins *p = &pmu->pins;
    pin_pulse pulse = pulse_of(p, end, 1, p->delay_clocks);
    *up = core_clock_of(p, pulse.up);
    *down = core_clock_of(p, pulse.down);
}

/* Records that the condition of a pin was true in the `clocks` core clocks before core clock `end`. A pulse without a gap
 * to the last one lengthens that, and so does any pulse if there is no room for another. */
static void add_pulse(pins *p, p5_pin which, uint64_t end, uint64_t clocks)
{
    pmu_pin *pin = &p->pin[which];
    assert(clocks <= end);
    if (clocks == 0)
        return;
    pin_pulse added =
        pulse_of(p, end, clocks, pin->function == PIN_OVERFLOW ? p->overflow_clocks : p->delay_clocks);
    pin_pulse *last = pin->pulse_count > 0 ? &pin->pulses[pin->pulse_count - 1] : NULL;
    if (last != NULL && (added.up <= last->down || pin->pulse_count == PIN_PULSES)) {
        if (added.down > last->down)
            last->down = added.down;
        return;
    }
    pin->pulses[pin->pulse_count++] = added;
}

/* Changes a pin at core clock `clock` and reports it. */
static void set_level(pins *p, unsigned which, bool level, uint64_t clock)
{
    p->pin[which].level = level;
    if (p->changed != NULL)
        p->changed(p->context, (p5_pin)which, level, clock);
}

static void remove_first(pmu_pin *pin)
{
    pin->pulse_count--;
    memmove(pin->pulses, pin->pulses + 1, pin->pulse_count * sizeof pin->pulses[0]);
}

/* Reports the changes of a pin up to core clock `now`. A pulse whose end is later than that stays in the list, because
 * its condition may still be true. */
static void report_pin(pins *p, unsigned which, uint64_t now)
{
    pmu_pin *pin = &p->pin[which];
    while (pin->pulse_count > 0) {
        const pin_pulse *first = &pin->pulses[0];
        uint64_t up = core_clock_of(p, first->up), down = core_clock_of(p, first->down);
        if (!pin->level && up > now)
            return;
        if (!pin->level)
            set_level(p, which, true, up);
        if (down > now)
            return;
        remove_first(pin);
        set_level(p, which, false, down);
    }
}

/* Reports all changes up to core clock `now`. */
static void pins_report(pins *p, uint64_t now)
{
    for (unsigned which = 0; which < P5_PIN_SIGNALS; which++)
        report_pin(p, which, now);
}

/* ---- conditions of the pins -------------------------------------------------------------------------- */

/* Returns how many overflows the counters have had that request interrupts, since they were last written. */
static uint64_t interrupt_requests(const p5_pmu *pmu)
{
    uint64_t carries = 0;
    for (unsigned i = 0; i < PMU_COUNTERS; i++)
        if (pmu->counters[i].interrupts)
            carries += counter_carries(&pmu->counters[i], &pmu->pin_source);
    return carries;
}

/* Returns a total whose growth says how long a pin's condition was true: clocks, or for PIN_OVERFLOW and PMI, overflows.
 * Only differences of two results with the same selection have a meaning. */
static uint64_t pin_total(const p5_pmu *pmu, unsigned which)
{
    static const enum p5_event breakpoint[] = {P5_EVENT_BREAKPOINT_MATCH_ON_DR0_REGISTER,
                                               P5_EVENT_BREAKPOINT_MATCH_ON_DR1_REGISTER};
    const pmu_counter *c = &pmu->counters[which];
    const pmu_source *source = &pmu->pin_source;
    if (which == P5_PIN_PMI)
        return interrupt_requests(pmu);
    switch (pmu->pins.pin[which].function) {
    case PIN_PULSE:
    case PIN_LEVEL: /* differs in the meaning of its event only */
        if (c->mode == COUNTS_CLOCKS)
            return source->clocks(source->context, c->levels);
        if (c->mode == COUNTS_INCREMENTS || c->mode == COUNTS_ASSERTED)
            /* true: the clocks with an increment, not the increments */
            return source->total(source->context, (enum p5_event)c->event, c->levels, true);
        return counter_unwrapped(c, source); /* the other modes count clocks */
    case PIN_OVERFLOW:
        return counter_carries(c, source);
    case PIN_BREAKPOINT:
        return source->total(source->context, breakpoint[which], P5_CPL_MASK_ALL, true);
    case PIN_IDLE:
        break;
    }
    return 0;
}

const char *p5_pin_name(p5_pin pin)
{
    static const char *const names[P5_PIN_SIGNALS] = {"PM0", "PM1", "IERR#", "PMI"};
    return names[pin];
}

/* The signals that follow the counters: the PM pins, and the interrupt request. */
static const p5_pin followers[] = {P5_PIN_PM0, P5_PIN_PM1, P5_PIN_PMI};
enum { FOLLOWERS = sizeof followers / sizeof followers[0] };

/* Returns what a pin shows with the present selection of its counter. */
static pin_function function_of(const p5_pmu *pmu, p5_pin which)
{
    if (which == P5_PIN_PMI)
        return PIN_OVERFLOW;
    return pmu->pins.breakpoints ? PIN_BREAKPOINT : pin_function_of(&pmu->counters[which]);
}

void pins_restore(p5_pmu *pmu)
{
    for (unsigned i = 0; i < FOLLOWERS; i++)
        pmu->pins.pin[followers[i]].function = function_of(pmu, followers[i]);
}

void pins_select(p5_pmu *pmu)
{
    pins *p = &pmu->pins;
    for (unsigned i = 0; i < FOLLOWERS; i++) {
        pmu_pin *pin = &p->pin[followers[i]];
        pin->function = function_of(pmu, followers[i]);
        if (p->changed != NULL) /* the pins are simulated */
            pin->seen = pin_total(pmu, followers[i]);
    }
}

void p5_pmu_follow_pins(p5_pmu *pmu)
{
    pins *p = &pmu->pins;
    if (p->changed == NULL)
        return;
    uint64_t now = pmu->pin_source.clock(pmu->pin_source.context);
    for (unsigned i = 0; i < FOLLOWERS; i++) {
        pmu_pin *pin = &p->pin[followers[i]];
        uint64_t total = pin_total(pmu, followers[i]);
        uint64_t clocks = total - pin->seen;
        pin->seen = total;
        if (pin->function == PIN_OVERFLOW && clocks > 1)
            clocks = 1; /* an overflow asserts the pin for one clock */
        if (clocks > now - p->clock)
            clocks = now - p->clock;
        add_pulse(p, followers[i], now, clocks);
    }
    p->clock = now;
    pins_report(p, now);
}

/* ---- public -------------------------------------------------------------------------------------------- */

void p5_pmu_on_pin(p5_pmu *pmu, void (*changed)(void *context, p5_pin pin, bool level, uint64_t clock),
                   void *context)
{
    pmu->pins.changed = changed;
    pmu->pins.context = context;
    pmu->pins.clock = pmu->pin_source.clock(pmu->pin_source.context);
    pins_select(pmu);
}

void p5_pmu_settle_pins(p5_pmu *pmu)
{
    p5_pmu_follow_pins(pmu);
    pins_report(&pmu->pins, UINT64_MAX);
}

void p5_pmu_set_breakpoint_pins(p5_pmu *pmu, bool on)
{
    p5_pmu_follow_pins(pmu);
    pmu->pins.breakpoints = on;
    pins_select(pmu);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the core clock of the next change that is known already; UINT64_MAX if there is none. */
static uint64_t next_edge(const pins *p)
{
    uint64_t edge = UINT64_MAX;
    for (unsigned which = 0; which < P5_PIN_SIGNALS; which++) {
        const pmu_pin *pin = &p->pin[which];
        if (pin->pulse_count == 0)
            continue;
        edge = earlier(edge, core_clock_of(p, pin->level ? pin->pulses[0].down : pin->pulses[0].up));
    }
    return edge;
}

/* Returns whether another bus master can cause the event while the processor is halted. */
static bool is_foreign(int event)
{
    switch (event) {
    case P5_EVENT_EXTERNAL_SNOOPS:
    case P5_EVENT_EXTERNAL_DATA_CACHE_SNOOP_HITS:
    case P5_EVENT_DATA_CACHE_LINES_WRITTEN_BACK:
    case P5_EVENT_CACHE_M_STATE_LINE_SHARING:
    case P5_EVENT_CACHE_LINE_SHARING:
    case P5_EVENT_BUS_CYCLE_DURATION:
    case P5_EVENT_BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY:
    case P5_EVENT_BUS_OWNERSHIP_LATENCY:
    case P5_EVENT_BUS_OWNERSHIP_TRANSFERS:
        return true;
    default:
        return false;
    }
}

/* Returns the earliest clock from `now` on at which a counter can change its pin or request an interrupt: by an overflow
 * that is `left` increments away, or by its next increment if `left` is 0. The increments per clock are limited
 * (bound.h). `turn` is NULL while instructions are executed; the counts may then be ahead of the clock. While the
 * processor is halted, it points to the clock at which another bus master takes its next turn, UINT64_MAX if there is
 * none. */
static uint64_t earliest_change(const pmu_counter *c, uint64_t now, uint64_t left, const uint64_t *turn)
{
    if (turn == NULL)
        return now + bound_until_counted(left);
    if (c->mode != COUNTS_INCREMENTS && c->mode != COUNTS_ASSERTED && c->mode != COUNTS_TWICE)
        return left != 0 ? now + left : UINT64_MAX; /* it counts every clock, and its level stays on */
    if (!is_foreign(c->event) || *turn == UINT64_MAX)
        return UINT64_MAX;
    uint64_t soonest = now + left / BOUND_PER_CLOCK;
    return *turn > soonest ? *turn : soonest > now ? soonest : now + 1;
}

uint64_t p5_pmu_pin_deadline(const p5_pmu *pmu, const uint64_t *turn)
{
    const pins *p = &pmu->pins;
    if (p->changed == NULL)
        return UINT64_MAX;
    uint64_t now = pmu->pin_source.clock(pmu->pin_source.context), deadline = next_edge(p);
    for (unsigned number = 0; number < PMU_COUNTERS; number++) {
        const pmu_counter *c = &pmu->counters[number];
        /* Counters 0 and 1 have the pins PM0 and PM1. */
        const pin_function function = number <= P5_PIN_PM1 ? p->pin[number].function : PIN_IDLE;
        if (function != PIN_IDLE && function != PIN_OVERFLOW)
            deadline = earlier(deadline, earliest_change(c, now, 0, turn));
        if (function == PIN_OVERFLOW || (c->interrupts && c->levels != 0)) {
            const uint64_t left = (UINT64_C(1) << c->bits) - counter_read(c, &pmu->pin_source);
            deadline = earlier(deadline, earliest_change(c, now, left, turn));
        }
    }
    return deadline;
}

void pins_parity_error(p5_pmu *pmu)
{
    uint64_t now = pmu->pin_source.clock(pmu->pin_source.context);
    if (pmu->pins.changed != NULL)
        add_pulse(&pmu->pins, P5_PIN_IERR, now + 1, 1);
}

bool pmu_pin_level(const p5_pmu *pmu, p5_pin which)
{
    return pmu->pins.pin[which].level;
}

/* Sets the machine's callback. That of p5_pmu_on_parity_error is kept, and called after it. */
void pmu_own_parity_errors(p5_pmu *pmu, void (*error)(void *context, uint32_t array, bool shutdown),
                           void *context)
{
    pmu->parity_owner = error;
    pmu->parity_owner_context = context;
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

static const snapshot_table pulse_state = {SNAPSHOT(pin_pulse, "pulse", FIELD_TIME(up, down))};

static const snapshot_table pin_state = {SNAPSHOT(pmu_pin, "pin", FIELD_DERIVED(function), FIELD_ANY(seen),
                                                  FIELD_FLAG(level), FIELD_TABLE(&pulse_state, pulses),
                                                  FIELD_MOST(PIN_PULSES, pulse_count))};

const snapshot_table pins_state = {SNAPSHOT(
    pins, "pins", FIELD_TABLE(&pin_state, pin), FIELD_DERIVED(half_ratio, delay_clocks, overflow_clocks),
    FIELD_TIME(clock), FIELD_FLAG(breakpoints), FIELD_DERIVED(changed, context))};
