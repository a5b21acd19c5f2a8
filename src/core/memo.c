#include "core/memo.h"

#include <stdlib.h>
#include <string.h>

#include "core/core_internal.h"
#include "core/cost.h"

enum { STATE_ROOM = 1 << 14, ENTRY_ROOM = 1 << 16, DELTA_KINDS = P5_EVENT_COUNT + P5_STALL_COUNT };
enum { DEFAULT_BUDGET = 256 << 20 };

struct memo_state {
    pipe_state state;
    uint32_t hash;
    memo_state *next;
};

/* What one use adds to one event (`kind` below P5_EVENT_COUNT) or to one owner of clocks. */
typedef struct memo_delta {
    uint16_t kind;
    uint32_t increments, asserted;
} memo_delta;

/* Key: state, variant, right. */
struct memo_entry {
    memo_entry *next; /* of the same block */
    memo_entry *next_in_bucket;
    const p5_block *block;
    const memo_state *from;
    uint64_t variant; /* bank meetings, operand values, taken */
    memo_state *to;
    uint32_t clocks;
    uint16_t groups, instructions;
    uint32_t last_u, previous_u;
    bool right, taken, in_v, unpaired_chance;
    uint64_t uses[P5_CPL_CLASSES];
    uint64_t btb_hits[P5_CPL_CLASSES];
    memo_entry *next_dirty;
    bool is_dirty;
    uint32_t *u_addresses; /* P54C: of the groups, for the BTB look-ups of those without a branch */
    uint16_t delta_count, room;
    memo_delta deltas[];
};

bool memo_open(memo *m)
{
    m->on = true;
    m->budget = DEFAULT_BUDGET;
    m->state_room = STATE_ROOM;
    m->states = calloc(m->state_room, sizeof *m->states);
    m->entries = calloc(ENTRY_ROOM, sizeof(memo_entry *));
    m->scratch = calloc(1, sizeof *m->scratch);
    return m->states && m->entries && m->scratch;
}

static void drop_states(memo *m)
{
    for (unsigned i = 0; m->states && i < m->state_room; i++) {
        while (m->states[i]) {
            memo_state *next = m->states[i]->next;
            free(m->states[i]);
            m->states[i] = next;
        }
    }
    m->state_count = 0;
    m->current = NULL;
}

void memo_close(memo *m)
{
    drop_states(m);
    free(m->states);
    free(m->entries);
    free(m->scratch);
    m->states = NULL;
    m->entries = NULL;
    m->scratch = NULL;
}

void memo_materialise(p5_core *core)
{
    if (core->memo.current)
        core->state = core->memo.current->state;
    core->memo.current = NULL;
}

/* ---- totals -------------------------------------------------------------------------------------------- */

static void fold_entry(pipe_deltas *d, const memo_entry *e, uint64_t uses, uint64_t hits)
{
    d->clocks += uses * e->clocks;
    for (unsigned i = 0; i < e->delta_count; i++) {
        const memo_delta *delta = &e->deltas[i];
        if (delta->kind >= P5_EVENT_COUNT) {
            d->stalls[delta->kind - P5_EVENT_COUNT] += uses * delta->increments;
        } else {
            d->increments[delta->kind] += uses * delta->increments;
            d->asserted[delta->kind] += uses * delta->asserted;
        }
    }
    d->increments[P5_EVENT_BTB_HITS] += hits;
    d->asserted[P5_EVENT_BTB_HITS] += hits;
    if (!e->taken) { /* a taken branch counts in any case and is among the deltas */
        d->increments[P5_EVENT_TAKEN_BRANCH_OR_BTB_HIT] += hits;
        d->asserted[P5_EVENT_TAKEN_BRANCH_OR_BTB_HIT] += hits;
    }
}

void memo_fold(p5_core *core)
{
    memo_entry *e = core->memo.dirty;
    while (e) {
        for (unsigned class = 0; class < P5_CPL_CLASSES; class ++) {
            if (e->uses[class])
                fold_entry(&core->deltas[class], e, e->uses[class], e->btb_hits[class]);
            e->uses[class] = e->btb_hits[class] = 0;
        }
        memo_entry *next = e->next_dirty;
        e->is_dirty = false;
        e->next_dirty = NULL;
        e = next;
    }
    core->memo.dirty = NULL;
}

