/* Kinds of data references, by the events that they cause. References of one kind are only counted, and are turned
 * into events later (memory_fold_uses). */
#ifndef CORE_MEMORY_REFERENCE_KIND_H
#define CORE_MEMORY_REFERENCE_KIND_H

#include "core/memory/data_answer.h"
#include "p5scope/core.h"

/* The bits of a kind:
 *
 *     6          5        4     3       2              1            0
 *   | to_e_or_m | missed | mmx | write | partner missed | same_kind  | PARTNER = 1 |
 *                                      | missed twice   | misaligned | PARTNER = 0 |
 *
 * Bit 5 says that this reference missed. If there is a partner, bits 0 to 2 are TRAIT_PARTNER (data_answer.h), and bit
 * 2 says that the partner missed. A misaligned reference waits for its second half, so it shares its clock with no
 * partner, and bits 1 and 2 are free for KIND_MISALIGNED and KIND_MISSED_TWICE. */
enum {
    KIND_MISALIGNED = 2,
    KIND_MISSED_TWICE = 4, /* both halves missed */
    KIND_WRITE = 8,
    KIND_MMX = 16,
    KIND_MISSED = 32,    /* it, or one of its halves, missed */
    KIND_TO_E_OR_M = 64, /* a write that hit an E or M line */
    REFERENCE_KINDS = 128
};

/* Returns the kind of an aligned reference that hits; a write is to an E or M line. `traits` are those of
 * data_answer.h. */
static inline unsigned reference_hit(const p5_access *access, unsigned traits)
{
    return (traits & TRAIT_PARTNER) |
           ((access->flags & P5_ACCESS_WRITE) != 0 ? KIND_WRITE | KIND_TO_E_OR_M : 0u) |
           ((traits & TRAIT_MMX) != 0 ? KIND_MMX : 0u);
}

/* Adds what does not depend on misses: events 0, 1, 28h and 5 and the MMX-only versions, for `uses` references
 * of one kind, each of which counts as `halves` references (2 if misaligned). `add` adds `n` increments and
 * `clocks` asserted clocks to an event. If the partner has signalled the event in the same clock already, the
 * reference adds no asserted clock. */
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
