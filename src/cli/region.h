/* --roi: counts only regions of a run. FROM,TO counts from the first time that FROM is reached to the next
 * time that TO is; between markers, every time. A single function counts from each entry to its return.
 * Overlapping regions are counted once. */
#ifndef CLI_REGION_H
#define CLI_REGION_H

#include "p5tool/report.h"
#include "p5tool/trace.h"

enum { REGION_MOST_PARTS = 16 };

/* One --roi. */
typedef struct region_part {
    const char *text;  /* as written */
    p5_bound from, to; /* to.kind P5_BOUND_NONE: the function at `from` */
    unsigned depth;    /* number of active calls of the function; of FROM,TO: 1 between them */
    bool over;         /* of FROM,TO: it has ended and does not begin again */
    uint64_t times;    /* how often it began */
} region_part;

/* All --roi of a command line. */
typedef struct region {
    region_part parts[REGION_MOST_PARTS];
    size_t count;
    char text[512]; /* all of them as written, with "and" between them */
    /* While the guest runs: */
    p5_stat_run before, counted; /* totals when counting began; sum of what was counted */
    unsigned inside;             /* number of parts that are active */
    /* Observed addresses: those of `from` and `to` of part n are at 2n and 2n + 1. */
    uint32_t addresses[2 * REGION_MOST_PARTS];
    uint64_t times;        /* how often counting began */
    bool open;             /* set by region_end: the guest ended within the region */
    p5_observer *observer; /* closed with the machine */
    /* Called when counting begins and ends; to be set after region_begin. NULL: no callback. */
    void (*turned)(void *context, p5_machine *machine, bool inside);
    void *context;
} region;

/* Adds FROM,TO, FUNCTION or begin:ID for the guest at `path`. Returns false after a message. */
bool region_add(region *r, const char *text, const char *path);
/* Observes the machine from here on. Returns false after a message. */
bool region_begin(region *r, p5_machine *machine);
/* Returns true, after region_end, if a part did not begin or did not reach its end; `text` then says
 * which. */
bool region_missed(const region *r, char *text, size_t size);
/* Returns true if all parts have ended and cannot begin again, so that the rest of the run does not count. */
bool region_is_over(const region *r);
/* Stores what the region counted in *run, whose host_ members it does not change. To be called after
 * p5_machine_settle. */
void region_end(region *r, p5_machine *machine, p5_stat_run *run);

#endif
