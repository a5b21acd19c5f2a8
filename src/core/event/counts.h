/* Running totals of one core, from which p5_counts is made. The pipe (pipe, branch, x87 and MMX events, causes of
 * clocks) counts in a pipe_deltas, the memory side (caches, TLBs, bus) in a counts. */
#ifndef CORE_EVENT_COUNTS_H
#define CORE_EVENT_COUNTS_H

#include <assert.h>
#include <stdint.h>

#include "p5tool/core.h"

/* Two totals per event and privilege class: occurrences (or clocks of a duration event), and the clocks in
 * which the event's signal was on. */
typedef struct counts {
    uint64_t increments[P5_EVENT_COUNT][P5_CPL_CLASSES];
    uint64_t asserted[P5_EVENT_COUNT][P5_CPL_CLASSES];
} counts;

/* Kinds of counts of the pipe: events (enum p5_event), followed by causes of clocks (DELTA_STALLS + p5_stall). */
enum {
    DELTA_STALLS = P5_EVENT_COUNT,
    DELTA_KINDS = DELTA_STALLS + P5_STALL_COUNT,
    DELTA_WORDS = (DELTA_KINDS + 63) / 64
};

/* What runs through the pipe add to the totals of one privilege class. */
typedef struct pipe_deltas {
    uint64_t clocks;
    struct {
        uint64_t increments, asserted;
    } of[DELTA_KINDS];
    uint64_t counted[DELTA_WORDS]; /* one bit for each kind that may differ from 0 */
} pipe_deltas;

/* Returns the clocks of a cause. */
static inline uint64_t deltas_stall(const pipe_deltas *d, p5_stall cause)
{
    return d->of[DELTA_STALLS + cause].increments;
}

/* Returns the privilege class (P5_CPL_*) of a CPL. V86 mode runs at CPL 3, real mode at CPL 0. */
static inline unsigned counts_class(unsigned cpl)
{
    assert(cpl <= 3);
    return cpl == 3 ? P5_CPL_USER : cpl == 0 ? P5_CPL_KERNEL : P5_CPL_INNER;
}

/* Counts an event or clocks of a cause: `n` increments, in which the signal was on for `clocks` clocks (an occurrence:
 * 1, 1; a duration: n, n; two occurrences in one clock: 2, 1). */
static inline void deltas_add(pipe_deltas *d, unsigned kind, uint64_t n, uint64_t clocks)
{
    assert(kind < DELTA_KINDS);
    d->of[kind].increments += n;
    d->of[kind].asserted += clocks;
    d->counted[kind / 64] |= 1ull << kind % 64;
}

/* Counts an event of the memory side; `class` is P5_CPL_*. event/observer.h counts those of the pipe, which
 * observers see. */
static inline void counts_add(counts *totals, enum p5_event event, unsigned class, uint64_t n,
                              uint64_t clocks)
{
    assert((unsigned)event < P5_EVENT_COUNT && class < P5_CPL_CLASSES);
    totals->increments[event][class] += n;
    totals->asserted[event][class] += clocks;
}

#endif
