/* When each branch last ran, and its place in the BTB. Predictions of tight loops depend on this (Agner Fog,
 * 3: the entry is not updated yet when the branch is fetched again). The records are kept by the branch's
 * address, not by block: several blocks can end in the same branch, and a run that is interrupted has other
 * blocks than one that is not. Blocks that end in no branch have a record of their last instruction. */
#ifndef CORE_BRANCH_BRANCH_RUN_H
#define CORE_BRANCH_BRANCH_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "core/branch/btb.h"

/* Record of one branch. On each processor, one of `instructions` and `groups` is always 0. A group is one or two
 * instructions that issue together. */
typedef struct branch_run {
    /* P55C: predictor_near reads `instructions` and `branch` every time. The alignment puts them in one line of the
     * host's cache. */
    _Alignas(16) uint64_t instructions; /* P55C: instructions executed when it last ran, itself included; 0:
                                           never */
    btb_branch branch;                  /* P55C: its lookup key, if it is a near branch */
    uint64_t groups;                    /* P54C: p5_core.groups when it last left the pipe; 0: never */
    struct branch_run *next;
    uint32_t address; /* linear */
    uint8_t length;   /* in bytes */
    uint8_t kind;     /* isa_branch */
} branch_run;

/* Returns branch_query.loop_pairs for a branch that leaves the pipe as group number `groups`: the number of groups
 * since it last ran, at most 255. If it never ran, the number is above BRANCH_RUN_RECENT. */
static inline uint8_t branch_run_pairs(const branch_run *ran, uint64_t groups)
{
    uint64_t pairs = groups - ran->groups;
    return (uint8_t)(pairs < UINT8_MAX ? pairs : UINT8_MAX);
}

/* Returns whether the branch ran recently. Predictions depend on at most the last 64 instructions
 * (p5scope-model(5), btb.stale_instructions) or 16 pairs; an earlier run has the same effect as none. `now`
 * and `groups` are the current numbers. */
enum { BRANCH_RUN_RECENT = 64 };
static inline bool branch_run_recent(const branch_run *ran, uint64_t now, uint64_t groups)
{
    return (ran->instructions != 0 && now - ran->instructions < BRANCH_RUN_RECENT) ||
           (ran->groups != 0 && groups - ran->groups < BRANCH_RUN_RECENT);
}

/* A hash table of records. It is valid when all members are 0. */
typedef struct branch_runs {
    branch_run **bucket;
    unsigned buckets, count; /* `buckets` is a power of two, or 0, and at least `count` */
    arena arena;             /* grows with the number of blocks: branch_runs_trim */
} branch_runs;

/* Returns the record of a branch, and makes one if there is none. Length and kind are part of the key,
 * because other code may later occupy the same address. Returns NULL if memory runs out. */
branch_run *branch_runs_find(branch_runs *all, uint32_t address, uint8_t length, uint8_t kind);
/* Drops the records that are not recent, by the current numbers `now` and `groups`, and moves the others. No block
 * may refer to any record. Memory is kept for new records. */
void branch_runs_trim(branch_runs *all, uint64_t now, uint64_t groups);
/* Frees all records. The table stays usable. */
void branch_runs_close(branch_runs *all);

#endif
