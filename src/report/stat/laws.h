/* p5_laws_check, for counts of a part of a machine's run, too. */
#ifndef REPORT_STAT_LAWS_H
#define REPORT_STAT_LAWS_H

#include <stdbool.h>

#include "p5scope/report.h"

/* `part`: something had run before what is counted. */
unsigned laws_check(const p5_counts *counts, unsigned family, bool part, FILE *out, unsigned *checked);

#endif
