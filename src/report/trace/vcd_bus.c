#include "report/trace/vcd_bus.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { LEAST = 4096 }; /* uses that there is room for: 64 KB */

void vcd_bus_init(vcd_bus *bus, unsigned half_ratio)
{
    *bus = (vcd_bus){.half_ratio = half_ratio, .clock_at = UINT64_MAX};
}

void vcd_bus_free(vcd_bus *bus)
{
    free(bus->uses);
}

uint64_t vcd_bus_clock_edge(const vcd_bus *bus, uint64_t number)
{
    return (number * bus->half_ratio + 3) / 4; /* half a bus clock in quarters of core clocks */
}

void vcd_bus_clock_start(vcd_bus *bus, uint64_t clock)
{
    bus->clock_number = (clock * 4 + bus->half_ratio - 1) / bus->half_ratio;
    bus->clock_at = vcd_bus_clock_edge(bus, bus->clock_number);
}

void vcd_bus_clock_stop(vcd_bus *bus)
{
    bus->clock_at = UINT64_MAX;
}

void vcd_bus_drop(vcd_bus *bus)
{
    bus->next = bus->end = bus->uses;
    bus->within = false;
}

/* Room for `count` more behind those that are not over. Mostly there is: they are moved seldom. */
static bool make_room(vcd_bus *bus, size_t count)
{
    size_t waiting = (size_t)(bus->end - bus->next);
    if (count <= bus->capacity - (size_t)(bus->end - bus->uses))
        return true;
    if (waiting > 0)
        memmove(bus->uses, bus->next, waiting * sizeof *bus->uses);
    size_t wanted = 2 * (waiting + count) > LEAST ? 2 * (waiting + count) : LEAST;
    bool room = array_reserve(&bus->uses, &bus->capacity, wanted, sizeof *bus->uses);
    bus->next = bus->uses;
    bus->end = bus->uses + waiting;
    return room;
}

bool vcd_bus_add(vcd_bus *bus, const p5_bus_use *uses, size_t count)
{
    if (count == 0)
        return true;
    if (!make_room(bus, count))
        return false;
    memcpy(bus->end, uses, count * sizeof *uses);
    bus->end += count;
    return true;
}
