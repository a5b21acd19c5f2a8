/* The steps of a data reference: waits, translation, cache lookup, line fill, writes (241428, 2, 3 and 6).
 * memory_data.c, the only user, compiles them several times with constant properties of the reference. The functions
 * observed_* (event/observer.h) report to an observer of the arrays, if there is one. */
#ifndef CORE_MEMORY_MEMORY_REFERENCE_H
#define CORE_MEMORY_MEMORY_REFERENCE_H

#include "core/memory/memory.h"
#include "core/memory/memory_rules.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The state of one reference while it is made. */
typedef struct reference {
    struct memory *m;
    const p5_access *access;
    uint64_t clock;  /* core clock up to which the reference has come */
    unsigned traits; /* TRAIT_* (data_answer.h) */
    bool write;
    bool ordinary;   /* an ordinary reference: neither its flags nor `traits` nor the mode (memory.special)
                     need special treatment */
    bool aligned;    /* ordinary and in one part */
    bool misaligned; /* as memory_misaligned defines it */
    unsigned locked; /* LOCK_* */
    bool tlb_missed; /* a page was walked for */
    bool owned;      /* a write all of whose lookups so far hit an E or M line */
    unsigned missed_parts;  /* lookups that missed; there is one lookup per line */
    data_waits waited;      /* clocks waited so far, by cause */
    uint64_t waited_locked; /* likewise, for the bus cycles of a locked reference */
} reference;

/* Up to 8 bytes that one bus cycle can transfer: all of a reference, or one side of the 8-byte boundary in it. */
typedef struct part {
    uint32_t linear, physical;
    uint32_t size;
} part;

/* The following functions return properties of a reference. For ordinary ones the compiler knows most of them. */

/* Returns whether the MMX-only events count the reference. */
static inline bool is_mmx(const reference *r)
{
    return !r->ordinary && (r->traits & TRAIT_MMX) != 0;
}

/* Returns whether CR0.CD keeps a hit from changing the replacement bits. */
static inline bool is_frozen(const reference *r)
{
    return !r->ordinary && memory_frozen(r->m);
}

/* Returns whether the page (PWT) or the board (WB/WT#) keeps the line from becoming exclusive. */
static inline bool is_written_through(const reference *r)
{
    return (!r->ordinary && (r->access->flags & P5_ACCESS_WRITE_THROUGH) != 0) ||
           !r->m->model->bus.write_back_lines;
}

/* Returns whether a miss of a read fills the line. */
static inline bool is_cacheable(const reference *r)
{
    return (r->ordinary || ((r->access->flags & P5_ACCESS_CACHE_DISABLE) == 0 && !r->m->no_data_fill)) &&
           (__builtin_expect(memory_is_cacheable_ram(r->m, r->access->physical), 1) ||
            !model_uncacheable(r->m->model, r->access->physical));
}

/* Returns the observer of the arrays, or NULL. */
static inline array_observer *watcher_of(const reference *r)
{
    return r->ordinary ? NULL : r->m->arrays;
}

/* ---- stalls ---- */

/* Lets the reference wait until clock `until`, which may have passed, and adds the clocks to `*owner`, the wait's
 * cause. */
ALWAYS_INLINE void wait_until(reference *r, uint64_t until, uint64_t *owner)
{
    const uint64_t later = memory_later(until, r->clock);
    *owner += later - r->clock;
    r->clock = later;
}

/* Waits before a write to an E or M line for strong ordering. */
ALWAYS_INLINE void wait_for_order(reference *r)
{
    struct memory *m = r->m;
    uint64_t counted = memory_order_counts(m, r->clock);
    if (counted > 0) {
        memory_clocks(m, P5_EVENT_STALL_ON_WRITE_TO_AN_E_OR_M_STATE_LINE, counted);
        if (is_mmx(r))
            memory_clocks(m, P5_EVENT_STALL_ON_MMX_INSTRUCTION_WRITE_TO_E_OR_M_STATE_LINE, counted);
    }
    wait_until(r, memory_writes_done(m), &r->waited.write_order);
}

/* Counts a misaligned reference and waits for its second half. */
ALWAYS_INLINE void wait_misaligned(reference *r)
{
    struct memory *m = r->m;
    memory_count(m, P5_EVENT_MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES);
    if (is_mmx(r))
        memory_count(m, P5_EVENT_MISALIGNED_DATA_MEMORY_REFERENCE_ON_MMX_INSTRUCTIONS);
    wait_until(r, r->clock + m->model->latency.misaligned, &r->waited.misaligned);
}

