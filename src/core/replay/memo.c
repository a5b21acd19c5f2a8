/* Storage of the memo: pools and tables, states, paths, edges and leaves; totals from the leaves.
 *
 * A *piece* is a basic block or a part of it. A *path* is the memo's entry for a piece that starts from one state
 * of the pipe in one variant (a number: bank conflicts, operand values ...). Its tree has a *node* for each
 * question of the pipe (code line, data reference, branch) and an *edge* for each answer that is not the usual one,
 * a hit without a wait; a *fan* stores the edges of a node that has several. A *leaf* is an outcome: clocks, counts,
 * the next state. Objects of each kind are in a pool and are known by their numbers; number 0 is none, or a dummy
 * (memo.h, memo_tree.h). */
#include "core/replay/memo.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/area.h"
#include "base/bits.h"
#include "core/replay/memo_tree.h"

/* Slots of a new hash table; bytes that a memo may use. */
enum { FIRST_SLOTS = 1 << 10, DEFAULT_BUDGET = 128 << 20 };

/* ---- pools --------------------------------------------------------------------------------------------- */

/* Returns the address space that a pool reserves. */
static size_t pool_bytes(const memo_pool *pool)
{
    return round_up((size_t)pool->size * pool->most, HUGE_PAGE);
}

/* Opens a pool of at most `most` objects of `size` bytes. Number 0 is taken. Returns false if memory is out. */
static bool pool_open(memo_pool *pool, size_t size, size_t most)
{
    *pool = (memo_pool){.size = (uint32_t)size, .count = 1, .most = (uint32_t)most};
    pool->objects = area_open(pool_bytes(pool));
    if (pool->objects) /* a pool with few objects fits small pages better */
        area_request_huge_pages(pool->objects + HUGE_PAGE, pool_bytes(pool) - HUGE_PAGE);
    return pool->objects != NULL;
}

static void pool_close(const memo_pool *pool)
{
    area_close(pool->objects, pool_bytes(pool));
}

/* Returns the number of a new object, whose bytes are 0, or 0 if the pool is full. */
static uint32_t pool_take(memo_pool *pool)
{
    assert(pool->count > 0 && pool->count <= pool->most);
    if (pool->count == pool->most)
        return 0;
    memset(pool->objects + (size_t)pool->size * pool->count, 0, pool->size);
    return pool->count++;
}

/* All pools of a memo. */
#define MEMO_POOLS(m)                                                                                        \
    {                                                                                                        \
        &(m)->states, &(m)->paths, &(m)->nodes, &(m)->edges, &(m)->fans, &(m)->leaves, &(m)->results         \
    }

/* ---- tables -------------------------------------------------------------------------------------------- */

static bool table_open(memo_table *t)
{
    t->mask = FIRST_SLOTS - 1;
    t->slots = calloc(FIRST_SLOTS, sizeof *t->slots);
    return t->slots != NULL;
}

static void table_clear(memo_table *t)
{
    memset(t->slots, 0, (t->mask + (size_t)1) * sizeof *t->slots);
    t->count = 0;
}

/* Returns the first slot for objects with this hash. */
static inline memo_slot *table_first(const memo_table *t, uint32_t hash)
{
    return &t->slots[hash & t->mask];
}

/* Returns the slot after `slot`, cyclically. */
static inline memo_slot *table_next(const memo_table *t, const memo_slot *slot)
{
    return &t->slots[(uint32_t)(slot - t->slots + 1) & t->mask];
}

/* Returns a free slot for an object with this hash. */
static memo_slot *table_free(const memo_table *t, uint32_t hash)
{
    assert(t->count <= t->mask); /* a slot is free */
    memo_slot *slot = table_first(t, hash);
    while (slot->number)
        slot = table_next(t, slot);
    return slot;
}

/* Enters the object `number` of a pool. Doubles the table when it is half full. Returns false if memory is out. */
static bool table_put(memo_table *t, uint32_t hash, uint32_t number)
{
    if (2 * t->count > t->mask) {
        const memo_table old = *t;
        memo_slot *slots = calloc(2 * ((size_t)old.mask + 1), sizeof *slots);
        if (!slots)
            return false;
        t->slots = slots;
        t->mask = 2 * old.mask + 1;
        for (const memo_slot *s = old.slots; s <= old.slots + old.mask; s++)
            if (s->number)
                *table_free(t, s->hash) = *s;
        free(old.slots);
    }
    *table_free(t, hash) = (memo_slot){hash, number};
    t->count++;
    return true;
}

/* ---- the memo ------------------------------------------------------------------------------------------ */

