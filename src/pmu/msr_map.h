/* The model-specific registers of each family, and the numbers in ECX that select them. */
#ifndef PMU_MSR_MAP_H
#define PMU_MSR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "p5tool/pmu.h"

/* Undocumented registers of the P54C that only negative numbers select. */
enum { MSR_CONSTANT_4 = 0x1c, MSR_SCRATCH_0 = 0x1e, MSR_SCRATCH_1 = 0x1f };

/* Returns whether RDMSR and WRMSR accept `ecx`. */
bool msr_map_has(unsigned family, uint32_t ecx);

/* Returns the register that an accepted `ecx` selects, or NULL if it reads as 0 and ignores writes. */
const p5_register *msr_map_find(unsigned family, uint32_t ecx);

#endif
