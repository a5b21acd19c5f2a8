/* The model-specific registers of each family, and the numbers in ECX that select them. */
#ifndef PMU_MSR_MAP_H
#define PMU_MSR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "p5tool/pmu.h"

/* Undocumented registers of the P54C. Only an ECX with bit 31 set selects them (erratum 33, msr_map.c); these are the low
 * 5 bits of that number. */
enum {
    MSR_CONSTANT_4 = 0x1c, /* always reads as 4 */
    MSR_SCRATCH_0 = 0x1e,  /* hold what was written to them and have no other effect */
    MSR_SCRATCH_1 = 0x1f
};

/* Returns whether RDMSR and WRMSR accept `ecx`; otherwise they raise #GP(0). `family` is P5_FAMILY_* with the bit of a
 * later monitor, P5_MONITOR_*. */
bool msr_map_has(unsigned family, uint32_t ecx);

/* Returns the register that an accepted `ecx` selects, or NULL if it reads as 0 and ignores writes. */
const p5_register *msr_map_find(unsigned family, uint32_t ecx);

#endif
