/* Learns: runs the pipe for a *piece* (a basic block or a part of it) whose *path* (the memo's entry for the piece
 * and one state of the pipe) has a tree of answers that ends too early. The pipe's lookups are *questions*, the
 * nodes of the tree. Those that were asked before the tree ended get the same answers again; the *structures*
 * (caches, TLBs, predictor) are asked for the rest. All are recorded and added to the tree.
 *
 * An answer is *usual* if it is a hit that waits for nothing. A *streak* is the questions from the beginning of the
 * path, or after another answer (its *edge*), as long as answers are usual. A *leaf* is the outcome (memo_tree.h). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/branch/predictor_pairs.h"
#include "core/replay/memo_streak.h"

/* A question and its answer. */
struct memo_record {
    memo_node node;     /* as the tree stores it, if it has no such node yet */
    bool usual;         /* the answer was the usual one */
    memo_answer answer; /* valid if not */
};

/* ---- resolver: the pipe's callbacks for lookups (pipe_resolver), `context` is the core ------------------- */

/* Returns whether the next question was answered before the run. Then `*usual` says whether with the usual answer,
 * and otherwise `*answer` is the answer. */
static bool answered(memo *m, memo_answer *answer, bool *usual)
{
    if (m->asked >= m->answered_count)
        return false;
    *usual = false;
    if (m->next_taken_edge < m->taken_edge_count &&
        m->taken_edges[m->next_taken_edge]->questions_before == m->asked + 1)
        *answer = memo_edge_answer(m->taken_edges[m->next_taken_edge++]);
    else if (m->has_new_answer && m->asked == m->answered_count - 1)
        *answer = m->new_answer;
    else
        *usual = true;
    return true;
}

/* Records a question and counts it in m->asked. Questions beyond the capacity are only counted. */
static void record(memo *m, memo_node node, bool usual, const memo_answer *answer)
{
    assert(m->last == 0); /* the pipe runs */
    if (m->asked < m->record_capacity) {
        node.number = (uint16_t)m->asked;
        m->records[m->asked] = (memo_record){node, usual, *answer};
    }
    m->asked++;
}

/* Returns a clock relative to the beginning of the piece. */
static int32_t offset(const p5_core *core, uint64_t asked)
{
    return (int32_t)(asked - core->now);
}

/* Returns the address of the instruction that asks, which only the profile needs. */
static uint32_t asker(const p5_core *core)
{
    return core->pipe.observer ? core->pipe.observer->instruction : 0;
}

/* Makes a data reference (memory_ask), on the fast path if possible. */
static uint64_t ask_data(p5_core *core, const p5_access *access, uint64_t asked, unsigned traits)
{
    struct memory *m = core->memory;
    if (traits < TRAIT_LOCK && memory_data_usual(m, access, asked))
        return DATA_USUAL;
    return memory_ask(m, access, asked, traits);
}

/* Returns whether a misaligned hit is the usual answer. Code that walks over bytes is misaligned most of the
 * time or never, so a reference that was misaligned when it was learned probably stays so. The profile needs
 * to see each of them. If its second half takes no clocks, it may share its clock with a partner, which the usual
 * answer does not know. */
static bool is_usually_misaligned(const p5_core *core, const p5_access *access, unsigned traits)
{
    return memory_misaligned(access) && (traits & ~(unsigned)(TRAIT_PARTNER | TRAIT_V_PIPE)) == 0 &&
           !core->profile && memory_model(core->memory)->latency.misaligned > 0;
}

/* The callbacks from here to learn_branch answer the pipe's questions, one kind each, and record them. */
static uint64_t learn_data(void *context, const p5_access *access, uint64_t asked, unsigned traits,
                           data_answer *answer)
{
    p5_core *core = context;
    memo *m = &core->memo;
    assert(m->data_asked >= -WAITING_ACCESSES);
    /* references are made in program order */
    const memo_node node = {.kind = MEMO_DATA,
                            .traits = (uint8_t)traits,
                            .misaligned = is_usually_misaligned(core, access, traits),
                            .offset = offset(core, asked),
                            .data = {m->data_asked++, asker(core)}};
    memo_answer packed;
    bool usual;
    if (!answered(m, &packed, &usual)) {
        const uint64_t word = ask_data(core, access, asked, traits);
        usual = word == memo_usual(core->memory, &node);
        packed = memo_pack_data(core->memory, word, asked);
    } else if (usual) {
        packed = memo_one_word(memory_misaligned(access) ? memory_misaligned_hit(core->memory) : DATA_USUAL);
    }
    record(m, node, usual, &packed);
    return memo_unpack_data(&packed, asked, answer);
}

