/* Walks a path's tree of stored answers, usual or not. This is off the hot path (memo_batch.c), which handles most
 * usual answers itself.
 *
 * A *path* is the memo's entry for a *piece* (a basic block or a part of it) that starts from one state of the
 * pipe. The pipe's lookups are *questions*, the nodes of the tree: code lines, data references, end bits, the BTB.
 * An answer is *usual* if it is a hit that waits for nothing. A *streak* is the questions from the beginning of the
 * path, or after another answer (then it is the *edge* of that answer), as long as answers are usual. Its *lines*
 * are the code lines and end bits that it needs, its *steps* the other questions. A *leaf* is the outcome
 * (memo_tree.h).
 *
 * To ask a question is to make the lookup, which changes caches, TLBs and predictor as the pipe's lookup would. */
#include "core/replay/memo_streak.h"

#include <assert.h>

#include "core/branch/predictor_pairs.h"

/* ---- streaks ------------------------------------------------------------------------------------------- */

/* P54C: Returns the address with which the group (the one or two instructions that issue together) at `node`, which
 * has no branch, is looked up in the BTB: the address of the previous group's U instruction. */
static inline uint32_t passed_group(const p5_core *core, const memo_node *node)
{
    assert(node->kind == MEMO_PASSED);
    return node->branch.groups == 1 ? memo_last_u(core) : node->address;
}

/* Asks the question of step `n` of a streak, if its answer is the usual one; otherwise returns false without a change
 * of the caches and the predictor. `*access` is the next reference of the streak; it is advanced if the step is a
 * reference. */
static inline bool step_usual(p5_core *core, const memo_streak *streak, unsigned n, const p5_access **access)
{
    assert(n < streak->step_count);
    struct memory *m = core->memory;
    const memo_step *step = &streak->steps[n];
    const data_expected *expected = &memo_expected(streak)[n];
    if (!streak->only_data && expected->kind == 0) { /* it may be a group without a branch */
        const memo_node *node = memo_node_at(&core->memo, step->node);
        if (node->kind == MEMO_PASSED)
            return !predictor_decrement(core->predictor, passed_group(core, node), false);
    }
    const p5_access *a = (*access)++;
    return memory_is_free(m, a, memo_clock(core, step->offset)) && memory_data_expected(m, a, expected);
}

/* Asks the questions of a streak's steps in order. Returns the number of steps before the first that has no usual
 * answer. `accesses`: the piece's first reference. */
static inline __attribute__((always_inline)) unsigned
count_usual_steps(p5_core *core, const p5_access *accesses, const memo_streak *streak)
{
    if (streak->step_count == 0)
        return 0;
    if (streak->only_data && memory_is_idle(core->memory, memo_clock(core, streak->first_offset),
                                            memo_clock(core, streak->last_offset))) {
        const data_expected *const end = memo_expected(streak) + streak->step_count;
        const data_expected *reached =
            memory_follow_hits(core->memory, accesses + streak->first_access, memo_expected(streak), end);
        return memo_steps_to(streak, reached, end);
    }
    const p5_access *access = accesses + streak->first_access;
    unsigned n = 0;
    while (n < streak->step_count && step_usual(core, streak, n, &access))
        n++;
    return n;
}

/* Returns whether the fetches of a streak of `p`, whose lines are in the code cache, have their usual answers: the
 * code TLB hits, and no other bus master acts. */
static inline bool code_usual(p5_core *core, const piece *p, const memo_streak *streak)
{
    struct memory *m = core->memory;
    return !streak->asks_code ||
           (memory_undisturbed(m, memo_clock(core, streak->last_code)) && memo_code_page_usual(m, p, streak));
}

/* Returns whether a line is in the code cache, where the end bits that the streak needs are known. */
static bool line_present(const code_cache *code, const memo_line *line)
{
    int way = code_cache_find(code, line->physical);
    return way >= 0 &&
           (line->ends & ~code_cache_known_ends(code, cache_set(line->physical), (unsigned)way)) == 0;
}

/* Where the lines of a streak are. All of them are present unless LINES_ABSENT. Present lines are in the code
 * cache, none of them is still being filled, and the end bits that the streak needs are known. */
typedef enum found_lines {
    LINES_ABSENT,
    LINES_PRESENT, /* their fetches update the replacement state */
    LINES_MRU      /* each is the most recently used of its set: their fetches change nothing */
} found_lines;

