/* Goals: when each observer is notified next, and the notification itself. A goal is a clock or an instruction count
 * at which there is an interval, a point or an event to report. UINT64_MAX: never. */
#include "machine/observe/observe_internal.h"

/* Returns the first multiple of `every` above `from`. */
static uint64_t next_multiple(uint64_t every, uint64_t from)
{
    if (every == 0)
        return UINT64_MAX;
    uint64_t whole = from / every;
    return whole >= UINT64_MAX / every ? UINT64_MAX : (whole + 1) * every;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void observe_own_goals(p5_observer *o)
{
    o->next_clock = o->interval_clock;
    o->next_instruction = o->interval_instruction;
    for (size_t i = 0; i < o->options.point_count; i++) {
        const p5_point *point = &o->points[i];
        uint64_t *goal = point->instruction ? &o->next_instruction : &o->next_clock;
        *goal = lesser(*goal, point->at);
    }
    for (size_t i = 0; i < o->options.event_count; i++)
        o->next_clock = lesser(o->next_clock, o->watches[i].look_clock);
}

/* Sets the horizon, before which stretches need no notification: so far before the nearest goals that a stretch of the
 * largest size that observe.h names, at its slowest, cannot reach them. Also sets each_observed: an observer needs
 * more than counts, so there must be no batches. */
static void set_horizon(const observers *all, p5_machine *machine)
{
    enum { MOST_BYTES = 15 /* of an instruction */ * HORIZON_INSTRUCTIONS };
    machine->horizon = (observe_horizon){0};
    bool every_stretch = all->some_closed;
    machine->each_observed = false;
    for (const p5_observer *o = all->first; o != NULL; o = o->next) {
        bool stretches = o->options.retired != NULL || o->options.address_count > 0;
        every_stretch |= stretches;
        machine->each_observed |= stretches || (o->options.observed != NULL && !o->options.counts_only);
    }
    uint64_t clocks = bound_worst(&all->most, HORIZON_CLOCKS, HORIZON_REFERENCES, MOST_BYTES);
    if (every_stretch || all->next_clock <= clocks || all->next_instruction <= HORIZON_INSTRUCTIONS)
        return;
    machine->horizon =
        (observe_horizon){all->next_clock - clocks, all->next_instruction - HORIZON_INSTRUCTIONS};
}

void observe_goals(observers *all, p5_machine *machine)
{
    all->next_clock = all->next_instruction = UINT64_MAX;
    for (const p5_observer *o = all->first; o != NULL; o = o->next) {
        all->next_clock = lesser(all->next_clock, o->next_clock);
        all->next_instruction = lesser(all->next_instruction, o->next_instruction);
    }
    set_horizon(all, machine);
}

void observe_intervals(p5_observer *o)
{
    o->interval_clock = next_multiple(o->options.every_clocks, p5_machine_clock(o->machine));
    o->interval_instruction = next_multiple(o->options.every_instructions, o->machine->instructions);
}

uint64_t observe_total(const p5_observer *o, const watch *w)
{
    unsigned cpl_mask = w->what.cpl_mask != 0 ? w->what.cpl_mask : P5_CPL_MASK_ALL;
    return p5_core_event_total(o->machine->core, w->what.event, cpl_mask, w->what.asserted);
}

/* Sets the next goal above `total`, if `total` has reached the old one, and the earliest clock at which it can be
 * reached. */
void observe_watch(watch *w, uint64_t total, uint64_t clock)
{
    if (total >= w->goal)
        w->goal = next_multiple(w->what.every, total);
    w->look_clock = clock + bound_until_counted(w->goal - total);
}

/* Calls the observer's callback, which may close the observer (o->machine is NULL then) or change its goals. The
 * meaning of `number` and `value` depends on the kind (p5_observation_kind). */
void observe_notify(p5_observer *o, p5_observation_kind kind, uint32_t address, unsigned cpl, uint32_t number,
                    uint64_t value)
{
    if (o->options.observed == NULL)
        return;
    p5_machine *machine = o->machine;
    p5_observation observation = {.size = sizeof observation,
                                  .kind = kind,
                                  .cpl = (uint8_t)cpl,
                                  .address = address,
                                  .clock = p5_machine_clock(machine),
                                  .instructions = machine->instructions,
                                  .number = number,
                                  .value = value};
    o->options.observed(o->options.context, machine, &observation);
}

/* Reports the points that have been reached. Each is reported once. */
static void notify_points(p5_observer *o, uint64_t clock, uint32_t address, unsigned cpl)
{
    for (size_t i = 0; i < o->options.point_count; i++) {
        p5_point *point = &o->points[i];
        if ((point->instruction ? o->machine->instructions : clock) < point->at)
            continue;
        point->at = UINT64_MAX;
        observe_notify(o, P5_OBSERVE_POINT, address, cpl, (uint32_t)i, 0);
    }
}

/* Reports the watched events whose totals have reached a goal. */
static void notify_events(p5_observer *o, uint64_t clock, uint32_t address, unsigned cpl)
{
    for (size_t i = 0; i < o->options.event_count; i++) {
        watch *w = &o->watches[i];
        if (clock < w->look_clock)
            continue;
        uint64_t total = observe_total(o, w);
        bool reached = total >= w->goal;
        observe_watch(w, total, clock);
        if (reached)
            observe_notify(o, P5_OBSERVE_EVENT, address, cpl, (uint32_t)i, total);
    }
}

void observe_reached(p5_machine *machine, uint32_t address, unsigned cpl)
{
    observers *all = machine->observers;
    uint64_t clock = p5_machine_clock(machine), instructions = machine->instructions;
    if (clock < all->next_clock && instructions < all->next_instruction)
        return;
    for (p5_observer *o = all->first; o != NULL; o = o->next) {
        if (clock < o->next_clock && instructions < o->next_instruction)
            continue;
        notify_points(o, clock, address, cpl);
        notify_events(o, clock, address, cpl);
        if (clock >= o->interval_clock || instructions >= o->interval_instruction) {
            observe_intervals(o); /* before the callback, which may change them */
            observe_notify(o, P5_OBSERVE_INTERVAL, address, cpl, 0, 0);
        }
        observe_own_goals(o);
    }
    observe_goals(all, machine);
}
