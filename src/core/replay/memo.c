#include "core/memo.h"

#include <stdlib.h>
#include <string.h>

#include "core/replay/memo_tree.h"

enum { FIRST_SLOTS = 1 << 10, DEFAULT_BUDGET = 128 << 20 };

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

/* The first slot for objects of that hash. */
static inline memo_slot *table_first(const memo_table *t, uint32_t hash)
{
    return &t->slots[hash & t->mask];
}

/* ... and the one behind `slot`. */
static inline memo_slot *table_next(const memo_table *t, const memo_slot *slot)
{
    return &t->slots[(uint32_t)(slot - t->slots + 1) & t->mask];
}

static memo_slot *table_free(const memo_table *t, uint32_t hash)
{
    memo_slot *slot = table_first(t, hash);
    while (slot->object)
        slot = table_next(t, slot);
    return slot;
}

/* False: out of memory. */
static bool table_put(memo_table *t, uint32_t hash, void *object)
{
    if (2 * t->count > t->mask) {
        const memo_table old = *t;
        memo_slot *slots = calloc(2 * ((size_t)old.mask + 1), sizeof *slots);
        if (!slots)
            return false;
        t->slots = slots;
        t->mask = 2 * old.mask + 1;
        for (const memo_slot *s = old.slots; s <= old.slots + old.mask; s++)
            if (s->object)
                *table_free(t, s->hash) = *s;
        free(old.slots);
    }
    *table_free(t, hash) = (memo_slot){hash, object};
    t->count++;
    return true;
}

/* ---- the memo ------------------------------------------------------------------------------------------ */

bool memo_open(p5_core *core)
{
    memo *m = &core->memo;
    m->on = true;
    m->budget = DEFAULT_BUDGET;
    m->scratch = calloc(1, sizeof *m->scratch);
    return table_open(&m->states) && table_open(&m->paths) && table_open(&m->families) && m->scratch &&
           memo_learn_open(core);
}

void memo_close(memo *m)
{
    arena_free_all(&m->arena);
    free(m->states.slots);
    free(m->paths.slots);
    free(m->families.slots);
    free(m->scratch);
    free(m->given);
    free(m->records);
    free(m->joined);
    *m = (memo){0};
}

/* What waits is `waiting`, or nothing; its references are at hand. */
static void wait_again(pipe *p, const pipe_pending *waiting)
{
    p->has_pending = waiting != NULL;
    if (!waiting)
        return;
    pipe_pending *pending = &p->pending;
    p5_access accesses[2];
    memcpy(accesses, pending->accesses, sizeof accesses);
    *pending = *waiting;
    memcpy(pending->accesses, accesses, sizeof accesses);
    pending->insn.op = &pending->operation;
    pending->insn.accesses = pending->accesses;
}

