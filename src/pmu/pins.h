/* The event pins PM0/BP0 and PM1/BP1. */
#ifndef PMU_PINS_H
#define PMU_PINS_H

#include "pmu/counters.h"

/* What a pin shows of its counter. */
typedef enum pin_function {
    PIN_IDLE,    /* the counter counts nothing */
    PIN_PULSE,   /* asserted in each clock in which the counter increments (once, also when it increments by
                    two) */
    PIN_LEVEL,   /* asserted as long as the counted condition holds */
    PIN_OVERFLOW /* asserted when the counter has overflowed */
} pin_function;

/* The function that CESR gives the pin of a counter; breakpoint functions are a debugger's and not set by
 * CESR. */
pin_function pin_function_of(const pmu_counter *c, p5_cc_clocks meaning);

#endif