static size_t entry_bytes(unsigned deltas)
{
    return sizeof(memo_entry) + deltas * sizeof(memo_delta);
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

/* The one stored copy of `s`, or NULL when memory is out. */
static memo_state *intern(memo *m, const pipe_state *s)
{
    uint32_t hash = hash_state(s);
    memo_state **bucket = &m->states[hash % m->state_room];
    for (memo_state *c = *bucket; c; c = c->next)
        if (c->hash == hash && memcmp(&c->state, s, sizeof *s) == 0)
            return c;
    memo_state *c = malloc(sizeof *c);
    if (!c)
        return NULL;
    c->state = *s;
    c->hash = hash;
    c->next = *bucket;
    *bucket = c;
    m->state_count++;
    m->bytes += sizeof *c;
    return c;
}

/* ---- the key ------------------------------------------------------------------------------------------- */

static unsigned banks(const p5_access *a)
{
    return 1u << (a->linear >> 2 & 7) | 1u << ((a->linear + a->size - 1) >> 2 & 7);
}

/* What this execution differs by from others of the block with the same state: neighbours that would meet in
 * one bank, clocks that depend on operand values, saturation, direction. */
static uint64_t variant(const p5_core *core, const p5_retired *r, bool taken)
{
    const p5_block *block = r->block;
    uint64_t key = taken;
    for (unsigned i = 0; i < block->bank_count; i++) {
        const p5_access *a = &r->accesses[block->bank_first[i]];
        key = key << 1 | ((banks(a) & banks(a + 1)) != 0);
    }
    for (unsigned i = 0; i < block->value_count; i++) {
        const op *o = &block->ops[block->value_ops[i]];
        const p5_value *value = &r->values[i];
        if (o->value == ISA_VALUE_SATURATED) {
            key = key << 1 | (value->a != 0);
        } else {
            const cost_context c = {.mode = r->mode, .value = value};
            key = key << 10 | (cost_clocks(core->timing, o, &c) & 0x3ff);
        }
    }
    return key;
}

enum { WRONG, RIGHT, EITHER }; /* prediction of the branch at the end */

static bool is_for(const memo_entry *e, const memo_state *from, uint64_t key, unsigned prediction)
{
    return e->from == from && e->variant == key && (prediction == EITHER || e->right == prediction);
}

static memo_entry **bucket(const memo *m, const p5_block *block, const memo_state *from, uint64_t key)
{
    uint64_t h = mix(mix((uint64_t)(uintptr_t)block, from->hash), key);
    return &m->entries[h >> 32 & (ENTRY_ROOM - 1)];
}

static memo_entry *find(const memo *m, p5_block *block, const memo_state *from, uint64_t key,
                        unsigned prediction)
{
    memo_entry *e = block->recent;
    if (e && is_for(e, from, key, prediction))
        return e;
    for (e = *bucket(m, block, from, key); e; e = e->next_in_bucket) {
        if (e->block == block && is_for(e, from, key, prediction)) {
            block->recent = e;
            return e;
        }
    }
    return NULL;
}

/* ---- forgetting ---------------------------------------------------------------------------------------- */

static void unlink_entry(memo *m, memo_entry *e)
{
    memo_entry **link = bucket(m, e->block, e->from, e->variant);
    while (*link != e)
        link = &(*link)->next_in_bucket;
    *link = e->next_in_bucket;
}

static void drop_entries(p5_core *core, p5_block *block)
{
    block->recent = NULL;
    while (block->entries) {
        memo_entry *e = block->entries;
        block->entries = e->next;
        unlink_entry(&core->memo, e);
        core->memo.bytes -= entry_bytes(e->room);
        free(e->u_addresses);
        free(e);
    }
}

void memo_release(p5_core *core, p5_block *block)
{
    if (!block->entries)
        return;
    memo_fold(core);
    drop_entries(core, block);
}

/* Over budget: forget everything. Answers are made anew when they are needed; totals keep what the entries
 * stood for. */
static void drop_all(p5_core *core)
{
    memo_fold(core);
    memo_materialise(core);
    for (p5_block *block = core->blocks; block; block = block->next)
        drop_entries(core, block);
    drop_states(&core->memo);
    core->memo.bytes = 0;
}

/* ---- making and using ---------------------------------------------------------------------------------- */

/* A wrong or missing prediction of a return counts in several ways; a false entry is rare: both go the exact
 * way every time. */
static bool usual_branch(const branch_query *q, const branch_answer *a)
{
    if (a->false_entry)
        return false;
    return q->kind != ISA_RET || (a->right && a->return_predicted && a->return_right);
}

/* Whether BTB hits decide about this event: it is then counted by use. */
static bool counted_by_use(unsigned event, bool taken)
{
    return event == P5_EVENT_BTB_HITS || (event == P5_EVENT_TAKEN_BRANCH_OR_BTB_HIT && !taken);
}

/* Turns the deltas in `scratch` into an entry. NULL: out of memory. */
static memo_entry *make(p5_core *core, p5_block *block, const memo_state *from, memo_state *to, uint64_t key,
                        uint32_t clocks)
{
    const pipe *p = &core->pipe;
    const pipe_deltas *d = core->memo.scratch;
    unsigned n = 0;
    for (unsigned i = 0; i < DELTA_KINDS; i++)
        n += i < P5_EVENT_COUNT ? d->increments[i] != 0 : d->stalls[i - P5_EVENT_COUNT] != 0;
    memo_entry *e = calloc(1, entry_bytes(n));
    if (!e)
        return NULL;
    e->from = from;
    e->to = to;
    e->variant = key;
    e->clocks = clocks;
    e->groups = (uint16_t)p->groups;
    e->instructions = (uint16_t)p->instructions;
    e->last_u = p->last_u;
    e->previous_u = p->previous_u;
    for (unsigned i = 0; i < DELTA_KINDS; i++) {
        uint64_t increments = i < P5_EVENT_COUNT ? d->increments[i] : d->stalls[i - P5_EVENT_COUNT];
        uint64_t asserted = i < P5_EVENT_COUNT ? d->asserted[i] : increments;
        if (increments && !counted_by_use(i, core->query.taken))
            e->deltas[e->delta_count++] = (memo_delta){(uint16_t)i, (uint32_t)increments, (uint32_t)asserted};
    }
    if (core->timing->end_bits) {
        e->u_addresses = malloc(p->groups * sizeof *e->u_addresses);
        if (!e->u_addresses) {
            free(e);
            return NULL;
        }
        memcpy(e->u_addresses, core->group_log, p->groups * sizeof *e->u_addresses);
    }
    e->taken = core->query.taken;
    e->right = core->answer.right;
    e->in_v = core->query.in_v;
    e->unpaired_chance = core->query.unpaired_chance;
    e->room = (uint16_t)n;
    core->memo.bytes += entry_bytes(n);
    e->block = block;
    e->next = block->entries;
    block->entries = block->recent = e;
    memo_entry **link = bucket(&core->memo, block, from, key);
    e->next_in_bucket = *link;
    *link = e;
    return e;
}

static void use(p5_core *core, memo_entry *e, p5_block *block, bool hit)
{
    e->uses[core->cpl_class]++;
    e->btb_hits[core->cpl_class] += hit;
    if (!e->is_dirty) {
        e->is_dirty = true;
        e->next_dirty = core->memo.dirty;
        core->memo.dirty = e;
    }
    core->now += e->clocks;
    core->instructions += e->instructions;
    core->groups += e->groups;
    core->pipe.previous_u = e->groups > 1 ? e->previous_u : core->pipe.last_u;
    core->pipe.last_u = e->last_u;
    block->branch_instructions = core->instructions;
    block->branch_groups = core->groups;
    core->memo.current = e->to;
}

/* Everything was usual but there is no entry: prices the stretch exactly, aside, and remembers it. */
static void learn(p5_core *core, const p5_retired *r, memo_state *from, uint64_t key)
{
    p5_block *block = r->block;
    pipe_deltas *d = core->memo.scratch;
    memset(d, 0, sizeof *d);
    uint64_t before = core->now;
    core->record = d;
    price_exact(core, r);
    core->record = NULL;
    const branch_answer *answer = &core->answer;
    bool plain = !core->pipe.has_pending && core->answered && !core->saw_wrong_pass &&
                 usual_branch(&core->query, answer);
    memo_state *to = plain ? intern(&core->memo, &core->state) : NULL;
    if (to && make(core, block, from, to, key, (uint32_t)(core->now - before)))
        core->memo.current = to;
    /* this execution itself */
    pipe_deltas *sum = &core->deltas[core->cpl_class];
    sum->clocks += d->clocks;
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
        sum->increments[i] += d->increments[i];
        sum->asserted[i] += d->asserted[i];
    }
    for (unsigned i = 0; i < P5_STALL_COUNT; i++)
        sum->stalls[i] += d->stalls[i];
    if (core->memo.bytes > core->memo.budget)
        drop_all(core);
}

