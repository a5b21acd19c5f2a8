/* The hot path of memory.h: references that hit, with nothing under way that could hold them. Same state
 * afterwards as on the exact path; counts nothing. */
#ifndef CORE_MEMORY_MEMORY_FAST_H
#define CORE_MEMORY_MEMORY_FAST_H

#include <string.h>

#include "core/memory/memory_rules.h"
#include "p5scope/core.h"

/* The one entry of a TLB that is looked at for `key`: the last to translate a page of its hint. */
static inline unsigned memory_hinted(const tlb *t, uint32_t key)
{
    return t->hint[tlb_hint_of(key)];
}

/* A reference to that page is translated without a walk. Changes nothing. */
static inline bool memory_translates(const tlb *t, uint32_t key, bool write)
{
    return t->row[memory_hinted(t, key)].key.of[write] == key;
}

/* ... and used. If it answers false nothing has changed. */
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

/* A reference, not in a large page, or a fetch needs no walk. Changes nothing. */
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

/* What is under way at `clock` does not concern a hit of the line at `physical`: another line is being
 * filled (P54C: of another set), and a write waits for no older ones. */
static inline bool memory_passes_by(const struct memory *m, uint32_t physical, bool write, uint64_t clock)
{
    return memory_filled(m, physical, clock) == clock && !memory_frozen(m) &&
           !(write && memory_order_holds(m, clock));
}

/* A reference within a line that hits this and its page uses them. If it answers false nothing has changed.
 */
bool memory_uses_line(struct memory *m, const p5_access *access);

/* memory_data_usual at a clock at which nothing concerns the reference. */
static inline bool memory_hits_any(struct memory *m, const p5_access *access)
{
    return !memory_misaligned(access) && (access->flags & ACCESS_ON_BUS) == 0 && memory_uses_line(m, access);
}

/* Nothing is in the way of a reference that hits. */
static inline bool memory_is_free(const struct memory *m, const p5_access *access, uint64_t clock)
{
    bool write = (access->flags & P5_ACCESS_WRITE) != 0;
    return (clock >= (write ? m->write_quiet : m->read_quiet) ||
            memory_passes_by(m, access->physical, write, clock)) &&
           clock < m->agent.due;
}

static inline bool memory_data_usual(struct memory *m, const p5_access *access, uint64_t clock)
{
    return memory_is_free(m, access, clock) && memory_hits_any(m, access);
}

/* What memory_ask says of a misaligned reference that hits, with nothing in the way. */
static inline uint64_t memory_misaligned_hit(const struct memory *m)
{
    return data_in_word(0, 0, 0, 0, m->model->latency.misaligned, true, true);
}

/* The same of a reference that is free: a hit, within a line, about which nothing else is special. False: it
 * is not, and nothing has changed. */
bool memory_hits_misaligned(struct memory *m, const p5_access *access);

static inline bool memory_answered_hit(const struct memory *m, uint64_t answer)
{
    return data_hit(answer, &m->long_answer);
}

/* What a reference is expected to be like, so that most of memory_data_usual is known beforehand. */
typedef struct data_expected {
    uint16_t kind; /* its size and flags, as they stand in memory; 0: nothing is known but `misaligned` */
    union {
        uint8_t odd; /* on its own boundary, none of these bits of its address is set */
        bool misaligned;
    };
    bool write;
} data_expected;

static inline uint16_t memory_kind(const p5_access *access)
{
    uint16_t kind;
    memcpy(&kind, &access->size, sizeof kind); /* size, flags */
    return kind;
}

static inline data_expected memory_expect(const p5_access *access)
{
    uint8_t odd = (uint8_t)(access->size - 1);
    if ((access->flags & (ACCESS_ON_BUS | P5_ACCESS_LARGE_PAGE)) != 0 || access->size == 0 ||
        access->size > 8 || (access->size & odd) != 0)
        return (data_expected){0};
    return (data_expected){
        .kind = memory_kind(access), .odd = odd, .write = (access->flags & P5_ACCESS_WRITE) != 0};
}

