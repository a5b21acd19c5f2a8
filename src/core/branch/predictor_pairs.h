/* The P54C's prediction by the pair before a branch, inlined into the hot path. The behaviour
 * follows Agner Fog, chapter 3; entries are as TR9 and TR11 show them (manual, 26.2.1.3). */
#ifndef CORE_BRANCH_PREDICTOR_PAIRS_H
#define CORE_BRANCH_PREDICTOR_PAIRS_H

#include "core/branch/predictor.h"

/* Returns whether the group that follows `previous_pair` comes right after the pair of a mispredicted branch. The flush
 * has discarded what the BTB predicted for it. */
static inline bool predictor_pairs_follows_wrong(const predictor *p, uint32_t previous_pair)
{
    return p->wrong && previous_pair == p->wrong_pair;
}

/* Returns whether a branch that follows a mispredicted one can nevertheless load its target: that of a loop that fits
 * and starts an aligned 16-byte block, for which the prefetcher has nothing to load. Measured with Linux's delay loop,
 * DEC and JNS in one pair, which follows itself: 5 clocks, always mispredicted, but 1 clock when the loop is aligned to
 * 16 bytes. The explanation is inferred (btb.aligned_loop_at_hand). */
static inline bool predictor_pairs_at_hand(const predictor *p, const branch_query *query)
{
    return p->btb.model->aligned_loop_at_hand && query->target % 16 == 0 &&
           query->target == (query->last_byte & ~15u);
}

/* Returns the prediction for a branch that finds `entry` (NULL: none). Changes nothing. */
static inline branch_answer predictor_pairs_answer(const predictor *p, const branch_query *query,
                                                   const btb_entry *entry)
{
    branch_answer answer = {.hit = entry && entry->state != 0};
    const bool loads =
        !predictor_pairs_follows_wrong(p, query->previous_pair) || predictor_pairs_at_hand(p, query);
    answer.predicted_taken = answer.hit && entry->state >= 2 && loads;
    answer.right =
        answer.predicted_taken == query->taken && (!query->taken || entry->target == query->target);
    if (query->taken && query->target == query->fall_through)
        answer.right = false;
    return answer;
}

/* Returns an entry's state after an execution. Taken: 0->3 1->2 2->3 3->3; not taken: one down. In a tight loop the
 * old counter is forwarded before the entry is updated, so that a taken branch leads from 0 to 1. */
static inline uint8_t predictor_pairs_state(uint8_t state, bool taken, bool tight)
{
    static const uint8_t next[2][4] = {{0, 0, 1, 2}, {3, 2, 3, 3}}; /* not taken, taken */
    return (tight & taken & (state == 0)) ? 1 : next[taken][state & 3];
}

/* Predicts a near branch, then learns. */
static inline branch_answer predictor_pairs(predictor *p, const branch_query *query)
{
    btb_branch branch = btb_by_pair(query->previous_pair);
    btb_entry *entry = btb_find(&p->btb, &branch);
    p->now++;
    bool tight = query->loop_pairs != 0 && query->loop_pairs <= p->btb.model->tight_loop_pairs;
    const branch_answer answer = predictor_pairs_answer(p, query, entry);
    if (entry != NULL && (answer.hit || tight)) {
        entry->state = predictor_pairs_state(entry->state, query->taken, tight);
        if (query->taken)
            entry->target = query->target;
        entry->used = p->now;
    } else if (query->taken && predictor_may_allocate(p, query->target, query->fall_through) &&
               !query->missed_pairing) {
        if (entry == NULL)
            entry = btb_allocate(&p->btb, &branch);
        entry->used = p->now;
        entry->state = 3;
        entry->target = query->target;
    }
    p->wrong = !answer.right;
    p->wrong_pair = query->pair;
    return answer;
}

/* Returns the answer and the direction as a number for the memo: 0-1 without an entry, 2-3 with one that does not
 * predict taken, 4-6 with one that does (4: not taken, 5: taken to another target, 6: right). */
enum { PAIRS_ANSWERS = 7 };
static inline unsigned predictor_pairs_number(const branch_answer *answer, bool taken)
{
    if (answer->predicted_taken)
        return 4u + taken + (taken & answer->right);
    return 2u * answer->hit + taken;
}

/* Handles a pair without a branch that follows `previous_pair`. Returns whether there is an entry that predicts taken,
 * which is not so after a flush. Decrements the entry's state; if it predicts taken, only with `taken`. */
static inline bool predictor_decrement(predictor *p, uint32_t previous_pair, bool taken)
{
    const btb_branch branch = btb_by_pair(previous_pair);
    btb_entry *entry = btb_find(&p->btb, &branch);
    if (!entry || entry->state == 0)
        return false;
    const bool predicted_taken = entry->state >= 2 && !predictor_pairs_follows_wrong(p, previous_pair);
    if (taken || !predicted_taken)
        entry->state--;
    return predicted_taken;
}

#endif
