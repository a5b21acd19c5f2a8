/* The hot path: prices many *stretches*, each a whole basic block that was executed. A block consists of *pieces*.
 * For each piece the memo has *paths*, one for each state of the pipe and *variant* (a number: bank conflicts,
 * operand values ...). The pipe's lookups on a path are *questions*; an answer is *usual* if it is a hit that waits
 * for nothing. A path begins with a *streak*: its questions as long as answers are usual, and what the hot path
 * checks of them. A *leaf* is the outcome of a piece, and holds the path that followed last time (memo_tree.h). */
#include <assert.h>
#include <string.h>

#include "core/core.h"
#include "core/replay/memo_variant.h"
#include "core/replay/memo_streak.h"

/* Returns the clocks from which nothing is pending in memory and no other bus master acts up to a streak's last
 * question, which is at most 2 * MEMO_REACH later. They stay valid as long as all answers are usual. */
static inline idle_time find_idle_time(const struct memory *m)
{
    return memory_idle_time(m, 2 * MEMO_REACH);
}

/* Bytes of p5_retired_block from `cpl` to `iopl`: CPL before and after, mode, and IOPL. */
enum { LEVELS = offsetof(p5_retired_block, iopl) + 1 - offsetof(p5_retired_block, cpl) };

/* The piece that is being priced. */
typedef struct position {
    const p5_retired_block *b; /* its stretch */
    piece *piece;
    const p5_access *references; /* its first reference */
    p5_prediction prediction;    /* what was predicted for the branch at the end of its stretch */
} position;

/* A batch that is being priced. */
typedef struct batch_state {
    const p5_batch *batch;
    const p5_retired_block *reported; /* the last stretch whose end the profile knows, or NULL */
    position at;                      /* where the hot path was left; the hot path itself keeps its own in
                                         registers */
    idle_time idle;                   /* find_idle_time after the last piece */
} batch_state;

/* Saves the references of the instruction pending in D1, which are the last ones before `references`, because the
 * caller may resume from a different buffer. Those from before the batch are saved already. */
static inline void keep_waiting(p5_core *core, const batch_state *all, const p5_access *references)
{
    const memo_leaf *last = memo_last(&core->memo);
    if (last->waits > 1 && references != all->batch->accesses)
        memo_keep_waiting(core, last, references);
}

/* Records that the hot path is left at `here`. Returns `all`. */
static inline __attribute__((always_inline)) batch_state *leave(p5_core *core, batch_state *all,
                                                                const position *here)
{
    all->at = *here;
    keep_waiting(core, all, here->references);
    return all;
}

/* Return the first reference, the first operand value and the prediction of a stretch of the batch. */
static inline const p5_access *accesses_of(const batch_state *all, const p5_retired_block *b)
{
    return b == all->batch->blocks ? all->batch->accesses : b[-1].accesses_end;
}

static inline const p5_value *values_of(const batch_state *all, const p5_retired_block *b)
{
    return b == all->batch->blocks ? all->batch->values : b[-1].values_end;
}

static inline p5_prediction prediction_of(const batch_state *all, const p5_retired_block *b)
{
    assert(b >= all->batch->blocks && b < all->batch->blocks + all->batch->count);
    return all->batch->predictions[b - all->batch->blocks];
}

/* Returns the prediction for the end of the piece. */
static inline p5_prediction prediction_at(const position *here)
{
    return memo_prediction(here->piece, here->prediction);
}

/* Returns a stretch of the batch in its general form. */
static p5_retired whole_stretch(const batch_state *all, const p5_retired_block *b)
{
    return block_retired(b, accesses_of(all, b), values_of(all, b));
}

/* Returns the current piece as a stretch. */
static p5_retired part(const batch_state *all)
{
    p5_retired whole = whole_stretch(all, all->at.b);
    return piece_retired(&whole, all->at.piece, all->at.references,
                         whole.values + all->at.piece->first_value);
}

/* Returns the members of the current piece that its variant depends on. */
static inline p5_retired variant_part(const batch_state *all)
{
    const p5_retired_block *b = all->at.b;
    const piece *p = all->at.piece;
    p5_retired r = {.block = b->block,
                    .accesses = all->at.references,
                    .access_count = p->next ? p->access_bytes / sizeof *r.accesses
                                            : (uint32_t)(b->accesses_end - all->at.references),
                    .values = values_of(all, b) + p->first_value,
                    .next = b->next};
    memcpy(&r.cpl, &b->cpl, LEVELS);
    return r;
}

/* Returns whether the branch at the end of the stretch was taken. */
static inline bool is_taken(const position *here)
{
    return block_taken(here->b->block, here->b->next);
}

