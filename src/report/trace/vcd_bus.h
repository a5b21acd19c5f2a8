/* What a value change dump shows of the bus: when it is in use, by whom, and its clock if that is wanted.
 *
 * The core notes the uses in order of time and without overlap, so they need no queue that sorts; they are
 * most of what a dump holds. */
#ifndef REPORT_TRACE_VCD_BUS_H
#define REPORT_TRACE_VCD_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/core.h"

typedef struct vcd_bus {
    p5_bus_use *uses;
    size_t capacity;
    const p5_bus_use *next; /* those that are not over, */
    p5_bus_use *end;        /* ... up to before this place; */
    bool within;            /* ... the first has begun */
    uint64_t clock_number;  /* of the next edge of the bus clock, and the core clock at which it comes; */
    uint64_t clock_at;      /* ... UINT64_MAX: it is not shown */
    unsigned half_ratio;    /* half core clocks per bus clock */
} vcd_bus;

/* The signals from core clock `clock` on. */
typedef struct vcd_levels {
    uint64_t clock;
    bool bus_clock, busy, other;
} vcd_levels;

void vcd_bus_init(vcd_bus *bus, unsigned half_ratio);
void vcd_bus_free(vcd_bus *bus);
/* The bus clock is shown from core clock `clock` on; no longer. */
void vcd_bus_clock_start(vcd_bus *bus, uint64_t clock);
void vcd_bus_clock_stop(vcd_bus *bus);
/* Core clock of an edge of the bus clock: up at the beginning of bus clock number / 2, or down in its middle.
 */
uint64_t vcd_bus_clock_edge(const vcd_bus *bus, uint64_t number);
/* Forgets all uses: nobody can be told of them. */
void vcd_bus_drop(vcd_bus *bus);
/* `count` further uses; room of those that are over is used again. False: out of memory, and there are none
 * of them. */
bool vcd_bus_add(vcd_bus *bus, const p5_bus_use *uses, size_t count);

static inline uint64_t vcd_use_end(const p5_bus_use *use)
{
    return use->to & ~P5_BUS_OTHER;
}

/* Takes the next edge, if it comes before `limit`. A use that begins where another ends leaves the bus busy.
 */
static inline bool vcd_bus_take(vcd_bus *bus, uint64_t limit, vcd_levels *levels)
{
    const p5_bus_use *use = bus->next, *end = bus->end;
    uint64_t at = UINT64_MAX;
    if (use != end)
        at = bus->within ? vcd_use_end(use) : use->from;
    if (__builtin_expect(bus->clock_at <= at, 0)) {
        if (bus->clock_at >= limit)
            return false;
        levels->clock = bus->clock_at;
        levels->bus_clock = bus->clock_number % 2 == 0;
        bus->clock_at = vcd_bus_clock_edge(bus, ++bus->clock_number);
        return true;
    }
    if (at >= limit)
        return false;
    levels->clock = at;
    if (!bus->within) {
        bus->within = true;
    } else {
        bus->next = ++use;
        bus->within = use != end && use->from <= at;
    }
    levels->busy = bus->within;
    levels->other = bus->within && (use->to & P5_BUS_OTHER) != 0;
    return true;
}

/* The uses that are told as wholes: those of the processor, as long as nothing else happens. */
typedef struct vcd_uses {
    const p5_bus_use *next, *end;
    uint64_t limit; /* they end before that; the last of all does not */
} vcd_uses;

/* At most `most`. */
static inline vcd_uses vcd_bus_uses(const vcd_bus *bus, uint64_t limit, size_t most)
{
    size_t count = (size_t)(bus->end - bus->next);
    if (bus->within || count == 0)
        return (vcd_uses){bus->next, bus->next, 0};
    uint64_t last = vcd_use_end(bus->end - 1);
    if (limit > last)
        limit = last;
    return (vcd_uses){bus->next, bus->next + (count < most ? count : most),
                      bus->clock_at < limit ? bus->clock_at : limit};
}

/* Takes the time for which the bus is busy next, [*from, *to): the usual case of two vcd_bus_take. A use of
 * another master is beyond every limit by its mark, and so is the last one, which another one may touch. */
static inline bool vcd_uses_take(vcd_uses *uses, uint64_t *from, uint64_t *to)
{
    const p5_bus_use *use = uses->next;
    if (use >= uses->end)
        return false;
    *from = use->from;
    do {
        *to = use->to;
        if (*to >= uses->limit)
            return false;
        use++;
    } while (use->from == *to);
    uses->next = use;
    return true;
}

#endif
