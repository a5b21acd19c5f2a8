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
    if (core->profile)
        profile_asks(core, node->who);
    memory_data(core->memory, access, asked, false, node->mmx, &answer);
    if (core->profile && !answer.hit)
        profile_missed_data(core, access->physical);
    return behind(&core->memo, node, memo_pack_data(&answer, asked));
}

static memo_place *ask_code(p5_core *core, const p5_retired *r, memo_node *node)
{
    uint64_t asked = core->now + (uint64_t)(int64_t)node->offset;
    code_answer answer;
    if (memo_fetch(core, r->block, node->address, node->who, asked, &answer))
        return node->usual;
    return behind(&core->memo, node, memo_pack_code(&answer, asked));
}

static memo_place *ask_end(p5_core *core, const p5_retired *r, memo_node *node)
{
    if (price_end_known(core, r->block, node->address))
        return node->usual;
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
    uint64_t since = core->instructions - block->ran->instructions + node->instructions;
    uint64_t pairs = core->groups - block->ran->groups + node->index;
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
ask_predictor(p5_core *core, const p5_retired *r, memo_branch *branch, bool taken)
{
    const branch_query query = query_of(core, r, &branch->node, taken);
    branch_answer answer;
    predictor_branch(core->predictor, &query, &answer);
    btb_entry *entry = predictor_entry(core->predictor, query.last_byte);
    branch->entry = predictor_is_own(&core->predictor->btb, entry, &query) ? entry : NULL;
    branch->place = branch->entry ? btb_place(entry) : 0;
    return memo_pack_branch(&answer, taken);
}

static memo_place *__attribute__((noinline))
behind_branch(p5_core *core, memo_branch *branch, memo_answer packed, memo_place **kept)
{
    memo_place *place = behind(&core->memo, &branch->node, packed);
    if (kept)
        *kept = place;
    return place;
}

static inline memo_place *ask_branch(p5_core *core, const p5_retired *r, memo_branch *branch, bool taken)
{
    btb_entry *entry = branch->entry;
    if (__builtin_expect(!entry || btb_place(entry) != branch->place, 0))
        return behind_branch(core, branch, ask_predictor(core, r, branch, taken), NULL);
    const branch_query query = query_of(core, r, &branch->node, taken);
    branch_answer answer;
    predictor_own_entry(core->predictor, &query, entry, &answer);
    memo_place **place = &branch->behind[memo_own_index(&answer, taken)];
    if (__builtin_expect(!*place, 0))
        return behind_branch(core, branch, memo_pack_branch(&answer, taken), place);
    return *place;
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
            at = ask_branch(core, r, (memo_branch *)node, taken);
            break;
        case MEMO_LEAF:
            return at;
        }
        core->memo.known = node->number + 1;
    }
    return NULL;
}

/* Asks the steps of the way of usual answers at whatever clock; answers where the tree is to be walked on.
 * `core->memo.known` becomes the number of questions before that. */
static memo_place *__attribute__((noinline))
run_steps_busy(p5_core *core, const p5_retired *r, const memo_path *path)
{
    const p5_access *access = r->accesses;
    for (const memo_step *step = path->steps; step < path->steps + path->step_count; step++) {
        memo_node *at = step->node;
        core->memo.known = at->number;
        if (at->place.kind == MEMO_PASSED) {
            if (!passes(core, at)) { /* that the BTB was asked shows in it: no second time */
                core->memo.known = at->number + 1;
                return behind(&core->memo, at, memo_pack_bool(true));
            }
        } else if (!memory_data_usual(core->memory, access++, core->now + (uint64_t)(int64_t)at->offset)) {
            return &at->place;
        }
    }
    core->memo.known = path->end->number;
    return &path->end->place;
}

/* The same; mostly the steps are references at calm clocks. */
static inline memo_place *run_steps(p5_core *core, const p5_retired *r, const memo_path *path)
{
    struct memory *m = core->memory;
    memo_node *at = path->end;
    const memo_step *step = path->steps, *end = step + path->step_count;
    if (step != end) {
        if (__builtin_expect(!path->only_data ||
                                 !memory_calm(m, core->now + (uint64_t)(int64_t)path->first_offset,
                                              core->now + (uint64_t)(int64_t)path->last_offset),
                             0))
            return run_steps_busy(core, r, path);
        const p5_access *access = r->accesses;
        do {
            if (__builtin_expect(!memory_data_expected(m, access, &step->expected), 0)) {
                at = step->node;
                break;
            }
            access++;
        } while (++step != end);
    }
    core->memo.known = at->number;
    return &at->place;
}

/* The lines of a path are in the code cache, with the end bits that have to be known, and none of them is on
 * its way there. Changes nothing. */
static bool __attribute__((noinline)) lines_present(const p5_core *core, const memo_path *path)
{
    const struct memory *m = core->memory;
    bool filling = m->code_fill.done > core->now + (uint64_t)(int64_t)path->first_code;
    for (unsigned i = 0; i < path->line_count; i++) {
        memo_line *line = &path->lines[i];
        unsigned set = cache_set(line->physical);
        if (m->code.tag[set][line->way] != cache_tag(line->physical)) {
            int way = code_cache_find(&m->code, line->physical);
            if (way < 0)
                return false;
            line->way = (uint8_t)way;
        }
        if ((line->ends & ~m->code.ends[set][line->way]) != 0 ||
            (filling && cache_line(line->physical) == m->code_fill.line))
            return false;
    }
    return true;
}