static bool learn_code(void *context, uint32_t linear, uint64_t asked, code_answer *answer)
{
    p5_core *core = context;
    memo *m = &core->memo;
    memo_answer packed = {0};
    bool usual;
    const uint32_t physical = price_code_physical(core, core->block, linear);
    const pipe *p = &core->pipe;
    const prefetch *f = &p->prefetch;
    /* the request is no later than this */
    const uint64_t latest = f->from_past ? p->start + (uint64_t)p->fifo.clock : asked;
    if (answered(m, &packed, &usual)) {
        if (!usual)
            memo_unpack_code(&packed, asked, latest, answer);
    } else {
        usual = memo_fetch(core, linear, physical, asked, answer);
        if (!usual)
            packed = memo_pack_code(answer, asked, latest);
    }
    const int64_t floor = f->floor - p->begun;
    memo_node node = {.kind = MEMO_CODE,
                      .fetches = (uint8_t)(f->from_past ? f->fetched : 0),
                      .address = linear,
                      .offset = offset(core, latest),
                      .code = {(int32_t)(floor < INT32_MIN ? INT32_MIN : floor), asker(core)}};
    record(m, node, usual, &packed);
    return usual;
}

static bool learn_end(void *context, const op *o)
{
    p5_core *core = context;
    memo *m = &core->memo;
    memo_answer packed = memo_pack_bool(false);
    uint32_t last = o->address + o->length - 1;
    bool known;
    if (!answered(m, &packed, &known))
        known = price_end_known(core, core->block, last);
    memo_node node = {.kind = MEMO_END, .address = last};
    record(m, node, known, &packed);
    return known;
}

static bool learn_passed(void *context, uint32_t previous_u)
{
    p5_core *core = context;
    memo *m = &core->memo;
    memo_answer packed = memo_pack_bool(true);
    bool right;
    if (!answered(m, &packed, &right))
        right = !predictor_passed(core->predictor, previous_u);
    memo_node node = {
        .kind = MEMO_PASSED, .address = previous_u, .branch = {.groups = (int32_t)core->pipe.groups}};
    record(m, node, right, &packed);
    return !right;
}

static void learn_branch(void *context, const branch_query *query, branch_answer *answer)
{
    p5_core *core = context;
    memo *m = &core->memo;
    memo_answer packed = {0};
    bool usual;
    if (answered(m, &packed, &usual)) {
        memo_unpack_branch(&packed, answer);
    } else {
        price_branch(core, query, answer);
        packed = memo_pack_branch(answer, query->taken);
    }
    m->outcome = core->timing.btb_by_pairs ? predictor_pairs_number(answer, query->taken) : core->prediction;
    memo_node node = {.kind = MEMO_BRANCH,
                      .address = query->pair,
                      .in_v = query->in_v,
                      .missed_pairing = query->missed_pairing,
                      .branch = {(int32_t)core->pipe.groups, query->previous_pair}};
    record(m, node, false, &packed);
}

/* Sets the callbacks above. */
void memo_learn_open(p5_core *core)
{
    /* No questions about drained buffers: blocks with serialising instructions take the exact path. */
    core->memo.resolver =
        (pipe_resolver){core, learn_data, NULL, learn_code, learn_end, learn_branch, learn_passed, NULL};
}

/* Reserves space for the questions of `r`, and for the edges that memo_walk collects on them. If memory is
 * out, the capacity stays as it is; further questions are only counted, and the piece is not learned. */
static void reserve(memo *m, const p5_retired *r)
{
    const p5_block *block = r->block;
    /* Lines are fetched again when the BTB was wrong about a group. */
    const unsigned n = WAITING_ACCESSES + r->access_count + 4 * block->count + block->line_count + 4;
    if (n <= m->record_capacity)
        return;
    memo_record *records = realloc(m->records, n * sizeof *records);
    if (records)
        m->records = records;
    const memo_streak **taken_edges = realloc(m->taken_edges, n * sizeof(memo_streak *));
    if (taken_edges)
        m->taken_edges = taken_edges;
    if (records && taken_edges)
        m->record_capacity = n;
}

/* ---- tree ---------------------------------------------------------------------------------------------- */

/* What a run of the pipe counted, as deltas of a leaf. A piece with MOST_DELTAS or more is not learned; as
 * each clock has a cause, this also bounds the clocks. */
