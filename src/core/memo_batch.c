/* The hot path for many stretches at once. */
#include <string.h>

#include "core/memo_variant.h"
#include "core/memo_way.h"

/* The clocks at which nothing is under way and no other bus master acts before a block's last question, as
 * long as no question is answered unusually. */
typedef struct quiet_time {
    uint64_t from, span;
} quiet_time;

static inline quiet_time find_quiet_time(const struct memory *m)
{
    enum { MARGIN = 2 * MEMO_REACH }; /* the last question is asked that much later than the first at most */
    uint64_t from = m->write_quiet, due = m->agent.due;
    return (quiet_time){from, due > from + MARGIN ? due - from - MARGIN : 0};
}

/* Bytes from `cpl` to `iopl`. */
enum { LEVELS = offsetof(p5_retired_block, iopl) + 1 - offsetof(p5_retired_block, cpl) };

/* Of the stretches of a batch each knows where its accesses and values end, so the next where they begin. */
typedef struct batch {
    const p5_retired_block *blocks;
    const p5_access *accesses;
    const p5_value *values;
    p5_retired at; /* the stretch that left the quick way, as much of it as is looked at on the slow one */
    const p5_retired_block *noted; /* the profile knows how it ended, or that before the first */
} batch;

static inline const p5_access *accesses_of(const batch *all, const p5_retired_block *b)
{
    return b == all->blocks ? all->accesses : b[-1].accesses_end;
}

static inline const p5_value *values_of(const batch *all, const p5_retired_block *b)
{
    return b == all->blocks ? all->values : b[-1].values_end;
}

static p5_retired whole_stretch(const batch *all, const p5_retired_block *b)
{
    return block_retired(b, accesses_of(all, b), values_of(all, b));
}

static inline const p5_retired *slow_stretch(batch *all, const p5_retired_block *b)
{
    p5_retired *r = &all->at;
    r->block = b->block;
    r->accesses = accesses_of(all, b);
    r->values = values_of(all, b);
    r->next = b->next;
    memcpy(&r->cpl, &b->cpl, LEVELS);
    return r;
}

static void __attribute__((noinline))
price_unusual(p5_core *core, const batch *all, const p5_retired_block *b)
{
    const p5_retired r = whole_stretch(all, b);
    p5_core_retire(core, &r);
}

static memo_path *__attribute__((noinline))
variant_of(p5_core *core, batch *all, const p5_retired_block *b, bool taken, memo_path *path)
{
    if (b->values_end - values_of(all, b) != b->block->value_count)
        return NULL;
    return memo_find_variant(core, slow_stretch(all, b), taken, path);
}

static void __attribute__((noinline))
learn(p5_core *core, const batch *all, const p5_retired_block *b, memo_path *path)
{
    const p5_retired r = whole_stretch(all, b);
    memo_learn(core, &r, path);
}

/* These go on where the quick way along `path` was left, and answer the leaf that the stretch ended with, or
 * NULL. */
static inline memo_leaf *end_with(p5_core *core, const batch *all, const p5_retired_block *b, memo_path *path,
                                  memo_leaf *leaf)
{
    if (__builtin_expect(leaf != NULL, 1))
        memo_use(core, leaf, b->block);
    else
        learn(core, all, b, path);
    return core->memo.last;
}

static memo_leaf *__attribute__((noinline))
left_at_start(p5_core *core, batch *all, const p5_retired_block *b, memo_path *path)
{
    memo_leaf *leaf = memo_to_leaf(core, slow_stretch(all, b), path, block_taken(b->block, b->next));
    return end_with(core, all, b, path, leaf);
}

static memo_leaf *__attribute__((noinline))
left_at(p5_core *core, batch *all, const p5_retired_block *b, memo_path *path, memo_node *node, bool tried)
{
    const memo_reached reached = {&node->place, tried};
    memo_leaf *leaf = memo_walk(core, slow_stretch(all, b), path, reached, block_taken(b->block, b->next));
    return end_with(core, all, b, path, leaf);
}