/* Finds the lines of a streak in the code cache. */
static found_lines find_lines(const p5_core *core, const memo_streak *streak)
{
    if (memo_lines_are_mru(core, streak))
        return LINES_MRU;
    if (memo_has_few(streak))
        return memo_match_lines(core, streak) != 0 ? LINES_PRESENT : LINES_ABSENT;
    if (!streak->end)
        return LINES_ABSENT; /* its extent is not known yet, so neither are its lines */
    const code_cache *code = memory_code_cache(core->memory);
    const memo_line *lines = memo_lines(streak);
    found_lines found = LINES_MRU;
    for (const memo_line *line = lines; line < lines + streak->line_count; line++) {
        if (memo_is_filling(core, streak, line->physical))
            return LINES_ABSENT;
        if (line->ends == 0 && code_cache_is_mru(code, line->physical))
            continue;
        if (!line_present(code, line))
            return LINES_ABSENT;
        found = LINES_PRESENT;
    }
    return found;
}

/* Asks the questions of a streak of `p` as long as the answers are usual. Returns the first question that has not
 * been asked. NULL: the streak has no questions yet. */
static inline __attribute__((always_inline)) memo_node *follow(p5_core *core, const piece *p,
                                                               const p5_access *accesses, memo_streak *streak)
{
    assert(p->block != NULL);
    const found_lines lines = find_lines(core, streak);
    if (__builtin_expect(lines == LINES_ABSENT || !code_usual(core, p, streak), 0))
        return streak->first;
    const unsigned n = count_usual_steps(core, accesses, streak);
    if (lines == LINES_PRESENT)
        memo_use_lines(core, streak, n);
    return memo_question(&core->memo, streak, n);
}

/* ---- questions ----------------------------------------------------------------------------------------- */

/* Records an answer that has no edge, so that memo_learn can add one to the tree. Always returns NULL: no edge. */
static memo_streak *__attribute__((noinline)) record_new_answer(memo *m, const memo_answer *answer)
{
    m->new_answer = *answer;
    m->has_new_answer = true;
    return NULL;
}

/* Returns the edge of an answer that is not usual. If it never occurred before, records the answer and returns
 * NULL. */
static memo_streak *__attribute__((noinline)) find_edge(memo *m, memo_node *node, memo_answer answer)
{
    memo_streak *edge = memo_find_edge(m, node, &answer);
    if (__builtin_expect(!edge, 0))
        return record_new_answer(m, &answer);
    node->edge = memo_edge_number(m, edge); /* it will probably be needed again soon */
    return edge;
}

/* Does what find_edge does, for the result `answer` of a data reference, if it is not that of the most recent edge. */
static memo_streak *__attribute__((noinline)) find_other_edge(p5_core *core, memo_node *node, uint64_t answer)
{
    return find_edge(&core->memo, node, memo_pack_data(core->memory, answer, memo_clock(core, node->offset)));
}

/* The answer to a question, and its edge unless it is the usual one. No edge: it never occurred before. */
typedef struct reply {
    memo_streak *edge;
    bool usual;
} reply;

/* Returns whether the answer for a code line is usual for every request up to clock `latest`. If so, it has made the
 * fetch. */
static inline bool usual_whenever(struct memory *m, uint32_t linear, uint32_t physical, uint64_t latest)
{
    return !memory_code_filling(m, cache_line(physical), 0) && memory_undisturbed(m, latest) &&
           memory_code_usual(m, linear, physical, latest);
}

/* The following functions ask the question of `node`; that of ask_data is for one of `accesses`. */
static inline reply ask_data(p5_core *core, memo_node *node, const p5_access *accesses)
{
    assert(node->kind == MEMO_DATA);
    memo_streak *edge = memo_edge_at(&core->memo, node->edge);
    /* With this prefetch and that of the leaf in memo_walk, a memory copy takes 0.95 of the time. */
    memo_prefetch(edge);
    memo_asks_for(core, node->data.instruction);
    const uint64_t answer =
        memory_ask(core->memory, accesses + node->data.index, memo_clock(core, node->offset), node->traits);
    if (__builtin_expect(answer == memo_usual(core->memory, node), 0))
        return (reply){.usual = true};
    if (__builtin_expect(answer == DATA_LONG || node->edge == 0 || edge->word != answer, 0))
        edge = find_other_edge(core, node, answer);
    return (reply){.edge = edge};
}

static reply __attribute__((noinline)) ask_code(p5_core *core, const p5_block *block, memo_node *node)
{
    assert(node->kind == MEMO_CODE);
    const uint32_t linear = node->address, physical = price_code_physical(core, block, linear);
    const uint64_t latest = memo_clock(core, node->offset);
    uint64_t asked = latest;
    if (node->fetches != 0) {
        /* Computing the clock of the request takes long, so this first checks whether the answer depends on it. */
        if (usual_whenever(core->memory, linear, physical, latest))
            return (reply){.usual = true};
        asked = core->now + (uint64_t)memo_asked_code(core, node->fetches, node->code.floor);
    }
    code_answer answer;
    memo_asks_for(core, node->code.instruction);
    if (memo_fetch(core, linear, physical, asked, &answer))
        return (reply){.usual = true};
    return (reply){.edge = find_edge(&core->memo, node, memo_pack_code(&answer, asked, latest))};
}