enum { MOST_DELTAS = 256 };
typedef struct counted {
    unsigned count;
    memo_delta of[MOST_DELTAS + DELTA_KINDS];
} counted;

/* Records an amount that fits into one delta, unless it is 0. */
static inline void append_counted(counted *found, unsigned kind, uint64_t increments, uint64_t asserted)
{
    found->of[found->count] = (memo_delta){.kind = kind & UINT8_MAX,
                                           .increments = increments & MEMO_DELTA_MOST,
                                           .asserted = asserted & MEMO_DELTA_MOST};
    found->count += (increments | asserted) != 0;
}

/* Records an amount that is too large for one delta, except for a remainder that fits, which it leaves in
 * `*increments` and `*asserted`. */
static void __attribute__((noinline))
append_much(counted *found, unsigned kind, uint64_t *increments, uint64_t *asserted)
{
    while ((*increments | *asserted) > MEMO_DELTA_MOST && found->count < MOST_DELTAS) {
        const uint64_t some = *increments < MEMO_DELTA_MOST ? *increments : MEMO_DELTA_MOST;
        const uint64_t on = *asserted < MEMO_DELTA_MOST ? *asserted : MEMO_DELTA_MOST;
        append_counted(found, kind, some, on);
        *increments -= some;
        *asserted -= on;
    }
}

/* Adds the counts of `d`, those of the run, to `sum`, clears `d`, and records them in `found`. */
static void move_counted(pipe_deltas *sum, pipe_deltas *d, counted *found)
{
    found->count = 0;
    for (unsigned word = 0; word < DELTA_WORDS; word++) {
        for (uint64_t left = d->counted[word]; left != 0; left &= left - 1) {
            const unsigned kind = word * 64 + (unsigned)__builtin_ctzll(left);
            uint64_t increments = d->of[kind].increments, asserted = d->of[kind].asserted;
            sum->of[kind].increments += increments;
            sum->of[kind].asserted += asserted;
            d->of[kind].increments = d->of[kind].asserted = 0;
            if (__builtin_expect((increments | asserted) > MEMO_DELTA_MOST, 0))
                append_much(found, kind, &increments, &asserted);
            append_counted(found, kind, increments, asserted);
        }
        d->counted[word] = 0;
    }
    sum->clocks += d->clocks;
    d->clocks = 0;
}

/* Makes the leaf that `found` and the pipe's state describe. Returns its number; 0 if memory is out. */
static uint32_t make_leaf(p5_core *core, const counted *found, uint32_t clocks)
{
    const pipe *p = &core->pipe;
    assert(p->groups <= PIECE_MOST + 1 && p->instructions <= PIECE_MOST + 1);
    memo *m = &core->memo;
    /* before memo_intern simplifies the state */
    const prefetch_move move = prefetch_moved(&p->prefetch, p->now);
    memo_state *to = m->current = memo_intern(core);
    memo_delta *deltas = arena_alloc(&m->arena, found->count * sizeof *deltas);
    memo_leaf *leaf = to && deltas ? memo_new_leaf(m) : NULL;
    if (!leaf)
        return 0;
    leaf->clocks = clocks;
    leaf->waits = (uint8_t)(p->waiting ? 1 + p->pending.insn.access_count : 0);
    leaf->groups = (uint8_t)p->groups;
    leaf->instructions = (uint8_t)p->instructions;
    memo_result *result = memo_result_at(m, memo_leaf_number(m, leaf));
    memcpy(deltas, found->of, found->count * sizeof *deltas);
    *result = (memo_result){.to = (uint32_t)(to - (memo_state *)m->states.objects),
                            .move = move,
                            .last_u = p->last_u,
                            .previous_u = p->previous_u,
                            .delta_count = found->count,
                            .deltas = deltas};
    if (p->waiting) {
        const pipe_front *front = &p->pending.front;
        const bool by_last = prefetch_leads(p->timing) && front->fetched <= p->prefetch.ahead.clock;
        result->waiting_f = (int32_t)(front->f - p->now);
        result->waiting_fetched = by_last ? INT32_MIN : (int32_t)(front->fetched - p->now);
    }
    if (core->profile) {
        result->detail = profile_detail(core, &m->arena);
        if (!result->detail)
            return 0;
    }
    return memo_leaf_number(m, leaf);
}

/* Adds the recorded run to the tree of `path`, as far as it is not there, with its leaf. Returns false if memory is
 * out, in which case the tree stays valid. */
