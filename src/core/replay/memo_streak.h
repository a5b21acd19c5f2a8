/* Following a streak of usual answers, inlined into the hot path. */
#ifndef CORE_REPLAY_MEMO_STREAK_H
#define CORE_REPLAY_MEMO_STREAK_H

#include "core/replay/memo_tree.h"
#include "core/branch/predictor_pairs.h"
#include "core/profile/profiler.h"

/* Where the lines of a streak are. They are present if they are in the code cache, with the end bits that
 * have to be known, and none of them is on its way there. */
typedef enum memo_found {
    MEMO_ABSENT,
    MEMO_PRESENT, /* they have to be used */
    MEMO_AT_HAND  /* their fetches change nothing */
} memo_found;

/* memo_price.c. The path of this execution of `p`, as pricing will find it. NULL: there is none. */
memo_path *memo_path_of(p5_core *core, const p5_retired *r, piece *p, bool taken);
/* The path that leads from where the core stands into `p`, of variant `key`, with `accesses`, behind those of
 * what waits. NULL: out of memory, or the memo is not for it. */
memo_path *memo_look_up(p5_core *core, piece *p, uint32_t key, const p5_access *accesses);
/* memo.c. The first use of a leaf since totals were formed, or in another context or at another level than
 * the last; or they are so many that they have to go elsewhere. */
void memo_begin_to_use(p5_core *core, memo_leaf *leaf);
/* memo_walk.c */
/* memo_find_lines of a streak whose lines are not all at hand. */
memo_found memo_look_for_lines(const p5_core *core, const memo_streak *streak);
/* Asks the steps of a streak at whatever clock; answers how many have their usual answer. */
unsigned memo_steps_busy(p5_core *core, const p5_access *accesses, const memo_streak *streak);
/* ... if anything can be in their way. */
unsigned memo_steps_disturbed(p5_core *core, const p5_access *accesses, const memo_streak *streak);
/* The step `n` of a streak, a reference, has its usual answer. */
bool memo_step_usual(p5_core *core, const memo_streak *streak, ptrdiff_t n, const p5_access *access);
/* No answer of memory_ask. */
enum { MEMO_UNASKED = DATA_USUAL + 1 };
/* Follows the tree of `path` from its root, or from `at`, if that is not NULL, with nothing but usual answers
 * before; `answered`: the reference there has been, or MEMO_UNASKED. Question by question up to an answer
 * that is not the usual one, then the streak that begins there, and so on; answers the leaf. NULL: the tree
 * ends, behind as many questions as `known` of the memo says, of which those that stand in `given` had other
 * than usual answers. Of the stretch it wants to know its references, the address it went on at, and what was
 * said of its end. */
memo_leaf *memo_walk(p5_core *core, memo_path *path, const p5_access *accesses, memo_node *at,
                     uint64_t answered, uint32_t next, p5_prediction said);
/* memo_behind_data, if it was not the answer used last. */
memo_streak *memo_behind_other(p5_core *core, memo_node *node, uint64_t answer);

static inline uint64_t memo_clock(const p5_core *core, int32_t offset)
{
    return core->now + (uint64_t)(int64_t)offset;
}

/* Asks the reference at `node`, which is one of `accesses`, as memory_ask. */
static inline uint64_t memo_ask(p5_core *core, const memo_node *node, const p5_access *accesses)
{
    memo_asks_for(core, node->who);
    return memory_ask(core->memory, accesses + node->index, memo_clock(core, node->offset), node->how);
}

/* What is behind its answer, which is not the usual one. NULL: it never came before. */
static inline memo_streak *memo_behind_data(p5_core *core, memo_node *node, uint64_t answer)
{
    memo_streak *edge = memo_edge_at(&core->memo, node->edge);
    if (__builtin_expect(answer == DATA_LONG || node->edge == 0 || edge->word != answer, 0))
        return memo_behind_other(core, node, answer);
    return edge;
}

/* The memo may price stretches at `cpl`, and but for the profile there is nothing to be done before. */
static inline bool memo_prices(const p5_core *core, unsigned cpl)
{
    return counts_class(cpl) == core->cpl_class && !core->long_way && !core->faulted_in_v;
}

/* An MMX instruction of it may not pair (CR0.TS or EM), of which nothing remembered knows. In a machine it
 * faults, and not all of the block is executed; who feeds a core may say otherwise. */
static inline bool memo_may_not_pair(const p5_core *core, const p5_block *block)
{
    return core->control.fpu_trap && block->mmx;
}

/* Notes in the profile, if one is made, a stretch that is all of `block`. False: that is more than a note. */
static inline bool memo_notes(p5_core *core, p5_block *block, uint32_t next)
{
    return !core->profile || profile_goes_on(core->profile, block, next, core->now);
}

/* P54C: the address by which the group at `node`, which has no branch, looks into the BTB: that of the group
 * before. */
