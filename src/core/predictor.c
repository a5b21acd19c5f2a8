#include "core/predictor_fast.h"

#include <stdlib.h>
#include <string.h>

predictor *predictor_open(const p5_model *model)
{
    predictor *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    btb_init(&p->btb, &model->btb);
    return_stack_init(&p->returns, model->btb.return_entries);
    return p;
}

void predictor_close(predictor *p)
{
    free(p);
}

void predictor_set_control(predictor *p, bool no_allocation)
{
    p->no_allocation = no_allocation;
}

void predictor_flush(predictor *p)
{
    btb_flush(&p->btb);
}

/* A branch to the instruction behind it never gets an entry and is always wrong. */
static bool may_allocate(const predictor *p, const branch_query *query)
{
    return query->taken && query->target != query->fall_through && !p->no_allocation;
}

/* ---- P54C: behaviour after Agner Fog, 3; entries as TR9 and TR11 show them (manual, 26.2.1.3) ---- */

/* State after an execution; taken: 0->3 1->2 2->3 3->3, not taken: one down. In a tight loop the old counter
 * is forwarded before the entry is updated, so that a taken branch leads from 0 to 1. */
static uint8_t next_state(uint8_t state, bool taken, bool tight)
{
    if (!taken)
        return (uint8_t)(state > 0 ? state - 1 : 0);
    if (state == 0)
        return tight ? 1 : 3;
    return state == 3 ? 3 : (uint8_t)(state + 1);
}

/* A loop that fits the 16 bytes at hand and begins with them: the prefetcher has nothing to load for its
 * branch. */
static bool target_at_hand(const branch_query *query)
{
    return query->target % 16 == 0 && query->target == (query->last_byte & ~15u);
}

/* True if the branch cannot have its target loaded because it is in the pair executed right after that of a
 * branch that was predicted wrong. Measured with Linux's delay loop, DEC and JNS in one pair: wrong for ever
 * as the pair after itself, 5 clocks, but 1 clock when the loop is aligned to 16 bytes. The reason given by
 * target_at_hand is inferred (btb.aligned_loop_at_hand). */
static bool follows_wrong(const predictor *p, const branch_query *query)
{
    return p->wrong && query->previous_pair == p->wrong_pair &&
           !(p->btb.model->aligned_loop_at_hand && target_at_hand(query));
}

static void branch_p54c(predictor *p, const branch_query *query, branch_answer *answer)
{
    btb_entry *entry = btb_find(&p->btb, query->previous_pair);
    bool tight = query->loop_pairs != 0 && query->loop_pairs <= p->btb.model->tight_loop_pairs;
    answer->hit = entry != NULL && entry->state != 0;
    answer->predicted_taken = answer->hit && entry->state >= 2 && !follows_wrong(p, query);
    answer->right =
        answer->predicted_taken == query->taken && (!query->taken || entry->target == query->target);
    if (query->taken && query->target == query->fall_through)
        answer->right = false;

    if (entry != NULL && (answer->hit || tight)) {
        entry->state = next_state(entry->state, query->taken, tight);
        if (query->taken)
            entry->target = query->target;
        btb_used(&p->btb, entry);
    } else if (may_allocate(p, query) && !query->unpaired_chance) {
        entry = btb_allocate(&p->btb, query->previous_pair);
        entry->state = 3;
        entry->target = query->target;
    }
}

bool predictor_passed(predictor *p, uint32_t previous_pair)
{
    if (p->btb.model->key != BTB_KEY_PREVIOUS_PAIR)
        return false;
    btb_entry *entry = btb_find(&p->btb, previous_pair);
    if (entry == NULL || entry->state == 0)
        return false;
    bool predicted_taken = entry->state >= 2;
    entry->state--;
    return predicted_taken;
}

/* ---- P55C: look-up 241428, 2.2; patterns after Agner Fog, 3; entries as TR9 and TR11 show them ---- */

static void new_entry(predictor *p, const branch_query *query)
{
    btb_entry *entry = btb_allocate(&p->btb, query->last_byte);
    entry->target = query->target;
    entry->offset = query->last_byte & 3;
    entry->type = (uint8_t)predictor_type(query->kind);
    entry->history = (uint8_t)p->btb.model->first_history;
    memset(entry->counter, (int)p->btb.model->first_counter, sizeof entry->counter);
    entry->prediction = entry->stale_prediction = true;
    if (entry->type == BTB_JCC && query->kind != ISA_LOOP)
        entry->prediction = entry->stale_prediction = p->btb.model->first_counter >= 2;
}

/* No entry, or that of another branch in the same dword. */
static void branch_p55c_unknown(predictor *p, const branch_query *query, const btb_entry *entry,
                                branch_answer *answer)
{
    btb_type type = predictor_type(query->kind);
    if (type == BTB_RET)
        return_stack_pop(&p->returns);
    if (entry != NULL) {
        answer->hit = answer->false_entry = true;
        answer->predicted_taken = entry->type != BTB_JCC || predictor_direction(p, entry, query->since_last);
        btb_used(&p->btb, entry);
    }
    answer->right = entry == NULL && !query->taken;
    if (type == BTB_RET)
        answer->return_predicted = entry != NULL && entry->type == BTB_RET;
    if (type == BTB_CALL)
        answer->return_stack_overflow = return_stack_push(&p->returns, query->fall_through);
    if (may_allocate(p, query))
        new_entry(p, query);
}

static void branch_p55c(predictor *p, const branch_query *query, branch_answer *answer)
{
    btb_entry *entry = btb_find(&p->btb, query->last_byte);
    if (!predictor_is_own(&p->btb, entry, query)) {
        branch_p55c_unknown(p, query, entry, answer);
        return;
    }
    bool overflow;
    unsigned own = predictor_own(p, query, entry, &overflow);
    btb_used(&p->btb, entry);
    *answer = predictor_own_answer(own, entry->type, overflow);
}

/* ---- both ---- */

void predictor_branch(predictor *p, const branch_query *query, branch_answer *answer)
{
    *answer = (branch_answer){0};
    /* Far transfers, INT and IRET do not use the BTB; they flush the pipe by themselves. */
    if (query->kind >= ISA_FAR || query->kind == ISA_NOT_BRANCH)
        return;
    if (p->btb.model->key != BTB_KEY_PREVIOUS_PAIR) {
        branch_p55c(p, query, answer);
        return;
    }
    branch_p54c(p, query, answer);
    p->wrong = !answer->right;
    p->wrong_pair = query->pair;
}
