/* The conditions under which RDTSC, RDPMC, RDMSR and WRMSR fault. */
#ifndef PMU_FAULTS_H
#define PMU_FAULTS_H

#include <stdint.h>

#include "p5scope/pmu.h"

/* The instructions of the performance monitor, as bits. */
typedef enum pmu_instruction { PMU_RDTSC = 1, PMU_RDPMC = 2, PMU_RDMSR = 4, PMU_WRMSR = 8 } pmu_instruction;

/* Returns the fault that the instruction raises with this ECX (ignored for RDTSC), or P5_NO_FAULT. `family` is
 * P5_FAMILY_* with the bit of a later monitor, P5_MONITOR_*. The value that WRMSR writes is not checked. */
p5_fault pmu_fault(unsigned family, pmu_instruction instruction, const p5_privilege *privilege, uint32_t ecx);

#endif