/* Opens the memo of a core. Returns false if memory is out; memo_close frees what there is. */
bool memo_open(p5_core *core)
{
    memo *m = &core->memo;
    m->budget = DEFAULT_BUDGET;
    m->scratch = calloc(1, sizeof *m->scratch);
    if (!(table_open(&m->state_table) && table_open(&m->path_table) &&
          pool_open(&m->states, sizeof(memo_state), m->budget / sizeof(memo_state)) &&
          pool_open(&m->paths, sizeof(memo_path), m->budget / sizeof(memo_path)) &&
          pool_open(&m->nodes, sizeof(memo_node), m->budget / sizeof(memo_node)) &&
          pool_open(&m->edges, sizeof(memo_streak), m->budget / sizeof(memo_streak)) &&
          pool_open(&m->fans, sizeof(memo_fan), m->budget / sizeof(memo_fan)) &&
          pool_open(&m->leaves, sizeof(memo_leaf), m->budget / sizeof(memo_result)) &&
          pool_open(&m->results, sizeof(memo_result), m->budget / sizeof(memo_result)) && m->scratch))
        return false;
    memo_leaf_at(m, 0)->used_as = MEMO_UNUSED; /* a dummy, which is read but never used or written */
    memo_learn_open(core);
    return true;
}

/* Frees the memo. */
void memo_close(memo *m)
{
    arena_free_all(&m->arena);
    free(m->state_table.slots);
    free(m->path_table.slots);
    const memo_pool *const pools[] = MEMO_POOLS(m);
    for (unsigned i = 0; i < sizeof pools / sizeof pools[0]; i++)
        pool_close(pools[i]);
    free(m->scratch);
    free(m->taken_edges);
    free(m->records);
    free(m->joined);
    *m = (memo){0};
}

/* ---- totals -------------------------------------------------------------------------------------------- */

/* Adds what `uses` uses of a leaf count to `d`. `clocks`: those of one use. */
static void fold_result(pipe_deltas *d, const memo_result *result, uint32_t clocks, uint64_t uses)
{
    d->clocks += uses * clocks;
    for (unsigned i = 0; i < result->delta_count; i++) {
        const memo_delta *delta = &result->deltas[i];
        deltas_add(d, delta->kind, uses * delta->increments, uses * delta->asserted);
    }
}

/* Moves the leaf's uses to those of its result at the privilege class at which they occurred (the low bits of
 * used_as), and reports them to the profile if the leaf was learned with one. */
static void take_uses(p5_core *core, memo_leaf *leaf, memo_result *result)
{
    assert(leaf->used_as != MEMO_UNUSED);
    result->uses[leaf->used_as & 3] += leaf->uses;
    leaf->uses = 0;
    if (result->detail)
        profile_book(core, result->detail, result->uses);
}

/* Begins to count uses of the leaf for the current calling context of the profile and privilege class (used_as).
 * Enters it into the list of used leaves at its first use since totals were formed. */
void memo_begin_to_use(p5_core *core, memo_leaf *leaf)
{
    memo *m = &core->memo;
    assert(leaf != memo_leaf_at(m, 0));
    const uint32_t number = memo_leaf_number(m, leaf);
    memo_result *result = memo_result_at(m, number);
    if (leaf->used_as == MEMO_UNUSED) {
        result->next_dirty = m->dirty;
        m->dirty = number;
    } else {
        take_uses(core, leaf, result);
    }
    if (result->detail)
        profile_move(core, result->detail); /* the profile attributes further uses to the current context */
    leaf->used_as = core->used_as;
}

/* Adds the counts of all uses to the core's deltas, and empties the list of used leaves. */
void memo_fold(p5_core *core)
{
    memo *m = &core->memo;
    uint32_t number = m->dirty;
    while (number != 0) {
        memo_leaf *leaf = memo_leaf_at(m, number);
        memo_result *result = memo_result_at(m, number);
        take_uses(core, leaf, result);
        if (result->detail)
            memset(result->detail->taken, 0, sizeof result->detail->taken);
        for (unsigned class = 0; class < P5_CPL_CLASSES; class ++) {
            if (result->uses[class])
                fold_result(&core->deltas[class], result, leaf->clocks, result->uses[class]);
            result->uses[class] = 0;
        }
        leaf->used_as = MEMO_UNUSED;
        number = result->next_dirty;
    }
    m->dirty = 0;
}

/* Returns a new leaf, whose memo_result has the same number, or NULL if memory is out. */
memo_leaf *memo_new_leaf(memo *m)
{
    assert(m->leaves.count == m->results.count);
    const uint32_t number = pool_take(&m->leaves);
    if (number == 0 || pool_take(&m->results) == 0)
        return NULL;
    memo_leaf *leaf = memo_leaf_at(m, number);
    leaf->used_as = MEMO_UNUSED;
    return leaf;
}