/* Prices the current piece on the exact path. */
static void __attribute__((noinline)) price_piece_exact(p5_core *core, batch_state *all)
{
    const p5_retired r = part(all);
    core->prediction = prediction_of(all, all->at.b);
    memo_price_exact(core, &r);
    all->idle = find_idle_time(core->memory);
}

/* Returns whether the caller supplied all operand values of the stretch, if the piece needs any. */
static inline bool has_values(const batch_state *all, const position *here)
{
    const p5_retired_block *b = here->b;
    return here->piece->value_count == 0 || b->values_end - values_of(all, b) == b->block->value_count;
}

/* Returns the path of the current piece. `path` followed last time, and may be that of another piece or variant.
 * NULL: the piece must take the exact path. */
static memo_path *__attribute__((noinline)) other_path(p5_core *core, batch_state *all, memo_path *path)
{
    uint32_t key = 0;
    piece *p = all->at.piece;
    if (!p->memo || !has_values(all, &all->at))
        return NULL;
    if (p->has_variants) {
        const p5_retired r = variant_part(all);
        if (!memo_variant(core, &r, p, is_taken(&all->at), &key))
            return NULL;
    }
    if (path->streak.piece == p && path->streak.variant == key)
        return path;
    return memo_look_up(core, p, key, all->at.references);
}

/* Runs the pipe for the current piece from the end of the tree of `path` on, and adds the run to the tree. */
static void __attribute__((noinline)) learn(p5_core *core, const batch_state *all, memo_path *path)
{
    const p5_retired r = part(all);
    core->prediction = prediction_of(all, all->at.b);
    memo_learn(core, &r, path);
}

/* Returns mode and privilege of a stretch as one word, which is the same for most stretches of a batch. NO_LEVELS
 * is not the word of any stretch. */
enum { NO_LEVELS = -1 };
static inline int64_t levels_of(const p5_retired_block *b)
{
    uint32_t levels;
    _Static_assert(LEVELS == sizeof levels, "one word");
    memcpy(&levels, &b->cpl, LEVELS);
    return levels;
}

/* Returns levels_of the stretch if the memo may price stretches with these levels, otherwise NO_LEVELS. */
static inline int64_t priced_levels(const p5_core *core, const p5_retired_block *b)
{
    return memo_prices(core, b->cpl) && !memo_is_held(core) ? levels_of(b) : NO_LEVELS;
}

/* Returns whether one of the blocks has an MMX instruction that may not pair as the memo assumes. */
static bool __attribute__((noinline))
any_may_not_pair(const p5_core *core, const p5_retired_block *b, const p5_retired_block *end)
{
    while (b < end && !memo_may_not_pair(core, b->block))
        b++;
    return b < end;
}

/* Prices the current piece, which has the path `path`, without assumptions about clocks, fetches and references.
 * Starts at the question `at` of its tree (NULL: the first), before which all answers were usual. Returns the leaf
 * with which the piece ended, or leaf 0, the dummy, if the pipe ran. Updates `all->idle`. */
static memo_leaf *__attribute__((noinline))
price_unusual(p5_core *core, batch_state *all, memo_path *path, memo_node *at)
{
    assert(path->streak.piece == all->at.piece);
    const position *here = &all->at;
    const memo_execution executed = {here->references, here->b->next, prediction_at(here)};
    memo_leaf *leaf = memo_walk(core, path, &executed, at);
    if (__builtin_expect(leaf != NULL, 1)) {
        memo_use(core, leaf, path->streak.piece);
    } else {
        learn(core, all, path);
    }
    all->idle = find_idle_time(core->memory);
    return memo_last(&core->memo);
}

/* Prices the piece at `here`, which has the path `path`. Most of the time, all answers are usual and each line is
 * the most recently used of its set; otherwise price_unusual continues. Returns what that returns. */
static inline __attribute__((always_inline)) memo_leaf *price_piece(p5_core *core, batch_state *all,
                                                                    const position *here, memo_path *path)
{
    assert(!path->streak.is_edge && path->streak.piece == here->piece);
    const memo_streak *streak = &path->streak;
    if (__builtin_expect(memo_clock(core, streak->idle_offset) - all->idle.from >= all->idle.span, 0))
        return price_unusual(core, leave(core, all, here), path, NULL);
    unsigned lines = 0;
    if (!memo_lines_are_mru(core, streak)) {
        lines = memo_match_lines(core, streak);
        if (__builtin_expect(lines == 0, 0)) /* matching lines imply that all steps are references */
            return price_unusual(core, leave(core, all, here), path, NULL);
    }
    if (__builtin_expect(!memo_code_page_usual(core->memory, here->piece, streak), 0))
        return price_unusual(core, leave(core, all, here), path, NULL);
    const uint32_t number = memo_leaf_of(streak, prediction_at(here));
    assert(number == 0 || streak->ends_in_branch); /* all questions before the leaf are steps or lines */
    memo_leaf *leaf = memo_leaf_at(&core->memo, number);
    __builtin_prefetch(leaf);
    const data_expected *const first = memo_expected(streak), *const end = first + streak->step_count;
    const data_expected *reached =
        memory_follow_hits(core->memory, here->references + streak->first_access, first, end);
    if (lines != 0) {
        if (reached == end)
            memo_use_matches(core, streak, lines);
        else
            memo_use_lines(core, streak, memo_steps_to(streak, reached, end));
    }
    if (__builtin_expect(reached == end, 1) && memo_use_predicted(core, leaf))
        return leaf;
    memo_node *at = memo_question(&core->memo, streak, memo_steps_to(streak, reached, end));
    return price_unusual(core, leave(core, all, here), path, at);
}

