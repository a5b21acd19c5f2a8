/* The hot path: prices a stretch by asking the structures along the remembered way of the pipe. */
#include "core/cost.h"
#include "core/memo_tree.h"
#include "core/predictor_fast.h"

/* ---- what the structures are not asked for ------------------------------------------------------------- */

static unsigned banks(const p5_access *a)
{
    return 1u << (a->linear >> 2 & 7) | 1u << ((a->linear + a->size - 1) >> 2 & 7);
}

/* What this execution differs by from others of the block with the same state, beside the answers of the
 * structures: neighbours that would meet in one bank, clocks that depend on operand values, saturation, the
 * direction of LOOP. False: too long for a key. block.c sees to it that the bits fit. */
static bool variant(const p5_core *core, const p5_retired *r, bool taken, uint64_t *result)
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
            unsigned clocks = cost_clocks(&core->timing, o, &c);
            if (clocks > 0x3ff)
                return false;
            key = key << 10 | clocks;
        }
    }
    *result = key;
    return true;
}

static inline bool applies(const p5_core *core, const p5_retired *r)
{
    const p5_block *block = r->block;
    return block->memo && r->count == block->count && r->access_count == block->access_count &&
           r->value_count == block->value_count &&
           !(r->first | r->unsafe_x87 | r->interrupted | core->memo.held | core->pipe.has_pending);
}

/* ---- questions ----------------------------------------------------------------------------------------- */

static memo_place *edge_of(memo_node *node, const memo_answer *answer)
{
    memo_edge *before = NULL;
    for (memo_edge *edge = node->edges; edge; before = edge, edge = edge->next) {
        if (((edge->answer.word[0] ^ answer->word[0]) | (edge->answer.word[1] ^ answer->word[1]) |
             (edge->answer.word[2] ^ answer->word[2]) | (edge->answer.word[3] ^ answer->word[3])) != 0)
            continue;
        if (before) { /* to the front: it will be wanted again soon */
            before->next = edge->next;
            edge->next = node->edges;
            node->edges = edge;
        }
        return edge->to;
    }
    return NULL;
}

/* Goes on behind an answer that is not the usual one. */
static memo_place *behind(memo *m, memo_node *node, memo_answer answer)
{
    m->given[m->given_count++] = (memo_given){node->number, answer};
    return edge_of(node, &answer);
}

static memo_place *ask_data(p5_core *core, const p5_retired *r, memo_node *node)
{
    const p5_access *access = &r->accesses[node->index];
    uint64_t asked = core->now + (uint64_t)(int64_t)node->offset;
    if (memory_data_usual(core->memory, access, asked))
        return node->usual;
    data_answer answer;
    memory_set_pipe(core->memory, node->v_pipe);
    memory_set_partner(core->memory, node->partner);
    memory_data(core->memory, access, asked, false, node->mmx, &answer);
    if (core->profile)
        profile_capture(core, node->who, CAPTURE_DATA, access->physical);
    return behind(&core->memo, node, memo_pack_data(&answer, asked));
}

static memo_place *ask_code(p5_core *core, const p5_retired *r, memo_node *node)
{
    uint64_t asked = core->now + (uint64_t)(int64_t)node->offset;
    code_answer answer;
    if (memo_fetch(core, r->block, node->address, node->who, asked, &answer))
        return node->usual;
    core->memo.code_usual = false;
    return behind(&core->memo, node, memo_pack_code(&answer, asked));
}

static memo_place *ask_end(p5_core *core, const p5_retired *r, memo_node *node)
{
    if (price_end_known(core, r->block, node->address))
        return node->usual;
    core->memo.code_usual = false;
    return behind(&core->memo, node, memo_pack_bool(false));
}

/* True if the BTB was right about a group. */
static bool passes(p5_core *core, const memo_node *node)
{
    return !predictor_passed(core->predictor, node->index == 1 ? core->pipe.last_u : node->address);
}

static memo_place *ask_passed(p5_core *core, memo_node *node)
{
    return passes(core, node) ? node->usual : behind(&core->memo, node, memo_pack_bool(true));
}

