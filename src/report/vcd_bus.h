/* What a value change dump shows of the bus: when it is in use, by whom, and its clock if that is wanted.
 *
 * The uses are told in order of time and do not overlap, so they need no queue that sorts; they are most of
 * what a dump holds. */
#ifndef REPORT_VCD_BUS_H
#define REPORT_VCD_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bus is in use for so many core clocks from `from` on. */
typedef struct vcd_use {
    uint64_t from;
    uint64_t clocks : 63;
    uint64_t other : 1; /* by another master than the processor */
} vcd_use;

typedef struct vcd_bus {
    vcd_use *uses;      /* that are not over: */
    size_t next, count; /* ... from this one on, up to before that; */
    size_t capacity;
    bool within;           /* ... the first has begun */
    uint64_t clock_number; /* of the next edge of the bus clock, and the core clock at which it comes; */
    uint64_t clock_at;     /* ... UINT64_MAX: it is not shown */
    unsigned half_ratio;   /* half core clocks per bus clock */
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
/* Forgets the uses that are over, and makes room for `more`. False: out of memory. */
bool vcd_bus_tidy(vcd_bus *bus, size_t more);

static inline uint64_t vcd_use_end(const vcd_use *use)
{
    return use->from + use->clocks;
}

/* There is room for it. */
static inline void vcd_bus_use(vcd_bus *bus, uint64_t from, uint64_t to, bool own)
{
    bus->uses[bus->count++] = (vcd_use){from, (to - from) & INT64_MAX, !own};
}

/* Takes the next edge, if it comes before `limit`. A use that begins where another ends leaves the bus busy.
 */
static inline bool vcd_bus_take(vcd_bus *bus, uint64_t limit, vcd_levels *levels)
{
    const vcd_use *use = NULL;
    uint64_t at = UINT64_MAX;
    if (bus->next < bus->count) {
        use = &bus->uses[bus->next];
        at = bus->within ? vcd_use_end(use) : use->from;
    }
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
        bus->next++;
        use++;
        bus->within = bus->next < bus->count && use->from <= at;
    }
    levels->busy = bus->within;
    levels->other = bus->within && use->other;
    return true;
}

/* The uses that are told as wholes: those of the processor, as long as nothing else happens. */
typedef struct vcd_uses {
    const vcd_use *next, *end;
    uint64_t limit; /* they end before that */
} vcd_uses;

static inline vcd_uses vcd_bus_uses(const vcd_bus *bus, uint64_t limit)
{
    const vcd_use *next = bus->uses + bus->next;
    return (vcd_uses){next, bus->within ? next : bus->uses + bus->count,
                      bus->clock_at < limit ? bus->clock_at : limit};
}

/* Takes the time for which the bus is busy next, [*from, *to): the usual case of two vcd_bus_take. */
static inline bool vcd_uses_take(vcd_uses *uses, uint64_t *from, uint64_t *to)
{
    const vcd_use *use = uses->next, *end = uses->end;
    if (use == end || use->other)
        return false;
    *from = use->from;
    uint64_t until = vcd_use_end(use);
    for (use++; use != end && use->from <= until && !use->other; use++)
        until = vcd_use_end(use);
    if (use == end || use->from <= until || until >= uses->limit)
        return false;
    *to = until;
    uses->next = use;
    return true;
}

static inline void vcd_bus_took(vcd_bus *bus, const vcd_uses *uses)
{
    bus->next = (size_t)(uses->next - bus->uses);
}

#endif
