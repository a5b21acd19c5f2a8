/* The columns of a file in the format of Valgrind's tools Callgrind and Cachegrind: which events it
 * contains. */
#ifndef REPORT_PROFILE_GRIND_COLUMNS_H
#define REPORT_PROFILE_GRIND_COLUMNS_H

#include "report/profile/profile_internal.h"

/* The columns to write. Clocks come first, because the readers sort by the first column. */
typedef struct grind_columns {
    profile_value values[2 + P5_EVENT_COUNT + P5_STALL_COUNT];
    size_t count;
} grind_columns;

/* Fills in the columns: those that p5_profile_show_events has selected, or the usual ones if it was not
 * called. */
void grind_columns_choose(const p5_profile *p, grind_columns *c);

#endif
