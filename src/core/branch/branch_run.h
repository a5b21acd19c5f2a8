/* When each branch was last executed, and its key in the BTB. Predictions of tight loops depend on this, because the
 * BTB entry is not updated yet when the branch is fetched again (Agner Fog, chapter 3). There is a record for each
 * branch, not for each block: several blocks can end in the same branch, and a run of the machine that is interrupted
 * has other blocks than one that is not. The last instruction of every block has a record, also if it is no branch, so
 * that each block can refer to one. */
#ifndef CORE_BRANCH_BRANCH_RUN_H
#define CORE_BRANCH_BRANCH_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "core/branch/btb.h"

/* Record of one branch. On the P55C `groups` is always 0, and on the P54C `instructions`. A group is an instruction,
 * or a pair of instructions that issue together; rules that count pairs count groups. */
typedef struct branch_run {
    /* P55C: predictor_near reads `instructions` and `branch` every time. The alignment puts them, 16 bytes, in one line
     * of the host's cache. */
    _Alignas(16) uint64_t instructions; /* P55C: instructions executed when it last ran, itself included; 0:
                                           never */
    btb_branch branch;                  /* P55C: its key in the BTB, if it is a near branch */
    uint64_t groups;                    /* P54C: p5_core.groups when it last left the pipe; 0: never */
    struct branch_run *next;            /* in the same bucket */
    uint32_t address;                   /* of its first byte, linear */
    uint8_t length;                     /* in bytes */
    uint8_t kind;                       /* isa_branch */
} branch_run;

/* Returns branch_query.loop_pairs for a branch that leaves the pipe as group number `groups`: the number of groups
 * since it last ran, at most 255. If it never ran, the number is above BRANCH_RUN_RECENT, because p5_core.groups begins
 * there. */
static inline uint8_t branch_run_pairs(const branch_run *ran, uint64_t groups)
{
    uint64_t pairs = groups - ran->groups;
    return (uint8_t)(pairs < UINT8_MAX ? pairs : UINT8_MAX);
}

/* The instructions (P55C) or groups (P54C) for which a run can influence predictions: the largest
 * btb.stale_instructions of p5scope-model(5), and more than the largest btb.tight_loop_pairs (16). */
enum { BRANCH_RUN_RECENT = 64 };
/* Returns whether the branch ran so recently that it can influence predictions. `now` is the current number of
 * instructions, and `groups` that of groups. */
static inline bool branch_run_recent(const branch_run *ran, uint64_t now, uint64_t groups)
{
    return (ran->instructions != 0 && now - ran->instructions < BRANCH_RUN_RECENT) ||
           (ran->groups != 0 && groups - ran->groups < BRANCH_RUN_RECENT);
}

/* A hash table of records. It is valid when all members are 0. */
typedef struct branch_runs {
    branch_run **bucket;
    unsigned buckets, count; /* `buckets` is a power of two, or 0, and at least `count` */
    arena arena;             /* of the records; branch_runs_trim limits its growth */
} branch_runs;

/* Returns the record of a branch, and makes one if there is none. Length and kind are part of the key,
 * because other code may later occupy the same address. Returns NULL if memory runs out. */
branch_run *branch_runs_find(branch_runs *all, uint32_t address, uint8_t length, uint8_t kind);
/* Drops the records that are not recent by `now` and `groups`, and moves the others, so no block may refer to any
 * record when this is called. Memory is kept for new records. */
void branch_runs_trim(branch_runs *all, uint64_t now, uint64_t groups);
/* Frees all records. The table stays usable. */
void branch_runs_close(branch_runs *all);

#endif
