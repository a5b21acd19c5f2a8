/* One cycle of the bus, inlined into bus.c and into the quick path of data references (memory_quick.c). */
#ifndef CORE_BUS_CYCLE_H
#define CORE_BUS_CYCLE_H

#include "core/bus.h"

/* The bus is in use in core clocks [from, to). The intervals are in order and never overlap: each cycle
 * starts when the one before has ended. Counting waits until somebody looks: what runs is of one privilege
 * class in between. The youngest may lie ahead of what has been executed (a code fetch in advance, a long
 * WBINVD) and count for the class in which they pass; those that left the ring have passed. */
static inline void bus_mark_busy(bus *b, uint64_t from, uint64_t to, bool own)
{
    b->busy[b->busy_next++ % BUS_BUSY] = (bus_busy){from, to, own};
    if (own)
        b->own += to - from;
    else
        b->foreign += to - from;
}

static inline void bus_note(p5_bus_notes *notes, uint64_t from, uint64_t to, bool own)
{
    *notes->next++ = (p5_bus_use){from, own ? to : to | P5_BUS_OTHER};
    if (__builtin_expect(notes->next == notes->end, 0))
        notes->full(notes->context);
}

/* A cycle of `clocks` bus clocks with `idle` ones behind it. */
static inline bus_time bus_takes(const bus *b, uint32_t clocks, uint32_t idle)
{
    uint64_t ratio = b->half_ratio;
    return (bus_time){clocks + idle, clocks * ratio, (clocks + idle) * ratio};
}

/* `halves` over half_ratio. The inverse is too large by less than 1 in the last of its 32 places, the product
 * by less than `halves` of them: not enough for another whole number, as long as `halves` times half_ratio
 * (at most 7, model_fields.c) is below 2^32. Times that are far apart are divided. */
static inline uint64_t bus_in_clocks(const bus *b, uint64_t halves)
{
    return halves >> 24 == 0 ? halves * b->inverse_ratio >> 32 : halves / b->half_ratio;
}

/* First bus clock from core clock `asked` on in which the bus is free. Most requests come while it is in use,
 * or soon afterwards: only what is beyond `free` has to be divided. */
static inline __attribute__((always_inline)) bus_clock bus_first_free(const bus *b, uint64_t asked)
{
    if (2 * asked <= b->begun)
        return (bus_clock){b->free, b->begun};
    uint64_t ratio = b->half_ratio, beyond = 2 * asked - b->begun + ratio - 1;
    uint64_t n = bus_in_clocks(b, beyond);
    return (bus_clock){b->free + n, b->begun + n * ratio};
}

/* A cycle, in core clocks, of which nobody is told. */
typedef struct bus_span {
    uint64_t from, end;
} bus_span;
static inline bus_span bus_cycle_untold(bus *b, bus_clock at, bus_time time, bool own)
{
    const bus_span span = {(at.half + 1) / 2, (at.half + time.busy + 1) / 2}; /* as bus_core_clock */
    b->free = at.n + time.clocks;
    b->begun = at.half + time.halves;
    bus_mark_busy(b, span.from, span.end, own);
    return span;
}

/* A cycle; answers its end in core clocks. */
static inline uint64_t bus_cycle(bus *b, bus_clock at, bus_time time, bool own)
{
    const bus_span span = bus_cycle_untold(b, at, time, own);
    if (__builtin_expect(b->notes != NULL, 0))
        bus_note(b->notes, span.from, span.end, own);
    return span.end;
}

#endif