/* What the fetches of present lines leave behind, of those that come before question `number`. */
static void use_lines(p5_core *core, const memo_path *path, uint32_t number)
{
    code_cache *code = &core->memory->code;
    for (const memo_line *line = path->lines; line < path->lines + path->line_count; line++)
        if (line->number < number)
            code_cache_used(code, cache_set(line->physical), line->way);
}

/* The code fetches of the path have their usual answers. `*changed`: what they leave behind has to be entered
 * into the code cache. That is not so if nothing has happened there since they were made last: a use of a way
 * sets the bits on its path of the replacement tree to values that depend on the way alone; done twice with
 * nothing between, the second changes nothing, and the lines of a block lie in different sets. */
static inline bool code_usual(p5_core *core, const memo_path *path, bool *changed)
{
    *changed = path->code_changes != memory_code_changes(core->memory);
    if (*changed && !lines_present(core, path))
        return false;
    return !path->asks_code ||
           (memory_undisturbed(core->memory, core->now + (uint64_t)(int64_t)path->last_code) &&
            memory_code_page_usual(core->memory, path->block->code->linear));
}

/* Follows the way of usual answers to the leaf, or as far as the answers are usual and then the tree. NULL:
 * the tree ends behind `known` questions. */
static inline __attribute__((always_inline)) memo_place *follow(p5_core *core, const p5_retired *r,
                                                                memo_path *path, bool taken)
{
    bool changed;
    if (__builtin_expect(!path->end || !code_usual(core, path, &changed), 0))
        return walk(core, r, path->first, taken);
    memo_place *at = run_steps(core, r, path);
    if (__builtin_expect(changed, 0)) {
        use_lines(core, path, core->memo.known);
        if (at == &path->end->place)
            path->code_changes = memory_code_changes(core->memory);
    }
    if (__builtin_expect(at != &path->end->place || at->kind != MEMO_BRANCH, 0))
        return walk(core, r, at, taken);
    memo_place *leaf = ask_branch(core, r, (memo_branch *)at, taken);
    core->memo.known++;
    if (__builtin_expect(!leaf || leaf->kind != MEMO_LEAF, 0))
        return walk(core, r, leaf, taken);
    return leaf;
}

static void __attribute__((noinline)) note_dirty(memo *m, memo_leaf *leaf)
{
    leaf->is_dirty = true;
    leaf->next_dirty = m->dirty;
    m->dirty = leaf;
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
    if (__builtin_expect(!leaf->is_dirty, 0))
        note_dirty(m, leaf);
    core->now += leaf->clocks;
    core->instructions += leaf->instructions;
    core->groups += leaf->groups;
    core->pipe.previous_u = leaf->groups > 1 ? leaf->previous_u : core->pipe.last_u;
    core->pipe.last_u = leaf->last_u;
    block->ran->instructions = core->instructions;
    block->ran->groups = core->groups;
    m->current = leaf->to;
    m->last = leaf;
}

/* The path of this execution, looked up. NULL: out of memory. */
static memo_path *__attribute__((noinline)) find_path(p5_core *core, p5_block *block, uint64_t key)
{
    memo *m = &core->memo;
    if (!m->current)
        m->current = memo_intern(m, &core->state);
    if (!m->current)
        return NULL;
    memo_path *path = memo_find_path(m, block, m->current, key);
    if (m->last)
        m->last->next_path = path;
    return path;
}

static inline __attribute__((always_inline)) void price_along(p5_core *core, const p5_retired *r,
                                                              memo_path *path, bool taken)
{
    core->memo.given_count = 0;
    core->memo.known = 0;
    memo_place *leaf = follow(core, r, path, taken);
    if (__builtin_expect(leaf != NULL, 1))
        use(core, (memo_leaf *)leaf, r->block);
    else
        memo_learn(core, r, path);
}

/* Whatever did not follow the stretch before last time. */
static void __attribute__((noinline)) price_unexpected(p5_core *core, const p5_retired *r, bool taken)
{
    const p5_block *block = r->block;
    uint64_t key = 0;
    memo_path *path = NULL;
    if (applies(core, r) && (!block->has_variants || variant(core, r, taken && block->by_direction, &key)))
        path = find_path(core, r->block, key);
    if (path)
        price_along(core, r, path, taken);
    else
        price_exact(core, r);
}

/* The whole block was executed, as the paths of the block at `path` expect it. Blocks that end in a REP
 * string have none; `last` is there only if no instruction is waiting for its partner and nothing holds the
 * memo. */
static inline bool is_whole(const p5_block *block, const p5_retired *r)
{
    return r->count == block->count && r->access_count == block->access_count &&
           r->value_count == block->value_count && !r->unsafe_x87;
}

void memo_price(p5_core *core, const p5_retired *r)
{
    const p5_block *block = r->block;
    bool taken = (r->next != block->fall_through) | !block->conditional;
    const memo_leaf *last = core->memo.last;
    if (__builtin_expect(last != NULL, 1)) {
        memo_path *path = last->next_path; /* what followed last time */
        uint64_t key = 0;
        if (__builtin_expect(path && path->block == block && is_whole(block, r), 1) &&
            (!block->has_variants || variant(core, r, taken && block->by_direction, &key)) &&
            path->variant == key) {
            price_along(core, r, path, taken);
            return;
        }
    }
    price_unexpected(core, r, taken);
}