/* ---- translation ---- */

/* The result of a page lookup. */
typedef struct page_answer {
    uint64_t until; /* clock at which the reference can continue */
    bool missed;
} page_answer;

/* Looks up the page of `at` in the data TLB, on the slow path: counts a miss and prices the walk, or the update of the
 * dirty bit by the first write. */
static page_answer __attribute__((noinline))
look_up_page(struct memory *m, const p5_access *access, part at, uint64_t clock)
{
    bool large = (access->flags & P5_ACCESS_LARGE_PAGE) != 0, write = (access->flags & P5_ACCESS_WRITE) != 0;
    tlb *t = memory_data_tlb(m, large);
    uint32_t key = tlb_key(at.linear, large);
    const unsigned entry = tlb_find(t, key);
    page_answer answer = {clock, entry == TLB_NO_ENTRY};
    if (answer.missed) {
        memory_count(m, P5_EVENT_DATA_TLB_MISS);
        uint8_t attributes =
            (uint8_t)(((access->flags & P5_ACCESS_CACHE_DISABLE) != 0 ? TLB_CACHE_DISABLE : 0) |
                      ((access->flags & P5_ACCESS_WRITE_THROUGH) != 0 ? TLB_WRITE_THROUGH : 0));
        answer.until = walk_data(m, key, at.physical, attributes, write, clock);
    } else {
        tlb_used(t, entry);
        observed_entry(m->arrays, t, entry, false);
        if (write && t->row[entry].key.of[1] == 0)
            answer.until = walk_set_dirty(m, entry, large, clock);
    }
    if (answer.until > clock)
        memory_clocks(m, P5_EVENT_DATA_CACHE_TLB_MISS_STALL_DURATION, answer.until - clock);
    return answer;
}

/* Translates the address of a part, and waits if that takes a walk. */
ALWAYS_INLINE void translate(reference *r, part at)
{
    struct memory *m = r->m;
    bool large = !r->ordinary && (r->access->flags & P5_ACCESS_LARGE_PAGE) != 0;
    tlb *t = memory_data_tlb(m, large);
    if (__builtin_expect(watcher_of(r) == NULL && memory_page_usual(t, tlb_key(at.linear, large), r->write),
                         1))
        return;
    page_answer answer = look_up_page(m, r->access, at, r->clock);
    r->tlb_missed |= answer.missed;
    wait_until(r, answer.until, &r->waited.tlb);
}

/* ---- cache lookup ---- */

/* Waits until a line fill that is pending no longer delays the reference. */
ALWAYS_INLINE void wait_for_fill(reference *r, uint32_t physical)
{
    wait_until(r, memory_filled(r->m, physical, r->clock), &r->waited.read);
}

/* Returns the way that holds the line of `physical`, or -1, after waiting for a fill. */
ALWAYS_INLINE int look_up(reference *r, uint32_t physical)
{
    wait_for_fill(r, physical);
    memory_upgrade_lines(r->m, r->clock);
    observed_tags(watcher_of(r), false, cache_set(physical));
    return data_cache_find(&r->m->data, physical);
}

/* Reports the read or write of parts in one line to the observer. */
ALWAYS_INLINE void report_bytes(const reference *r, const part *parts, unsigned count, unsigned way)
{
    const uint32_t first = parts[0].physical, size = parts[0].size + (count == 2 ? parts[1].size : 0);
    observed_bytes(watcher_of(r), false, cache_set(first), way,
                   (uint32_t)((1ull << size) - 1) << first % CACHE_LINE, r->write);
}

/* Fills the line of a read that missed, and waits until the parts that are wanted have arrived. */
ALWAYS_INLINE void fill_line(reference *r, const part *parts, unsigned count)
{
    struct memory *m = r->m;
    const model_latency *latency = &m->model->latency;
    bus_clock begins = bus_start(&m->bus, r->clock + latency->miss_to_bus, !r->ordinary);
    bus_line line =
        memory_take_line(m, begins, parts[0].physical, !is_written_through(r), !r->aligned, !r->ordinary);
    uint64_t arrived = line.first;
    if (count == 2)
        arrived = memory_later(arrived, line.part[(parts[1].physical >> 3) & 3]);
    wait_until(r, arrived + latency->bus_to_use, &r->waited.read);
}

