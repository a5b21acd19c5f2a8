/* Samples as a real tool takes them, by an interrupt some time after a counter has overflowed; and totals
 * over time. */
#include "core/profile/profiler.h"

/* Returns the clocks spent in HLT so far. */
static uint64_t halted_clocks(const p5_core *core)
{
    uint64_t halted = 0;
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++)
        halted += deltas_stall(&core->deltas[class], P5_STALL_HALT);
    return halted;
}

bool profile_watches_clocks(const p5_core *core)
{
    const int watched = core->profile->sink.watched;
    return watched == P5_PROFILE_CLOCKS || watched == P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE ||
           watched == P5_EVENT_BUS_CYCLE_DURATION ||
           watched == P5_EVENT_BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY;
}

/* Returns the total of the watched quantity at `clock`. sink.watched_count must be up to date, as it is while every
 * boundary is checked. */
static uint64_t watched_total(p5_core *core, uint64_t clock)
{
    const profiler *p = core->profile;
    switch (p->sink.watched) {
    case P5_PROFILE_CLOCKS:
        return clock;
    case P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE:
        return clock - halted_clocks(core);
    case P5_EVENT_BUS_CYCLE_DURATION:
        return memory_bus_used(core->memory, clock).all;
    case P5_EVENT_BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY:
        return memory_bus_used(core->memory, clock).own;
    default:
        break;
    }
    uint64_t total = p->sink.watched_count;
    for (unsigned class = 0; class < P5_CPL_CLASSES && p->sink.watched < P5_EVENT_COUNT; class ++)
        total += p->scratch.increments[p->sink.watched][class]; /* not yet booked */
    return total;
}

/* Returns a lower bound of the clocks until the sampling counter overflows; 0 if there are too few. */
uint64_t profile_clocks_left(p5_core *core)
{
    const profiler *p = core->profile;
    const uint64_t count = watched_total(core, core->now) - p->armed_at, period = p->options.sample_period;
    if (p->due != 0 || count >= period || p->sink.watched >= P5_PROFILE_EXECUTIONS)
        return 0;
    if (profile_watches_clocks(core))
        return period - count;
    const uint64_t clocks = bound_until_counted(period - count);
    return clocks >= PROFILE_LOOK_CLOCKS ? clocks : 0;
}

void profile_arm(p5_core *core)
{
    core->profile->armed_at = watched_total(core, core->now);
}

/* Checks a boundary between groups, after which the instruction at `next` would come (core_observer.boundary). The
 * counter is preset to -period. After it overflows, the interrupt request comes `sample_latency` clocks later, and
 * the interrupt is taken at the next instruction boundary. The address that the handler finds on its stack is that of
 * the instruction that would have come next. The handler presets the counter again; what happened in between does not
 * count for the next sample. */
static void boundary(core_observer *o, uint64_t end, uint32_t next)
{
    p5_core *core = ((profile_sink *)o)->core;
    profiler *p = core->profile;
    uint64_t total = watched_total(core, end);
    uint64_t count = total - p->armed_at;
    if (p->due == 0) {
        if (count < p->options.sample_period)
            return;
        p->due = end + p->options.sample_latency;
    }
    if (end < p->due)
        return;
    p->due = 0;
    p->armed_at = total;
    p->overflows++;
    if (p->samples.count == p->options.most_samples)
        return;
    if (!ARRAY_ROOM(&p->samples)) {
        p->out_of_memory = true;
        return;
    }
    p->samples.items[p->samples.count++] =
        (profile_sample){.address = PROFILE_AT(p->space, next), .clock = end, .context = p->context};
    p->open_sample = true;
    p->expected |= PROFILE_ELSEWHERE; /* makes profile_follow handle the next stretch */
}

void profile_set_looking(profiler *p, bool looking, uint64_t look_clock)
{
    p->looking = looking;
    p->look_clock = look_clock;
    p->sink.observer.boundary = looking ? boundary : NULL;
}

uint64_t profile_in_total(const p5_counts *totals, unsigned quantity)
{
    uint64_t total = 0;
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++)
        total += quantity < P5_PROFILE_STALLS ? totals->increments[quantity][class]
                                              : totals->stalls[quantity - P5_PROFILE_STALLS][class];
    return total;
}

/* Takes an interval at the first boundary between blocks from the wanted clock on. When the array is full,
 * every second interval is dropped and the distance doubles. */
void profile_interval_take(p5_core *core, const p5_counts *totals)
{
    profiler *p = core->profile;
    if (p->intervals.count == p->options.most_intervals) {
        size_t left = 0;
        for (size_t i = 1; i < p->intervals.count; i += 2)
            p->intervals.items[left++] = p->intervals.items[i];
        p->intervals.count = left;
        p->interval_clocks *= 2;
    }
    if (!ARRAY_ROOM(&p->intervals)) {
        p->out_of_memory = true;
        p->interval_at = UINT64_MAX;
        return;
    }
    profile_interval *interval = &p->intervals.items[p->intervals.count++];
    interval->clock = core->now;
    for (unsigned i = 0; i < P5_PROFILE_EXECUTIONS; i++)
        interval->totals[i] = profile_in_total(totals, i);
    p->interval_at = core->now - core->now % p->interval_clocks + p->interval_clocks;
}

void profile_mark(p5_core *core, const profile_marker *marker)
{
    profiler *p = core->profile;
    if (p->markers.count == PROFILE_MARKERS)
        return;
    if (ARRAY_ROOM(&p->markers))
        p->markers.items[p->markers.count++] = *marker;
    else
        p->out_of_memory = true;
}