static bool insert(p5_core *core, memo_path *path, const counted *found, uint32_t clocks)
{
    memo *m = &core->memo;
    assert(m->outcome < MEMO_OUTCOMES && m->asked <= m->record_capacity);
    memo_streak *streak = &path->streak;
    memo_node *before = NULL; /* the next question follows its usual answer; NULL: begins `streak` */
    for (const memo_record *record = m->records;; record++) {
        memo_node *at = before ? memo_after_usual(m, before) : streak->first;
        if (!at) {
            at = memo_new_node(m, &record->node);
            if (!at)
                return false;
            if (before)
                before->usual = memo_node_number(m, at);
            else
                streak->first = at;
        }
        if (record->node.kind == MEMO_BRANCH)
            break;
        if (record->usual) {
            before = at;
            continue;
        }
        memo_streak *edge = memo_find_edge(m, at, &record->answer);
        if (!edge)
            edge = memo_new_edge(m, at, &record->answer);
        if (!edge)
            return false;
        streak = edge;
        before = NULL;
    }
    uint32_t *leaf_number = &streak->leaves[m->outcome];
    if (*leaf_number == 0)
        *leaf_number = make_leaf(core, found, clocks);
    return *leaf_number != 0;
}

/* Returns whether the piece lies in one page, as streaks need it: its code then needs one TLB entry, and its lines
 * are in different sets. */
static bool lines_can_be_usual(const piece *p)
{
    return ((piece_begin(p) ^ (piece_end(p) - 1)) >> 12) == 0;
}

/* Extends the streaks along the recorded run, which is in the tree (memo_find_steps). */
static void find_streaks(p5_core *core, memo_path *path, const p5_access *accesses)
{
    if (!lines_can_be_usual(path->streak.piece))
        return;
    memo_find_steps(core, &path->streak, path, accesses);
    const memo_node *node = path->streak.first;
    for (const memo_record *record = core->memo.records; node->kind != MEMO_BRANCH; record++) {
        if (record->usual) {
            node = memo_after_usual(&core->memo, node);
            continue;
        }
        memo_streak *edge = memo_find_edge(&core->memo, node, &record->answer);
        memo_find_steps(core, edge, path, accesses);
        node = edge->first;
    }
}

/* Records the last question of a piece that does not end in a predicted branch. */
static void record_end(memo *m)
{
    const memo_answer nothing = memo_pack_bool(false);
    m->outcome = 0;
    record(m, (memo_node){.kind = MEMO_BRANCH}, false, &nothing);
}

/* Adds what the pipe did with `r`, the piece as a stretch, to the tree of `path`, and its counts to the totals. The
 * run took `clocks`. */
static void add_run(p5_core *core, const p5_retired *r, memo_path *path, uint64_t clocks)
{
    memo *m = &core->memo;
    if (!path->streak.piece->predicted)
        record_end(m);
    counted found;
    move_counted(&core->deltas[core->cpl_class], m->scratch, &found);
    /* P54C: a BTB lookup uses the addresses of groups in this piece and the previous one, but not of older ones. */
    const bool has_group = core->pipe.groups > 0 || !core->timing.btb_by_pairs;
    const bool fits = m->asked <= m->record_capacity && m->asked < UINT16_MAX && has_group;
    if (fits && found.count < MOST_DELTAS && insert(core, path, &found, (uint32_t)clocks))
        find_streaks(core, path, r->accesses);
}

/* Prices `r`, a run of one piece, where the tree of `path` ends, and adds the run to the tree unless that is
 * postponed. Drops everything if the memo exceeds its budget. */
void memo_learn(p5_core *core, const p5_retired *r, memo_path *path)
{
    assert(!path->streak.is_edge && path->streak.piece->memo);
    memo *m = &core->memo;
    reserve(m, r);
    m->asked = m->next_taken_edge = 0;
    memo_materialise(core);
    m->data_asked = core->pipe.waiting ? -(int32_t)core->pipe.pending.insn.access_count : 0;
    const uint64_t before = core->now;
    if (path->streak.first && memo_learn_later(m, path->streak.piece)) {
        price_run(core, r, &m->resolver, &core->deltas[core->cpl_class]);
    } else {
        price_run(core, r, &m->resolver, m->scratch);
        add_run(core, r, path, core->now - before);
    }
    m->has_new_answer = false;
    if (core->profile)
        profile_commit(core);
    if (memo_bytes(m) > m->budget)
        memo_drop_all(core);
}
