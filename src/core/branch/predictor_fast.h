/* The P55C's prediction, inlined into the code that predicts for many stretches. predictor.c has the rarer
 * cases. */
#ifndef CORE_BRANCH_PREDICTOR_FAST_H
#define CORE_BRANCH_PREDICTOR_FAST_H

#include "core/branch/branch_run.h"
#include "core/branch/predictor.h"
#include "isa/isa.h"

/* Returns TR11's type of a near branch of `kind` (isa_branch). LOOP and JCXZ count as Jcc. */
static inline btb_type predictor_type(uint8_t kind)
{
    switch (kind) {
    case ISA_JMP:
    case ISA_JMP_INDIRECT:
        return BTB_JMP;
    case ISA_CALL:
    case ISA_CALL_INDIRECT:
        return BTB_CALL;
    case ISA_RET:
        return BTB_RET;
    default:
        return BTB_JCC;
    }
}

/* Returns the lookup key of a near branch of the P55C. */
static inline btb_branch predictor_branch_of(uint32_t last_byte, uint8_t kind)
{
    return btb_by_last_byte(last_byte, predictor_type(kind), kind);
}

/* Returns what the entry of a conditional branch predicts: 1 for taken. If the branch runs again soon, its last outcome
 * is not in the entry yet, so the prediction is the stale one. `since_last`: instructions executed since its last run,
 * itself included. */
static inline unsigned predictor_direction(const predictor *p, const btb_entry *entry, uint64_t since_last)
{
    /* without a host branch: unless the stale bit is wanted, the factor 2 moves the prediction to its place */
    return entry->pattern * (1u + (since_last > p->stale_instructions)) / PATTERN_STALE & 1;
}

/* Learns the outcome of a conditional branch that led to `next`: updates the counter of the current history, then the
 * history, then the prediction for the next run, which is the upper bit of the new history's counter. LOOP and JCXZ
 * (`loop`) predict their last direction instead. The code has no host branch on the direction, which the host's
 * predictor cannot predict either. */
static inline void predictor_learn(btb_entry *entry, unsigned taken, uint32_t next, bool loop)
{
    /* the counter's bits that change, by counter (0-3) and direction (not taken, taken) */
    static const uint8_t bits[8] = {0, 1, 1, 3, 3, 1, 1, 0};
    const uint32_t was = entry->pattern, place = was & PATTERN_PLACE;
    const uint32_t changes = (uint32_t)bits[(entry->counters >> place & 3) * 2 + taken] << place;
    const uint32_t counters = entry->counters ^= changes;
    const uint32_t step = (was + taken) * 2; /* new history, and the old prediction as the stale one */
    const uint32_t two = loop ? taken * 2 : counters >> (step & PATTERN_PLACE) & 2; /* 2: predicts taken */
    const uint32_t pattern = (step & (PATTERN_HISTORY | PATTERN_STALE)) | two * (PATTERN_PREDICTION / 2);
    entry->pattern = pattern;
    /* If nothing has changed, both predictions and all outcomes of the history equal the direction. */
    const bool changed = (changes | (was ^ pattern)) != 0;
    entry->settled = next | (0 - (uint64_t)changed); /* BTB_NEVER_SETTLED if something changed */
}

/* The outcome of a prediction in packed form (p5_prediction). Outcomes below 8 are the frequent ones.
 *
 *   0-3, 6, 7  The branch has an entry: the first three bits. OWN_WRONG_TARGET: it was taken to another
 *              target than its entry's, or it leads to the instruction after it.
 *   4, 5       There was no entry: PREDICTED_NOTHING, or PREDICTED_NOTHING_TAKEN if the branch was taken.
 *   8-15       Another branch's entry predicted: PREDICTED_FALSELY and the first two bits. FALSE_RETURN: both
 *              branches are returns.
 *   16         NOT_PREDICTED: it is no near branch, or one of the P54C, which is predicted when the pipe
 *              asks. */
enum {
    OWN_PREDICTED_TAKEN = 1,
    OWN_TAKEN = 2,
    OWN_WRONG_TARGET = 4,
    PREDICTED_NOTHING = 4,
    PREDICTED_NOTHING_TAKEN = 5,
    PREDICTED_FALSELY = 8,
    FALSE_RETURN = 4,
    NOT_PREDICTED = 16
};

/* Returns whether a branch with an entry of its own was predicted right; `own` is 0-7. */
static inline bool predictor_own_right(unsigned own)
{
    return (own & OWN_WRONG_TARGET) == 0 && ((own ^ own >> 1) & OWN_PREDICTED_TAKEN) == 0;
}

/* Packs the outcome of a branch with an entry of its own. */
static inline unsigned predictor_outcome(unsigned predicted_taken, unsigned taken, unsigned wrong_target)
{
    return predicted_taken + OWN_TAKEN * taken + OWN_WRONG_TARGET * (taken & wrong_target);
}

