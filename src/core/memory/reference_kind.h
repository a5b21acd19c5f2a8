/* Kinds of data reference with one lookup, by the events that they cause. */
#ifndef CORE_MEMORY_REFERENCE_KIND_H
#define CORE_MEMORY_REFERENCE_KIND_H

#include "core/memory/data_answer.h"
#include "p5scope/core.h"

/* The lowest bits are TRAIT_PARTNER. */
enum {
    /* These replace the partner's bits if PARTNER is clear, because a misaligned reference waits for its
     * second half and so shares its clock with no partner: */
    KIND_MISALIGNED = 2,
    KIND_MISSED_TWICE = 4,
    KIND_WRITE = 8,
    KIND_MMX = 16,
    KIND_MISSED = 32,
    KIND_TO_E_OR_M = 64, /* a write that hit an E or M line */
    REFERENCE_KINDS = 128
};

/* Returns the kind of a hit. `traits`: as in data_answer.h. */
static inline unsigned reference_hit(const p5_access *access, unsigned traits)
{
    return (traits & TRAIT_PARTNER) |
           ((access->flags & P5_ACCESS_WRITE) != 0 ? KIND_WRITE | KIND_TO_E_OR_M : 0u) |
           ((traits & TRAIT_MMX) != 0 ? KIND_MMX : 0u);
}

/* Adds events 0, 1, 28h and 5 and the MMX-only versions for `uses` references of one kind, each of which
 * counts as `halves` references. `add` adds increments and clocks. A signal that the partner has asserted
 * already is asserted for no further clock. */
static inline __attribute__((always_inline)) void
reference_events(unsigned kind, uint64_t uses, unsigned halves,
                 void (*add)(void *to, enum p5_event event, uint64_t n, uint64_t clocks), void *to)
{
    const bool write = (kind & KIND_WRITE) != 0, same_kind = (kind & PARTNER_SAME_KIND) != 0;
    const uint64_t n = uses * halves;
    add(to, write ? P5_EVENT_DATA_WRITE : P5_EVENT_DATA_READ, n, n - uses * same_kind);
    add(to, P5_EVENT_DATA_READ_OR_WRITE, n, n - uses * ((kind & PARTNER) != 0));
    if ((kind & KIND_MMX) != 0)
        add(to, write ? P5_EVENT_MMX_INSTRUCTION_DATA_WRITES : P5_EVENT_MMX_INSTRUCTION_DATA_READS, n, n);
    if ((kind & KIND_TO_E_OR_M) != 0)
        add(to, P5_EVENT_WRITE_HIT_TO_M_OR_E_STATE_LINES, n,
            n - uses * (same_kind && (kind & PARTNER_MISSED) == 0));
}

#endif
