/* The hot path: prices a stretch by asking the structures along the remembered way of the pipe. */
#include <string.h>

#include "core/cost.h"
#include "core/memo_way.h"

/* ---- what the structures are not asked for ------------------------------------------------------------- */

static unsigned banks(const p5_access *a)
{
    return 1u << (a->linear >> 2 & 7) | 1u << ((a->linear + a->size - 1) >> 2 & 7);
}

/* References `a` and `b` would meet in one bank. */
static inline bool meet(const p5_access *a, const p5_access *b)
{
    if (__builtin_expect((a->linear & 3) + a->size > 4 || (b->linear & 3) + b->size > 4, 0))
        return (banks(a) & banks(b)) != 0;
    return ((a->linear ^ b->linear) & 7 << 2) == 0;
}

/* What this execution differs by from others of the block with the same state, beside the answers of the
 * structures: the direction of LOOP, neighbours that would meet in one bank, */
static inline uint64_t banks_variant(const p5_block *block, const p5_access *accesses, bool taken)
{
    uint64_t key = taken & block->by_direction;
    const uint16_t *first = block->bank_first, *end = first + block->bank_count;
    for (; first != end; first++)
        key = key << 1 | meet(&accesses[*first], &accesses[*first + 1]);
    return key;
}

/* ... saturation and clocks that depend on operand values. False: too long for a key. block.c sees to it that
 * the bits fit. */
static bool __attribute__((noinline))
values_variant(const p5_core *core, const p5_retired *r, uint64_t *result)
{
    const p5_block *block = r->block;
    uint64_t key = *result;
    for (unsigned i = 0; i < block->value_count; i++) {
        const op *o = &block->ops[block->value_ops[i]];
        const p5_value *value = &r->values[i];
        if (o->value == ISA_VALUE_SATURATED) {
            key = key << 1 | (value->a != 0);
        } else {
            const cost_context c = {.mode = r->mode, .value = value};
            unsigned clocks = cost_clocks(&core->timing, o, &c);
            if (clocks > 0x3ff)
                return false;
            key = key << 10 | clocks;
        }
    }
    *result = key;
    return true;
}

static bool variant(const p5_core *core, const p5_retired *r, bool taken, uint64_t *key)
{
    *key = banks_variant(r->block, r->accesses, taken);
    return r->block->value_count == 0 || values_variant(core, r, key);
}

/* The path of this execution, if `path`, which followed last time, is that but for the variant. NULL: it has
 * to be looked for. */
static memo_path *__attribute__((noinline))
find_variant(p5_core *core, const p5_retired *r, bool taken, memo_path *path)
{
    uint64_t key;
    if (!variant(core, r, taken, &key))
        return NULL;
    if (path->variant == key)
        return path;
    if (!path->family)
        return NULL;
    path = path->family[memo_member(key)];
    if (!path || path->variant != key)
        return NULL;
    core->memo.last->next_path = path;
    return path;
}

static inline bool applies(const p5_core *core, const p5_retired *r)
{
    const p5_block *block = r->block;
    return block->memo && r->count == block->count && r->access_count == block->access_count &&
           r->value_count == block->value_count &&
           !(r->first | r->unsafe_x87 | r->interrupted | core->memo.held | core->pipe.has_pending);
}

/* ---- the way ------------------------------------------------------------------------------------------- */

/* Follows the tree from its root to the leaf. NULL: it ends behind `known` questions. */
static inline __attribute__((always_inline)) memo_leaf *follow(p5_core *core, const p5_retired *r,
                                                               memo_path *path, bool taken)
{
    memo_reached at = memo_follow(core, r, path, &path->way);
    memo_branch *branch = (memo_branch *)at.place;
    if (__builtin_expect(!at.place || at.place->kind != MEMO_BRANCH, 0))
        return memo_walk(core, r, path, at, taken);
    if (!memo_is_own(branch))
        return memo_is_absent(core, branch, taken) && branch->node.usual
                   ? (memo_leaf *)branch->node.usual
                   : memo_walk(core, r, path, at, taken);
    unsigned own = memo_own(core, r, branch, taken);
    memo_leaf *leaf = branch->own[own];
    return __builtin_expect(leaf != NULL, 1) ? leaf : memo_walk_own(core, r, path, branch, own);
}