static inline branch_query query_of(const p5_core *core, const p5_retired *r, const memo_node *node,
                                    bool taken)
{
    const p5_block *block = r->block;
    uint64_t since = core->instructions - block->branch_instructions + node->instructions;
    uint64_t pairs = core->groups - block->branch_groups + node->index;
    return (branch_query){.address = block->branch_address,
                          .last_byte = block->fall_through - 1,
                          .pair = node->address,
                          .previous_pair = node->index == 1 ? core->pipe.last_u : node->previous,
                          .target = r->next,
                          .fall_through = block->fall_through,
                          .kind = block->branch_kind,
                          .taken = taken,
                          .in_v = node->in_v,
                          .unpaired_chance = node->chance,
                          .loop_pairs = (uint8_t)(pairs < UINT8_MAX ? pairs : UINT8_MAX),
                          .since_last = (uint16_t)(since < UINT16_MAX ? since : UINT16_MAX)};
}

/* A branch whose BTB entry is not where it was last time. */
static memo_answer __attribute__((noinline))
ask_predictor(p5_core *core, const p5_retired *r, memo_node *node, bool taken)
{
    const branch_query query = query_of(core, r, node, taken);
    branch_answer answer;
    predictor_branch(core->predictor, &query, &answer);
    node->entry = predictor_entry(core->predictor, query.last_byte);
    return memo_pack_branch(&answer, taken);
}

static inline memo_place *ask_branch(p5_core *core, const p5_retired *r, memo_node *node, bool taken)
{
    predictor *p = core->predictor;
    const branch_query query = query_of(core, r, node, taken);
    memo_answer packed;
    if (__builtin_expect(predictor_is_own(&p->btb, node->entry, &query), 1)) {
        branch_answer answer;
        predictor_own_entry(p, &query, node->entry, &answer);
        packed = memo_pack_branch(&answer, taken);
    } else {
        packed = ask_predictor(core, r, node, taken);
    }
    for (const memo_edge *edge = node->edges; edge; edge = edge->next) /* as many as ways to predict */
        if (edge->answer.word[0] == packed.word[0])
            return edge->to;
    return behind(&core->memo, node, packed);
}

/* ---- the way ------------------------------------------------------------------------------------------- */

/* Follows the tree from `at` and answers the leaf. NULL: the tree ends behind `known` questions. */
static memo_place *walk(p5_core *core, const p5_retired *r, memo_place *at, bool taken)
{
    while (at) {
        memo_node *node = (memo_node *)at;
        switch ((memo_kind)at->kind) {
        case MEMO_DATA:
            at = ask_data(core, r, node);
            break;
        case MEMO_CODE:
            at = ask_code(core, r, node);
            break;
        case MEMO_END:
            at = ask_end(core, r, node);
            break;
        case MEMO_PASSED:
            at = ask_passed(core, node);
            break;
        case MEMO_BRANCH:
            at = ask_branch(core, r, node, taken);
            break;
        case MEMO_LEAF:
            return at;
        }
        core->memo.known = node->number + 1;
    }
    return NULL;
}

/* Follows the way of usual answers; answers where the tree is to be walked on. */
static inline memo_place *run_straight(p5_core *core, const p5_retired *r, const memo_path *path)
{
    struct memory *m = core->memory;
    const memo_step *step = path->steps, *end = step + path->step_count;
    const p5_access *access = r->accesses;
    if (path->only_data && memory_calm(m, core->now + (uint64_t)(int64_t)path->first_offset,
                                       core->now + (uint64_t)(int64_t)path->last_offset)) {
        for (; step < end; step++, access++)
            if (!memory_data_expected(m, access, &step->expected))
                return &step->node->place;
        return &path->branch->place;
    }
    for (; step < end; step++) {
        if (step->node->place.kind == MEMO_DATA) {
            uint64_t asked = core->now + (uint64_t)(int64_t)step->node->offset;
            if (!memory_data_usual(m, access++, asked))
                return &step->node->place;
        } else if (!passes(core, step->node)) {
            core->memo.known = step->node->number + 1;
            return behind(&core->memo, step->node, memo_pack_bool(true));
        }
    }
    return &path->branch->place;
}

