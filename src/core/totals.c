/* The totals are spread over the core: the memo, which counts uses of its results, the memory side and the profile each
 * keep a part. totals_bring_up collects these parts in core->deltas and core->memory_counts, and totals_sum adds the
 * two. */
#include "core/profile/profile.h"
#include "core/replay/memo.h"

void totals_bring_up(p5_core *core)
{
    memory_advance(core->memory, core->now); /* clocks in which the bus was in use */
    memory_fold(core->memory);               /* references, which are first counted by kind */
    memo_fold(core);                         /* uses of stored results */
    if (core->profile)
        profile_gather(core); /* counts of the memory side that are kept by instruction */
}

/* Returns the clocks in which the processor was not halted. */
static uint64_t awake(const pipe_deltas *d)
{
    return d->clocks - deltas_stall(d, P5_STALL_HALT);
}

void totals_sum(const p5_core *core, p5_counts *totals)
{
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++) {
        const pipe_deltas *d = &core->deltas[class];
        totals->clocks[class] = d->clocks;
        for (unsigned e = 0; e < P5_EVENT_COUNT; e++) {
            totals->increments[e][class] = d->of[e].increments + core->memory_counts.increments[e][class];
            totals->asserted[e][class] = d->of[e].asserted + core->memory_counts.asserted[e][class];
        }
        totals->increments[P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE][class] = awake(d);
        totals->asserted[P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE][class] = awake(d);
        for (unsigned s = 0; s < P5_STALL_COUNT; s++)
            totals->stalls[s][class] = deltas_stall(d, (p5_stall)s);
        for (unsigned w = 0; w < 2; w++)
            totals->bus_bytes[w][class] = memory_bus_bytes(core->memory, w, class);
    }
}

void p5_core_counts(p5_core *core, p5_counts *totals)
{
    totals_bring_up(core);
    totals_sum(core, totals);
}

uint64_t p5_core_event_total(p5_core *core, enum p5_event event, unsigned cpl_mask, bool asserted)
{
    totals_bring_up(core);
    uint64_t total = 0;
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++) {
        if (!(cpl_mask >> class & 1))
            continue;
        const pipe_deltas *d = &core->deltas[class];
        if (event == P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE)
            total += awake(d);
        else if (asserted)
            total += d->of[event].asserted + core->memory_counts.asserted[event][class];
        else
            total += d->of[event].increments + core->memory_counts.increments[event][class];
    }
    return total;
}
