/* The counters: 40 bits wide on the Pentium (manual 26.4.3), counting one event each. */
#include "pmu/counters.h"

#include <assert.h>

/* Returns the total whose growth the counter counts, by its mode (counters.h). It is constant if the counter is stopped,
 * or its code selects nothing. The source's totals are increments (last argument false) or the clocks with at least one
 * increment (true). An event has at most two per clock, so the difference is the clocks with two. */
static uint64_t followed_total(const pmu_counter *c, const pmu_source *source)
{
    assert(c->mode <= COUNTS_CLOCKS);
    assert(c->levels == 0 || c->mode == COUNTS_NOTHING || c->mode == COUNTS_CLOCKS ||
           (c->event >= 0 && c->event < P5_EVENT_COUNT));
    void *context = source->context;
    enum p5_event event = (enum p5_event)c->event;
    if (c->levels == 0)
        return 0;
    switch ((counter_mode)c->mode) {
    case COUNTS_NOTHING:
        return 0;
    case COUNTS_INCREMENTS:
        return source->total(context, event, c->levels, false);
    case COUNTS_ASSERTED:
        return source->total(context, event, c->levels, true);
    case COUNTS_TWICE:
        return source->total(context, event, c->levels, false) -
               source->total(context, event, c->levels, true);
    case COUNTS_UNASSERTED:
        return source->clocks(context, c->levels) - source->total(context, event, c->levels, true);
    case COUNTS_NOT_TWICE:
        return source->clocks(context, c->levels) + source->total(context, event, c->levels, true) -
               source->total(context, event, c->levels, false);
    case COUNTS_CLOCKS:
        return source->clocks(context, c->levels);
    }
    return 0;
}

uint64_t counter_unwrapped(const pmu_counter *c, const pmu_source *source)
{
    return c->preset + (followed_total(c, source) - c->base);
}

/* Returns the bits of the counter's value. */
static uint64_t mask_of(const pmu_counter *c)
{
    assert(c->bits > 0 && c->bits < 64);
    return (UINT64_C(1) << c->bits) - 1;
}

uint64_t counter_read(const pmu_counter *c, const pmu_source *source)
{
    return counter_unwrapped(c, source) & mask_of(c);
}

/* Returns how often the counter has overflowed since it was last written. */
uint64_t counter_carries(const pmu_counter *c, const pmu_source *source)
{
    return c->carries + (counter_unwrapped(c, source) >> c->bits);
}

void counter_write(pmu_counter *c, uint64_t value, const pmu_source *source)
{
    assert(source->total != NULL && source->clocks != NULL);
    c->preset = value & mask_of(c);
    c->base = followed_total(c, source);
    c->carries = 0;
}

/* Implements field CC of CESR: events or clocks, at the enabled privilege levels (manual 26.4.4.2). `meaning` says which
 * clocks. */
counter_choice counter_cesr_choice(unsigned number, unsigned family, const p5_counter_select *select,
                                   p5_cc_clocks meaning)
{
    assert(number < 2);
    counter_choice choice = {.select = *select, .event = p5_event_by_code(select->code, number, family)};
    choice.levels =
        (uint8_t)((select->system ? P5_CPL_MASK_SYSTEM : 0) | (select->user ? P5_CPL_MASK_USER : 0));
    choice.mode = (uint8_t)(select->clocks && meaning == P5_CC_FREE_RUNNING ? COUNTS_CLOCKS
                            : choice.event < 0                              ? COUNTS_NOTHING
                            : select->clocks                                ? COUNTS_ASSERTED
                                                                            : COUNTS_INCREMENTS);
    return choice;
}

void counter_restore(pmu_counter *c, const counter_choice *choice)
{
    assert(choice->event < (int)P5_EVENT_COUNT);
    assert((choice->levels & ~P5_CPL_MASK_ALL) == 0);
    assert(choice->event >= 0 || choice->mode == COUNTS_NOTHING || choice->mode == COUNTS_CLOCKS);
    c->select = choice->select;
    c->event = choice->event;
    c->levels = choice->levels;
    c->mode = choice->mode;
    c->interrupts = choice->interrupts;
}

/* Starts the counter anew with the value that it has reached and the new selection (manual 26.4.3). */
void counter_select(pmu_counter *c, const counter_choice *choice, const pmu_source *source)
{
    uint64_t reached = counter_unwrapped(c, source);
    c->preset = reached & mask_of(c);
    assert(c->preset <= mask_of(c));
    c->carries += reached >> c->bits;
    counter_restore(c, choice);
    c->base = followed_total(c, source);
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* Refuses a loaded counter whose value does not fit its width. */
static void check_counter(const void *row, snapshot *s)
{
    const pmu_counter *c = row;
    if ((c->preset & ~mask_of(c)) != 0)
        snapshot_refuse(s, "counter.preset: %llu does not fit into %u bits", (unsigned long long)c->preset,
                        (unsigned)c->bits);
}

/* The derived members are not saved: they follow from the registers, and pmu_restore sets them after loading. */
const snapshot_table counter_state = {SNAPSHOT(pmu_counter, "counter",
                                               FIELD_DERIVED(select, event, levels, mode, bits, interrupts),
                                               FIELD_ANY(preset, base, carries)),
                                      .check = check_counter};
