/* The counters of all monitors. */
#ifndef PMU_COUNTERS_H
#define PMU_COUNTERS_H

#include <stdint.h>

#include "base/snapshot.h"
#include "p5tool/pmu.h"
#include "pmu/source.h"

enum { COUNTER_BITS = 40 };
#define COUNTER_MASK ((UINT64_C(1) << COUNTER_BITS) - 1)

/* Which part of its event a counter follows, at the enabled privilege levels. */
typedef enum counter_mode {
    COUNTS_NOTHING,
    COUNTS_INCREMENTS,
    COUNTS_ASSERTED,   /* clocks with at least one increment */
    COUNTS_TWICE,      /* clocks with two increments, for an event that has at most two per clock */
    COUNTS_UNASSERTED, /* clocks with none */
    COUNTS_NOT_TWICE,  /* clocks with none or one */
    COUNTS_CLOCKS      /* all clocks, whatever the event */
} counter_mode;

/* One counter. Its value is derived: the value when it was last started, plus the growth of the selected
 * total since then. */
typedef struct pmu_counter {
    p5_counter_select select;
    int event;        /* selected event; -1 if the code selects nothing on this counter of this family */
    uint8_t levels;   /* P5_CPL_MASK_*; 0: it is stopped */
    uint8_t mode;     /* counter_mode */
    uint8_t bits;     /* width */
    bool interrupts;  /* an overflow is an interrupt request */
    uint64_t preset;  /* value when it was started, below 2^bits */
    uint64_t base;    /* the followed total at that time */
    uint64_t carries; /* carries out of the highest bit since the counter was last written, up to that time */
} pmu_counter;

/* What a counter is to follow, apart from its value. */
typedef struct counter_choice {
    p5_counter_select select;
    int event;
    uint8_t levels, mode;
    bool interrupts;
} counter_choice;

/* Returns what one half of CESR selects. `number` is 0 or 1. */
counter_choice counter_cesr_choice(unsigned number, unsigned family, const p5_counter_select *select,
                                   p5_cc_clocks meaning);
/* Applies a selection to a counter that was loaded, without changing its value. */
void counter_follow(pmu_counter *c, const counter_choice *choice);
extern const snapshot_table counter_state;
void counter_choose(pmu_counter *c, const counter_choice *choice, const pmu_source *source);
/* Presets the value, from which the counter continues. */
void counter_write(pmu_counter *c, uint64_t value, const pmu_source *source);
/* Returns the value of a counter 64 bits wide. */
uint64_t counter_unwrapped(const pmu_counter *c, const pmu_source *source);
uint64_t counter_read(const pmu_counter *c, const pmu_source *source);
/* Returns the overflows since the counter was last written. */
uint64_t counter_carries(const pmu_counter *c, const pmu_source *source);

#endif
