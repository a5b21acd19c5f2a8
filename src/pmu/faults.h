/* The conditions under which RDTSC, RDPMC, RDMSR and WRMSR fault. */
#ifndef PMU_FAULTS_H
#define PMU_FAULTS_H

#include <stdint.h>

#include "p5scope/pmu.h"

typedef enum pmu_instruction { PMU_RDTSC = 1, PMU_RDPMC = 2, PMU_RDMSR = 4, PMU_WRMSR = 8 } pmu_instruction;

/* Returns the fault, if any. `family` includes the monitor. Does not check the value of WRMSR. */
p5_fault pmu_fault(unsigned family, pmu_instruction instruction, const p5_privilege *privilege, uint32_t ecx);

#endif
