#include "pmu/pmu_snapshot.h"

#include "pmu/internal.h"

static void transfer_counter(pmu_counter *c, snapshot *s)
{
    pmu_counter image = *c;
    snapshot_piece(s, "pmu.counter", &image, sizeof image);
    if (!s->loading || s->status != P5_OK)
        return;
    if (image.event < -1 || image.event >= P5_EVENT_COUNT || image.mode > COUNTS_CLOCKS ||
        (image.event < 0 && image.mode != COUNTS_NOTHING && image.mode != COUNTS_CLOCKS))
        snapshot_refuse(s, "part pmu.counter of the snapshot selects event %d", image.event);
    else if (image.bits != c->bits)
        snapshot_refuse(s, "part pmu.counter of the snapshot has %u bits, the model's have %u", image.bits,
                        c->bits);
    else
        *c = image;
}

static void transfer_pins(pins *p, snapshot *s)
{
    pins image = *p;
    image.changed = NULL;
    image.context = NULL;
    snapshot_piece(s, "pmu.pins", &image, sizeof image);
    if (!s->loading || s->status != P5_OK)
        return;
    for (unsigned i = 0; i < P5_PIN_SIGNALS; i++)
        if (image.pin[i].pulse_count > PIN_PULSES)
            snapshot_refuse(s, "part pmu.pins of the snapshot holds %u pulses", image.pin[i].pulse_count);
    if (image.half_ratio == 0)
        snapshot_refuse(s, "part pmu.pins of the snapshot has no bus clock");
    image.changed = p->changed;
    image.context = p->context;
    if (s->status == P5_OK)
        *p = image;
}

void pmu_transfer(p5_pmu *pmu, snapshot *s)
{
    pmu->cc_clocks = (p5_cc_clocks)snapshot_number(s, "pmu.cc_clocks", pmu->cc_clocks, P5_CC_FREE_RUNNING);
    transfer_pins(&pmu->pins, s);
    snapshot_piece(s, "pmu.cesr", &pmu->cesr, sizeof pmu->cesr);
    for (unsigned i = 0; i < PMU_COUNTERS; i++)
        transfer_counter(&pmu->counters[i], s);
    snapshot_piece(s, "pmu.perfmon", &pmu->perfmon, sizeof pmu->perfmon);
    snapshot_piece(s, "pmu.tsc", &pmu->tsc, sizeof pmu->tsc);
    test_registers *t = &pmu->tests;
    snapshot_piece(s, "pmu.tests", t->value, sizeof t->value);
    snapshot_piece(s, "pmu.fill_buffer", t->fill_buffer, sizeof t->fill_buffer);
    snapshot_piece(s, "pmu.filled", &t->filled, sizeof t->filled);
    snapshot_piece(s, "pmu.end_bits", t->end_bits, sizeof t->end_bits);
    snapshot_piece(s, "pmu.mca", &pmu->machine_check_address, sizeof pmu->machine_check_address);
    snapshot_piece(s, "pmu.mct", &pmu->machine_check_type, sizeof pmu->machine_check_type);
    snapshot_piece(s, "pmu.scratch", pmu->scratch, sizeof pmu->scratch);
}
