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
static inline uint64_t banks_variant(const p5_retired *r, bool taken)
{
    const p5_block *block = r->block;
    uint64_t key = taken & block->by_direction;
    const uint16_t *first = block->bank_first, *end = first + block->bank_count;
    for (; first != end; first++)
        key = key << 1 | meet(&r->accesses[*first], &r->accesses[*first + 1]);
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
    *key = banks_variant(r, taken);
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

/* The path that was taken from `last` last time, if it is one of this block. */
static inline memo_path *expected(const p5_block *block, const memo_leaf *last)
{
    memo_path *path = __builtin_expect(last != NULL, 1) ? last->next_path : NULL;
    return __builtin_expect(path && path->block == block, 1) ? path : NULL;
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
    memo_path *path = expected(r->block, core->memo.last);
    if (path && !is_whole(r->block, r))
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

static void __attribute__((noinline))
price_unusual(p5_core *core, const p5_retired_block *b, const p5_access *accesses, const p5_value *values)
{
    const p5_retired r = block_retired(b, accesses, values);
    p5_core_retire(core, &r);
}

/* `path` ends before the stretch does. */
static void __attribute__((noinline))
learn(p5_core *core, const p5_retired_block *b, const p5_access *accesses, const p5_value *values,
      memo_path *path)
{
    const p5_retired r = block_retired(b, accesses, values);
    memo_learn(core, &r, path);
}

/* Prices blocks in turn. `limited`: only as long as they cannot reach clock `limit`. Answers how many. */
static inline __attribute__((always_inline)) size_t price_blocks(p5_core *core, const p5_access *accesses,
                                                                 const p5_value *values,
                                                                 const p5_retired_block *blocks, size_t count,
                                                                 bool limited, uint64_t limit)
{
    if (count == 0)
        return 0;
    /* only what the way asks for is filled in: not the numbers of instructions, accesses and values */
    p5_retired r = {.accesses = accesses, .values = values};
    memo_leaf *last = core->memo.last;
    uint32_t levels; /* cpl to iopl, which are the same for most batches */
    enum { LEVELS = offsetof(p5_retired_block, iopl) + 1 - offsetof(p5_retired_block, cpl) };
    _Static_assert(LEVELS == sizeof levels, "one word");
    memcpy(&levels, &blocks->cpl, LEVELS);
    memcpy(&r.cpl, &levels, LEVELS);
    bool prices = memo_prices(core, r.cpl);
    for (const p5_retired_block *b = blocks, *end = b + count; b < end;
         r.accesses = b->accesses_end, r.values = b->values_end, b++) {
        p5_block *block = b->block;
        r.block = block;
        r.next = b->next;
        uint32_t its_levels;
        memcpy(&its_levels, &b->cpl, LEVELS);
        if (__builtin_expect(its_levels != levels, 0)) {
            levels = its_levels;
            memcpy(&r.cpl, &levels, LEVELS);
            prices = memo_prices(core, r.cpl);
        }
        bool taken = block_taken(block, r.next);
        bool whole = ((char *)b->accesses_end - (char *)r.accesses == block->access_bytes) &
                     ((char *)b->values_end - (char *)r.values == block->value_bytes);
        if (limited && (!whole || core->now + block->blind_clocks >= limit))
            return (size_t)(b - blocks);
        memo_path *path = expected(block, last);
        if (path && whole && block->has_variants)
            path = find_variant(core, &r, taken, path);
        bool usual = path && whole && prices && memo_notes(core, block, r.next);
        if (__builtin_expect(!usual, 0)) {
            price_unusual(core, b, r.accesses, r.values);
            last = core->memo.last;
            prices = memo_prices(core, r.cpl);
            continue;
        }
        last = follow(core, &r, path, taken);
        if (__builtin_expect(last != NULL, 1)) {
            use(core, last, block);
        } else {
            learn(core, b, r.accesses, r.values, path);
            last = core->memo.last;
        }
    }
    return count;
}

void memo_price_blocks(p5_core *core, const p5_access *accesses, const p5_value *values,
                       const p5_retired_block *blocks, size_t count)
{
    price_blocks(core, accesses, values, blocks, count, false, 0);
}

size_t memo_price_blocks_before(p5_core *core, const p5_access *accesses, const p5_value *values,
                                const p5_retired_block *blocks, size_t count, uint64_t limit)
{
    return price_blocks(core, accesses, values, blocks, count, true, limit);
}
