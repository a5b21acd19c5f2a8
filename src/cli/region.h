/* --roi: counting regions of a run only. FROM,TO counts from the first time that FROM is reached to the next
 * time that TO is, and between markers each time; one function alone, from each entry into it to the return.
 * What several regions have in common counts once. */
#ifndef CLI_REGION_H
#define CLI_REGION_H

#include "p5scope/report.h"
#include "p5scope/trace.h"

enum { REGION_MOST_PARTS = 16 };

/* One --roi. */
typedef struct region_part {
    const char *text;  /* as written */
    p5_bound from, to; /* to.kind P5_BOUND_NONE: the function at `from` */
    unsigned depth;    /* calls of the function under way, or 1 within the region */
    bool over;         /* it has ended, and does not begin again */
    uint64_t times;    /* how often it began */
} region_part;

typedef struct region {
    region_part parts[REGION_MOST_PARTS];
    size_t count;
    char text[512]; /* all of them as written */
    /* While the guest runs: */
    p5_stat_run before, counted;               /* totals when counting began; sum of what was counted */
    unsigned inside;                           /* parts that control is in */
    uint32_t addresses[2 * REGION_MOST_PARTS]; /* of functions and other places, as points are numbered */
    uint64_t times;                            /* how often counting began */
    p5_observer *observer;                     /* goes with the machine */
    /* Called when counting begins and ends; set it behind region_begin. NULL: nobody asks. */
    void (*turned)(void *context, p5_machine *machine, bool inside);
    void *context;
} region;

/* Adds FROM,TO, FUNCTION or begin:ID for the guest at `path`. False after a message. */
bool region_add(region *r, const char *text, const char *path);
/* Observes the machine from here on. False after a message. */
bool region_begin(region *r, p5_machine *machine);
/* After region_end: true if a part did not begin, or did not come to the end that it names; `text` says which
 * then. */
bool region_missed(const region *r, char *text, size_t size);
/* True if all parts have ended and cannot begin again: what comes later does not count. */
bool region_is_over(const region *r);
/* After the run, which has been settled: puts what the region counted into `run` (but its host_seconds). */
void region_end(region *r, p5_machine *machine, p5_stat_run *run);

#endif
