#include "core/predictor_fast.h"
#include "core/predictor_pairs.h"

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

/* ---- P54C ---- */

bool predictor_passed(predictor *p, uint32_t previous_pair)
{
    if (p->btb.model->key != BTB_KEY_PREVIOUS_PAIR)
        return false;
    btb_entry *entry = btb_find(&p->btb, previous_pair);
    pairs_passing passing = predictor_passing(entry);
    if (passing != PASSES_NOTHING)
        entry->state--;
    return passing == PASSES_TAKEN;
}

/* ---- P55C: look-up 241428, 2.2; patterns after Agner Fog, 3; entries as TR9 and TR11 show them ---- */

static void fill_entry(const predictor *p, btb_entry *entry, const branch_query *query)
{
    entry->target = query->target;
    entry->offset = query->last_byte & 3;
    entry->type = (uint8_t)predictor_type(query->kind);
    entry->history = (uint8_t)p->btb.model->first_history;
    memset(entry->counter, (int)p->btb.model->first_counter, sizeof entry->counter);
    entry->prediction = entry->stale_prediction = true;
    if (entry->type == BTB_JCC && query->kind != ISA_LOOP)
        entry->prediction = entry->stale_prediction = p->btb.model->first_counter >= 2;
}

btb_entry *predictor_meet(predictor *p, const branch_query *query)
{
    btb_type type = predictor_type(query->kind);
    if (type == BTB_RET)
        return_stack_pop(&p->returns);
    if (type == BTB_CALL)
        return_stack_push(&p->returns, query->fall_through);
    if (!predictor_may_allocate(p, query))
        return NULL;
    btb_entry *entry = btb_allocate_new(&p->btb, query->last_byte);
    fill_entry(p, entry, query);
    return entry;
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
    if (predictor_may_allocate(p, query))
        fill_entry(p, btb_allocate(&p->btb, query->last_byte), query);
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
    if (p->btb.model->key != BTB_KEY_PREVIOUS_PAIR)
        branch_p55c(p, query, answer);
    else
        *answer = predictor_pairs(p, query);
}
