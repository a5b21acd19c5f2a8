/* Parts of `p5scope list` that other reports use too. */
#ifndef REPORT_STAT_LIST_H
#define REPORT_STAT_LIST_H

#include "p5scope/report.h"

/* True if `name` matches a glob, or contains `pattern` if that has no * or ?; NULL matches everything. */
bool list_matches(const char *pattern, const char *name);

/* The groups of events in the order of `list` and `stat`, NULL-terminated. */
extern const char *const event_groups[];

/* "0", "1" or "both". */
const char *event_counters_text(unsigned counters);
const char *event_grade_text(p5_grade grade);
const char *event_families_text(unsigned families);

/* Writes the metric groups that match; `before` rows of other kinds were written already. */
p5_status list_metrics(FILE *out, const p5_list_options *options, size_t before, size_t *rows,
                       p5_error *error);

/* Writes the forms of instructions that match. */
p5_status list_instructions(FILE *out, const p5_list_options *options, size_t before, size_t *rows,
                            p5_error *error);

#endif
