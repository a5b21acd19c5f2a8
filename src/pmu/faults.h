/* When RDTSC, RDPMC, RDMSR and WRMSR fault. */
#ifndef PMU_FAULTS_H
#define PMU_FAULTS_H

#include <stdint.h>

#include "p5scope/pmu.h"

typedef enum pmu_instruction { PMU_RDTSC = 1, PMU_RDPMC = 2, PMU_RDMSR = 4, PMU_WRMSR = 8 } pmu_instruction;

/* `family`: with the monitor. WRMSR of what a register does not take is not this function's. */
p5_fault pmu_fault(unsigned family, pmu_instruction instruction, const p5_privilege *privilege, uint32_t ecx);

#endif