/* The first use of a leaf since totals were formed, or in another context than the last. */
static void __attribute__((noinline)) begin_to_use(p5_core *core, memo_leaf *leaf)
{
    memo *m = &core->memo;
    if (leaf->context == MEMO_UNUSED) {
        leaf->next_dirty = m->dirty;
        m->dirty = leaf;
    }
    if (leaf->detail) {
        profile_book(core, leaf->detail, leaf->uses);
        profile_move(core, leaf->detail);
    }
    leaf->context = m->context;
}

static inline void use(p5_core *core, memo_leaf *leaf, p5_block *block)
{
    memo *m = &core->memo;
    if (__builtin_expect(leaf->context != m->context, 0))
        begin_to_use(core, leaf);
    leaf->uses[core->cpl_class]++;
    if (leaf->groups == 1)
        core->pipe.previous_u = memo_last_u(core);
    branch_run *ran = block->ran;
    core->now += leaf->clocks;
    core->instructions += leaf->instructions;
    core->groups += leaf->groups;
    ran->instructions = core->instructions;
    ran->groups = core->groups;
    m->last = leaf;
}

/* The path of this execution, looked up. NULL: out of memory. */
static memo_path *__attribute__((noinline)) find_path(p5_core *core, p5_block *block, uint64_t key)
{
    memo *m = &core->memo;
    memo_state *current = memo_current(m);
    if (!current)
        current = m->current = memo_intern(m, &core->state);
    if (!current)
        return NULL;
    memo_path *path = memo_find_path(m, block, current, key);
    if (m->last)
        m->last->next_path = path;
    return path;
}

/* ---- stretches ----------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void price_along(p5_core *core, const p5_retired *r,
                                                              memo_path *path, bool taken)
{
    memo_leaf *leaf = follow(core, r, path, taken);
    if (__builtin_expect(leaf != NULL, 1))
        use(core, leaf, r->block);
    else
        memo_learn(core, r, path);
}

/* The way in to whatever did not follow the stretch before last time. NULL: the memo is not for it. */
static memo_path *unexpected(p5_core *core, const p5_retired *r, bool taken)
{
    const p5_block *block = r->block;
    uint64_t key = 0;
    if (applies(core, r) && (!block->has_variants || variant(core, r, taken, &key)))
        return find_path(core, r->block, key);
    return NULL;
}

static void __attribute__((noinline)) price_unexpected(p5_core *core, const p5_retired *r, bool taken)
{
    memo_path *path = unexpected(core, r, taken);
    if (path)
        price_along(core, r, path, taken);
    else
        price_exact(core, r);
}

/* The way in that was taken last time from where the core stands, or NULL. */
static inline memo_path *next_path(const p5_core *core)
{
    const memo_leaf *last = core->memo.last;
    return __builtin_expect(last != NULL, 1) ? last->next_path : NULL;
}

/* The whole block was executed, as the paths of the block expect it. Blocks that end in a REP string have
 * none; there is an expected one only if no instruction is waiting for its partner and nothing holds the
 * memo. */
static inline bool is_whole(const p5_block *block, const p5_retired *r)
{
    return r->count == block->count && r->access_count == block->access_count &&
           r->value_count == block->value_count && !r->unsafe_x87;
}

/* The path of this execution as far as that is known without a search. */
static inline memo_path *known_way_in(p5_core *core, const p5_retired *r, bool taken)
{
    memo_path *path = next_path(core);
    if (path && (path->block != r->block || !is_whole(r->block, r)))
        path = NULL;
    return path && r->block->has_variants ? find_variant(core, r, taken, path) : path;
}

memo_path *memo_way_in(p5_core *core, const p5_retired *r, bool taken)
{
    memo_path *path = known_way_in(core, r, taken);
    return path ? path : unexpected(core, r, taken);
}

void memo_price(p5_core *core, const p5_retired *r)
{
    bool taken = block_taken(r->block, r->next);
    memo_path *path = known_way_in(core, r, taken);
    if (__builtin_expect(path != NULL, 1))
        price_along(core, r, path, taken);
    else
        price_unexpected(core, r, taken);
}

/* ---- batches ------------------------------------------------------------------------------------------- */

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
    return find_variant(core, slow_stretch(all, b), taken, path);
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
        use(core, leaf, b->block);
    else
        learn(core, all, b, path);
    return core->memo.last;
}

