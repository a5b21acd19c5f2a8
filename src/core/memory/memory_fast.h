/* The fast path of memory.h: references that hit while nothing pending could delay them. The state afterwards
 * is the same as on the slow path. No events are counted, except for misaligned hits (memory_hits_misaligned).
 * To *make* a reference is to carry it out: it uses its TLB entry and its cache line, which updates replacement bits
 * and the line's MESI state. */
#ifndef CORE_MEMORY_MEMORY_FAST_H
#define CORE_MEMORY_MEMORY_FAST_H

#include <string.h>

#include "core/memory/memory_rules.h"
#include "p5scope/core.h"

/* Returns the only entry of a TLB that the fast path checks for `key`: the last one that translated a page
 * with its hint. */
static inline unsigned memory_hinted(const tlb *t, uint32_t key)
{
    return t->hint[tlb_hint_of(key)];
}

/* Returns whether the hinted entry translates the page without a walk; for a write, it must be dirty already. Changes
 * nothing. */
static inline bool memory_translates(const tlb *t, uint32_t key, bool write)
{
    return t->row[memory_hinted(t, key)].key.of[write] == key;
}

/* Uses the hinted entry if it translates the page. Returns false without a change otherwise. */
static inline bool memory_page_usual(tlb *t, uint32_t key, bool write)
{
    const unsigned entry = memory_hinted(t, key);
    if (t->row[entry].key.of[write] != key)
        return false;
    tlb_hit(t, entry);
    return true;
}

static inline bool memory_is_paged(const struct memory *m)
{
    return m->paging;
}

/* Return whether a reference or a fetch in a 4 KB page certainly needs no walk; false for large pages. Change
 * nothing. */
static inline bool memory_has_page(const struct memory *m, const p5_access *access)
{
    const bool write = (access->flags & P5_ACCESS_WRITE) != 0;
    return !m->paging || ((access->flags & P5_ACCESS_LARGE_PAGE) == 0 &&
                          memory_translates(&m->data_tlb, tlb_key(access->linear, false), write));
}
static inline bool memory_has_code_page(const struct memory *m, uint32_t linear)
{
    return !m->paging || memory_translates(&m->code_tlb, tlb_key(linear, false), false);
}

/* Returns whether pending requests do not delay a hit of the line at `physical` at `clock`: another line is
 * being filled (P54C: in another set), and a write does not wait for older ones. */
static inline bool memory_passes_by(const struct memory *m, uint32_t physical, bool write, uint64_t clock)
{
    return memory_filled(m, physical, clock) == clock && !memory_frozen(m) &&
           !(write && memory_order_holds(m, clock));
}

/* Makes a reference within a line if it hits the cache and its page hits the TLB. Returns false without a
 * change otherwise. (memory_data.c, like the other functions without a body) */
bool memory_uses_line(struct memory *m, const p5_access *access);

/* Does what memory_data_usual does, if the caller knows that nothing pending delays the reference. */
static inline bool memory_hits_any(struct memory *m, const p5_access *access)
{
    return !memory_misaligned(access) && (access->flags & ACCESS_ON_BUS) == 0 && memory_uses_line(m, access);
}

/* Returns whether nothing pending delays the reference at `clock`, if it hits, and no other bus master acts before
 * it. */
static inline bool memory_is_free(const struct memory *m, const p5_access *access, uint64_t clock)
{
    bool write = (access->flags & P5_ACCESS_WRITE) != 0;
    return (clock >= (write ? m->write_idle : m->read_idle) ||
            memory_passes_by(m, access->physical, write, clock)) &&
           clock < m->agent.due;
}

static inline bool memory_data_usual(struct memory *m, const p5_access *access, uint64_t clock)
{
    return memory_is_free(m, access, clock) && memory_hits_any(m, access);
}

/* Returns the result of memory_ask for a misaligned reference that hits without waiting. */
static inline uint64_t memory_misaligned_hit(const struct memory *m)
{
    return data_in_word(&(data_waits){.misaligned = m->model->latency.misaligned}, true, true);
}

/* Makes a misaligned hit within a line, which nothing delays and which is ordinary otherwise, and counts its
 * events. Returns false without a change if the reference is not such a hit. */
bool memory_hits_misaligned(struct memory *m, const p5_access *access);

static inline bool memory_answered_hit(const struct memory *m, uint64_t word)
{
    return data_hit(word, &m->long_answer);
}

/* Expected properties of a reference: those that the reference of an instruction had at an earlier execution. With
 * them, most checks of memory_data_usual are done beforehand. */
typedef struct data_expected {
    uint16_t kind;   /* size and flags (memory_kind); 0: nothing is known except `misaligned` */
    union {          /* `odd` if `kind` is not 0, otherwise `misaligned` */
        uint8_t odd; /* address bits that are clear if the reference is aligned to its size */
        bool misaligned;
    };
    bool write; /* valid if `kind` is not 0 */
} data_expected;

/* Returns size and flags of a reference as one number, in the byte order of the host. */
static inline uint16_t memory_kind(const p5_access *access)
{
    uint16_t kind;
    memcpy(&kind, &access->size, sizeof kind); /* size, flags */
    return kind;
}

/* Returns the properties of a reference. `kind` is 0 if it is not aligned to its size, goes to the bus, or is to a
 * large page. */
static inline data_expected memory_expect(const p5_access *access)
{
    uint8_t odd = (uint8_t)(access->size - 1);
    if ((access->flags & (ACCESS_ON_BUS | P5_ACCESS_LARGE_PAGE)) != 0 || access->size == 0 ||
        access->size > 8 || (access->size & odd) != 0)
        return (data_expected){0};
    return (data_expected){
        .kind = memory_kind(access), .odd = odd, .write = (access->flags & P5_ACCESS_WRITE) != 0};
}