static inline uint32_t memo_passed_group(const p5_core *core, const memo_node *node)
{
    return node->index == 1 ? memo_last_u(core) : node->address;
}

/* P54C: the branch at `node` as it was executed. */
static inline branch_query memo_query(const p5_core *core, const p5_block *block, uint32_t next,
                                      const memo_node *node, bool taken)
{
    return (branch_query){.address = block->branch_address,
                          .last_byte = block->fall_through - 1,
                          .pair = node->address,
                          .previous_pair = node->index == 1 ? memo_last_u(core) : node->previous,
                          .target = next,
                          .fall_through = block->fall_through,
                          .kind = block->branch_kind,
                          .taken = taken,
                          .in_v = node->in_v,
                          .unpaired_chance = node->chance,
                          .loop_pairs = branch_run_pairs(block->ran, core->groups + (uint64_t)node->index)};
}

/* ... as its number, or 0. */
static inline uint32_t memo_told(const memo_streak *streak, p5_prediction prediction)
{
    return streak->told[prediction];
}

/* The leaf behind the branch of a streak. NULL: it is not known, or (P54C) the branch has to be asked. */
static inline memo_leaf *memo_behind_branch(const memo *m, const memo_streak *streak,
                                            p5_prediction prediction)
{
    const uint32_t number = memo_told(streak, prediction);
    return __builtin_expect(number != 0, 1) ? memo_leaf_at(m, number) : NULL;
}

/* P54C: the step `n` of a streak is a group that passes the BTB; it has its usual answer. */
static inline bool memo_is_passed(const memo *m, const memo_streak *streak, ptrdiff_t n)
{
    return memo_node_at(m, streak->steps[n].node)->kind == MEMO_PASSED;
}

static inline bool memo_passes(const p5_core *core, const memo_streak *streak, ptrdiff_t n)
{
    const memo_node *node = memo_node_at(&core->memo, streak->steps[n].node);
    return predictor_passes(core->predictor, memo_passed_group(core, node));
}

/* Asks the steps of a streak that are references at calm clocks, the last of which is in front of `end`;
 * answers the first that has not its usual answer, or `end`. */
static inline __attribute__((always_inline)) const data_expected *memo_go_calmly(struct memory *m,
                                                                                 const p5_access *accesses,
                                                                                 const memo_streak *streak,
                                                                                 const data_expected *end)
{
    const p5_access *access = accesses + streak->first_access;
    const data_expected *expected = memo_expected(streak);
    for (; expected != end; expected++, access++)
        if (__builtin_expect(!memory_data_expected(m, access, expected), 0))
            break;
    return expected;
}

/* Steps in front of `reached`. */
static inline unsigned memo_steps_to(const memo_streak *streak, const data_expected *reached,
                                     const data_expected *end)
{
    return streak->step_count - (unsigned)(end - reached);
}

/* As memo_steps_busy, at calm clocks. */
static inline __attribute__((always_inline)) unsigned
memo_steps_calm(p5_core *core, const p5_access *accesses, const memo_streak *streak)
{
    const data_expected *const end = memo_expected(streak) + streak->step_count;
    return memo_steps_to(streak, memo_go_calmly(core->memory, accesses, streak, end), end);
}

/* ... while something is under way that concerns few of them. `only_data`: the streak's. */
static inline __attribute__((always_inline)) unsigned
memo_steps_passing(p5_core *core, const p5_access *accesses, const memo_streak *streak, bool only_data)
{
    struct memory *m = core->memory;
    if (__builtin_expect(memory_special(m, memo_clock(core, streak->last_offset)), 0))
        return memo_steps_disturbed(core, accesses, streak);
    const memory_concern concern = memory_concerns(m, memo_clock(core, streak->first_offset));
    const p5_access *access = accesses + streak->first_access;
    const data_expected *const first = memo_expected(streak), *const end = first + streak->step_count;
    const data_expected *expected = first;
    for (; expected != end; expected++) {
        bool usual;
        if (!only_data && expected->kind == 0 && memo_is_passed(&core->memo, streak, expected - first))
            usual = memo_passes(core, streak, expected - first);
        else if (__builtin_expect(memory_is_concerned(&concern, access, expected), 0))
            usual = memo_step_usual(core, streak, expected - first, access++);
        else if ((expected->write & concern.writes) &&
                 memory_order_holds(m, memo_clock(core, streak->steps[expected - first].offset)))
            usual = false;
        else
            usual = memory_hits(m, access++, expected);
        if (!usual)
            break;
    }
    return (unsigned)(expected - first);
}

/* Asks the steps of a streak. */
static inline __attribute__((always_inline)) unsigned memo_steps(p5_core *core, const p5_access *accesses,
                                                                 const memo_streak *streak)
{
    if (streak->step_count == 0)
        return 0;
    if (__builtin_expect(!streak->only_data, 0))
        return memo_steps_busy(core, accesses, streak);
    const bool calm = memory_calm(core->memory, memo_clock(core, streak->first_offset),
                                  memo_clock(core, streak->last_offset));
    return calm ? memo_steps_calm(core, accesses, streak) : memo_steps_passing(core, accesses, streak, true);
}

