/* stat -I: a report for each interval of the run. */
#ifndef CLI_STAT_INTERVALS_H
#define CLI_STAT_INTERVALS_H

#include <stdio.h>

#include "p5scope/observe.h"
#include "p5scope/report.h"

typedef struct stat_intervals {
    uint64_t every_clocks, every_instructions; /* 0 and 0: no intervals */
    uint64_t most;                             /* --interval-count, 0 = all */
    bool json, csv;
    FILE *out;
    const p5_stat *stat; /* what the intervals have in common */
    const p5_stat_style *style;
    /* While the guest runs: */
    p5_observer *observer;
    p5_stat_plan *plan;
    p5_counts before;
    uint64_t count, instructions;
    FILE *made; /* intervals that have not been sent on: their text, */
    char *text;
    size_t size;
    double sent; /* ... and when the last was */
    bool paused; /* outside the region that is counted; may be set from the beginning */
    bool failed; /* an interval could not be written, and the run was stopped: `error` */
    p5_error error;
} stat_intervals;

/* Writes the header and observes `machine`. False after a message. */
bool stat_intervals_begin(stat_intervals *intervals, p5_machine *machine);
/* With --roi: from here on inside the region or outside; its last interval is cut short by its end. */
void stat_intervals_turn(stat_intervals *intervals, p5_machine *machine, bool inside);
/* The interval that the run's end has cut short, if it has `ran`; what has not been sent on. */
void stat_intervals_end(stat_intervals *intervals, p5_machine *machine, bool ran);

#endif