/* P54C: Asks whether the end bit at `node` is known, as it usually is (MEMO_END), or looks up a group without a
 * branch, for which the BTB usually predicts no taken branch (MEMO_PASSED). */
static reply __attribute__((noinline)) ask_other(p5_core *core, const p5_block *block, memo_node *node)
{
    const bool end = node->kind == MEMO_END;
    assert(end || node->kind == MEMO_PASSED);
    if (end ? price_end_known(core, block, node->address)
            : !predictor_passed(core->predictor, passed_group(core, node)))
        return (reply){.usual = true};
    return (reply){.edge = find_edge(&core->memo, node, memo_pack_bool(!end))};
}

/* P54C: Returns the query for the branch at `node` as it was executed. */
static branch_query query_of(const p5_core *core, const p5_block *block, uint32_t next, const memo_node *node,
                             bool taken)
{
    assert(node->kind == MEMO_BRANCH);
    return (branch_query){
        .address = block->branch_address,
        .last_byte = block->fall_through - 1,
        .pair = node->address,
        .previous_pair = node->branch.groups == 1 ? memo_last_u(core) : node->branch.previous,
        .target = next,
        .fall_through = block->fall_through,
        .kind = block->branch_kind,
        .taken = taken,
        .in_v = node->in_v,
        .missed_pairing = node->missed_pairing,
        .loop_pairs = branch_run_pairs(block->ran, core->groups + (uint64_t)node->branch.groups)};
}

/* P54C: Looks up a branch, which may find another entry each time and changes the BTB. Returns the leaf, or
 * NULL if this outcome never occurred before. */
static memo_leaf *__attribute__((noinline))
ask_pairs(p5_core *core, const p5_block *block, const memo_streak *streak, const memo_node *node,
          uint32_t next)
{
    _Static_assert((int)PAIRS_ANSWERS < (int)MEMO_OUTCOMES, "they fit");
    memo *m = &core->memo;
    const bool taken = block_taken(block, next);
    const branch_query query = query_of(core, block, next, node, taken);
    const branch_answer answer = predictor_pairs(core->predictor, &query);
    memo_leaf *leaf = memo_leaf_after(m, streak, (p5_prediction)predictor_pairs_number(&answer, taken));
    if (__builtin_expect(!leaf, 0)) {
        const memo_answer packed = memo_pack_branch(&answer, taken);
        record_new_answer(m, &packed);
    }
    return leaf;
}

/* Returns whether the question `at`, the next one after some of `streak`, is for a branch. For most streaks this
 * needs no read of the node. */
static inline bool is_branch(const memo_streak *streak, const memo_node *at)
{
    return (streak->ends_in_branch && at == streak->end) || at->kind == MEMO_BRANCH;
}

/* ---- the tree ------------------------------------------------------------------------------------------ */

/* Follows the tree of `path` from the question `at` (NULL: from the first), before which all answers were usual.
 * Returns the leaf. NULL: the tree ends here; m->answered_count and m->taken_edges then say what was asked. */
memo_leaf *memo_walk(p5_core *core, memo_path *path, const memo_execution *executed, memo_node *at)
{
    assert(!path->streak.is_edge && path->streak.piece != NULL);
    memo *m = &core->memo;
    const piece *p = path->streak.piece;
    memo_streak *streak = &path->streak;
    const memo_streak **taken = m->taken_edges;
    uint32_t count = 0;
    if (!at)
        at = follow(core, p, executed->accesses, streak);
    while (at) {
        if (is_branch(streak, at)) {
            memo_leaf *leaf = p->predicted && core->timing.btb_by_pairs
                                  ? ask_pairs(core, p->block, streak, at, executed->next)
                                  : memo_leaf_after(m, streak, executed->prediction);
            if (__builtin_expect(leaf != NULL, 1))
                return leaf;
            /* If ask_pairs found a new answer, the branch counts as answered; otherwise the pipe will ask. */
            count = at->number + m->has_new_answer;
            break;
        }
        const reply r = __builtin_expect(at->kind == MEMO_DATA, 1) ? ask_data(core, at, executed->accesses)
                        : at->kind == MEMO_CODE                    ? ask_code(core, p->block, at)
                                                                   : ask_other(core, p->block, at);
        count = at->number + 1;
        if (__builtin_expect(r.usual, 0)) {
            at = memo_after_usual(m, at);
            continue;
        }
        if (__builtin_expect(!r.edge, 0))
            break;
        assert(r.edge->is_edge && taken < m->taken_edges + m->record_capacity);
        *taken++ = streak = r.edge;
        __builtin_prefetch(memo_leaf_at(m, memo_leaf_of(streak, executed->prediction)));
        at = streak->is_over ? streak->end : follow(core, p, executed->accesses, streak);
    }
    m->taken_edge_count = (unsigned)(taken - m->taken_edges);
    m->answered_count = count;
    return NULL;
}
