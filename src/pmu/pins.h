/* What the machine and its traces ask of the pins, beside p5scope/pmu.h. */
#ifndef PMU_PINS_H
#define PMU_PINS_H

#include "p5scope/pmu.h"

bool pmu_pin_level(const p5_pmu *pmu, p5_pin which);
/* When a pin is up, in core clocks from *up up to before *down, for what was on in the clock before `end`. */
void pmu_pin_span(const p5_pmu *pmu, uint64_t end, uint64_t *up, uint64_t *down);
/* The machine is told of a parity error first, before p5_pmu_on_parity_error's owner. */
void pmu_own_parity_errors(p5_pmu *pmu, void (*error)(void *context, uint32_t array, bool shutdown),
                           void *context);

#endif
