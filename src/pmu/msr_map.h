/* Which model-specific registers a family has, and what number ECX stands for. */
#ifndef PMU_MSR_MAP_H
#define PMU_MSR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/pmu.h"

/* Undocumented registers of the P54C that only negative numbers reach. */
enum { MSR_CONSTANT_4 = 0x1c, MSR_SCRATCH_0 = 0x1e, MSR_SCRATCH_1 = 0x1f };

/* True if RDMSR and WRMSR accept `ecx`. */
bool msr_map_has(unsigned family, uint32_t ecx);

/* The register that an accepted `ecx` reaches; NULL if it is one that reads as 0 and ignores writes. */
const p5_register *msr_map_find(unsigned family, uint32_t ecx);

#endif