/* No other bus master acts up to `clock`. */
static inline bool memory_undisturbed(const struct memory *m, uint64_t clock)
{
    return !m->special || clock < m->agent.due;
}

/* Hits are not the usual ones, or another bus master acts up to `clock`. */
static inline bool memory_special(const struct memory *m, uint64_t clock)
{
    return m->special && (memory_frozen(m) || clock >= m->agent.due);
}

/* Nothing is under way from clock `first` to `last` that could make a hit unusual. */
static inline bool memory_calm(const struct memory *m, uint64_t first, uint64_t last)
{
    return first >= m->write_quiet && memory_undisturbed(m, last); /* write_quiet is not before read_quiet */
}

/* The same as one comparison: true of clocks within `span` of `from`, if the last is no more than `reach`
 * behind the first. */
typedef struct quiet_time {
    uint64_t from, span;
} quiet_time;
static inline quiet_time memory_quiet_time(const struct memory *m, uint64_t reach)
{
    uint64_t from = m->write_quiet, due = m->agent.due; /* of a frozen cache the first is UINT64_MAX */
    return (quiet_time){from, due > from && due - from > reach ? due - from - reach : 0};
}

/* memory_hits_any, or what is `expected`, out of line. */
bool memory_hits_unexpected(struct memory *m, const p5_access *access, const data_expected *expected);

static inline bool memory_as_expected(const p5_access *access, const data_expected *expected)
{
    return ((access->linear & expected->odd) | (uint32_t)(memory_kind(access) ^ expected->kind)) == 0;
}

/* Bits of linear and physical address, as they stand in memory. */
static inline uint64_t memory_place(const p5_access *access, uint64_t bits)
{
    return ((uint64_t)access->physical << 32 | access->linear) & bits;
}

/* A reference that is as `expected`, in all but its address, goes to the place at hand, which makes it a hit;
 * it uses its page. */
static inline __attribute__((always_inline)) bool
memory_hits_at_hand(struct memory *m, const p5_access *access, const data_expected *expected)
{
    const unsigned set = cache_set(access->physical);
    const uint64_t place = memory_place(access, CACHE_PLACE | expected->odd);
    if (__builtin_expect(m->data.at_hand[set][expected->write] != place, 0))
        return false;
    tlb_hit(&m->data_tlb, m->data.page[set]);
    return true;
}

/* memory_hits_any of a reference that is as `expected`; most go to the place at hand. */
static inline bool memory_hits(struct memory *m, const p5_access *access, const data_expected *expected)
{
    return memory_hits_at_hand(m, access, expected) || memory_uses_line(m, access);
}

/* memory_data_usual at a calm clock, of a reference that is mostly as `expected`. */
static inline bool memory_data_expected(struct memory *m, const p5_access *access,
                                        const data_expected *expected)
{
    return (memory_kind(access) == expected->kind && memory_hits_at_hand(m, access, expected)) ||
           memory_hits_unexpected(m, access, expected);
}

/* What hits may have to wait for: the fill of a line (P54C: of a set), with `mask` the bits of physical
 * addresses that tell, and older writes. */
typedef struct memory_concern {
    uint32_t mask, line;
    bool writes; /* there are some: memory_writes_done */
} memory_concern;

/* ... from `clock` on. */
static inline memory_concern memory_concerns(const struct memory *m, uint64_t clock)
{
    memory_concern concern = {0, 1, memory_order_holds(m, clock)}; /* fits no address */
    if (m->data_fill.done > clock) {
        concern.mask = m->fill_mask;
        concern.line = m->data_fill.line & concern.mask;
    }
    return concern;
}

/* A reference has to be looked at with its clock: memory_data_usual. */
static inline bool memory_is_concerned(const memory_concern *concern, const p5_access *access,
                                       const data_expected *expected)
{
    return !memory_as_expected(access, expected) || (access->physical & concern->mask) == concern->line;
}

/* Code TLB hit. */
static inline bool memory_code_page_usual(struct memory *m, uint32_t linear)
{
    if (!m->paging)
        return true;
    tlb *t = &m->code_tlb;
    uint32_t key = tlb_key(linear, false);
    if (tlb_at_hand(t, key))
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