/* Reads a part without filling a line. Returns the clock at which it has arrived. */
static uint64_t __attribute__((noinline)) read_uncached(struct memory *m, part at, uint64_t asked)
{
    memory_count(m, P5_EVENT_NONCACHEABLE_MEMORY_READS);
    uint64_t arrived = bus_read_data(&m->bus, asked, at.physical, at.size);
    memory_cycle(m, at.physical, at.size, P5_CYCLE_MEMORY | P5_CYCLE_DATA);
    return arrived;
}

/* Reads the parts that lie in one line. */
ALWAYS_INLINE void read_line(reference *r, const part *parts, unsigned count)
{
    struct memory *m = r->m;
    int way = look_up(r, parts[0].physical);
    if (way >= 0) {
        report_bytes(r, parts, count, (unsigned)way);
        if (!is_frozen(r))
            data_cache_used(&m->data, cache_set(parts[0].physical), (unsigned)way);
        return;
    }
    r->missed_parts++;
    snoop_code_cache(m, parts[0].physical);
    wait_until(r, write_buffer_first_free(&m->writes), &r->waited.write_buffer);
    if (__builtin_expect(is_cacheable(r), 1)) {
        fill_line(r, parts, count);
        return;
    }
    uint64_t arrived = r->clock + m->model->latency.miss_to_bus;
    for (unsigned i = count; i-- > 0;) /* the high part first */
        arrived = read_uncached(m, parts[i], arrived);
    wait_until(r, arrived + m->model->latency.bus_to_use, &r->waited.read);
}

/* ---- writes ---- */

/* Writes one part to the bus through a write buffer, for which the reference may have to wait. `upgrade`: the line
 * becomes exclusive when the write has ended. */
ALWAYS_INLINE void buffered_write(reference *r, const part *at, bool upgrade)
{
    struct memory *m = r->m;
    unsigned entry = write_buffer_next(&m->writes, (r->traits & TRAIT_V_PIPE) != 0);
    wait_until(r, m->writes.free_at[entry], &r->waited.write_buffer);
    memory_upgrade_lines(m, r->clock); /* before the entry's line is overwritten */
    bus_clock begins = bus_start(&m->bus, r->clock + m->model->latency.miss_to_bus, !r->ordinary);
    bus_time time = __builtin_expect(memory_is_cacheable_ram(m, at->physical), 1)
                        ? m->bus.write
                        : bus_write_time(&m->bus, at->physical, at->size);
    uint64_t end = bus_cycle_logged(&m->bus, begins, time, !r->ordinary);
    memory_buffered(m, entry, end, at->physical, upgrade);
    if (!is_cacheable(r) && !(is_mmx(r) && m->loses_mmx_writes))
        memory_count(m, P5_EVENT_WRITES_TO_NONCACHEABLE_MEMORY);
    memory_is_written(m, at->physical, at->size);
    memory_cycle(m, at->physical, at->size, P5_CYCLE_MEMORY | P5_CYCLE_DATA | P5_CYCLE_WRITE);
}

/* Writes to the bus because the write misses or hits a shared line, which becomes exclusive if `upgrade` is set. */
ALWAYS_INLINE void write_through(reference *r, const part *parts, unsigned count, bool upgrade)
{
    r->owned = false;
    snoop_code_cache(r->m, parts[0].physical);
    for (unsigned i = count; i-- > 0;) /* the high part first */
        buffered_write(r, &parts[i], upgrade);
}

/* Writes the parts that lie in one line. A miss fills no line. */
ALWAYS_INLINE void write_line(reference *r, const part *parts, unsigned count)
{
    struct memory *m = r->m;
    int way = look_up(r, parts[0].physical);
    unsigned set = cache_set(parts[0].physical);
    if (way < 0) {
        r->missed_parts++;
        write_through(r, parts, count, false);
        return;
    }
    report_bytes(r, parts, count, (unsigned)way);
    const bool owned = memory_owns(&m->data, set, (unsigned)way);
    if (owned) {
        wait_for_order(r);
        data_cache_written(&m->data, set, (unsigned)way);
    }
    if (!is_frozen(r))
        data_cache_used(&m->data, set, (unsigned)way);
    if (!owned && !(is_frozen(r) && m->not_write_through)) /* CD = NW = 1: hits are not written through */
        write_through(r, parts, count, !is_written_through(r) && !is_frozen(r));
    r->owned &= owned;
}

#endif
