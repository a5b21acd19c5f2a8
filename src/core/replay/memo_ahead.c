/* Determines the clocks that memo_price.c will find, without changing anything. */
#include "core/core.h"
#include "core/replay/memo_streak.h"
#include "core/branch/predictor_pairs.h"

/* Returns whether the reference hits as memory_data_expected would find. Earlier hits displace nothing. */
static bool hits(const struct memory *m, const p5_access *access, const data_expected *expected)
{
    return memory_as_expected(access, expected) && memory_hit(m, access->physical, expected->write) >= 0 &&
           memory_has_page(m, access);
}

static bool code_is_usual(const p5_core *core, const piece *p, const memo_streak *streak)
{
    const struct memory *m = core->memory;
    if (memo_find_lines(core, streak) == MEMO_ABSENT)
        return false;
    return !streak->asks_code || (memory_undisturbed(m, memo_clock(core, streak->last_code)) &&
                                  memory_has_code_page(m, piece_begin(p)));
}

/* P54C: Returns whether the BTB has no entry for a group without a branch. Such a lookup does not change the
 * BTB for the branch either. */
static bool passes(const p5_core *core, const memo_node *node)
{
    const btb_branch branch = btb_by_pair(memo_passed_group(core, node));
    return predictor_passing(btb_find(&core->predictor->btb, &branch)) == PASSES_NOTHING;
}

/* Returns whether all answers on the streak will be usual. */
static bool is_usual(const p5_core *core, const p5_retired *r, const piece *p, const memo_streak *streak)
{
    const struct memory *m = core->memory;
    bool references = streak->last_offset != MEMO_NEVER;
    if (!code_is_usual(core, p, streak) ||
        (references &&
         !memory_calm(m, memo_clock(core, streak->first_offset), memo_clock(core, streak->last_offset))))
        return false;
    const p5_access *access = r->accesses + streak->first_access;
    for (unsigned i = 0; i < streak->step_count; i++) {
        const memo_node *node = memo_node_at(&core->memo, streak->steps[i].node);
        if (node->kind == MEMO_PASSED ? !passes(core, node) : !hits(m, access++, &memo_expected(streak)[i]))
            return false;
    }
    return true;
}

static uint64_t try_reference(p5_core *core, const p5_retired *r, const memo_node *node)
{
    return memory_trial_ask(&core->trial, core->memory, &r->accesses[node->index],
                            memo_clock(core, node->offset), node->how);
}

/* Returns the first question of a streak whose answer is not usual, or the streak's end, with the answer if
 * the question is a reference. NULL: the answer is not known. */
static const memo_node *try_streak(p5_core *core, const p5_retired *r, const memo_streak *streak,
                                   uint64_t *answer)
{
    for (const memo_step *step = streak->steps, *end = step + streak->step_count; step < end; step++) {
        const memo_node *node = memo_node_at(&core->memo, step->node);
        if (node->kind == MEMO_DATA)
            *answer = try_reference(core, r, node);
        else if (!passes(core, node))
            return NULL;
        if (node->kind == MEMO_DATA && *answer != memo_usual(core->memory, node))
            return node;
    }
    *answer = DATA_USUAL;
    if (streak->end->kind == MEMO_DATA)
        *answer = try_reference(core, r, streak->end);
    return streak->end;
}

/* Follows edges to the streak that ends at the stretch's branch. Returns NULL if that is not known. */
static const memo_streak *last_streak(p5_core *core, const p5_retired *r, const piece *p,
                                      const memo_streak *streak)
{
    while (streak) {
        uint64_t answer = DATA_LONG;
        const memo_node *node = NULL;
        if (streak->end && code_is_usual(core, p, streak))
            node = try_streak(core, r, streak, &answer);
        if (node && node->kind == MEMO_BRANCH)
            break;
        streak = node && answer > DATA_USUAL
                     ? memo_edge_behind(&core->memo, node, &(memo_answer){{0, 0, 0, answer}})
                     : NULL;
    }
    return streak;
}

/* P54C: Returns the leaf after the branch, according to the BTB's present entry. NULL: the outcome never
 * occurred before. */
static const memo_leaf *behind_pair(const p5_core *core, const p5_retired *r, const memo_streak *streak,
                                    bool taken)
{
    const branch_query query = memo_query(core, r->block, r->next, streak->end, taken);
    predictor *p = core->predictor;
    const btb_branch branch = btb_by_pair(query.previous_pair);
    branch_answer answer = predictor_pairs_answer(p, &query, btb_find(&p->btb, &branch));
    return memo_behind_branch(&core->memo, streak, (p5_prediction)predictor_pairs_number(&answer, taken));
}

/* Returns the leaf with which the piece `p` will end, or NULL if that is not known. `alone`: the piece is its
 * whole block, so no other piece has to be tried before or after it. */
static const memo_leaf *leaf_ahead(p5_core *core, const p5_retired *r, piece *p, bool alone,
                                   p5_prediction prediction)
{
    bool taken = block_taken(r->block, r->next);
    const memo_path *path = memo_path_of(core, r, p, taken);
    const memo_streak *streak = path ? &path->streak : NULL;
    if (!streak || !streak->end)
        return NULL;
    if (!alone || streak->end->kind != MEMO_BRANCH || !is_usual(core, r, p, streak)) {
        if (alone)
            memory_trial_begin(&core->trial, core->memory);
        streak = last_streak(core, r, p, streak);
        if (alone)
            memory_trial_end(&core->trial, core->memory);
    }
    if (!streak)
        return NULL;
    return core->timing.btb_by_pairs && p->near
               ? behind_pair(core, r, streak, taken)
               : memo_behind_branch(&core->memo, streak, memo_prediction(p, prediction));
}

bool memo_ahead(p5_core *core, const p5_retired *r, p5_prediction prediction, uint64_t *clocks)
{
    p5_block *block = r->block;
    const pipe_pending *waiting = memo_waiting(core);
    if (core->long_way || memo_is_held(core) || r->count != block->count ||
        r->access_count != block->access_count || r->value_count != block->value_count ||
        (r->unsafe_x87 | r->interrupted) || counts_class(r->cpl) != core->cpl_class ||
        (waiting && waiting->insn.access_count > 0))
        return false;
    /* The core moves from piece to piece, and is restored afterwards. */
    memo *m = &core->memo;
    const uint32_t last = m->last;
    memo_state *current = m->current;
    const uint64_t now = core->now, groups = core->groups;
    const p5_access *accesses = r->accesses;
    const p5_value *values = r->values;
    const memo_leaf *leaf = NULL;
    const bool alone = block->first.next == NULL;
    if (!alone)
        memory_trial_begin(&core->trial, core->memory);
    for (piece *p = &block->first; p; p = p->next) {
        const p5_retired part = piece_retired(r, p, accesses, values);
        leaf = leaf_ahead(core, &part, p, alone, prediction);
        if (!leaf)
            break;
        m->last = memo_leaf_number(m, leaf);
        core->now += leaf->clocks;
        core->groups += leaf->groups;
        accesses += part.access_count;
        values += part.value_count;
    }
    if (!alone)
        memory_trial_end(&core->trial, core->memory);
    *clocks = core->now - now;
    core->now = now;
    core->groups = groups;
    m->last = last;
    m->current = current;
    return leaf != NULL;
}