/* The fetches of a streak hit the code TLB. */
static inline bool memo_code_page_usual(struct memory *m, const piece *p, const memo_streak *streak)
{
    return tlb_at_hand(memory_code_tlb(m), p->page) || !streak->asks_code ||
           memory_code_page_usual(m, p->page);
}

/* The fetches of a streak whose lines are in the code cache have their usual answers. */
static inline bool memo_code_usual(p5_core *core, const piece *p, const memo_streak *streak)
{
    struct memory *m = core->memory;
    return !streak->asks_code ||
           (memory_undisturbed(m, memo_clock(core, streak->last_code)) && memo_code_page_usual(m, p, streak));
}

/* Notes what is looked at of the lines of a streak. */
static inline void memo_note_lines(memo_streak *streak)
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
        memo_begin_streak(streak);
}

/* The lines of a streak are few and at hand. No branch depends on how many they are: it is another number for
 * every piece. */
static inline bool memo_lines_at_hand(const p5_core *core, const memo_streak *streak)
{
    const code_cache *code = memory_code_cache(core->memory);
    return (code_cache_moves(code, streak->set[0], streak->tag[0]) |
            code_cache_moves(code, streak->set[1], streak->tag[1])) == 0;
}

/* A line is still on its way to the code cache when those of the streak are fetched. */
static inline bool memo_is_filling(const p5_core *core, const memo_streak *streak, uint32_t line)
{
    return memory_code_filling(core->memory, line, memo_clock(core, streak->first_code));
}

/* Where few lines are that are not all at hand: four bits each, of which one says the way of the code cache.
 * 0: they are not present, or not so few. */
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

/* What their fetches leave behind. */
static inline void memo_use_matches(p5_core *core, const memo_streak *streak, unsigned matches)
{
    code_cache *code = memory_code_cache(core->memory);
    _Static_assert(MEMO_FEW == 2, "both");
    code_cache_hit_as(code, streak->set[0], (unsigned)__builtin_ctz(matches), streak->tag[0]);
    code_cache_hit_as(code, streak->set[1], (unsigned)__builtin_ctz(matches >> CACHE_WAYS), streak->tag[1]);
}

static inline memo_found memo_find_lines(const p5_core *core, const memo_streak *streak)
{
    return memo_lines_at_hand(core, streak) ? MEMO_AT_HAND : memo_look_for_lines(core, streak);
}

/* What the fetches of present lines leave behind, when the streak has been followed for `n` steps. */
static inline void memo_use_lines(p5_core *core, const memo_streak *streak, unsigned n)
{
    code_cache *code = memory_code_cache(core->memory);
    const memo_line *line = memo_lines(streak), *end = line + streak->line_count;
    const uint32_t number =
        n == streak->step_count ? UINT32_MAX : memo_question(&core->memo, streak, n)->number;
    for (; line != end; line++)
        if (line->number < number && !code_cache_at_hand(code, line->physical))
            code_cache_hit(code, cache_set(line->physical), (unsigned)code_cache_find(code, line->physical));
}

/* Follows a streak of `p` as far as the answers are usual. Answers the place where that is no longer known.
 */
static inline __attribute__((always_inline)) memo_node *
memo_follow(p5_core *core, const piece *p, const p5_access *accesses, memo_streak *streak)
{
    const memo_found lines = memo_find_lines(core, streak);
    if (__builtin_expect(lines == MEMO_ABSENT || !memo_code_usual(core, p, streak), 0))
        return streak->first;
    const unsigned n = memo_steps(core, accesses, streak);
    if (lines == MEMO_PRESENT)
        memo_use_lines(core, streak, n);
    return memo_question(&core->memo, streak, n);
}

/* What is said of the end of a piece: nothing, if it is no branch that is predicted. */
static inline p5_prediction memo_prediction(const piece *p, p5_prediction prediction)
{
    return prediction & p->near; /* no branch depends on the guest's */
}

/* A leaf behind a branch of the P55C comes: a piece has been priced. False: it is that of number 0, which is
 * none, and never in use. */
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

/* What comes with a leaf: `p` has been priced. */
static inline void memo_use(p5_core *core, memo_leaf *leaf, const piece *p)
{
    if (__builtin_expect(core->timing.btb_by_pairs, 0)) {
        if (leaf->groups == 1)
            core->pipe.previous_u = memo_last_u(core);
        core->groups += leaf->groups;
        if (!p->next && p->block->branch_kind != ISA_NOT_BRANCH)
            p->block->ran->groups = core->groups;
    }
    memo_use_predicted(core, leaf);
}

/* The path that was taken last time from where the core stands; of no piece if there is none. */
static inline memo_path *memo_next_path(const p5_core *core)
{
    return memo_path_at(&core->memo, memo_last(&core->memo)->next_path);
}

#endif
