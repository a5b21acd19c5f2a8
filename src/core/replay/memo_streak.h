/* Follows a streak; inlined into the hot path. A *piece* is a basic block or a part of it; its *path* is the memo's
 * entry for one state of the pipe and one variant. The pipe's lookups are *questions*. A *streak* is the questions
 * from the beginning of a path, or after an answer that was not usual, as long as answers are *usual*: hits that
 * wait for nothing. Its *steps* are those that must be asked even if the code cache did not change: data
 * references and (P54C) BTB lookups of groups without a branch. A *leaf* is the outcome of the piece: clocks, counts,
 * the next state (memo_tree.h). */
#ifndef CORE_REPLAY_MEMO_STREAK_H
#define CORE_REPLAY_MEMO_STREAK_H

#include <assert.h>
#include "core/replay/memo_tree.h"
#include "core/profile/profiler.h"

/* memo_price.c. Returns the path of `p` from the core's state with variant `key`, and makes the last leaf lead to
 * it. The references of the instruction pending in D1 must precede `accesses`. NULL: memory is out, or the piece
 * must take the exact path. */
memo_path *memo_look_up(p5_core *core, piece *p, uint32_t key, const p5_access *accesses);
/* memo.c. Moves the leaf's uses so far to where totals are formed from, and counts further ones for the current
 * calling context of the profile and privilege class. Must be called at a leaf's first use since totals were formed
 * or since one of the two changed, and when its use counter is full. */
void memo_begin_to_use(p5_core *core, memo_leaf *leaf);
/* memo_walk.c */
/* How a piece was executed. */
typedef struct memo_execution {
    const p5_access *accesses; /* its first reference */
    uint32_t next;             /* linear address to which control went after its stretch */
    p5_prediction prediction;  /* of its branch: memo_prediction */
} memo_execution;
/* Follows the tree of `path` from `at` (NULL: from the root), which only usual answers precede. At each answer
 * that is not usual it continues with the streak of that answer's edge. Returns the leaf. NULL: the tree ends
 * after `answered_count` questions (a member of the memo), and `taken_edges` holds the edges of those with
 * unusual answers. */
memo_leaf *memo_walk(p5_core *core, memo_path *path, const memo_execution *executed, memo_node *at);

/* Returns the core clock that is `offset` after now, the beginning of the current piece. */
static inline uint64_t memo_clock(const p5_core *core, int32_t offset)
{
    return core->now + (uint64_t)(int64_t)offset;
}

/* Returns whether the memo may price stretches at `cpl`, with nothing to be done first except for the profile: the
 * privilege class stays the same, and the memo is not off. */
static inline bool memo_prices(const p5_core *core, unsigned cpl)
{
    return counts_class(cpl) == core->cpl_class && !core->memo_off && !core->faulted_in_v;
}

/* Returns whether an MMX instruction of the block may not pair (CR0.TS or EM), which the memo does not
 * distinguish. In a machine, such an instruction faults and the block is not executed completely, but another
 * owner of a core may claim otherwise. */
static inline bool memo_may_not_pair(const p5_core *core, const p5_block *block)
{
    return core->control.fpu_trap && block->memo.mmx;
}

/* Reports a stretch that is a whole block to the profile, if there is one. Returns false if the profile needs
 * more than that. */
static inline bool memo_reports(p5_core *core, p5_block *block, uint32_t next)
{
    return !core->profile || profile_goes_on(core->profile, block, next, core->now);
}

/* Returns the number of the leaf for this outcome of the streak's branch, or 0. */
static inline uint32_t memo_leaf_of(const memo_streak *streak, p5_prediction prediction)
{
    assert(prediction < MEMO_OUTCOMES);
    return streak->leaves[prediction];
}

/* Returns the leaf for this outcome of the streak's branch. NULL: it never occurred, or (P54C) the branch must be
 * looked up first. */
static inline memo_leaf *memo_leaf_after(const memo *m, const memo_streak *streak, p5_prediction prediction)
{
    const uint32_t number = memo_leaf_of(streak, prediction);
    return __builtin_expect(number != 0, 1) ? memo_leaf_at(m, number) : NULL;
}

/* Returns the number of steps of a streak before `reached`, an element of its expected properties (memo_expected),
 * whose end is `end`. */
static inline unsigned memo_steps_to(const memo_streak *streak, const data_expected *reached,
                                     const data_expected *end)
{
    assert(reached <= end && (unsigned)(end - reached) <= streak->step_count);
    return streak->step_count - (unsigned)(end - reached);
}

/* Returns whether the fetches of a streak hit the code TLB. */
static inline bool memo_code_page_usual(struct memory *m, const piece *p, const memo_streak *streak)
{
    assert(p->page != 0);
    return tlb_is_mru(memory_code_tlb(m), p->page) || !streak->asks_code ||
           memory_code_page_usual(m, p->page);
}

/* Sets the streak's tags and sets from its lines, for the hot path, if that can check them: at most MEMO_FEW lines,
 * no end bits, and only data references as steps. */
static inline void memo_set_lines(memo_streak *streak)
{
    const memo_line *line = memo_lines(streak);
    bool few = streak->line_count <= MEMO_FEW && streak->only_data;
    for (unsigned i = 0; i < MEMO_FEW; i++) {
        const bool is_line = few && i < streak->line_count;
        streak->set[i] = (uint8_t)(is_line ? cache_set(line[i].physical) : CODE_NO_SET);
        streak->tag[i] = is_line ? cache_tag(line[i].physical) : CACHE_NO_TAG;
        few &= !is_line || line[i].ends == 0;
    }
    if (!few)
        memo_set_no_lines(streak);
}