/* Returns the path of this execution of the piece at `here`. `path`, which followed last time, is one of the same
 * piece but perhaps of another variant. NULL: the piece must take the exact path. */
static inline __attribute__((always_inline)) memo_path *in_variant(p5_core *core, batch_state *all,
                                                                   const position *here, memo_path *path)
{
    const piece *p = here->piece;
    if (!p->clocks_fixed || !has_values(all, here))
        return other_path(core, leave(core, all, here), path);
    uint32_t key = memo_banks_variant(p, here->references, p->by_direction && is_taken(here));
    if (p->value_count != 0)
        key = memo_saturation_variant(p, values_of(all, here->b) + p->first_value, key);
    if (__builtin_expect(key == path->streak.variant, 1))
        return path;
    return memo_look_up(core, here->piece, key, here->references);
}

/* ---- the profile ----
 *
 * The profile follows calls and returns by reports of stretches. Within a batch, control passes from stretch to
 * stretch, so it needs no report of a stretch that follows another one of the same function:
 * memo_leaf.unreported_path leads to these. How the last one ended is reported when it matters. */

/* Reports the stretch before `b` to the profile, unless that has been done or `b` is the first. */
static inline void report_last(p5_core *core, const batch_state *all, const p5_retired_block *b)
{
    const p5_retired_block *last = b - 1;
    if (b != all->batch->blocks && last != all->reported)
        profile_went_on(core->profile, last->block, last->next);
}

/* Returns the path that followed the leaf last time; with a profile, only if it needs no report. Without one, returns
 * path 0, which has no piece. */
static inline memo_path *next_path_of(const p5_core *core, const memo_leaf *leaf, bool profiled)
{
    return memo_path_at(&core->memo, profiled ? leaf->unreported_path : leaf->next_path);
}

/* Records that `path` followed the leaf and needs no report to the profile. */
static inline void set_unreported_path(const p5_core *core, memo_leaf *leaf, const memo_path *path)
{
    assert(leaf != memo_leaf_at(&core->memo, 0) && !path->streak.is_edge);
    if (!path->streak.by_waiting)
        leaf->unreported_path = memo_path_number(&core->memo, path);
}

/* Returns the path of the first piece of a stretch that may be the target of a call, return or jump to another
 * function, and reports the stretch to the profile. NULL: the piece must take the exact path. */
static memo_path *__attribute__((noinline)) reported_path(p5_core *core, batch_state *all)
{
    const p5_retired_block *b = all->at.b;
    p5_block *block = b->block;
    memo_leaf *last = memo_last(&core->memo);
    memo_path *path = other_path(core, all, next_path_of(core, last, false));
    if (path && core->memo.last && b != all->batch->blocks &&
        profile_function(block) == profile_goes_on_in(b[-1].block))
        set_unreported_path(core, last, path);
    report_last(core, all, b);
    if (!memo_reports(core, block, b->next))
        profile_follow_block(core, block, b->next);
    return path;
}

/* ---- the loop ---- */

/* Prices the pieces of the stretch at `here`; `path` is what followed last time. Returns the path that followed the
 * stretch last time. `profiled`: there is a profile. */
