/* When each branch last ran, and where it was seen in the BTB. Predictions of tight loops look back that far
 * (Agner Fog, 3: the entry is not updated yet when the branch is fetched again). Kept by the branch's
 * address, not by block: several blocks can end in one branch, and a run that is stopped in between makes
 * other blocks than one that is not. */
#ifndef CORE_BRANCH_BRANCH_RUN_H
#define CORE_BRANCH_BRANCH_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "core/branch/btb.h"

/* One branch. */
typedef struct branch_run {
    /* P55C, what predictor_near looks at every time: in one line of the host's cache, as all of it is
     * aligned. */
    _Alignas(16) uint64_t instructions; /* executed up to it, itself included, when it ran last; 0: never */
    btb_branch branch;                  /* how it is looked up, if it is a near one */
    uint64_t groups;                    /* P54C: of the core, as it left the pipe; 0: never */
    struct branch_run *next;
    uint32_t address; /* linear */
    uint8_t length;   /* in bytes */
    uint8_t kind;     /* isa_branch */
} branch_run;

/* branch_query's loop_pairs of a branch that leaves the pipe as group number `groups`. */
static inline uint8_t branch_run_pairs(const branch_run *ran, uint64_t groups)
{
    uint64_t pairs = groups - ran->groups;
    return (uint8_t)(pairs < UINT8_MAX ? pairs : UINT8_MAX);
}

/* Predictions look back over at most 64 instructions (p5scope-model(5), btb.stale_instructions) or 16 pairs:
 * a run before that is as good as none. `now` and `groups` as they are now. */
enum { BRANCH_RUN_RECENT = 64 };
static inline bool branch_run_recent(const branch_run *ran, uint64_t now, uint64_t groups)
{
    return (ran->instructions != 0 && now - ran->instructions < BRANCH_RUN_RECENT) ||
           (ran->groups != 0 && groups - ran->groups < BRANCH_RUN_RECENT);
}

typedef struct branch_runs {
    branch_run **bucket;
    unsigned buckets, count; /* a power of two, or none, and at least as many as branches */
    arena arena;             /* grows with the blocks that there are: branch_runs_trim */
} branch_runs;

/* That of a branch, made if there is none: other code may come to stand where it stood, and its entry is not
 * that of another kind. NULL: out of memory. */
branch_run *branch_runs_find(branch_runs *all, uint32_t address, uint8_t length, uint8_t kind);
/* No block refers to any of them: those that are not recent go. */
void branch_runs_trim(branch_runs *all, uint64_t now, uint64_t groups);
void branch_runs_close(branch_runs *all);

#endif