/* Asks the structures for the usual case, in the order in which the exact path would. */
static bool probe(p5_core *core, const p5_retired *r, const pipe_state *state)
{
    const p5_block *block = r->block;
    code_lines lines = price_code_lines(state, block, 0, block->count);
    for (unsigned i = 0; i < lines.count; i++) {
        uint32_t linear = (lines.first + i) << 5;
        if (block->code->cache_disable ||
            !memory_code_usual(core->memory, linear, price_physical(block, linear))) {
            core->code_usual = i;
            return false;
        }
    }
    core->code_usual = lines.count;
    if (core->timing->end_bits) {
        bool all = true;
        for (unsigned i = 0; i < block->line_count; i++) {
            uint32_t linear = (block->code->linear & ~31u) + i * 32;
            core->end_known[i] =
                memory_end_bits(core->memory, price_physical(block, linear), block->end_masks[i]);
            all = all && (core->end_known[i] & block->end_masks[i]) == block->end_masks[i];
        }
        core->end_probed = true;
        if (!all)
            return false;
    }
    for (uint32_t i = 0; i < r->access_count; i++) {
        if (!memory_data_usual(core->memory, &r->accesses[i], core->now)) {
            core->data_usual = i;
            return false;
        }
    }
    core->data_usual = r->access_count;
    return true;
}