static inline __attribute__((always_inline)) memo_path *
price_pieces(p5_core *core, batch_state *all, position *here, memo_path *path, bool profiled)
{
    for (;;) {
        piece *const p = here->piece;
        const bool first = p == &here->b->block->memo.first;
        if (__builtin_expect(path->streak.piece != p, 0)) {
            path = profiled && first ? NULL : other_path(core, leave(core, all, here), path);
        } else if (p->has_variants) {
            path = in_variant(core, all, here, path);
            if (profiled && first && path)
                set_unreported_path(core, memo_last(&core->memo), path);
        }
        if (profiled && first &&
            __builtin_expect(!path || profile_interval_over(core->profile, core->now), 0)) {
            path = reported_path(core, leave(core, all, here));
            all->idle = find_idle_time(core->memory);
        }
        memo_leaf *leaf;
        if (__builtin_expect(path != NULL, 1)) {
            leaf = price_piece(core, all, here, path);
        } else {
            price_piece_exact(core, leave(core, all, here));
            leaf = memo_last(&core->memo);
        }
        /* only a stretch's first piece may have to be reported */
        path = next_path_of(core, leaf, profiled && !p->next);
        if (!p->next)
            return path;
        here->references = (const p5_access *)((const char *)here->references + p->access_bytes);
        here->piece = p->next;
    }
}

/* Returns whether the stretch `b` certainly ends before clock `limit`. */
static bool __attribute__((noinline))
stays_before(p5_core *core, const batch_state *all, const p5_retired_block *b, uint64_t limit)
{
    if (core->now + b->block->own_clocks + core->bound.backlog_clocks < limit)
        return true;
    const p5_retired r = whole_stretch(all, b);
    return core->now + bound_clocks(core, &r) < limit;
}

/* Prices what the hot path cannot: the first stretch of a batch if the pending instruction's references do
 * not precede its own, a stretch that is not a whole block, or one at another privilege level. */
static void __attribute__((noinline))
price_single(p5_core *core, batch_state *all, const p5_retired_block *b, bool profiled)
{
    if (profiled)
        report_last(core, all, b);
    const p5_retired r = whole_stretch(all, b);
    memo_price_alone(core, &r, prediction_of(all, b));
    all->reported = b;
    all->idle = find_idle_time(core->memory);
}

/* Returns whether the first stretch needs the pending instruction's references, which are in another
 * buffer. */
static inline bool begins_elsewhere(const p5_core *core)
{
    const pipe_pending *waiting = memo_waiting(core);
    return waiting && waiting->insn.access_count > 0;
}

/* Prices stretches in turn and returns their number. `limited`: stops at the first that is not whole or may
 * reach clock `limit`. `profiled`: there is a profile. */
static inline __attribute__((always_inline)) size_t
price_stretches(p5_core *core, const p5_batch *batch, bool profiled, bool limited, uint64_t limit)
{
    if (batch->count == 0)
        return 0;
    const p5_retired_block *b = batch->blocks, *const end = b + batch->count;
    const p5_access *accesses = batch->accesses;
    const p5_prediction *prediction = batch->predictions;
    batch_state all = {.batch = batch, .idle = find_idle_time(core->memory)};
    const bool singly =
        core->control.fpu_trap && any_may_not_pair(core, b, end); /* price_single prices all */
    int64_t levels = singly || begins_elsewhere(core) ? NO_LEVELS : priced_levels(core, b);
    memo_path *path = memo_next_path(core);
    if (profiled && !profile_expects(core->profile, b->block))
        path = memo_path_at(&core->memo, 0);
    /* before clock `far`, no block can reach the limit */
    const uint64_t most = limited ? core_longest_block(core) : 0, far = limit > most ? limit - most : 0;
    for (; b < end; accesses = b->accesses_end, b++, prediction++) {
        if (limited && __builtin_expect(core->now >= far, 0) && !stays_before(core, &all, b, limit))
            break;
        position here = {b, &b->block->memo.first, accesses, *prediction};
        host_line_will_read(b); /* another thread may have written it */
        host_line_will_read(accesses);
        bool whole = (const char *)accesses + here.piece->block_bytes == (const char *)b->accesses_end;
        if (__builtin_expect(!whole || levels_of(b) != levels, 0)) {
            if (limited && !whole)
                break;
            keep_waiting(core, &all, accesses);
            price_single(core, &all, b, profiled);
            levels = singly ? NO_LEVELS : priced_levels(core, b);
            path = next_path_of(core, memo_last(&core->memo), profiled);
            continue;
        }
        path = price_pieces(core, &all, &here, path, profiled);
    }
    keep_waiting(core, &all, accesses);
    if (profiled)
        report_last(core, &all, b);
    return (size_t)(b - batch->blocks);
}

/* Prices the stretches of a batch in order. */
void memo_price_batch(p5_core *core, const p5_batch *batch)
{
    if (core->profile)
        price_stretches(core, batch, true, false, 0);
    else
        price_stretches(core, batch, false, false, 0);
}

/* Prices the stretches of a batch up to the first that may reach clock `limit` or is not a whole block. Returns the
 * number of stretches priced. */
size_t memo_price_batch_before(p5_core *core, const p5_batch *batch, uint64_t limit)
{
    return core->profile ? price_stretches(core, batch, true, true, limit)
                         : price_stretches(core, batch, false, true, limit);
}
