/* Breakpoints and watchpoints of the server for gdb (debug.h). Addresses are linear. */
#include "machine/run/run_internal.h"

#include <string.h>

#include "base/array.h"
#include "machine/state.h"

bool debug_is_breakpoint(const debug_stops *stops, uint32_t linear)
{
    return array_contains(stops->breakpoints, stops->breakpoint_count, linear);
}

/* Returns true if the access touches a watchpoint, and stores that watchpoint in `hit`. Accesses to ports and those
 * that microcode makes (descriptors, TSS, the stack of a delivery) do not count. */
static bool watch_hit(debug_stops *stops, const p5_access *access)
{
    if ((access->flags & (P5_ACCESS_IO | P5_ACCESS_SYSTEM)) != 0)
        return false;
    bool write = (access->flags & P5_ACCESS_WRITE) != 0;
    for (unsigned i = 0; i < stops->watch_count; i++) {
        const debug_watch *w = &stops->watches[i];
        bool wanted = w->kind == DEBUG_WATCH_ACCESS || write == (w->kind == DEBUG_WATCH_WRITE);
        bool overlap = access->linear - w->address < w->size || w->address - access->linear < access->size;
        if (wanted && overlap) {
            stops->hit = *w;
            return true;
        }
    }
    return false;
}

/* A watchpoint has precedence over a breakpoint at the next instruction. An interrupted REP string has not reached its
 * next instruction yet. */
bool debug_retired(debug_stops *stops, const p5_retired *retired)
{
    for (uint32_t i = 0; stops->watch_count != 0 && i < retired->access_count; i++)
        if (watch_hit(stops, &retired->accesses[i]))
            stops->stop = DEBUG_STOP_WATCH;
    if (stops->stop == DEBUG_STOP_NONE && !retired->interrupted && debug_is_breakpoint(stops, retired->next))
        stops->stop = DEBUG_STOP_BREAKPOINT;
    return stops->stop != DEBUG_STOP_NONE;
}

/* Handles the delivery of an exception: to a breakpoint, or as a step of its own. */
void debug_delivered(p5_machine *machine, const p5_exception *exception)
{
    debug_stops *stops = machine->debugger;
    if (debug_is_breakpoint(stops, exception->handler))
        stops->stop = DEBUG_STOP_BREAKPOINT;
    else if (stops->single_step)
        stops->stop = DEBUG_STOP_STEP;
    else
        return;
    engine_request_attention(machine->engine);
}

void debug_signal(p5_machine *machine, int signal)
{
    machine->debugger->signal = signal;
    machine->debugger->stop = DEBUG_STOP_SIGNAL;
    engine_request_attention(machine->engine);
}

/* --- Breakpoints and watchpoints --- */

/* Makes the engine end each block before a breakpoint, so that a stretch ends there. */
static void use_breakpoints(p5_machine *machine)
{
    engine_set_cuts(machine->engine, machine->debugger->breakpoints, machine->debugger->breakpoint_count);
}

void debug_attach(p5_machine *machine, debug_stops *stops)
{
    machine->debugger = stops;
    use_breakpoints(machine);
}

/* Keeps the breakpoints sorted. Returns false if there are too many; true if it is set already. */
static bool insert_breakpoint(p5_machine *machine, uint32_t address)
{
    debug_stops *stops = machine->debugger;
    if (debug_is_breakpoint(stops, address))
        return true;
    if (stops->breakpoint_count == DEBUG_BREAKPOINTS)
        return false;
    unsigned at = stops->breakpoint_count++;
    for (; at > 0 && stops->breakpoints[at - 1] > address; at--)
        stops->breakpoints[at] = stops->breakpoints[at - 1];
    stops->breakpoints[at] = address;
    use_breakpoints(machine);
    return true;
}

static bool remove_breakpoint(p5_machine *machine, uint32_t address)
{
    debug_stops *stops = machine->debugger;
    for (unsigned i = 0; i < stops->breakpoint_count; i++) {
        if (stops->breakpoints[i] != address)
            continue;
        stops->breakpoint_count--;
        memmove(&stops->breakpoints[i], &stops->breakpoints[i + 1],
                (stops->breakpoint_count - i) * sizeof stops->breakpoints[0]);
        use_breakpoints(machine);
        return true;
    }
    return false;
}

bool debug_insert(p5_machine *machine, debug_watch watch)
{
    debug_stops *stops = machine->debugger;
    if (watch.kind < DEBUG_WATCH_WRITE)
        return insert_breakpoint(machine, watch.address);
    if (stops->watch_count == DEBUG_WATCHES || watch.size == 0)
        return false;
    stops->watches[stops->watch_count++] = watch;
    return true;
}

bool debug_remove(p5_machine *machine, debug_watch watch)
{
    debug_stops *stops = machine->debugger;
    if (watch.kind < DEBUG_WATCH_WRITE)
        return remove_breakpoint(machine, watch.address);
    for (unsigned i = 0; i < stops->watch_count; i++) {
        const debug_watch *w = &stops->watches[i];
        if (w->kind == watch.kind && w->address == watch.address && w->size == watch.size) {
            stops->watches[i] = stops->watches[--stops->watch_count];
            return true;
        }
    }
    return false;
}
