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

/* Returns the total of an event in one privilege class: increments, or with `asserted` clocks with an increment. */
static uint64_t event_total(const p5_core *core, enum p5_event event, unsigned class, bool asserted)
{
    const pipe_deltas *d = &core->deltas[class];
    const counts *c = &core->memory_counts;
    if (event == P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE)
        return d->clocks - deltas_stall(d, P5_STALL_HALT);
    return asserted ? d->of[event].asserted + c->asserted[event][class]
                    : d->of[event].increments + c->increments[event][class];
}

void totals_sum(const p5_core *core, p5_counts *totals)
{
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++) {
        const pipe_deltas *d = &core->deltas[class];
        totals->clocks[class] = d->clocks;
        for (unsigned e = 0; e < P5_EVENT_COUNT; e++) {
            totals->increments[e][class] = event_total(core, (enum p5_event)e, class, false);
            totals->asserted[e][class] = event_total(core, (enum p5_event)e, class, true);
        }
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
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++)
        total += cpl_mask >> class & 1 ? event_total(core, event, class, asserted) : 0;
    return total;
}
