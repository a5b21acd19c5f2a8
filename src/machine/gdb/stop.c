/* Where the guest stops. */
#include <string.h>

#include "machine/gdb/gdb.h"

bool gdb_is_breakpoint(const gdb *g, uint32_t linear)
{
    for (unsigned i = 0; i < g->breakpoint_count; i++)
        if (g->breakpoints[i] == linear)
            return true;
    return false;
}

static bool watch_hit(gdb *g, const p5_access *access)
{
    if ((access->flags & (P5_ACCESS_IO | P5_ACCESS_SYSTEM)) != 0)
        return false;
    bool write = (access->flags & P5_ACCESS_WRITE) != 0;
    for (unsigned i = 0; i < g->watch_count; i++) {
        const gdb_watch *w = &g->watches[i];
        bool wanted = w->kind == GDB_WATCH_ACCESS || write == (w->kind == GDB_WATCH_WRITE);
        bool overlap = access->linear - w->address < w->size || w->address - access->linear < access->size;
        if (wanted && overlap) {
            g->hit = *w;
            g->hit_address = w->address;
            return true;
        }
    }
    return false;
}

bool gdb_retired(gdb *g, const p5_retired *retired)
{
    for (uint32_t i = 0; g->watch_count != 0 && i < retired->access_count; i++)
        if (watch_hit(g, &retired->accesses[i]))
            g->stop = GDB_STOP_WATCH;
    if (g->stop == GDB_STOP_NONE && !retired->interrupted && gdb_is_breakpoint(g, retired->next))
        g->stop = GDB_STOP_BREAKPOINT;
    return g->stop != GDB_STOP_NONE;
}

void gdb_delivered(gdb *g, const p5_exception *exception)
{
    if (gdb_is_breakpoint(g, exception->handler))
        g->stop = GDB_STOP_BREAKPOINT;
    else if (g->single_step)
        g->stop = GDB_STOP_STEP;
    else
        return;
    engine_request_attention(g->machine->engine);
}

void gdb_signal(gdb *g, int signal)
{
    g->signal = signal;
    g->stop = GDB_STOP_SIGNAL;
    engine_request_attention(g->machine->engine);
}

/* --- packets Z and z --- */

void gdb_use_breakpoints(gdb *g)
{
    engine_set_cuts(g->machine->engine, g->breakpoints, g->breakpoint_count);
}

static bool insert_breakpoint(gdb *g, uint32_t address)
{
    if (gdb_is_breakpoint(g, address))
        return true;
    if (g->breakpoint_count == GDB_BREAKPOINTS)
        return false;
    unsigned at = g->breakpoint_count++;
    for (; at > 0 && g->breakpoints[at - 1] > address; at--)
        g->breakpoints[at] = g->breakpoints[at - 1];
    g->breakpoints[at] = address;
    gdb_use_breakpoints(g);
    return true;
}

static bool remove_breakpoint(gdb *g, uint32_t address)
{
    for (unsigned i = 0; i < g->breakpoint_count; i++) {
        if (g->breakpoints[i] != address)
            continue;
        g->breakpoint_count--;
        memmove(&g->breakpoints[i], &g->breakpoints[i + 1],
                (g->breakpoint_count - i) * sizeof g->breakpoints[0]);
        gdb_use_breakpoints(g);
        return true;
    }
    return false;
}

bool gdb_insert(gdb *g, unsigned kind, uint32_t address, uint32_t size)
{
    if (kind < GDB_WATCH_WRITE)
        return insert_breakpoint(g, address);
    if (g->watch_count == GDB_WATCHES || size == 0)
        return false;
    g->watches[g->watch_count++] = (gdb_watch){(gdb_watch_kind)kind, address, size};
    return true;
}

bool gdb_remove(gdb *g, unsigned kind, uint32_t address, uint32_t size)
{
    if (kind < GDB_WATCH_WRITE)
        return remove_breakpoint(g, address);
    for (unsigned i = 0; i < g->watch_count; i++) {
        const gdb_watch *w = &g->watches[i];
        if ((unsigned)w->kind == kind && w->address == address && w->size == size) {
            g->watches[i] = g->watches[--g->watch_count];
            return true;
        }
    }
    return false;
}
