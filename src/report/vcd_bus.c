#include "report/vcd_bus.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void vcd_bus_init(vcd_bus *bus, unsigned half_ratio, void (*full)(void *context), void *context)
{
    *bus = (vcd_bus){
        .half_ratio = half_ratio, .clock_at = UINT64_MAX, .notes = {.full = full, .context = context}};
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
    bus->next = bus->notes.next = bus->uses;
    bus->within = false;
}

bool vcd_bus_tidy(vcd_bus *bus, size_t more)
{
    size_t waiting = (size_t)(bus->notes.next - bus->next);
    if (waiting > 0 && bus->next != bus->uses)
        memmove(bus->uses, bus->next, waiting * sizeof *bus->uses);
    bool room = array_reserve(&bus->uses, &bus->capacity, waiting + more, sizeof *bus->uses);
    bus->next = bus->uses;
    bus->notes.next = bus->uses + waiting;
    bus->notes.end = bus->uses + (room ? waiting + more : bus->capacity);
    return room;
}
