#include "core/branch/predictor_fast.h"
#include "core/branch/predictor_pairs.h"

#include <stdlib.h>
#include <string.h>

predictor *predictor_open(const p5_model *model)
{
    predictor *p = host_line_calloc(sizeof *p);
    if (p == NULL)
        return NULL;
    btb_init(&p->btb, &model->btb);
    p->stale_instructions = model->btb.stale_instructions;
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
    if (!btb_by_pairs(&p->btb))
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
    entry->steady = false;
    if (entry->type == BTB_JCC && query->kind != ISA_LOOP)
        entry->prediction = entry->stale_prediction = p->btb.model->first_counter >= 2;
}

/* Another branch's entry, in the same dword, predicts. */
static unsigned predict_falsely(predictor *p, const branch_query *query, btb_entry *entry)
{
    bool taken = entry->type != BTB_JCC || predictor_direction(p, entry, query->since_last);
    bool returns = entry->type == BTB_RET && query->kind == ISA_RET;
    entry->used = p->now;
    return PREDICTED_FALSELY | (taken ? OWN_PREDICTED_TAKEN : 0) | (query->taken ? OWN_TAKEN : 0) |
           (returns ? FALSE_RETURN : 0);
}

/* No entry, or that of another branch. */
static unsigned near_unknown(predictor *p, const branch_query *query, btb_entry *entry, bool *overflow)
{
    unsigned prediction = PREDICTED_NOTHING + query->taken;
    btb_type type = predictor_type(query->kind);
    if (type == BTB_RET)
        return_stack_pop(&p->returns);
    if (entry != NULL)
        prediction = predict_falsely(p, query, entry);
    if (type == BTB_CALL)
        *overflow = return_stack_push(&p->returns, query->fall_through);
    if (predictor_may_allocate(p, query))
        fill_entry(p, btb_allocate(&p->btb, query->last_byte, p->now), query);
    return prediction;
}

unsigned predictor_near(predictor *p, const branch_query *query, bool *overflow)
{
    btb_entry *entry = btb_find(&p->btb, query->last_byte);
    *overflow = false;
    if (!predictor_is_own(&p->btb, entry, query))
        return near_unknown(p, query, entry, overflow);
    entry->used = p->now;
    return predictor_own(p, query, entry, overflow);
}

/* ---- both ---- */

void predictor_branch(predictor *p, const branch_query *query, branch_answer *answer)
{
    *answer = (branch_answer){0};
    /* Far transfers, INT and IRET do not use the BTB; they flush the pipe by themselves. */
    if (query->kind >= ISA_FAR || query->kind == ISA_NOT_BRANCH)
        return;
    if (btb_by_pairs(&p->btb)) {
        *answer = predictor_pairs(p, query);
        return;
    }
    bool overflow;
    p->now++;
    *answer = predictor_answer(predictor_near(p, query, &overflow), query->kind);
    answer->return_stack_overflow = overflow;
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

static const snapshot_field return_stack_fields[] = {
    FIELD_ANY(return_stack, address, [0]),
    FIELD_DERIVED(return_stack, entries),
    FIELD_MOST(return_stack, top, RETURN_STACK_ENTRIES - 1),
    FIELD_MOST(return_stack, count, RETURN_STACK_ENTRIES),
};
static const snapshot_table return_stack_state = {
    SNAPSHOT_TABLE(return_stack, "return_stack", return_stack_fields)};

static const snapshot_field predictor_fields[] = {
    FIELD_TABLE(predictor, btb, &btb_state),
    FIELD_TABLE(predictor, returns, &return_stack_state),
    FIELD_DERIVED(predictor, no_allocation),
    FIELD_DERIVED(predictor, stale_instructions),
    FIELD_ANY(predictor, now),
    FIELD_FLAG(predictor, wrong),
    FIELD_ANY(predictor, wrong_pair),
};

static void check_predictor(const void *row, snapshot *s)
{
    const predictor *p = row;
    if (p->returns.count > p->returns.entries ||
        (p->returns.top != 0 && p->returns.top >= p->returns.entries))
        snapshot_refuse(s, "predictor.returns.count: %u of %u, %u on top, are not what a stack of %u has",
                        p->returns.count, p->returns.entries, p->returns.top, p->returns.entries);
}

const snapshot_table predictor_state = {SNAPSHOT_TABLE(predictor, "predictor", predictor_fields),
                                        .check = check_predictor};
