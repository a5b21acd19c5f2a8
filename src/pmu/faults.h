/* When RDTSC, RDPMC, RDMSR and WRMSR fault. */
#ifndef PMU_FAULTS_H
#define PMU_FAULTS_H

#include <stdint.h>

#include "p5scope/pmu.h"

typedef enum pmu_instruction { PMU_RDTSC = 1, PMU_RDPMC = 2, PMU_RDMSR = 4, PMU_WRMSR = 8 } pmu_instruction;

/* Pentium Pro, for whose RDPMC there are rules, but no register map yet. Extends P5_FAMILY_*. */
enum { PMU_FAMILY_P6 = 4 };

p5_fault pmu_fault(unsigned family, pmu_instruction instruction, const p5_privilege *privilege, uint32_t ecx);

#endif
