/* The counters of all monitors: the Pentium's (CESR) and those of later processors. The word *total* means how often an
 * event has occurred since the core was opened; a counter's value is derived from the growth of a total. */
#ifndef PMU_COUNTERS_H
#define PMU_COUNTERS_H

#include <stdint.h>

#include "base/snapshot.h"
#include "p5tool/pmu.h"
#include "pmu/source.h"

enum { COUNTER_BITS = 40 }; /* width of the Pentium's counters */
#define COUNTER_MASK ((UINT64_C(1) << COUNTER_BITS) - 1)

/* Which part of its event a counter follows, at the enabled privilege levels. */
typedef enum counter_mode {
    COUNTS_NOTHING,
    COUNTS_INCREMENTS, /* occurrences, or the clocks of an event that measures a duration */
    COUNTS_ASSERTED,   /* clocks with at least one increment */
    COUNTS_TWICE,      /* clocks with two increments, for an event that has at most two per clock */
    COUNTS_UNASSERTED, /* clocks with none */
    COUNTS_NOT_TWICE,  /* clocks with none or one */
    COUNTS_CLOCKS      /* all clocks, whatever the event */
} counter_mode;

/* One counter. Its value is derived: the value when it was last started, plus the growth of the selected
 * total since then. */
typedef struct pmu_counter {
    p5_counter_select select; /* with CESR: this counter's half of it */
    int event;        /* selected event; -1 if the code selects nothing on this counter of this family */
    uint8_t levels;   /* P5_CPL_MASK_*; 0: it is stopped */
    uint8_t mode;     /* counter_mode */
    uint8_t bits;     /* width */
    bool interrupts;  /* an overflow is an interrupt request */
    uint64_t preset;  /* value when it was started, below 2^bits */
    uint64_t base;    /* the followed total at that time */
    uint64_t carries; /* carries out of the highest bit since the counter was last written, up to that time */
} pmu_counter;

/* The selection of a counter, which its value is not part of. */
typedef struct counter_choice {
    p5_counter_select select; /* the members are as in pmu_counter */
    int event;
    uint8_t levels, mode;
    bool interrupts;
} counter_choice;

/* Returns what `select`, one half of CESR, selects for counter `number` (0 or 1). `family` is P5_FAMILY_*. */
counter_choice counter_cesr_choice(unsigned number, unsigned family, const p5_counter_select *select,
                                   p5_cc_clocks meaning);
/* Sets the selection of a counter whose preset, base and carries were loaded from a snapshot; they stay. */
void counter_restore(pmu_counter *c, const counter_choice *choice);
extern const snapshot_table counter_state;
/* Changes the selection. The value stays and continues with the growth of the new total (manual 26.4.3). */
void counter_select(pmu_counter *c, const counter_choice *choice, const pmu_source *source);
/* Sets the value, from which the counter continues, and its number of overflows to 0. Ignores bits above its width. */
void counter_write(pmu_counter *c, uint64_t value, const pmu_source *source);
/* Returns the value without the wrap at the counter's width: the bits from `bits` on are the number of carries since it
 * was last started. */
uint64_t counter_unwrapped(const pmu_counter *c, const pmu_source *source);
/* Returns the value, as RDPMC reads it. */
uint64_t counter_read(const pmu_counter *c, const pmu_source *source);
/* Returns the overflows since the counter was last written. */
uint64_t counter_carries(const pmu_counter *c, const pmu_source *source);

#endif
