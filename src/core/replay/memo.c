#include "core/replay/memo.h"

#include <stdlib.h>
#include <string.h>

#include "core/replay/memo_tree.h"

enum { STATE_ROOM = 1 << 14, PATH_ROOM = 1 << 16, DEFAULT_BUDGET = 256 << 20 };

bool memo_open(p5_core *core)
{
    memo *m = &core->memo;
    m->on = true;
    m->budget = DEFAULT_BUDGET;
    m->states = calloc(STATE_ROOM, sizeof(memo_state *));
    m->paths = calloc(PATH_ROOM, sizeof(memo_path *));
    m->scratch = calloc(1, sizeof *m->scratch);
    return m->states && m->paths && m->scratch && memo_learn_open(core);
}

void memo_close(memo *m)
{
    arena_free_all(&m->arena);
    free(m->states);
    free(m->paths);
    free(m->scratch);
    free(m->given);
    free(m->records);
    *m = (memo){0};
}

void memo_materialise(p5_core *core)
{
    memo *m = &core->memo;
    const memo_state *current = memo_current(m);
    if (current)
        core->state = current->state;
    if (m->last) {
        core->pipe.last_u = m->last->last_u;
        if (core->timing.btb_by_pairs && m->last->groups > 1)
            core->pipe.previous_u = m->last->previous_u;
    }
    m->current = NULL;
    m->last = NULL;
}

/* ---- totals -------------------------------------------------------------------------------------------- */

static void fold_leaf(pipe_deltas *d, const memo_leaf *leaf, uint64_t uses)
{
    d->clocks += uses * leaf->clocks;
    for (unsigned i = 0; i < leaf->delta_count; i++) {
        const memo_delta *delta = &leaf->deltas[i];
        if (delta->kind >= P5_EVENT_COUNT) {
            d->stalls[delta->kind - P5_EVENT_COUNT] += uses * delta->increments;
        } else {
            d->increments[delta->kind] += uses * delta->increments;
            d->asserted[delta->kind] += uses * delta->asserted;
        }
    }
}

void memo_fold(p5_core *core)
{
    memo_leaf *leaf = core->memo.dirty;
    while (leaf) {
        if (leaf->detail) {
            profile_book(core, leaf->detail, leaf->uses);
            memset(leaf->detail->taken, 0, sizeof leaf->detail->taken);
        }
        for (unsigned class = 0; class < P5_CPL_CLASSES; class ++) {
            if (leaf->uses[class])
                fold_leaf(&core->deltas[class], leaf, leaf->uses[class]);
            leaf->uses[class] = 0;
        }
        memo_leaf *next = leaf->next_dirty;
        leaf->context = MEMO_UNUSED;
        leaf->next_dirty = NULL;
        leaf = next;
    }
    core->memo.dirty = NULL;
}

/* ---- states -------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint32_t hash_state(const pipe_state *s)
{
    const unsigned char *bytes = (const unsigned char *)s;
    uint64_t h = 0;
    for (size_t at = 0; at < sizeof *s; at += sizeof h) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, sizeof *s - at < sizeof word ? sizeof *s - at : sizeof word);
        h = mix(h, word);
    }
    return (uint32_t)(h >> 32);
}

memo_state *memo_intern(memo *m, const pipe_state *s)
{
    uint32_t hash = hash_state(s);
    memo_state **bucket = &m->states[hash % STATE_ROOM];
    for (memo_state *c = *bucket; c; c = c->next)
        if (c->hash == hash && memcmp(&c->state, s, sizeof *s) == 0)
            return c;
    memo_state *c = arena_alloc(&m->arena, sizeof *c);
    if (!c)
        return NULL;
    c->state = *s;
    c->hash = hash;
    c->next = *bucket;
    *bucket = c;
    return c;
}

/* ---- ways in ------------------------------------------------------------------------------------------- */

static memo_path *enter_family(memo_path *p)
{
    if (p->family)
        p->family[memo_member(p->variant)] = p;
    return p;
}

/* The family of paths of this block and state; NULL if memory is out, which does no harm. */
static memo_path **find_family(memo *m, const p5_block *block, const memo_state *from)
{
    for (const memo_path *p = block->paths; p; p = p->next_of_block)
        if (p->from == from)
            return p->family;
    return arena_alloc_line(&m->arena, MEMO_FAMILY * sizeof(memo_path *));
}

memo_path *memo_find_path(memo *m, p5_block *block, const memo_state *from, uint64_t variant)
{
    uint64_t hash = mix(mix((uint64_t)(uintptr_t)block, (uint64_t)(uintptr_t)from), variant);
    memo_path **bucket = &m->paths[(hash >> 32) % PATH_ROOM];
    for (memo_path *p = *bucket; p; p = p->next)
        if (p->block == block && p->from == from && p->variant == variant)
            return enter_family(p);
    memo_path *p = arena_alloc_line(&m->arena, sizeof *p);
    if (!p)
        return NULL;
    p->block = block;
    p->from = from;
    p->variant = variant;
    p->next = *bucket;
    *bucket = p;
    if (block->has_variants)
        p->family = find_family(m, block, from);
    p->next_of_block = block->paths;
    block->paths = p;
    return enter_family(p);
}

/* The paths stay where they are, but fit no block any more: leaves of other blocks may lead to them. */
void memo_release(p5_core *core, p5_block *block)
{
    (void)core;
    for (memo_path *p = block->paths; p; p = p->next_of_block)
        p->block = NULL;
    block->paths = NULL;
}

void memo_drop_all(p5_core *core)
{
    memo *m = &core->memo;
    memo_fold(core);
    memo_materialise(core);
    if (core->profile)
        profile_forget(core);
    for (p5_block *block = core->blocks; block; block = block->next)
        block->paths = NULL;
    memset(m->states, 0, STATE_ROOM * sizeof(memo_state *));
    memset(m->paths, 0, PATH_ROOM * sizeof(memo_path *));
    arena_free_all(&m->arena);
}
