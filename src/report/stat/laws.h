/* Checks the laws of p5_laws_check also for counts of a part of a machine's run. */
#ifndef REPORT_STAT_LAWS_H
#define REPORT_STAT_LAWS_H

#include <stdbool.h>

#include "p5tool/report.h"

/* Checks the laws. `part`: instructions ran before counting began, so laws that hold only from a machine's beginning are
 * left out. The other parameters and the result are those of p5_laws_check. */
unsigned laws_check(const p5_counts *counts, unsigned family, bool part, FILE *out, unsigned *checked);

#endif
