/* Prices a stretch by asking the structures along the remembered way of the pipe. */
#include "core/replay/memo_variant.h"
#include "core/replay/memo_way.h"

static inline bool applies(const p5_core *core, const p5_retired *r)
{
    const p5_block *block = r->block;
    return block->memo && r->count == block->count && r->access_count == block->access_count &&
           r->value_count == block->value_count && !(r->first | r->unsafe_x87 | r->interrupted) &&
           memo_may_begin(core);
}

void memo_begin_to_use(p5_core *core, memo_leaf *leaf)
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

memo_path *memo_look_up(p5_core *core, p5_block *block, uint64_t key)
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

static inline __attribute__((always_inline)) void price_along(p5_core *core, const p5_retired *r,
                                                              memo_path *path, bool taken)
{
    memo_leaf *leaf = memo_to_leaf(core, r, path, taken);
    if (__builtin_expect(leaf != NULL, 1))
        memo_use(core, leaf, r->block);
    else
        memo_learn(core, r, path);
}

/* The way in to whatever did not follow the stretch before last time. NULL: the memo is not for it. */
static memo_path *unexpected(p5_core *core, const p5_retired *r, bool taken)
{
    const p5_block *block = r->block;
    uint64_t key = 0;
    if (applies(core, r) && (!block->has_variants || memo_variant(core, r, taken, &key)))
        return memo_look_up(core, r->block, key);
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
    memo_path *path = memo_next_path(core);
    if (path && (path->block != r->block || !is_whole(r->block, r)))
        path = NULL;
    if (!path || !r->block->has_variants)
        return path;
    uint64_t key;
    return memo_variant(core, r, taken, &key) ? memo_find_variant(core, path, key) : NULL;
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
