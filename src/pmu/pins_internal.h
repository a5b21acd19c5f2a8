/* The event pins PM0/BP0 and PM1/BP1, and IERR# (manual 26.4.4.3, 26.4.5, 26.2.1.4). Private to this folder. */
#ifndef PMU_PINS_INTERNAL_H
#define PMU_PINS_INTERNAL_H

#include "pmu/counters.h"
#include "pmu/pins.h"

/* What a pin shows of its counter. */
typedef enum pin_function {
    PIN_IDLE,      /* the counter counts nothing */
    PIN_PULSE,     /* asserted in each clock in which the counter increments, by one or two */
    PIN_LEVEL,     /* asserted as long as the counted condition holds */
    PIN_OVERFLOW,  /* asserted when the counter has overflowed */
    PIN_BREAKPOINT /* asserted when DR0 (BP0) or DR1 (BP1) matches: set by a debugger, not by CESR */
} pin_function;

/* Returns the function that CESR gives the pin of a counter. */
pin_function pin_function_of(const pmu_counter *c);

/* A pulse of a pin, in the bus clocks [up, down). A pin changes only at edges of the bus clock: it is
 * asserted for a bus clock if its condition was true in any core clock of the bus clock before. */
typedef struct pin_pulse {
    uint64_t up, down;
} pin_pulse;

enum { PIN_PULSES = 16 }; /* most pulses of a pin that have not ended */

/* One pin. */
typedef struct pmu_pin {
    pin_function function; /* of IERR#: always PIN_IDLE */
    uint64_t seen;         /* the total of the pin's condition (pins.c) at the last p5_pmu_follow_pins */
    bool level;            /* asserted, as reported last */
    pin_pulse pulses[PIN_PULSES]; /* those not yet ended, in order, with gaps between them */
    unsigned pulse_count;
} pmu_pin;

/* All pins of a monitor, and the interrupt request of a later one (P5_PIN_PMI), which is treated like a pin. */
typedef struct pins {
    pmu_pin pin[P5_PIN_SIGNALS];
    unsigned half_ratio;      /* half core clocks per bus clock: 4 means a ratio of 2 */
    unsigned delay_clocks;    /* from a core clock in which the condition is true to the pin's latch */
    unsigned overflow_clocks; /* the same delay for PIN_OVERFLOW */
    uint64_t clock;           /* core clock up to which the pins have been followed */
    bool breakpoints;         /* the PM pins are BP0 and BP1 (p5_pmu_set_breakpoint_pins) */
    /* Called for each change (p5_pmu_on_pin). NULL: the pins are not simulated. */
    void (*changed)(void *context, p5_pin pin, bool level, uint64_t clock);
    void *context;
} pins;

extern const snapshot_table pins_state;

#endif
