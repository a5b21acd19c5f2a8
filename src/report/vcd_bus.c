#include "report/vcd_bus.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

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

bool vcd_bus_add(vcd_bus *bus, const p5_bus_use *uses, size_t count)
{
    size_t waiting = (size_t)(bus->end - bus->next);
    if (waiting > 0)
        memmove(bus->uses, bus->next, waiting * sizeof *bus->uses);
    bool room = array_reserve(&bus->uses, &bus->capacity, waiting + count, sizeof *bus->uses);
    if (!room)
        count = 0;
    if (count > 0)
        memcpy(bus->uses + waiting, uses, count * sizeof *uses);
    bus->next = bus->uses;
    bus->end = bus->uses + waiting + count;
    return room;
}
