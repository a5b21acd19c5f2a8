/* Internals of the predictor, for predictor.c, the test registers (raw BTB entries) and tests. The pipe uses
 * branch.h. */
#ifndef CORE_BRANCH_PREDICTOR_H
#define CORE_BRANCH_PREDICTOR_H

#include "base/host_line.h"
#include "core/branch/branch.h"
#include "core/branch/btb.h"
#include "core/branch/return_stack.h"

struct predictor {
    /* It starts a line of the host's cache, because one thread may predict (core_predict) while another prices. */
    BEGINS_LINE btb btb;
    return_stack returns;
    bool no_allocation;          /* TR12.NBP */
    uint32_t stale_instructions; /* copy of the model's value */
    btb_entry fresh[2];          /* P55C: contents of a new entry; [1] is for ISA_JCC */
    uint64_t now; /* P55C: instructions predicted so far, branches or not; P54C: branches looked up */
    /* P54C: the last branch was mispredicted, so a branch in the pair executed next cannot load its target. */
    bool wrong;
    uint32_t wrong_pair; /* address of the U instruction of that branch's pair */
};

/* Returns whether a branch may get an entry. A branch to the instruction after it never does, and is always
 * mispredicted. */
static inline bool predictor_may_allocate(const predictor *p, uint32_t target, uint32_t fall_through)
{
    return target != fall_through && !p->no_allocation;
}

/* The members that snapshots hold, and their saving or loading (s->loading). */
extern const snapshot_table predictor_state;
void predictor_transfer(predictor *p, snapshot *s);

#endif