/* Returns whether no other bus master acts up to `clock`. */
static inline bool memory_undisturbed(const struct memory *m, uint64_t clock)
{
    return !m->special || clock < m->agent.due;
}

/* Returns whether nothing delays hits from clock `first` to `last`: no fill or write is pending, and no other
 * bus master acts. */
static inline bool memory_is_idle(const struct memory *m, uint64_t first, uint64_t last)
{
    return first >= m->write_idle && memory_undisturbed(m, last); /* write_idle is not before read_idle */
}

/* What memory_is_idle returns, as one comparison: it is true for a `first` with first - from < span, if `last` is at
 * most `reach` clocks later. */
typedef struct idle_time {
    uint64_t from, span;
} idle_time;

static inline idle_time memory_idle_time(const struct memory *m, uint64_t reach)
{
    const uint64_t from = m->write_idle; /* UINT64_MAX if the cache is frozen */
    const uint64_t due = m->agent.due;   /* UINT64_MAX if there is no agent */
    return (idle_time){from, due > from && due - from > reach ? due - from - reach : 0};
}

/* Makes a reference, at a clock when nothing is pending, if it hits. It is one for which memory_hits_mru returned
 * false: not to the most recently used line of the set, or not as `expected`. Includes misaligned hits if these are
 * expected. Returns false without a change if it does not hit. */
bool memory_hits_unexpected(struct memory *m, const p5_access *access, const data_expected *expected);

/* Returns whether the reference has the expected properties. False if `expected->kind` is 0. */
static inline bool memory_as_expected(const p5_access *access, const data_expected *expected)
{
    return ((access->linear & expected->odd) | (uint32_t)(memory_kind(access) ^ expected->kind)) == 0;
}

/* Returns these `bits` of a reference's linear address (low half) and physical address (high half). CACHE_PLACE gives
 * its place in the data cache. */
static inline uint64_t memory_place(const p5_access *access, uint64_t bits)
{
    return ((uint64_t)access->physical << 32 | access->linear) & bits;
}

/* Makes a reference, at a clock when nothing is pending, if it is as `expected` and hits the line that its set's
 * `mru` records, whose page the data TLB translates. The only change is then that of the data TLB's LRU bits, which
 * the caller keeps in `*order`. Returns false without a change otherwise. The comparison of places also includes the
 * `odd` address bits: they are 0 in `mru`, so it fails for a reference that is not aligned. */
static inline __attribute__((always_inline)) bool memory_hits_mru(const struct memory *m,
                                                                  const p5_access *access,
                                                                  const data_expected *expected,
                                                                  uint64_t *order)
{
    const unsigned set = cache_set(access->physical);
    const uint64_t place = memory_place(access, CACHE_PLACE | expected->odd);
    if (__builtin_expect(memory_kind(access) != expected->kind, 0) ||
        __builtin_expect(m->data.mru[set][expected->write] != place, 0))
        return false;
    *order = tlb_order_used(&m->data_tlb, *order, m->data.page[set]);
    return true;
}

/* Does what memory_data_usual does for a reference that is probably as `expected`, at a clock when nothing is
 * pending. */
static inline bool memory_data_expected(struct memory *m, const p5_access *access,
                                        const data_expected *expected)
{
    return memory_hits_mru(m, access, expected, &m->data_tlb.order) ||
           memory_hits_unexpected(m, access, expected);
}

/* Makes the references from `access` on, one for each element from `expected` up to `end`, at clocks when
 * nothing is pending, as long as they hit. Returns the element for the first reference that does not, or `end`.
 * The loop calls nothing, so that the hot path's state stays in registers. memory_follow_on does the same from a
 * reference for which memory_hits_mru is false. */
const data_expected *memory_follow_on(struct memory *m, const p5_access *access,
                                      const data_expected *expected, const data_expected *end);
static inline __attribute__((always_inline)) const data_expected *
memory_follow_hits(struct memory *m, const p5_access *access, const data_expected *expected,
                   const data_expected *end)
{
    uint64_t order = m->data_tlb.order;
    while (expected != end && __builtin_expect(memory_hits_mru(m, access, expected, &order), 1))
        expected++, access++;
    m->data_tlb.order = order;
    return expected == end ? end : memory_follow_on(m, access, expected, end);
}

/* Uses the code TLB's entry for `linear`. Returns false without a change of the LRU bits if it misses; the slow path
 * may still find an entry. True without paging. */
static inline bool memory_code_page_usual(struct memory *m, uint32_t linear)
{
    if (!m->paging)
        return true;
    tlb *t = &m->code_tlb;
    uint32_t key = tlb_key(linear, false);
    if (tlb_is_mru(t, key))
        return true;
    const bool hit = memory_page_usual(t, key, false);
    t->last = hit ? key : 0;
    return hit || (!m->code_tlb_splits && memory_page_usual(t, tlb_key(linear, true), false));
}

static inline bool memory_code_usual(struct memory *m, uint32_t linear, uint32_t physical, uint64_t clock)
{
    if (memory_code_filling(m, cache_line(physical), clock))
        return false;
    int way = code_cache_find(&m->code, physical);
    if (way < 0 || clock >= m->agent.due || !memory_code_page_usual(m, linear))
        return false;
    code_cache_hit(&m->code, cache_set(physical), (unsigned)way);
    return true;
}

#endif
