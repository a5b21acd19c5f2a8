/* The counters of every monitor. */
#ifndef PMU_COUNTERS_H
#define PMU_COUNTERS_H

#include <stdint.h>

#include "base/snapshot.h"
#include "p5scope/pmu.h"
#include "pmu/source.h"

enum { COUNTER_BITS = 40 };
#define COUNTER_MASK ((UINT64_C(1) << COUNTER_BITS) - 1)

/* What a counter follows of its event, at the privilege levels enabled. */
typedef enum counter_mode {
    COUNTS_NOTHING,
    COUNTS_INCREMENTS,
    COUNTS_ASSERTED,   /* clocks with at least one increment */
    COUNTS_TWICE,      /* clocks with two; of an event that has no more in one */
    COUNTS_UNASSERTED, /* clocks with none */
    COUNTS_NOT_TWICE,  /* clocks with none or one */
    COUNTS_CLOCKS      /* all clocks, whatever the event */
} counter_mode;

/* One counter. Its value is not kept but derived: what it held when it was last set going, plus what the
 * selected total has grown by since. */
typedef struct pmu_counter {
    p5_counter_select select;
    int event;        /* selected event, -1 if the code selects nothing on this counter of this family */
    uint8_t levels;   /* P5_CPL_MASK_*; 0: it is stopped */
    uint8_t mode;     /* counter_mode */
    uint8_t bits;     /* width */
    bool interrupts;  /* an overflow is an interrupt request */
    uint64_t preset;  /* value when it was set going, below 2^bits */
    uint64_t base;    /* the followed total at that time */
    uint64_t carries; /* carries out of the highest bit since the counter was last written, up to that time */
} pmu_counter;

/* What a counter is to follow; the value stays. */
typedef struct counter_choice {
    p5_counter_select select;
    int event;
    uint8_t levels, mode;
    bool interrupts;
} counter_choice;

/* What one half of CESR says. `number` is 0 or 1. */
counter_choice counter_cesr_choice(unsigned number, unsigned family, const p5_counter_select *select,
                                   p5_cc_clocks meaning);
/* ... without a look at the value: of a counter that was loaded. */
void counter_follow(pmu_counter *c, const counter_choice *choice);
extern const snapshot_table counter_state;
void counter_choose(pmu_counter *c, const counter_choice *choice, const pmu_source *source);
/* Presets the value; it goes on from there. */
void counter_write(pmu_counter *c, uint64_t value, const pmu_source *source);
/* What it would be if it were 64 bits wide. */
uint64_t counter_unwrapped(const pmu_counter *c, const pmu_source *source);
uint64_t counter_read(const pmu_counter *c, const pmu_source *source);
/* Overflows since the counter was last written. */
uint64_t counter_carries(const pmu_counter *c, const pmu_source *source);

#endif