/* Returns a copy of `node` in the pool, or NULL if memory is out. */
memo_node *memo_new_node(memo *m, const memo_node *node)
{
    const uint32_t number = pool_take(&m->nodes);
    if (number == 0)
        return NULL;
    *memo_node_at(m, number) = *node;
    return memo_node_at(m, number);
}

/* ---- edges --------------------------------------------------------------------------------------------- */

/* Returns the edge of a node for an answer, or NULL if there is none. */
memo_streak *memo_find_edge(const memo *m, const memo_node *node, const memo_answer *answer)
{
    if (node->edge != 0 && memo_edge_is(memo_edge_at(m, node->edge), answer))
        return memo_edge_at(m, node->edge);
    for (uint32_t number = node->fan; number != 0; number = memo_fan_at(m, number)->next) {
        const memo_fan *fan = memo_fan_at(m, number);
        for (unsigned i = 0; i < MEMO_FAN && fan->edge[i] != 0; i++)
            if (fan->word[i] == answer->word[3] && memo_edge_is(memo_edge_at(m, fan->edge[i]), answer))
                return memo_edge_at(m, fan->edge[i]);
    }
    return NULL;
}

/* Enters an edge into the node's fan, where it is found when it is not the node's most recent edge. Returns
 * false if memory is out. */
static bool enter_fan(memo *m, memo_node *node, uint32_t edge)
{
    if (node->fan == 0 || memo_fan_at(m, node->fan)->edge[MEMO_FAN - 1] != 0) {
        const uint32_t number = pool_take(&m->fans);
        if (number == 0)
            return false;
        memo_fan_at(m, number)->next = node->fan;
        node->fan = number;
    }
    memo_fan *fan = memo_fan_at(m, node->fan);
    unsigned i = 0;
    while (fan->edge[i] != 0)
        i++;
    assert(i < MEMO_FAN);
    fan->word[i] = memo_edge_at(m, edge)->word;
    fan->edge[i] = edge;
    return true;
}

/* Makes an edge of a node for an answer that has none, with a streak that has no questions yet. It becomes the node's
 * most recent edge. Returns NULL if memory is out. */
memo_streak *memo_new_edge(memo *m, memo_node *node, const memo_answer *answer)
{
    assert(node->kind != MEMO_BRANCH && memo_find_edge(m, node, answer) == NULL);
    uint64_t *rest = NULL;
    if (!(answer->word[3] & MEMO_ONE_WORD)) {
        rest = arena_alloc(&m->arena, MEMO_REST * sizeof *rest);
        if (!rest)
            return NULL;
        memcpy(rest, answer->word, MEMO_REST * sizeof *rest);
    }
    const uint32_t number = pool_take(&m->edges);
    if (number == 0)
        return NULL;
    memo_streak *edge = memo_edge_at(m, number);
    edge->is_edge = true;
    edge->word = answer->word[3];
    edge->rest = rest;
    edge->questions_before = (uint16_t)(node->number + 1);
    memo_set_no_lines(edge);
    /* the node's first edge is entered into the fan together with the second */
    if (node->edge != 0 &&
        ((node->fan == 0 && !enter_fan(m, node, node->edge)) || !enter_fan(m, node, number)))
        return NULL;
    node->edge = number;
    return edge;
}

/* ---- states -------------------------------------------------------------------------------------------- */

/* Hashes one more word. The factor is 2^64 divided by the golden ratio. */
static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Hashes an object of at least two words. The last two words may overlap the ones before. */
static inline uint64_t hash_bytes(uint64_t h, const void *object, size_t size)
{
    uint64_t words[2];
    for (size_t at = 0; at < size; at += sizeof words) {
        const size_t from = at + sizeof words <= size ? at : size - sizeof words;
        memcpy(words, (const char *)object + from, sizeof words);
        const unsigned __int128 product =
            (unsigned __int128)(h ^ words[0]) * (words[1] ^ 0x9e3779b97f4a7c15u);
        h = (uint64_t)product ^ (uint64_t)(product >> 64);
    }
    return h;
}

/* Returns whether two pending instructions are equal; NULL is none. */
static bool same_waiting(const pipe_pending *a, const pipe_pending *b)
{
    return a == b || (a && b && memcmp(a, b, sizeof *a) == 0);
}

/* Returns the memo's copy of the pipe's state, which is the same object for equal states; NULL: memory is out. How
 * far PF is ahead of the decoders is left out of it (pipe_forget_ahead) where that does not matter. */
