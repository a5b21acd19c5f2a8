/* The P55C's prediction of a branch that finds its own entry, inlined into the hot path (predictor.c). */
#ifndef CORE_BRANCH_PREDICTOR_FAST_H
#define CORE_BRANCH_PREDICTOR_FAST_H

#include "core/branch/predictor.h"
#include "isa/isa.h"

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

/* What the entry of a conditional branch predicts: when the branch comes soon after it came last, what it did
 * then is not in it yet. `since_last`: as in branch_query. */
static inline bool predictor_direction(const predictor *p, const btb_entry *entry, uint64_t since_last)
{
    return __builtin_expect(since_last <= p->stale_instructions, 0) ? entry->stale_prediction
                                                                    : entry->prediction;
}

/* Learns the outcome of a conditional branch: the counter of the history that it was predicted with, then the
 * history, then the prediction for the next time. LOOP and JCXZ only remember their last direction. */
static inline void predictor_learn(btb_entry *entry, unsigned taken, bool loop)
{
    static const uint8_t next[8] = {0, 1, 0, 2, 1, 3, 2, 3}; /* by counter and direction */
    unsigned history = entry->history;
    uint8_t *counter = &entry->counter[history];
    *counter = next[*counter * 2u + taken];
    history = (history * 2 + taken) & (BTB_COUNTERS - 1);
    entry->history = (uint8_t)history;
    bool last = entry->stale_prediction = entry->prediction;
    entry->prediction = loop ? taken != 0 : entry->counter[history] >> 1;
    /* always taken of late, and both predictions and the counter say so */
    enum { ALWAYS = (BTB_COUNTERS - 1) * 8 + 3 * 2 + 1 };
    entry->steady = !loop & (history * 8 + entry->counter[history] * 2u + last == ALWAYS);
}

/* A branch that is taken leaves its target. */
static inline void predictor_learn_target(btb_entry *entry, bool taken, uint32_t target)
{
    /* nobody knows which: no branch of the host */
    entry->target = __builtin_expect_with_probability(taken, true, 0.5) ? target : entry->target;
}

/* What became of a branch, in short (p5_prediction). Those below OWN_ANSWERS are the usual ones.
 *
 * 0-3, 6, 7: by its own entry, of the first three bits. OWN_WRONG_TARGET: it was taken, and to somewhere else
 * than its entry says, or it leads to the instruction behind it.
 *
 * 4, 5: there was no entry. PREDICTED_NOTHING, and 1 if it was taken.
 *
 * 8-15: by another branch's entry. PREDICTED_FALSELY and the first two bits; FALSE_RETURN: both are returns.
 *
 * 16, NOT_PREDICTED: it is no near branch, or one of the P54C, which is predicted when the pipe asks. */
enum {
    OWN_PREDICTED_TAKEN = 1,
    OWN_TAKEN = 2,
    OWN_WRONG_TARGET = 4,
    PREDICTED_NOTHING = 4,
    OWN_ANSWERS = 8,
    PREDICTED_FALSELY = 8,
    FALSE_RETURN = 4,
    NOT_PREDICTED = 16
};

static inline bool predictor_own_right(unsigned own)
{
    return (own & OWN_WRONG_TARGET) == 0 && ((own ^ own >> 1) & OWN_PREDICTED_TAKEN) == 0;
}

static inline unsigned predictor_outcome(unsigned predicted_taken, unsigned taken, unsigned wrong_target)
{
    return predicted_taken + 2 * taken + 4 * (taken & wrong_target);
}

/* predictor_own for an entry of type BTB_JCC; the rest as in branch_query. */
static inline unsigned predictor_own_jcc(const predictor *p, btb_entry *entry, unsigned taken,
                                         uint32_t target, bool loop, uint64_t since_last)
{
    unsigned outcome = predictor_outcome(predictor_direction(p, entry, since_last), taken, false);
    predictor_learn(entry, taken, loop);
    /* one branch of the host, on what hardly ever happens, and not one on the direction */
    if (__builtin_expect((-taken & (entry->target ^ target)) != 0, 0)) {
        entry->target = target;
        return outcome | OWN_WRONG_TARGET;
    }
    return outcome;
}

/* `entry` has the branch's tag, offset and type: predicts, then learns; the caller marks it as used. Answers
 * OWN_*. Which way a branch goes is not known to the host's predictor either: no branches on it. */
static inline unsigned predictor_own(predictor *p, const branch_query *query, btb_entry *entry,
                                     bool *overflow)
{
    *overflow = false;
    if (entry->type == BTB_JCC)
        return predictor_own_jcc(p, entry, query->taken, query->target, query->kind == ISA_LOOP,
                                 query->since_last);
    uint32_t predicted = entry->target;
    if (entry->type == BTB_CALL) {
        *overflow = return_stack_push(&p->returns, query->fall_through);
    } else if (entry->type == BTB_RET) {
        uint32_t address = return_stack_pop(&p->returns);
        if (p->returns.entries != 0)
            predicted = address;
    }
    predictor_learn_target(entry, query->taken, query->target);
    bool wrong_target = predicted != query->target || query->target == query->fall_through;
    return predictor_outcome(true, query->taken, wrong_target);
}

/* The same in full, of a branch of `kind` (isa_branch). */
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

/* It was predicted right. */
static inline bool predictor_right(unsigned prediction)
{
    return predictor_answer(prediction, ISA_NOT_BRANCH).right;
}

/* Whether `entry`, one of the right set or NULL, is the branch's own. Tags are unique within a set. */
static inline bool predictor_is_own(const btb *b, const btb_entry *entry, const branch_query *query)
{
    return entry && entry->valid && entry->tag == btb_tag(b, query->last_byte) &&
           entry->offset == (query->last_byte & 3) && entry->type == predictor_type(query->kind);
}

/* predictor.c. Predicts a near branch of the P55C, learns, and answers in short. */
unsigned predictor_near(predictor *p, const branch_query *query, bool *overflow);

#endif
