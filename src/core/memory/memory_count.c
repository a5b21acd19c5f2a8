/* Counts the events of data references (reference_kind.h). */
#include "core/memory/memory.h"

#include <string.h>

/* The totals and privilege class to count for. */
typedef struct destination {
    counts *totals;
    unsigned class;
} destination;

/* Adds `n` increments and `clocks` asserted clocks of an event to a destination (callback of reference_events). */
static inline void add(void *to, enum p5_event event, uint64_t n, uint64_t clocks)
{
    const destination *d = to;
    counts_add(d->totals, event, d->class, n, clocks);
}

/* Counts the events of `uses` references of one kind, each with `halves` halves (1 or 2) and `misses` misses. If the
 * partner in the same clock has signalled a miss, too, one of the misses adds no asserted clock. */
void memory_count_kind(counts *totals, unsigned class, unsigned kind, unsigned halves, unsigned misses,
                       uint64_t uses)
{
    destination to = {totals, class};
    reference_events(kind, uses, halves, add, &to);
    if (misses == 0)
        return;
    const bool write = (kind & KIND_WRITE) != 0, with_miss = (kind & PARTNER_MISSED) != 0;
    const uint64_t missed = uses * misses;
    add(&to, P5_EVENT_DATA_READ_MISS_OR_WRITE_MISS, missed, missed - uses * with_miss);
    add(&to, write ? P5_EVENT_DATA_WRITE_MISS : P5_EVENT_DATA_READ_MISS, missed,
        missed - uses * ((kind & PARTNER_SAME_KIND) != 0 && with_miss));
    if ((kind & KIND_MMX) != 0)
        add(&to,
            write ? P5_EVENT_MMX_INSTRUCTION_DATA_WRITE_MISSES : P5_EVENT_MMX_INSTRUCTION_DATA_READ_MISSES,
            missed, missed);
}

/* Adds the clocks to the totals of an event that is counted in every clock in which it is asserted, and clears
 * them. */
static void fold_clocks(uint64_t *clocks, counts *totals, unsigned class, enum p5_event event)
{
    counts_add(totals, event, class, *clocks, *clocks);
    *clocks = 0;
}

/* Adds the events of references counted by kind, and clocks waited, to the totals, and clears `uses`. */
void memory_fold_uses(uint64_t uses[REFERENCE_USES], counts *totals, unsigned class)
{
    static const uint64_t none[REFERENCE_USES];
    if (memcmp(uses, none, sizeof none) == 0)
        return;
    for (unsigned kind = 0; kind < REFERENCE_KINDS; kind++) {
        if (uses[kind] == 0)
            continue;
        /* With a partner, bits 1 and 2 describe the partner; otherwise, the halves. */
        const bool misaligned = (kind & (PARTNER | KIND_MISALIGNED)) == KIND_MISALIGNED;
        const unsigned missed = (kind & KIND_MISSED) != 0, twice = (kind & KIND_MISSED_TWICE) != 0;
        if (misaligned)
            memory_count_kind(totals, class, kind & ~(unsigned)TRAIT_PARTNER, 2, missed + twice, uses[kind]);
        else
            memory_count_kind(totals, class, kind, 1, missed, uses[kind]);
        uses[kind] = 0;
    }
    fold_clocks(&uses[WAITED_FOR_READ], totals, class, P5_EVENT_WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION);
    fold_clocks(&uses[WAITED_FOR_BUFFER], totals, class, P5_EVENT_WRITE_BUFFER_FULL_STALL_DURATION);
}

/* Adds the events of the references counted by kind without a profile to the totals. */
void memory_fold(struct memory *m)
{
    if (m->totals_replaced) /* the profile's own totals are used */
        return;
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++)
        memory_fold_uses(m->own_uses[class], m->totals, class);
}
