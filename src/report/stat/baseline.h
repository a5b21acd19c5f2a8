/* The counts of an earlier run, which conditions of a budget call `base`. */
#ifndef REPORT_STAT_BASELINE_H
#define REPORT_STAT_BASELINE_H

#include "report/stat/metric.h"

typedef struct baseline {
    p5_counts counts; /* totals over all CPLs, because the file has no others; stored as those of CPL 3 */
    bool known[METRIC_VARIABLES]; /* the file has the variable */
    uint64_t revision;            /* of the model; 0: not stated */
    char *identity;               /* JSON; NULL: not stated */
    char *model;                  /* its name */
} baseline;

/* Reads the one run in a file that `stat -j` wrote, which must not have been cut short. Errors name the file and line. The
 * caller calls baseline_free even after an error. */
p5_status baseline_read(baseline *to, const char *path, p5_error *error);
/* Frees a baseline, which is from malloc, with its strings. */
void baseline_free(baseline *of);
/* Returns the formula's value in the baseline, or the reason why it has none. `of` NULL: there is no baseline. */
metric_base baseline_value(const baseline *of, const metric_formula *formula);

#endif