memo_state *memo_intern(p5_core *core)
{
    assert(core->memo.last == 0); /* `pipe` is valid */
    memo *m = &core->memo;
    pipe_state *s = &core->state;
    pipe_pending stored, *waiting = NULL;
    pipe_store(&core->pipe, s);
    pipe_forget_ahead(s, &core->timing);
    uint64_t h = hash_bytes(1, s, sizeof *s);
    if (core->pipe.waiting) {
        waiting = &stored;
        pipe_store_pending(&core->pipe, waiting);
        h = hash_bytes(h, waiting, sizeof *waiting);
    }
    uint32_t hash = (uint32_t)(h >> 32);
    memo_state *states = (memo_state *)m->states.objects;
    for (const memo_slot *slot = table_first(&m->state_table, hash); slot->number;
         slot = table_next(&m->state_table, slot)) {
        memo_state *c = &states[slot->number];
        if (slot->hash == hash && memcmp(&c->state, s, sizeof *s) == 0 && same_waiting(c->waiting, waiting))
            return c;
    }
    pipe_pending *kept = waiting ? arena_alloc(&m->arena, sizeof *kept) : NULL;
    uint32_t number = !waiting || kept ? pool_take(&m->states) : 0;
    if (number == 0 || !table_put(&m->state_table, hash, number))
        return NULL;
    if (waiting)
        *kept = *waiting;
    states[number] = (memo_state){*s, kept};
    return &states[number];
}

/* ---- paths ------------------------------------------------------------------------------------------- */

/* Returns the path of a piece from state `from` in a variant, and makes it if necessary. NULL: memory is out,
 * or the piece has other paths and misses one for the first time since it was learned (memo_learn_later). */
memo_path *memo_find_path(p5_core *core, piece *part, const memo_state *from, uint32_t variant)
{
    assert(part->memo && from != NULL);
    memo *m = &core->memo;
    const uint32_t hash =
        (uint32_t)(mix(mix((uint64_t)(uintptr_t)part, (uint64_t)(uintptr_t)from), variant) >> 32);
    for (const memo_slot *slot = table_first(&m->path_table, hash); slot->number;
         slot = table_next(&m->path_table, slot)) {
        memo_path *p = memo_path_at(m, slot->number);
        if (slot->hash == hash && p->streak.piece == part && p->streak.from == from &&
            p->streak.variant == variant)
            return p;
    }
    if (memo_paths(m, part) && memo_learn_later(m, part))
        return NULL;
    const uint32_t number = pool_take(&m->paths);
    if (number == 0)
        return NULL;
    memo_path *p = memo_path_at(m, number);
    p->streak.piece = part;
    p->streak.from = from;
    p->streak.variant = variant;
    memo_set_no_lines(&p->streak);
    if (!table_put(&m->path_table, hash, number))
        return NULL;
    p->streak.next_of_piece = memo_paths(m, part);
    part->paths = number;
    part->generation = m->generation;
    return p;
}

/* Forgets what is stored for a block. The released block's paths stay allocated because leaves of other blocks may
 * lead to them, but they match no piece any more. */
void memo_release(p5_core *core, p5_block *block)
{
    memo *m = &core->memo;
    for (piece *part = &block->memo.first; part; part = part->next) {
        for (uint32_t p = memo_paths(m, part); p; p = memo_path_at(m, p)->streak.next_of_piece)
            memo_path_at(m, p)->streak.piece = NULL;
        part->paths = 0;
    }
}

/* Forms totals from what was learned, restores the pipe from it, and drops it. */
void memo_drop_all(p5_core *core)
{
    memo *m = &core->memo;
    memo_fold(core);
    memo_materialise(core);
    if (core->profile)
        profile_forget(core);
    assert(m->last == 0 && m->current == NULL && m->dirty == 0);
    m->generation++;
    table_clear(&m->state_table);
    table_clear(&m->path_table);
    memo_pool *const pools[] = MEMO_POOLS(m);
    for (unsigned i = 0; i < sizeof pools / sizeof pools[0]; i++)
        pools[i]->count = 1;
    assert(memo_leaf_at(m, 0)->used_as == MEMO_UNUSED && memo_leaf_at(m, 0)->next_path == 0);
    arena_clear(&m->arena);
}

/* Returns the bytes in use. */
size_t memo_bytes(const memo *m)
{
    const memo_pool *const pools[] = MEMO_POOLS(m);
    size_t bytes = m->arena.used_bytes;
    for (unsigned i = 0; i < sizeof pools / sizeof pools[0]; i++)
        bytes += (size_t)pools[i]->size * pools[i]->count;
    return bytes;
}
