/* Functions of the pins for the machine and its traces, in addition to those in p5tool/pmu.h. */
#ifndef PMU_PINS_H
#define PMU_PINS_H

#include "p5tool/pmu.h"

/* Returns whether a pin is asserted, as far as p5_pmu_follow_pins has reported its changes. */
bool pmu_pin_level(const p5_pmu *pmu, p5_pin which);
/* Returns when a PM pin is asserted that shows an increment in the core clock before `end`: from core clock *up to the
 * one before *down. */
void pmu_pin_span(const p5_pmu *pmu, uint64_t end, uint64_t *up, uint64_t *down);
/* Sets the machine's callback for parity errors, which is called before that of p5_pmu_on_parity_error. */
void pmu_own_parity_errors(p5_pmu *pmu, void (*error)(void *context, uint32_t array, bool shutdown),
                           void *context);

#endif