void memo_materialise(p5_core *core)
{
    memo *m = &core->memo;
    const memo_state *current = memo_current(m);
    if (current) {
        core->state = current->state;
        wait_again(&core->pipe, current->waiting);
    }
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

static uint64_t hash_bytes(uint64_t h, const void *object, size_t size)
{
    const unsigned char *bytes = object;
    for (size_t at = 0; at < size; at += sizeof h) {
        uint64_t word = 0;
        memcpy(&word, bytes + at, size - at < sizeof word ? size - at : sizeof word);
        h = mix(h, word);
    }
    return h;
}

/* What waits, as what is the same is the same bytes: without its references, which are other ones each time,
 * and without pointers. */
static void describe_waiting(const pipe_pending *pending, pipe_pending *waiting)
{
    const pipe_insn *insn = &pending->insn;
    memset(waiting, 0, sizeof *waiting);
    memcpy(&waiting->operation, &pending->operation, sizeof waiting->operation);
    waiting->insn.access_count = insn->access_count;
    waiting->insn.clocks = insn->clocks;
    waiting->insn.next = insn->next;
    waiting->insn.taken = insn->taken;
    waiting->insn.unsafe_x87 = insn->unsafe_x87;
    waiting->insn.saturated = insn->saturated;
    waiting->insn.complete = insn->complete;
    waiting->insn.flops = insn->flops;
    waiting->insn.segment_loads = insn->segment_loads;
    waiting->insn.descriptor = insn->descriptor;
    waiting->available = pending->available;
    waiting->miss_until = pending->miss_until;
    waiting->front = pending->front;
    waiting->next_unpaired = pending->next_unpaired;
    waiting->end_known = pending->end_known;
}

static bool same_waiting(const pipe_pending *a, const pipe_pending *b)
{
    return a == b || (a && b && memcmp(a, b, sizeof *a) == 0);
}

memo_state *memo_intern(p5_core *core)
{
    memo *m = &core->memo;
    const pipe_state *s = &core->state;
    pipe_pending described, *waiting = NULL;
    uint64_t h = hash_bytes(0, s, sizeof *s);
    if (core->pipe.has_pending) {
        waiting = &described;
        describe_waiting(&core->pipe.pending, waiting);
        h = hash_bytes(h, waiting, sizeof *waiting);
    }
    uint32_t hash = (uint32_t)(h >> 32);
    for (const memo_slot *slot = table_first(&m->states, hash); slot->object;
         slot = table_next(&m->states, slot)) {
        memo_state *c = slot->object;
        if (slot->hash == hash && memcmp(&c->state, s, sizeof *s) == 0 && same_waiting(c->waiting, waiting))
            return c;
    }
    memo_state *c = arena_alloc(&m->arena, sizeof *c);
    pipe_pending *kept = waiting ? arena_alloc(&m->arena, sizeof *kept) : NULL;
    if (!c || (waiting && !kept))
        return NULL;
    if (waiting)
        *kept = *waiting;
    c->state = *s;
    c->waiting = kept;
    return table_put(&m->states, hash, c) ? c : NULL;
}

/* ---- ways in ------------------------------------------------------------------------------------------- */

static memo_path *enter_family(memo_path *p)
{
    if (p->family)
        p->family[memo_member(p->variant)] = p;
    return p;
}

/* The paths of `part` from `from` but for the variant know each other. NULL: out of memory, which does no
 * harm. */
static memo_path **find_family(memo *m, memo_path *path, uint64_t h)
{
    const uint32_t hash = (uint32_t)(h >> 32);
    for (const memo_slot *slot = table_first(&m->families, hash); slot->object;
         slot = table_next(&m->families, slot)) {
        const memo_path *p = slot->object;
        if (slot->hash == hash && p->piece == path->piece && p->from == path->from)
            return p->family;
    }
    memo_path **family = arena_alloc_line(&m->arena, MEMO_FAMILY * sizeof(memo_path *));
    return family && table_put(&m->families, hash, path) ? family : NULL;
}

memo_path *memo_find_path(memo *m, piece *part, const memo_state *from, uint64_t variant)
{
    const uint64_t of_piece = mix(mix((uint64_t)(uintptr_t)part, (uint64_t)(uintptr_t)from), 0);
    const uint32_t hash = (uint32_t)(mix(of_piece, variant) >> 32);
    for (const memo_slot *slot = table_first(&m->paths, hash); slot->object;
         slot = table_next(&m->paths, slot)) {
        memo_path *p = slot->object;
        if (slot->hash == hash && p->piece == part && p->from == from && p->variant == variant)
            return enter_family(p);
    }
    memo_path *p = arena_alloc_line(&m->arena, sizeof *p);
    if (!p)
        return NULL;
    p->piece = part;
    p->from = from;
    p->variant = variant;
    if (!table_put(&m->paths, hash, p))
        return NULL;
    if (part->has_variants)
        p->family = find_family(m, p, of_piece);
    p->next_of_piece = part->paths;
    part->paths = p;
    return enter_family(p);
}

/* The paths stay where they are, but fit no block any more: leaves of other blocks may lead to them. */
void memo_release(p5_core *core, p5_block *block)
{
    (void)core;
    for (piece *part = block->pieces; part; part = part->next) {
        for (memo_path *p = part->paths; p; p = p->next_of_piece)
            p->piece = NULL;
        part->paths = NULL;
    }
}

void memo_drop_all(p5_core *core)
{
    memo *m = &core->memo;
    memo_fold(core);
    memo_materialise(core);
    if (core->profile)
        profile_forget(core);
    for (p5_block *block = core->blocks; block; block = block->next)
        for (piece *part = block->pieces; part; part = part->next)
            part->paths = NULL;
    table_clear(&m->states);
    table_clear(&m->paths);
    table_clear(&m->families);
    arena_free_all(&m->arena);
}