/* Does what predictor_own does, for an entry of type BTB_JCC. */
static inline unsigned predictor_own_jcc(const predictor *p, btb_entry *entry, unsigned taken, uint32_t next,
                                         bool loop, uint64_t since_last)
{
    const unsigned outcome = predictor_outcome(predictor_direction(p, entry, since_last), taken, false);
    predictor_learn(entry, taken, next, loop);
    /* one host branch on a rare case, none on the direction */
    if (__builtin_expect((-taken & (entry->target ^ next)) != 0, 0)) {
        entry->target = next;
        return outcome | OWN_WRONG_TARGET;
    }
    return outcome;
}

/* Does what predictor_own does, for an entry of another type than BTB_JCC. Its branch is always taken. */
static inline unsigned predictor_own_jump(predictor *p, btb_entry *entry, btb_type type, uint32_t next,
                                          uint32_t fall_through)
{
    uint32_t predicted = entry->target;
    if (type == BTB_CALL) {
        return_stack_push(&p->returns, fall_through);
    } else if (type == BTB_RET) {
        uint32_t address = return_stack_pop(&p->returns);
        if (p->returns.entries != 0)
            predicted = address;
    }
    entry->target = next;
    entry->settled = type == BTB_JMP && next != fall_through ? next : BTB_NEVER_SETTLED;
    return predictor_outcome(true, true, predicted != next || next == fall_through);
}

/* Predicts a branch that has `entry` and led to `next`, then learns. The caller marks the entry as used.
 * Returns the sum of OWN_*. */
static inline unsigned predictor_own(predictor *p, btb_entry *entry, const btb_branch *branch, uint32_t next,
                                     uint32_t fall_through, uint64_t since_last)
{
    const btb_type type = btb_type_of(branch->owner);
    if (type != BTB_JCC)
        return predictor_own_jump(p, entry, type, next, fall_through);
    return predictor_own_jcc(p, entry, next != fall_through, next, branch->kind == ISA_LOOP, since_last);
}

/* Unpacks the prediction of a branch of `kind` (isa_branch). */
static inline branch_answer predictor_answer(unsigned prediction, uint8_t kind)
{
    bool predicted_taken = (prediction & OWN_PREDICTED_TAKEN) != 0;
    if ((prediction & PREDICTED_FALSELY) != 0)
        return (branch_answer){.hit = true,
                               .false_entry = true,
                               .predicted_taken = predicted_taken,
                               .return_predicted = (prediction & FALSE_RETURN) != 0};
    if ((prediction & ~1u) == PREDICTED_NOTHING)
        return (branch_answer){.right = prediction == PREDICTED_NOTHING};
    bool right = predictor_own_right(prediction), returns = kind == ISA_RET;
    return (branch_answer){.hit = true,
                           .predicted_taken = predicted_taken,
                           .right = right,
                           .return_predicted = returns,
                           .return_right = returns && right};
}

/* Predicts a branch by another branch's entry, in the same dword. If it is taken, it takes over the entry if it may.
 * The parameters are those of predictor_near. (predictor.c) */
unsigned predictor_false_entry(predictor *p, btb_entry *entry, branch_run *ran, uint32_t next,
                               uint32_t fall_through, uint64_t now);
/* Handles a branch without an entry that was taken or is unconditional: it gets an entry if it may. */
unsigned predictor_no_entry(predictor *p, branch_run *ran, uint32_t next, uint32_t fall_through,
                            uint64_t now);

/* Predicts the branch `ran`, if it is a near one, then learns. It went to `next`; `now` is the number of
 * instructions up to it. Returns a p5_prediction. */
static inline __attribute__((always_inline)) unsigned
predictor_near(predictor *p, branch_run *ran, uint32_t next, uint32_t fall_through, uint64_t now)
{
    const uint32_t owner = ran->branch.owner;
    size_t at = ran->branch.entry;
    if (p->btb.owner[at] != owner) {
        if (owner == NO_OWNER)
            return NOT_PREDICTED;
        btb_entry *found = btb_find(&p->btb, &ran->branch);
        if (found == NULL && btb_type_of(owner) == BTB_JCC && next == fall_through) {
            ran->instructions = now;
            return PREDICTED_NOTHING; /* nothing is learned, and no entry counts as used */
        }
        if (found == NULL)
            return predictor_no_entry(p, ran, next, fall_through, now);
        at = (size_t)(found - p->btb.entry);
        if (p->btb.owner[at] != owner)
            return predictor_false_entry(p, found, ran, next, fall_through, now);
        ran->branch.entry = (uint16_t)at;
    }
    btb_entry *entry = &p->btb.entry[at];
    const uint64_t since_last = now - ran->instructions;
    ran->instructions = entry->used = now;
    const unsigned taken = next != fall_through; /* only matters for branches that may fall through */
    if (entry->settled == next)
        return predictor_outcome(taken, taken, false);
    if (__builtin_expect(ran->branch.kind == ISA_JCC, 1))
        return predictor_own_jcc(p, entry, taken, next, false, since_last);
    return predictor_own(p, entry, &ran->branch, next, fall_through, since_last);
}

#endif
