/* --roi: counting a region of a run only. FROM,TO counts from the first time that FROM is reached to the next
 * time that TO is; one function alone, from each entry into it to the return. */
#ifndef CLI_REGION_H
#define CLI_REGION_H

#include "p5scope/report.h"
#include "p5scope/trace.h"

typedef struct region {
    const char *text;  /* as written; NULL: everything counts */
    p5_bound from, to; /* to.kind P5_BOUND_NONE: the function at `from` */
    /* While the guest runs: */
    p5_stat_run before, counted; /* totals when the region began; sum of what was counted */
    unsigned depth;              /* calls of the function under way, or 1 within the region */
    uint64_t times;              /* how often it began */
    bool over;
    /* Called when the region begins and ends; set it behind region_begin. NULL: nobody asks. */
    void (*turned)(void *context, p5_machine *machine, bool inside);
    void *context;
} region;

/* Parses FROM,TO or FUNCTION for the guest at `path`. False after a message. */
bool region_parse(region *r, const char *text, const char *path);
/* Observes the machine from here on. False after a message. */
bool region_begin(region *r, p5_machine *machine);
/* After the run, which has been settled: puts what the region counted into `run` (but its host_seconds). */
void region_end(region *r, p5_machine *machine, p5_stat_run *run);

#endif
