/* When each branch last ran. Predictions of tight loops look back that far (Agner Fog, 3: the entry is not
 * updated yet when the branch is fetched again). Kept by the branch's address, not by block: several blocks
 * can end in one branch, and a run that is stopped in between makes other blocks than one that is not. */
#ifndef CORE_BRANCH_RUN_H
#define CORE_BRANCH_RUN_H

#include <stdint.h>

#include "base/arena.h"

/* One branch; instructions and groups of the core, as it left the pipe. 0: never. */
typedef struct branch_run {
    uint64_t instructions, groups;
    uint32_t address; /* linear */
    struct branch_run *next;
} branch_run;

/* branch_query's loop_pairs of a branch that leaves the pipe as group number `groups`. */
static inline uint8_t branch_run_pairs(const branch_run *ran, uint64_t groups)
{
    uint64_t pairs = groups - ran->groups;
    return (uint8_t)(pairs < UINT8_MAX ? pairs : UINT8_MAX);
}

enum { BRANCH_RUN_BUCKETS = 4096 };

typedef struct branch_runs {
    branch_run *bucket[BRANCH_RUN_BUCKETS];
    arena arena; /* grows with the branches of the guest's code, not with its run */
} branch_runs;

/* The one of `address`, made if there is none. NULL: out of memory. */
branch_run *branch_runs_find(branch_runs *all, uint32_t address);
void branch_runs_close(branch_runs *all);

#endif
