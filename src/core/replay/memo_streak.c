/* Finds how far a streak extends, and what its fast check compares. Each lookup of the pipe is a *question*, a node
 * of the path's tree. An answer is *usual* if it is a hit that waits for nothing. A *streak* is the questions from
 * the beginning of a path, or after an answer that was not usual, up to the first question without a usual answer, or
 * the branch, which does not belong to it. The lines of the code cache whose code or end bits it needs are its
 * *lines*, its other questions are its *steps* (memo_tree.h). */
#include <assert.h>

#include "core/replay/memo_streak.h"

/* Adds the question of `node`, for a code line or an end bit, to the streak's lines, which have one element for each
 * line of the code cache. There must be space for it. */
static void need_line(memo_streak *streak, const p5_block *block, const memo_node *node)
{
    assert(node->kind == MEMO_CODE || node->kind == MEMO_END);
    uint32_t physical = cache_line(block_physical(block, node->address));
    memo_line *line = memo_lines(streak), *end = line + streak->line_count;
    while (line < end && line->physical != physical)
        line++;
    if (line == end) {
        *line = (memo_line){.physical = physical, .number = UINT32_MAX};
        streak->line_count++;
    }
    if (node->kind == MEMO_END) {
        line->ends |= 1u << (node->address & 31);
        return;
    }
    if (line->number == UINT32_MAX)
        line->number = node->number;
    streak->asks_code = true;
    /* with `fetches`, the request may come earlier than `offset` */
    const int16_t offset = (int16_t)node->offset, first = node->fetches ? MEMO_NEVER : offset;
    streak->first_code = first < streak->first_code ? first : streak->first_code;
    streak->last_code = offset > streak->last_code ? offset : streak->last_code;
}

/* Extends the streak's range of clocks of data references to that of `node`. */
static void need_data(memo_streak *streak, const memo_node *node)
{
    assert(node->kind == MEMO_DATA);
    const int16_t offset = (int16_t)node->offset;
    if (streak->last_offset == MEMO_NEVER)
        streak->first_access = (int16_t)node->data.index;
    streak->first_offset = offset < streak->first_offset ? offset : streak->first_offset;
    streak->last_offset = offset > streak->last_offset ? offset : streak->last_offset;
}

/* Returns whether `node` can be on a streak: it is no branch, a usual answer to it is known, and its clock fits into
 * MEMO_REACH. */
static bool is_on_streak(const memo_node *node)
{
    return node->kind < MEMO_BRANCH && node->usual && node->offset <= MEMO_REACH &&
           node->offset >= -MEMO_REACH;
}

/* Returns whether the question is for a code line or an end bit. */
static bool asks_of_line(const memo_node *node)
{
    return node->kind == MEMO_CODE || node->kind == MEMO_END;
}

/* Reserves space for the steps followed by the lines, and for the expected properties of the steps. Uses the
 * `bytes_available` bytes at `steps` for steps and lines if both fit. Returns false if memory is out. */
static bool reserve_steps(memo *m, memo_streak *streak, memo_step *steps, size_t bytes_available,
                          unsigned line_count)
{
    const size_t bytes = streak->step_count * sizeof *steps + line_count * sizeof(memo_line);
    if (bytes > bytes_available)
        steps = arena_alloc_line(&m->arena, bytes);
    if (streak->step_count > MEMO_INLINE)
        streak->many = arena_alloc(&m->arena, streak->step_count * sizeof *streak->many);
    streak->steps = steps;
    return steps && (streak->step_count <= MEMO_INLINE || streak->many);
}

/* Returns what a step expects of its reference, its size and flags: those that it had in the execution just learned
 * (`accesses`). */
static data_expected expected_at(const memo_node *node, const p5_access *accesses)
{
    if (node->kind != MEMO_DATA || node->misaligned)
        return (data_expected){.misaligned = node->misaligned};
    return memory_expect(&accesses[node->data.index]);
}

/* Makes the extent of a streak unknown, because its steps do not include all questions before the leaves to which it
 * leads. */
static void forget_extent(memo_streak *streak)
{
    streak->end = NULL;
    streak->is_over = false;
    memo_set_no_lines(streak);
}

/* Extends `streak`, that of `path` itself or of an edge of its tree, as far as usual answers are known now, to at
 * most 255 steps. Its steps and lines are made anew. If memory is out, its questions are asked one by one from now on. */
void memo_find_steps(p5_core *core, memo_streak *streak, memo_path *path, const p5_access *accesses)
{
    memo *m = &core->memo;
    const p5_block *block = path->streak.piece->block;
    if (streak->end && streak->ends_in_branch)
        return;
    unsigned step_count = 0, line_count = 0; /* line_count: upper bound, as questions may share a line */
    memo_node *at = streak->first;
    for (; is_on_streak(at) && step_count < UINT8_MAX; at = memo_after_usual(m, at))
        *(asks_of_line(at) ? &line_count : &step_count) += 1;
    if (line_count > block->line_count)
        line_count = block->line_count;
    if (at == streak->end) /* nothing was added */
        return;
    memo_streak found = *streak;
    found.end = at;
    found.step_count = (uint8_t)step_count;
    found.line_count = 0;
    found.asks_code = false;
    found.only_data = true;
    found.first_offset = found.first_code = INT16_MAX;
    found.last_offset = found.last_code = MEMO_NEVER;
    const size_t bytes_available = streak == &path->streak ? sizeof path->steps : 0;
    if (!reserve_steps(m, &found, path->steps, bytes_available, line_count)) {
        forget_extent(streak);
        return;
    }
    memo_step *step = found.steps;
    data_expected *expected = step_count > MEMO_INLINE ? found.many : found.expected;
    for (at = streak->first; at != found.end; at = memo_after_usual(m, at)) {
        if (asks_of_line(at)) {
            need_line(&found, block, at);
            continue;
        }
        const bool data = at->kind == MEMO_DATA;
        *step++ = (memo_step){memo_node_number(m, at), (int16_t)at->offset};
        *expected++ = expected_at(at, accesses);
        found.only_data &= data;
        if (data)
            need_data(&found, at);
    }
    memo_set_lines(&found);
    found.idle_offset = step_count != 0 ? found.first_offset : MEMO_REACH;
    found.ends_in_branch = found.end->kind == MEMO_BRANCH;
    found.is_over = step_count == 0 && found.line_count == 0;
    *streak = found;
}