/* Nothing has happened to the code cache since the lines that this path asks for were found there, most
 * recently used and with all end bits set: looking them up again would change nothing. (A use of a way sets
 * the bits on its path of the replacement tree to values that depend on the way alone; done twice with
 * nothing between, the second changes nothing. The lines of a block lie in different sets.) What remains is
 * the code TLB. */
static bool code_unchanged(p5_core *core, const memo_path *path)
{
    return path->code_changes == memory_code_changes(core->memory) &&
           (!path->asks_code ||
            (memory_undisturbed(core->memory, core->now + (uint64_t)(int64_t)path->code_offset) &&
             memory_code_page_usual(core->memory, path->block->code->linear)));
}

/* The lines of the path were looked up along the tree while the code cache went from `before` changes to what
 * it is now. */
static void note_code(const p5_core *core, memo_path *path, uint64_t before)
{
    const isa_block *code = path->block->code;
    bool one_page = ((code->linear ^ (code->linear + code->size - 1)) >> 12) == 0;
    if (core->memo.code_usual && before == memory_code_changes(core->memory) && one_page &&
        !code->cache_disable)
        path->code_changes = before;
}

static inline void use(p5_core *core, memo_leaf *leaf, p5_block *block)
{
    memo *m = &core->memo;
    if (__builtin_expect(leaf->context != m->context, 0)) { /* both 0 without a profile */
        profile_book(core, leaf->detail, leaf->uses);
        profile_move(core, leaf->detail);
        leaf->context = m->context;
    }
    leaf->uses[core->cpl_class]++;
    if (__builtin_expect(!leaf->is_dirty, 0)) {
        leaf->is_dirty = true;
        leaf->next_dirty = m->dirty;
        m->dirty = leaf;
    }
    core->now += leaf->clocks;
    core->instructions += leaf->instructions;
    core->groups += leaf->groups;
    core->pipe.previous_u = leaf->groups > 1 ? leaf->previous_u : core->pipe.last_u;
    core->pipe.last_u = leaf->last_u;
    block->branch_instructions = core->instructions;
    block->branch_groups = core->groups;
    m->current = leaf->to;
    m->last = leaf;
}

/* The path of this execution: the one that followed last time, mostly. NULL: out of memory. */
static inline memo_path *find_path(p5_core *core, p5_block *block, uint64_t key)
{
    memo *m = &core->memo;
    memo_path *path = m->last ? m->last->next_path : NULL;
    if (path && path->block == block && path->variant == key)
        return path;
    if (!m->current)
        m->current = memo_intern(m, &core->state);
    if (!m->current)
        return NULL;
    path = memo_find_path(m, block, m->current, key);
    if (m->last)
        m->last->next_path = path;
    return path;
}

void memo_price(p5_core *core, const p5_retired *r)
{
    p5_block *block = r->block;
    bool taken = !block->conditional || r->next != block->fall_through;
    uint64_t key = 0;
    if (!applies(core, r) || (block->has_variants && !variant(core, r, taken && block->by_direction, &key))) {
        price_exact(core, r);
        return;
    }
    memo_path *path = find_path(core, block, key);
    if (!path) {
        price_exact(core, r);
        return;
    }
    memo *m = &core->memo;
    m->given_count = 0;
    m->known = 0;
    memo_place *at;
    if (path->branch && code_unchanged(core, path)) {
        at = run_straight(core, r, path);
        if (at == &path->branch->place) {
            m->known = path->branch->number + 1;
            at = ask_branch(core, r, path->branch, taken);
        }
        if (!at || at->kind != MEMO_LEAF)
            at = walk(core, r, at, taken);
    } else {
        m->code_usual = true;
        uint64_t before = memory_code_changes(core->memory);
        at = walk(core, r, path->first, taken);
        if (at)
            note_code(core, path, before);
    }
    if (at)
        use(core, (memo_leaf *)at, block);
    else
        memo_learn(core, r, path);
}
