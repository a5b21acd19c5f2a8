/* The counters: 40 bits wide on the Pentium (manual 26.4.3), counting one event each. */
#include "pmu/counters.h"

#include <assert.h>

/* Returns the total that a counter follows. It is constant if the counter is stopped, or its code selects
 * nothing. */
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

static uint64_t mask_of(const pmu_counter *c)
{
    assert(c->bits > 0 && c->bits < 64);
    return (UINT64_C(1) << c->bits) - 1;
}

uint64_t counter_read(const pmu_counter *c, const pmu_source *source)
{
    return counter_unwrapped(c, source) & mask_of(c);
}

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

/* Manual 26.4.4.2, field CC: events or clocks, at the enabled privilege levels. */
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

void counter_follow(pmu_counter *c, const counter_choice *choice)
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

/* Changes the selection. The value is kept (manual 26.4.3) and continues from the old one. */
void counter_choose(pmu_counter *c, const counter_choice *choice, const pmu_source *source)
{
    uint64_t reached = counter_unwrapped(c, source);
    c->preset = reached & mask_of(c);
    assert(c->preset <= mask_of(c));
    c->carries += reached >> c->bits;
    counter_follow(c, choice);
    c->base = followed_total(c, source);
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

static void check_counter(const void *row, snapshot *s)
{
    const pmu_counter *c = row;
    if ((c->preset & ~mask_of(c)) != 0)
        snapshot_refuse(s, "counter.preset: %llu does not fit into %u bits", (unsigned long long)c->preset,
                        (unsigned)c->bits);
}

/* The registers that select it determine what it follows. */
const snapshot_table counter_state = {SNAPSHOT(pmu_counter, "counter",
                                               FIELD_DERIVED(select, event, levels, mode, bits, interrupts),
                                               FIELD_ANY(preset, base, carries)),
                                      .check = check_counter};
