/* Parts of `p5scope list` that other reports use too. */
#ifndef REPORT_STAT_LIST_H
#define REPORT_STAT_LIST_H

#include "p5tool/report.h"

/* The groups of events in the order of `list` and `stat`, NULL-terminated. */
extern const char *const event_groups[];

/* Return "0", "1" or "both" for P5_ON_CTR0 and P5_ON_CTR1, and the grade in a word ("exact"). */
const char *event_counters_text(unsigned counters);
const char *event_grade_text(p5_grade grade);
/* Returns "u", "k" or "uk", followed by "c" for clocks in which the signal was on. */
const char *event_mode_text(const p5_selected *row, char text[4]);

#endif