static memo_leaf *__attribute__((noinline))
left_at_start(p5_core *core, batch *all, const p5_retired_block *b, memo_path *path)
{
    memo_leaf *leaf = follow(core, slow_stretch(all, b), path, block_taken(b->block, b->next));
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
    if (__builtin_expect(!is_quiet, 0)) {
        memo_node *at = memo_steps_busy(core, accesses, way);
        if (at != way->end)
            return left_at(core, all, b, path, at, true);
    } else {
        const p5_access *access = accesses + way->first_access;
        for (const memo_step *step = way->steps; step != way->steps_end; step++, access++)
            if (__builtin_expect(!memory_data_expected(core->memory, access, &step->expected), 0))
                return left_at(core, all, b, path, step->node, true);
    }
    memo_branch *branch = (memo_branch *)way->end;
    if (__builtin_expect(branch->node.place.kind != MEMO_BRANCH, 0))
        return left_at(core, all, b, path, &branch->node, false);
    bool taken = block_taken(block, b->next);
    memo_leaf *leaf = (memo_leaf *)branch->node.usual;
    if (memo_is_own(branch)) {
        const p5_retired r = {.block = block, .next = b->next};
        unsigned own = memo_own(core, &r, branch, taken);
        leaf = branch->own[own];
        if (__builtin_expect(!leaf, 0))
            return left_at_branch(core, all, b, path, branch, own);
    } else if (!leaf || !memo_is_absent(core, branch, taken)) {
        return left_at(core, all, b, path, &branch->node, false);
    }
    *quick = true;
    use(core, leaf, block);
    return leaf;
}

/* The variant of this execution is not that of `path`, or not easily known. */
static inline bool may_be_variant(const p5_retired_block *b, const p5_access *accesses, const memo_path *path)
{
    const p5_block *block = b->block;
    return block->has_variants &&
           (block->value_count != 0 ||
            banks_variant(block, accesses, block_taken(block, b->next)) != path->variant);
}

/* Prices blocks in turn. `watched`: only as long as they cannot reach clock `limit`, and there may be a
 * profile. Answers how many. */
static inline __attribute__((always_inline)) size_t price_blocks(p5_core *core, const p5_access *accesses,
                                                                 const p5_value *values,
                                                                 const p5_retired_block *blocks, size_t count,
                                                                 bool watched, uint64_t limit)
{
    if (count == 0)
        return 0;
    batch all = {.blocks = blocks, .accesses = accesses, .values = values};
    int64_t levels = priced_levels(core, blocks);
    quiet_time quiet = find_quiet_time(core->memory);
    memo_path *path = next_path(core);
    for (const p5_retired_block *b = blocks, *end = b + count; b < end; accesses = b->accesses_end, b++) {
        p5_block *block = b->block;
        bool whole = (const char *)accesses + block->access_bytes == (const char *)b->accesses_end;
        if (watched && (!whole || core->now + block->blind_clocks >= limit))
            return (size_t)(b - blocks);
        bool known = path && path->block == block && whole && levels_of(b) == levels;
        if (known && may_be_variant(b, accesses, path)) {
            path = variant_of(core, &all, b, block_taken(block, b->next), path);
            known = path != NULL;
        }
        bool quick = false;
        memo_leaf *leaf;
        if (__builtin_expect(known && (!watched || memo_notes(core, block, b->next)), 1)) {
            leaf = price_quickly(core, &all, b, accesses, path, &quiet, &quick);
        } else {
            price_unusual(core, &all, b);
            levels = priced_levels(core, b);
            leaf = core->memo.last;
        }
        if (__builtin_expect(!quick, 0))
            quiet = find_quiet_time(core->memory);
        path = leaf ? leaf->next_path : NULL;
    }
    return count;
}

void memo_price_blocks(p5_core *core, const p5_access *accesses, const p5_value *values,
                       const p5_retired_block *blocks, size_t count)
{
    if (core->profile)
        price_blocks(core, accesses, values, blocks, count, true, UINT64_MAX);
    else
        price_blocks(core, accesses, values, blocks, count, false, 0);
}

size_t memo_price_blocks_before(p5_core *core, const p5_access *accesses, const p5_value *values,
                                const p5_retired_block *blocks, size_t count, uint64_t limit)
{
    return price_blocks(core, accesses, values, blocks, count, true, limit);
}
