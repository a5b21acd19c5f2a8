/* The predictor: opening, the rarer cases of prediction, and snapshots. The frequent cases are in predictor_fast.h (P55C)
 * and predictor_pairs.h (P54C). */
#include "core/branch/predictor_fast.h"
#include "core/branch/predictor_pairs.h"

#include <stdlib.h>

predictor *predictor_open(const p5_model *model)
{
    predictor *p = host_line_calloc(sizeof *p);
    if (p == NULL)
        return NULL;
    btb_init(&p->btb, &model->btb);
    p->stale_instructions = model->btb.stale_instructions;
    const uint32_t counter = model->btb.first_counter, both = PATTERN_PREDICTION | PATTERN_STALE;
    /* A branch gets an entry when it is taken, and its next prediction is taken: LOOP and JCXZ repeat their last
     * direction. Only a Jcc is predicted by its counters, whose first value is the model's. */
    for (unsigned jcc = 0; jcc < 2; jcc++)
        p->fresh[jcc] =
            (btb_entry){.counters = counter * (UINT32_MAX / 3), /* repeated for each counter */
                        .pattern = model->btb.first_history * PATTERN_LAST | (jcc && counter < 2 ? 0 : both)};
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
    return predictor_decrement(p, previous_pair, true);
}

/* ---- P55C: lookup by 241428, 2.2; patterns by Agner Fog, chapter 3; entries as TR9-TR11 show them ---- */

/* Fills a new entry for `branch`, which was taken and led to `next`. Nothing changes when a JMP, direct or indirect, goes
 * there again. */
static inline void begin(predictor *p, btb_entry *entry, const btb_branch *branch, uint32_t next)
{
    *entry = p->fresh[branch->kind == ISA_JCC];
    entry->used = p->now;
    entry->settled = btb_type_of(branch->owner) == BTB_JMP ? next : BTB_NEVER_SETTLED;
    entry->target = next;
}

unsigned predictor_false_entry(predictor *p, btb_entry *entry, branch_run *ran, uint32_t next,
                               uint32_t fall_through, uint64_t now)
{
    const uint64_t since_last = now - entry->used; /* what is in the entry depends on its own last use */
    uint32_t *owner = &p->btb.owner[entry - p->btb.entry];
    const btb_type type = btb_type_of(ran->branch.owner), other = btb_type_of(*owner);
    const bool taken = type != BTB_JCC || next != fall_through;
    unsigned prediction = PREDICTED_FALSELY | (taken ? OWN_TAKEN : 0);
    if (other != BTB_JCC || predictor_direction(p, entry, since_last))
        prediction |= OWN_PREDICTED_TAKEN;
    if (type == BTB_CALL)
        return_stack_push(&p->returns, fall_through);
    if (type == BTB_RET)
        return_stack_pop(&p->returns);
    if (type == BTB_RET && other == BTB_RET)
        prediction |= FALSE_RETURN;
    if (since_last > p->stale_instructions) /* the prediction after its last outcome is in the entry by now */
        entry->pattern =
            (entry->pattern & ~(unsigned)PATTERN_STALE) | (entry->pattern & PATTERN_PREDICTION) * 2;
    p->now = ran->instructions = entry->used = now;
    if (taken && predictor_may_allocate(p, next, fall_through)) {
        *owner = ran->branch.owner;
        begin(p, entry, &ran->branch, next);
    }
    return prediction;
}

unsigned predictor_no_entry(predictor *p, branch_run *ran, uint32_t next, uint32_t fall_through, uint64_t now)
{
    const btb_type type = btb_type_of(ran->branch.owner);
    p->now = ran->instructions = now;
    if (type == BTB_CALL)
        return_stack_push(&p->returns, fall_through);
    if (type == BTB_RET)
        return_stack_pop(&p->returns);
    if (predictor_may_allocate(p, next, fall_through))
        begin(p, btb_allocate(&p->btb, &ran->branch), &ran->branch, next);
    return PREDICTED_NOTHING_TAKEN;
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* FIELD_DERIVED names a member that is not saved. Before loading, it has the model's value. */
static const snapshot_table return_stack_state = {
    SNAPSHOT(return_stack, "return_stack", FIELD_ANY_OF([0], address), FIELD_DERIVED(entries),
             FIELD_MOST(RETURN_STACK_ENTRIES - 1, top), FIELD_MOST(RETURN_STACK_ENTRIES, count))};

/* The BTB and the predictor in snapshots. */
typedef struct saved_btb {
    btb_raw entry[BTB_ENTRIES];
    uint32_t random;
} saved_btb;
static const snapshot_table btb_state = {
    SNAPSHOT(saved_btb, "btb", FIELD_TABLE(&btb_raw_state, entry), FIELD_RANGE(1, 0xffff, random))};

typedef struct saved_predictor {
    saved_btb btb;
    return_stack returns;
    uint64_t now;
    bool wrong;
    uint32_t wrong_pair;
} saved_predictor;

/* Rejects a return stack whose `top` or `count` does not fit its size. */
static void check_predictor(const void *row, snapshot *s)
{
    const return_stack *returns = &((const saved_predictor *)row)->returns;
    if (returns->count > returns->entries || (returns->top != 0 && returns->top >= returns->entries))
        snapshot_refuse(s, "predictor.returns: count %u or top %u is too large for a stack of %u entries",
                        returns->count, returns->top, returns->entries);
}

const snapshot_table predictor_state = {SNAPSHOT(saved_predictor, "predictor", FIELD_TABLE(&btb_state, btb),
                                                 FIELD_TABLE(&return_stack_state, returns), FIELD_ANY(now),
                                                 FIELD_FLAG(wrong), FIELD_ANY(wrong_pair)),
                                        .check = check_predictor};

void predictor_transfer(predictor *p, snapshot *s)
{
    saved_predictor saved = {.btb.random = p->btb.random,
                             .returns = p->returns,
                             .now = p->now,
                             .wrong = p->wrong,
                             .wrong_pair = p->wrong_pair};
    for (unsigned i = 0; i < BTB_ENTRIES; i++)
        saved.btb.entry[i] = btb_raw_of(&p->btb, i);
    snapshot_state(s, &predictor_state, &saved);
    if (!s->loading || s->status != P5_OK)
        return;
    for (unsigned i = 0; i < BTB_ENTRIES; i++)
        btb_set_raw(&p->btb, i, &saved.btb.entry[i]);
    p->btb.random = saved.btb.random;
    p->returns = saved.returns;
    p->now = saved.now;
    p->wrong = saved.wrong;
    p->wrong_pair = saved.wrong_pair;
}
