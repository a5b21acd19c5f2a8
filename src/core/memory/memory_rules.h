/* The rules of a data reference, each defined once. The slow path (memory_data.c), the fast path
 * (memory_fast.h) and the bound of a block's clocks (replay/bound.c) consist of them. A path passes what it
 * knows as a constant, and the compiler removes the rest. `clock` and `asked` are core clocks; `asked` is that of a
 * request. */
#ifndef CORE_MEMORY_MEMORY_RULES_H
#define CORE_MEMORY_MEMORY_RULES_H

#include "core/bus/bus_cycle.h"
#include "core/memory/memory_system.h"
#include "p5scope/core.h"

/* Returns the later of two clocks. */
static inline uint64_t memory_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- properties of a reference ---- */

/* Returns whether a reference is aligned to its own size. Most are, and none of these is misaligned. */
static inline bool memory_on_boundary(const p5_access *access)
{
    return (access->linear & (access->size - 1u)) == 0;
}

/* Returns whether a reference is misaligned: 1, 2 and 4 bytes must lie within a dword, 8 bytes on a quadword
 * boundary. */
static inline bool memory_misaligned(const p5_access *access)
{
    uint32_t granule = access->size == 8 ? 8 : 4;
    return (access->linear & (granule - 1)) + access->size > granule;
}

/* Returns whether the whole reference lies in one line. */
static inline bool memory_within_line(const p5_access *access)
{
    return access->linear % CACHE_LINE + access->size <= CACHE_LINE;
}

static inline bool memory_begins_page(uint32_t linear)
{
    return (linear & 0xfff) == 0;
}

/* Returns the physical address of the byte `offset` bytes after the reference's first, in the same page or at the
 * beginning of the next. */
static inline uint32_t memory_physical(const struct memory *m, const p5_access *access, uint32_t offset)
{
    const uint32_t linear = access->linear + offset;
    if (memory_begins_page(linear) && m->hooks.translate != NULL)
        return m->hooks.translate(m->hooks.context, linear);
    return access->physical + offset;
}

/* Makes and counts the read cycle of a locked reference. Returns the clock at which it ends. */
static inline uint64_t memory_locked_read(struct memory *m, uint64_t asked)
{
    memory_count(m, P5_EVENT_LOCKED_BUS_CYCLE);
    memory_count(m, P5_EVENT_NONCACHEABLE_MEMORY_READS);
    return bus_locked_read(&m->bus, asked);
}

/* ---- hits ---- */

/* Returns whether a write to the line needs no bus cycle because it is E or M. */
static inline bool memory_owns(const data_cache *cache, unsigned set, unsigned way)
{
    return cache->state[set][way] >= MESI_EXCLUSIVE;
}

/* Returns the way of a hit that needs no bus cycle, or -1. */
static inline int memory_hit(const struct memory *m, uint32_t physical, bool write)
{
    int way = data_cache_find(&m->data, physical);
    return way >= 0 && write && !memory_owns(&m->data, cache_set(physical), (unsigned)way) ? -1 : way;
}

/* ---- waits ---- */

/* Returns whether the fill may delay a reference. While a line is being filled, the reference that missed
 * continues with its 8 bytes. Others to that line (P54C: to that set) wait until it is in the array. */
static inline bool memory_fill_concerns(const struct memory *m, uint32_t physical)
{
    return ((physical ^ m->data_fill.line) & m->fill_mask) == 0;
}

/* Returns the clock, from `clock` on, at which the fill does not delay the reference. */
static inline uint64_t memory_filled(const struct memory *m, uint32_t physical, uint64_t clock)
{
    return m->data_fill.done > clock && memory_fill_concerns(m, physical) ? m->data_fill.done : clock;
}

/* Returns whether strong ordering delays a write to an E or M line at `clock`: older writes have not reached memory
 * yet. */
static inline bool memory_order_holds(const struct memory *m, uint64_t clock)
{
    return clock < memory_writes_done(m);
}

/* Returns how many of the clocks that strong ordering delays a write at `clock` event 1Bh counts. Silicon counts
 * only those after the last write's end, in which EWBE# is inactive (errata 44 and 75). */
static inline uint64_t memory_order_counts(const struct memory *m, uint64_t clock)
{
    uint64_t until = memory_writes_done(m);
    uint64_t from = m->model->errata ? memory_later(m->writes.drained, clock) : clock;
    return from < until ? until - from : 0;
}

/* ---- bus cycles ---- */

/* Writes the modified line in this way back, with the cycle that begins in bus clock `at`. Returns the clock at
 * which it is in memory. `observed`: as for memory_take_line. observed_bytes (event/observer.h) reports to the
 * observer of the arrays unless it is NULL. */
static inline uint64_t memory_write_back_at(struct memory *m, unsigned set, unsigned way, bus_clock at,
                                            bool observed)
{
    const uint32_t line = data_cache_address(&m->data, set, way);
    memory_is_written(m, line, CACHE_LINE);
    memory_cycle(m, line, CACHE_LINE, P5_CYCLE_MEMORY | P5_CYCLE_DATA | P5_CYCLE_WRITE);
    memory_count(m, P5_EVENT_DATA_CACHE_LINES_WRITTEN_BACK);
    observed_bytes(observed ? m->arrays : NULL, false, set, way, UINT32_MAX, false);
    return bus_cycle_logged(&m->bus, at, m->bus.write_back, observed);
}

/* Fills the line of `physical` into the cache, with the cycle that begins in bus clock `at`, and returns the clocks
 * at which its parts arrive. A modified victim is written back afterwards. `exclusive`: its state is E, otherwise S.
 * `whole`: the caller needs the clocks of all parts of the line, not only of the one at `physical`. `observed`: there
 * may be an observer or another bus master, and space is made in the bus log immediately (bus_log_make_space);
 * otherwise the caller does that after the reference. */
static inline __attribute__((always_inline)) bus_line
memory_take_line(struct memory *m, bus_clock at, uint32_t physical, bool exclusive, bool whole, bool observed)
{
    data_cache *cache = &m->data;
    unsigned set = cache_set(physical), victim = data_cache_victim(cache, set);
    const bool modified = cache->state[set][victim] == MESI_MODIFIED;
    const bus_line line = bus_line_cycle(&m->bus, at, physical, whole);
    memory_cycle(m, physical, CACHE_LINE, P5_CYCLE_MEMORY | P5_CYCLE_DATA);
    if (modified)
        memory_write_back_at(m, set, victim, bus_start(&m->bus, line.last, observed), observed);
    data_cache_fill(cache, victim, physical, exclusive ? MESI_EXCLUSIVE : MESI_SHARED);
    observed_filled(observed ? m->arrays : NULL, false, set, victim);
    m->data_fill = (line_fill){cache_line(physical), line.last + m->model->latency.fill_to_array};
    return line;
}

/* Takes `entry` of the write buffers for a write that misses or hits a shared line and ends on the bus at core
 * clock `end`. `upgrade`: its line becomes exclusive then. EWBE# is active again some time later. */
static inline void memory_buffered(struct memory *m, unsigned entry, uint64_t end, uint32_t physical,
                                   bool upgrade)
{
    write_buffer_take(&m->writes, entry, end, cache_line(physical), upgrade);
    m->ewbe_at = end + m->ewbe_clocks;
}

#endif
