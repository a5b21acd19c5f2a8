/* Functions for the machine and its traces, in addition to p5scope/pmu.h. */
#ifndef PMU_PINS_H
#define PMU_PINS_H

#include "p5tool/pmu.h"

bool pmu_pin_level(const p5_pmu *pmu, p5_pin which);
/* Returns when a pin that shows the clock before `end` is asserted, in core clocks from *up up to before
 * *down. */
void pmu_pin_span(const p5_pmu *pmu, uint64_t end, uint64_t *up, uint64_t *down);
/* Sets the machine's callback for parity errors, which is called before that of p5_pmu_on_parity_error. */
void pmu_own_parity_errors(p5_pmu *pmu, void (*error)(void *context, uint32_t array, bool shutdown),
                           void *context);

#endif