static memo_leaf *__attribute__((noinline))
left_at_branch(p5_core *core, batch *all, const p5_retired_block *b, memo_path *path, memo_branch *branch,
               unsigned own)
{
    memo_leaf *leaf = memo_walk_own(core, slow_stretch(all, b), path, branch, own);
    return end_with(core, all, b, path, leaf);
}

/* The fetches of the way have their usual answers, and it can be gone quickly. */
static inline bool code_is_usual(const p5_core *core, const p5_block *block, memo_way *way, bool is_quiet)
{
    struct memory *m = core->memory;
    if (!memo_lines_unchanged(core, way))
        return false;
    if (!is_quiet && way->asks_code && !memory_undisturbed(m, memo_clock(core, way->last_code)))
        return false;
    return way->quick_page == m->code_tlb.last.of[0] ||
           (way->quick_page != MEMO_NO_PAGE &&
            (!way->asks_code || memory_code_page_usual(m, block->code->linear)));
}

/* What stretches of a batch were executed with, as one word: the same for most batches. */
enum { NO_LEVELS = -1 };
static inline int64_t levels_of(const p5_retired_block *b)
{
    uint32_t levels;
    _Static_assert(LEVELS == sizeof levels, "one word");
    memcpy(&levels, &b->cpl, LEVELS);
    return levels;
}

/* ... if the memo may price them. */
static inline int64_t priced_levels(const p5_core *core, const p5_retired_block *b)
{
    return memo_prices(core, b->cpl) ? levels_of(b) : NO_LEVELS;
}

/* Prices a stretch whose way in is `path` and whose accesses begin at `accesses`; answers the leaf that it
 * ended with, or NULL. `*quick`: nothing can have changed what is under way. */
static inline __attribute__((always_inline)) memo_leaf *
price_quickly(p5_core *core, batch *all, const p5_retired_block *b, const p5_access *accesses,
              memo_path *path, const quiet_time *quiet, bool *quick)
{
    p5_block *block = b->block;
    memo_way *way = &path->way;
    *quick = false;
    bool is_quiet = memo_clock(core, way->quiet_offset) - quiet->from < quiet->span;
    if (__builtin_expect(!code_is_usual(core, block, way, is_quiet), 0))
        return left_at_start(core, all, b, path);
    memo_node *at = __builtin_expect(is_quiet, 1) ? memo_steps_calm(core, accesses, way)
                                                  : memo_steps_busy(core, accesses, way);
    if (__builtin_expect(at != way->end, 0))
        return left_at(core, all, b, path, at, true);
    memo_branch *branch = (memo_branch *)way->end;
    if (__builtin_expect(branch->node.place.kind != MEMO_BRANCH, 0))
        return left_at(core, all, b, path, &branch->node, false);
    unsigned own;
    memo_leaf *leaf = memo_behind_branch(core, block, b->next, branch, block_taken(block, b->next), &own);
    if (__builtin_expect(!leaf, 0))
        return own != OWN_ANSWERS ? left_at_branch(core, all, b, path, branch, own)
                                  : left_at(core, all, b, path, &branch->node, false);
    *quick = true;
    memo_use(core, leaf, block);
    return leaf;
}

/* The variant of this execution is not that of `path`, or not easily known. */
static inline bool may_be_variant(const p5_retired_block *b, const p5_access *accesses, const memo_path *path)
{
    const p5_block *block = b->block;
    return block->has_variants &&
           (block->value_count != 0 ||
            memo_banks_variant(block, accesses, block_taken(block, b->next)) != path->variant);
}

/* ---- the profile ----
 *
 * Within a batch control goes on from stretch to stretch, so a profile needs not be told of those which
 * follow another one of their function: memo_leaf.plain_path knows them. How the last one ended is told when
 * it matters. */

static inline void note_last(p5_core *core, const batch *all, const p5_retired_block *b)
{
    const p5_retired_block *last = b - 1;
    if (b != all->blocks && last != all->noted)
        profile_went_on(core->profile, last->block, last->next);
}

/* The way in to a stretch that may be a call's target, or return, or go elsewhere, and which has been noted
 * then. NULL: it is not the one taken last. */
