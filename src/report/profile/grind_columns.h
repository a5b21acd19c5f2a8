/* The columns of a profile that is written for callgrind_annotate, KCachegrind or cg_annotate: clocks, events and the
 * clocks of stall causes. */
#ifndef REPORT_PROFILE_GRIND_COLUMNS_H
#define REPORT_PROFILE_GRIND_COLUMNS_H

#include "report/profile/profile_internal.h"

/* The columns to write: clocks, by which those programs sort, then instructions_executed, then others without
 * duplicates. */
typedef struct grind_columns {
    /* At most every event and every stall cause follow the first two. */
    profile_value values[2 + P5_EVENT_COUNT + P5_STALL_COUNT];
    size_t count;
} grind_columns;

/* Fills in the columns. Those after the first two are the events that the last p5_profile_show_events for `p` selected;
 * if it selected none or was not called, they are usual[] (grind_columns.c). */
void grind_columns_choose(const p5_profile *p, grind_columns *c);

#endif
