/* The predictor's inside, for predictor.c, the test registers (raw BTB entries) and tests; the pipe uses
 * branch.h. */
#ifndef CORE_BRANCH_PREDICTOR_H
#define CORE_BRANCH_PREDICTOR_H

#include "base/host_line.h"
#include "core/branch/branch.h"
#include "core/branch/btb.h"
#include "core/branch/return_stack.h"

struct predictor {
    BEGINS_LINE btb btb; /* the first step may write here while the second runs in another thread */
    return_stack returns;
    bool no_allocation;
    uint32_t stale_instructions; /* the model's, at hand */
    btb_entry fresh[2];          /* P55C: an entry that is new, ISA_JCC's second */
    uint64_t now; /* P55C: instructions predicted so far, branches or not; P54C: branches asked for */
    /* The last branch that was predicted wrong: on the P54C the branch of the pair executed next cannot load
     * its target. */
    bool wrong;
    uint32_t wrong_pair; /* address of the U instruction of its pair */
};

/* A branch to the instruction behind it never gets an entry and is always wrong. */
static inline bool predictor_may_allocate(const predictor *p, uint32_t target, uint32_t fall_through)
{
    return target != fall_through && !p->no_allocation;
}

/* What a snapshot has of it. */
extern const snapshot_table predictor_state;
void predictor_transfer(predictor *p, snapshot *s);

#endif
