/* Running totals of one core: what every unit increments, and what p5_counts is made of. The pipe and the
 * memory side share it: pipe.c owns the pipe, branch, x87 and MMX events, the memory files own theirs. */
#ifndef CORE_EVENT_COUNTS_H
#define CORE_EVENT_COUNTS_H

#include <stdint.h>

#include "p5scope/core.h"

/* Two totals per event and privilege class: occurrences (or clocks of a duration event), and the clocks in
 * which the event's signal was on. */
typedef struct counts {
    uint64_t increments[P5_EVENT_COUNT][P5_CPL_CLASSES];
    uint64_t asserted[P5_EVENT_COUNT][P5_CPL_CLASSES];
} counts;

/* Privilege class (P5_CPL_*) of a CPL; V86 mode runs at CPL 3, real mode at CPL 0. */
static inline unsigned counts_class(unsigned cpl)
{
    return cpl == 3 ? P5_CPL_USER : cpl == 0 ? P5_CPL_KERNEL : P5_CPL_INNER;
}

/* Adds `n` increments in which the signal was on for `clocks` clocks (an occurrence: 1, 1; a duration: n, n;
 * two occurrences in one clock: 2, 1). `class` is P5_CPL_*. */
static inline void counts_add(counts *totals, enum p5_event event, unsigned class, uint64_t n,
                              uint64_t clocks)
{
    totals->increments[event][class] += n;
    totals->asserted[event][class] += clocks;
}

#endif