static memo_path *__attribute__((noinline))
noted_path(p5_core *core, batch *all, const p5_retired_block *b, const p5_access *accesses)
{
    p5_block *block = b->block;
    memo_leaf *last = core->memo.last;
    memo_path *path = last ? last->next_path : NULL;
    if (!path || path->block != block)
        return NULL;
    if (may_be_variant(b, accesses, path))
        path = variant_of(core, all, b, block_taken(block, b->next), path);
    if (!path)
        return NULL;
    if (b != all->blocks && profile_function(block) == profile_goes_on_in(b[-1].block))
        last->plain_path = path;
    note_last(core, all, b);
    if (!memo_notes(core, block, b->next))
        profile_follow_block(core, block, b->next);
    return path;
}

static inline memo_path *next_path_of(const memo_leaf *leaf, bool profiled)
{
    return leaf ? profiled ? leaf->plain_path : leaf->next_path : NULL;
}

/* ---- the loop ---- */

/* Prices blocks in turn. `limited`: only as long as they are whole and cannot reach clock `limit`;
 * `profiled`: there is a profile. Answers how many. */
static inline __attribute__((always_inline)) size_t price_blocks(p5_core *core, const p5_access *accesses,
                                                                 const p5_value *values,
                                                                 const p5_retired_block *blocks, size_t count,
                                                                 bool profiled, bool limited, uint64_t limit)
{
    if (count == 0)
        return 0;
    batch all = {.blocks = blocks, .accesses = accesses, .values = values};
    int64_t levels = priced_levels(core, blocks);
    quiet_time quiet = find_quiet_time(core->memory);
    memo_path *path = memo_next_path(core);
    if (profiled && blocks->block->place != core->profile->expected)
        path = NULL;
    for (const p5_retired_block *b = blocks, *end = b + count; b < end; accesses = b->accesses_end, b++) {
        p5_block *block = b->block;
        bool whole = (const char *)accesses + block->access_bytes == (const char *)b->accesses_end;
        if (limited && (!whole || core->now + block->blind_clocks >= limit)) {
            if (profiled)
                note_last(core, &all, b);
            return (size_t)(b - blocks);
        }
        bool known = path && path->block == block && whole && levels_of(b) == levels;
        if (known && may_be_variant(b, accesses, path)) {
            path = variant_of(core, &all, b, block_taken(block, b->next), path);
            known = path != NULL;
            if (profiled && known)
                core->memo.last->plain_path = path;
        }
        if (profiled && __builtin_expect(!known || core->now >= core->profile->interval_at, 0)) {
            path = whole && levels_of(b) == levels ? noted_path(core, &all, b, accesses) : NULL;
            known = path != NULL;
            quiet = find_quiet_time(core->memory);
        }
        bool quick = false;
        memo_leaf *leaf;
        if (__builtin_expect(known, 1)) {
            leaf = price_quickly(core, &all, b, accesses, path, &quiet, &quick);
        } else {
            if (profiled)
                note_last(core, &all, b);
            price_unusual(core, &all, b);
            all.noted = b;
            levels = priced_levels(core, b);
            leaf = core->memo.last;
        }
        if (__builtin_expect(!quick, 0))
            quiet = find_quiet_time(core->memory);
        path = next_path_of(leaf, profiled);
    }
    if (profiled)
        note_last(core, &all, blocks + count);
    return count;
}

void memo_price_blocks(p5_core *core, const p5_access *accesses, const p5_value *values,
                       const p5_retired_block *blocks, size_t count)
{
    if (core->profile)
        price_blocks(core, accesses, values, blocks, count, true, false, 0);
    else
        price_blocks(core, accesses, values, blocks, count, false, false, 0);
}

size_t memo_price_blocks_before(p5_core *core, const p5_access *accesses, const p5_value *values,
                                const p5_retired_block *blocks, size_t count, uint64_t limit)
{
    if (core->profile)
        return price_blocks(core, accesses, values, blocks, count, true, true, limit);
    return price_blocks(core, accesses, values, blocks, count, false, true, limit);
}