/* Returns whether the streak has at most MEMO_FEW lines, each the most recently used of its set, so that fetching
 * them changes nothing. Such a line is not being filled. No host branch depends on their number, which differs from
 * piece to piece. */
static inline bool memo_lines_are_mru(const p5_core *core, const memo_streak *streak)
{
    const code_cache *code = memory_code_cache(core->memory);
    return (code_cache_mru_differs(code, streak->set[0], streak->tag[0]) |
            code_cache_mru_differs(code, streak->set[1], streak->tag[1])) == 0;
}

/* Returns whether the code line at physical address `line` is still being filled when those of the streak are
 * fetched. */
static inline bool memo_is_filling(const p5_core *core, const memo_streak *streak, uint32_t line)
{
    return memory_code_filling(core->memory, line, memo_clock(core, streak->first_code));
}

/* Finds the streak's lines, which are not all most recently used, in the code cache. Returns CACHE_WAYS bits for
 * each, one of which is set and gives the way. 0: one of them is absent or still being filled, or there are more
 * than MEMO_FEW. */
static inline unsigned memo_match_lines(const p5_core *core, const memo_streak *streak)
{
    const code_cache *code = memory_code_cache(core->memory);
    const unsigned first = code_cache_match(code, streak->set[0], streak->tag[0]);
    const unsigned second = code_cache_match(code, streak->set[1], streak->tag[1]);
    if (first == 0 || second == 0 ||
        memo_is_filling(core, streak, streak->tag[0] | streak->set[0] * CACHE_LINE) ||
        memo_is_filling(core, streak, streak->tag[1] | streak->set[1] * CACHE_LINE))
        return 0;
    return first | second << CACHE_WAYS;
}

/* Updates the replacement state as the fetches of the lines do that memo_match_lines has found. */
static inline void memo_use_matches(p5_core *core, const memo_streak *streak, unsigned matches)
{
    assert(matches % (1u << CACHE_WAYS) != 0 && matches >> CACHE_WAYS != 0); /* a way for both */
    code_cache *code = memory_code_cache(core->memory);
    _Static_assert(MEMO_FEW == 2, "both");
    code_cache_hit_as(code, streak->set[0], (unsigned)__builtin_ctz(matches), streak->tag[0]);
    code_cache_hit_as(code, streak->set[1], (unsigned)__builtin_ctz(matches >> CACHE_WAYS), streak->tag[1]);
}

/* Updates the replacement state as the fetches of the streak's lines do, which are all present. Only fetches before
 * step `n` are made, because the streak was followed for `n` steps. */
static inline void memo_use_lines(p5_core *core, const memo_streak *streak, unsigned n)
{
    assert(n <= streak->step_count);
    code_cache *code = memory_code_cache(core->memory);
    const memo_line *line = memo_lines(streak), *end = line + streak->line_count;
    const uint32_t number =
        n == streak->step_count ? UINT32_MAX : memo_question(&core->memo, streak, n)->number;
    for (; line != end; line++)
        if (line->number < number && !code_cache_is_mru(code, line->physical))
            code_cache_hit(code, cache_set(line->physical), (unsigned)code_cache_find(code, line->physical));
}

/* Returns `prediction`, which is that of the stretch's branch, if the piece ends in that branch, otherwise 0. */
static inline p5_prediction memo_prediction(const piece *p, p5_prediction prediction)
{
    assert(p->predicted == 0 || p->predicted == UINT8_MAX);
    /* a mask, because a host branch here would be mispredicted with the guest's */
    return prediction & p->predicted;
}

/* Counts a use of the leaf with which a piece ended: its clocks pass, and it becomes the last leaf. Returns false for
 * leaf 0, the dummy, without a change. The P54C needs memo_use. */
static inline bool memo_use_predicted(p5_core *core, memo_leaf *leaf)
{
    if (__builtin_expect(leaf->used_as != core->used_as, 0)) {
        if (leaf == memo_leaf_at(&core->memo, 0))
            return false;
        memo_begin_to_use(core, leaf);
    }
    if (__builtin_expect(++leaf->uses == UINT32_MAX, 0))
        memo_begin_to_use(core, leaf);
    core->now += leaf->clocks;
    core->instructions += leaf->instructions;
    memo *m = &core->memo;
    leaf->before = m->last;
    m->last = memo_leaf_number(m, leaf);
    return true;
}

/* Counts a use of the leaf with which the piece `p` ended. For the P54C, whose BTB is looked up by groups (the one
 * or two instructions that issue together), it also keeps the U address of the group before the last, if the piece
 * had only one, and the number of the group in which the block's branch last ran. */
static inline void memo_use(p5_core *core, memo_leaf *leaf, const piece *p)
{
    assert(leaf != memo_leaf_at(&core->memo, 0) && leaf->groups <= PIECE_MOST + 1);
    if (__builtin_expect(core->timing.btb_by_pairs, 0)) {
        if (leaf->groups == 1)
            core->pipe.previous_u = memo_last_u(core);
        core->groups += leaf->groups;
        if (!p->next && p->block->branch_kind != ISA_NOT_BRANCH)
            p->block->ran->groups = core->groups;
    }
    memo_use_predicted(core, leaf);
}

/* Returns the path that followed the last leaf last time. If there is none, it is path 0, which has no piece. */
static inline memo_path *memo_next_path(const p5_core *core)
{
    return memo_path_at(&core->memo, memo_last(&core->memo)->next_path);
}

#endif