/* P54C: the BTB look-ups of the groups before the branch. False if it was wrong about one of them. */
static bool pass_groups(p5_core *core, const memo_entry *e)
{
    for (unsigned i = 0; i + 1 < e->groups; i++) {
        uint32_t previous = i > 0 ? e->u_addresses[i - 1] : core->pipe.last_u;
        if (predictor_passed(core->predictor, previous)) {
            core->passed_wrong = true;
            core->passed_known = i;
            return false;
        }
    }
    core->passed_known = e->groups - 1u;
    return true;
}

static bool applies(const p5_core *core, const p5_retired *r)
{
    const p5_block *block = r->block;
    return block->memo && r->first == 0 && r->count == block->count && !core->pipe.has_pending &&
           !r->unsafe_x87 && !r->interrupted && r->access_count == block->access_start[block->count] &&
           r->value_count == block->value_count && !core->trace.insn && !core->breakpoints.active &&
           !core->control.single_pipe && !core->control.trap_flag && !core->control.fpu_trap;
}

bool memo_price(p5_core *core, const p5_retired *r)
{
    p5_block *block = r->block;
    if (!applies(core, r))
        return false;
    memo_state *from = core->memo.current;
    if (!from) {
        from = intern(&core->memo, &core->state);
        if (!from)
            return false;
        core->memo.current = from;
    }
    if (!probe(core, r, &from->state))
        return false;
    const op *last = &block->ops[block->count - 1];
    bool taken = price_taken(last, r->next);
    uint64_t key = variant(core, r, taken);
    /* What an entry says of the time before the branch is the same whether the prediction is right or not. */
    memo_entry *e = find(&core->memo, block, from, key, EITHER);
    if (!e) {
        learn(core, r, from, key);
        return true;
    }
    if (e->u_addresses && !pass_groups(core, e))
        return false;
    branch_query *q = &core->query;
    uint64_t since = core->instructions - block->branch_instructions + e->instructions;
    uint64_t pairs = core->groups - block->branch_groups + e->groups;
    *q = (branch_query){.address = last->address,
                        .last_byte = last->address + last->length - 1,
                        .pair = e->last_u,
                        .previous_pair = e->groups > 1 ? e->previous_u : core->pipe.last_u,
                        .target = r->next,
                        .fall_through = last->address + last->length,
                        .kind = last->branch,
                        .taken = taken,
                        .in_v = e->in_v,
                        .unpaired_chance = e->unpaired_chance,
                        .loop_pairs = (uint8_t)(pairs < UINT8_MAX ? pairs : UINT8_MAX),
                        .since_last = (uint16_t)(since < UINT16_MAX ? since : UINT16_MAX)};
    branch_answer *a = &core->answer;
    memset(a, 0, sizeof *a);
    predictor_branch(core->predictor, q, a);
    core->answer_ready = true; /* should the exact path have to go on from here */
    if (!usual_branch(q, a)) {
        return false;
    }
    if (a->right != e->right) {
        e = find(&core->memo, block, from, key, a->right ? RIGHT : WRONG);
        if (!e) {
            learn(core, r, from, key);
            return true;
        }
    }
    core->answer_ready = false;
    core->passed_known = 0;
    core->code_usual = core->data_usual = 0;
    core->end_probed = false;
    use(core, e, block, a->hit);
    return true;
}
