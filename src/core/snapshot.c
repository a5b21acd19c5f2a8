/* Snapshots of a core. A function called `transfer` saves its part if s->loading is false, and loads it otherwise.
 * snapshot_state and snapshot_list do this for structs that a table describes (base/snapshot.h), and snapshot_refuse
 * reports a value that cannot be. */
#include "core/snapshot.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/model/model.h"
#include "core/memo_check.h"
#include "core/replay/memo_tree.h"
#include "core/planted/planted.h"
#include "p5scope/event.h"

/* ---- the model ----------------------------------------------------------------------------------------- */

/* The model's name as a struct, which snapshot tables need. */
typedef struct saved_model {
    char name[MODEL_TEXT];
} saved_model;
static const snapshot_table name_state = {SNAPSHOT(saved_model, "model", FIELD_TEXT(name))};

static const snapshot_table key_state = {SNAPSHOT(model_row, "model_key", FIELD_TEXT(key, value))};

p5_model *core_transfer_model(const p5_model *model, snapshot *s)
{
    enum { MOST = 1000 }; /* most keys that are accepted */
    saved_model saved = {0};
    ARRAY_OF(model_row) rows = {0};
    p5_model *loaded = NULL;
    p5_error why;
    if (!s->loading) {
        snprintf(saved.name, sizeof saved.name, "%s", model->name);
        rows.items = model_to_rows(model, &rows.count);
        if (rows.items == NULL)
            snapshot_no_memory(s);
    }
    snapshot_state(s, &name_state, &saved);
    snapshot_list(s, &key_state, &rows.items, &rows.count, &rows.capacity, MOST);
    if (s->loading && s->status == P5_OK &&
        model_from_rows(saved.name, rows.items, rows.count, &loaded, &why) != P5_OK)
        snapshot_refuse(s, "model_key.value: %s", why.message);
    free(rows.items);
    return loaded;
}

/* Returns whether two models have the same values of all keys. */
static bool same_model(const p5_model *a, const p5_model *b)
{
    size_t count, other;
    model_row *left = model_to_rows(a, &count), *right = model_to_rows(b, &other);
    bool same = left != NULL && right != NULL && memcmp(left, right, count * sizeof *left) == 0;
    free(left);
    free(right);
    return same;
}

/* A core can only continue a snapshot of its own model. */
static void check_model(const p5_core *core, snapshot *s)
{
    p5_model *saved = core_transfer_model(memory_model(core->memory), s);
    if (saved != NULL && !same_model(saved, memory_model(core->memory)))
        snapshot_refuse(s, "the snapshot was made with another model: %s", saved->title);
    p5_model_close(saved);
}

/* ---- branches that ran recently ------------------------------------------------------------------------ */

enum { RECENT = BRANCH_RUN_RECENT }; /* upper bound of their number */
typedef struct recent_branch {
    uint64_t instructions, groups;
    uint32_t address;
    uint8_t length, kind;
} recent_branch;
static const snapshot_table recent_state = {
    SNAPSHOT(recent_branch, "recent_branch", FIELD_ANY(instructions, groups, address),
             FIELD_MOST(ISA_LONGEST, length), FIELD_MOST(ISA_IRET, kind))};

/* Compares by the order of execution, for qsort: `instructions` is always 0 on the P54C, `groups` on the P55C. */
static int by_time(const void *a, const void *b)
{
    const recent_branch *x = a, *y = b;
    uint64_t first = x->instructions + x->groups, second = y->instructions + y->groups;
    return (first > second) - (first < second);
}

/* Collects recently executed branches in an order that does not depend on how they were found. */
static size_t collect_recent(const p5_core *core, recent_branch recent[RECENT])
{
    size_t count = 0;
    for (unsigned bucket = 0; bucket < core->ran.buckets; bucket++)
        for (const branch_run *r = core->ran.bucket[bucket]; r != NULL; r = r->next)
            if (count < RECENT && branch_run_recent(r, core->predictor->now, core->groups))
                recent[count++] = (recent_branch){r->instructions, r->groups, r->address, r->length, r->kind};
    assert(count <= RECENT);
    qsort(recent, count, sizeof *recent, by_time);
    return count;
}

static void transfer_branches(p5_core *core, snapshot *s)
{
    recent_branch recent[RECENT] = {{0}}, *items = recent;
    size_t count = s->loading ? 0 : collect_recent(core, recent), capacity = RECENT;
    snapshot_list(s, &recent_state, &items, &count, &capacity, RECENT);
    for (size_t i = 0; s->loading && s->status == P5_OK && i < count; i++) {
        branch_run *r = branch_runs_find(&core->ran, recent[i].address, recent[i].length, recent[i].kind);
        if (r == NULL) {
            snapshot_no_memory(s);
            return;
        }
        r->instructions = recent[i].instructions;
        r->groups = recent[i].groups;
    }
}

/* ---- totals -------------------------------------------------------------------------------------------- */

static const char *event_name(unsigned event)
{
    return p5_event_describe((enum p5_event)event)->name;
}

static const char *stall_name(unsigned cause)
{
    return p5_stall_name((p5_stall)cause);
}

const snapshot_table counts_state = {
    SNAPSHOT(p5_counts, "counts", FIELD_ANY_OF([0], clocks),
             FIELD_EACH_OF([0][0], event_name, P5_EVENT_COUNT, increments, asserted),
             FIELD_EACH_OF([0][0], stall_name, P5_STALL_COUNT, stalls), FIELD_DERIVED(bus_bytes))};

/* Saves the sum of the pipe's and the memory side's counts, because which of the two counted an event depends
 * on the memo's contents. */
static void transfer_counts(p5_core *core, snapshot *s)
{
    p5_counts *sum = calloc(1, sizeof *sum);
    if (sum == NULL) {
        snapshot_no_memory(s);
        return;
    }
    if (!s->loading)
        totals_sum(core, sum);
    snapshot_state(s, &counts_state, sum);
    /* a loading core counts everything before as counts of its pipe */
    for (unsigned class = 0; s->loading && s->status == P5_OK && class < P5_CPL_CLASSES; class ++) {
        pipe_deltas *d = &core->deltas[class];
        d->clocks = sum->clocks[class];
        for (unsigned e = 0; e < P5_EVENT_COUNT; e++) {
            d->of[e].increments = sum->increments[e][class];
            d->of[e].asserted = sum->asserted[e][class];
        }
        for (unsigned i = 0; i < P5_STALL_COUNT; i++)
            d->of[DELTA_STALLS + i].increments = sum->stalls[i][class];
    }
    free(sum);
}

/* ---- the pipe ------------------------------------------------------------------------------------------ */

/* Restores the instruction that is pending in D1 by decoding its bytes, which are all that the snapshot has of
 * pipe.pending.operation. */
static void decode_pending(p5_core *core, snapshot *s)
{
    pipe_pending *p = &core->pipe.pending;
    const op saved = p->operation;
    const uint32_t physical = 0; /* does not matter for the operation */
    p5_block *block =
        p5_block_make(core, &(p5_code){saved.bytes, saved.length, saved.address, physical, saved.code32}, 1);
    if (block == NULL || block->count != 1 || block->ops[0].length != saved.length || !block->ops[0].first) {
        snapshot_refuse(s, "pipe.pending.operation.bytes: no instruction that waits for its partner");
    } else {
        p->operation = block->ops[0];
        p->operation.next_unpaired = p->next_unpaired;
        p->insn.op = &p->operation;
        p->insn.accesses = p->accesses;
        if (p->insn.access_count > p->operation.accesses)
            snapshot_refuse(s, "pipe.pending.insn.access_count: %u is not 0..%u", p->insn.access_count,
                            (unsigned)p->operation.accesses);
    }
    if (block != NULL)
        p5_block_release(core, block);
}

static void transfer_pipe(p5_core *core, snapshot *s)
{
    assert(core->memo.last == 0);
    pipe *p = &core->pipe;
    pipe_rebase(p, &core->state); /* makes its clocks relative to now, and stores it in core->state */
    p->has_pending = p->waiting != NULL;
    if (!p->has_pending)
        memset(&p->pending, 0, sizeof p->pending); /* remains of an earlier pending instruction are not part
                                                      of the state */
    for (unsigned i = p->pending.insn.access_count; i < 2; i++) /* likewise for unused references */
        p->pending.accesses[i] = (p5_access){0};
    snapshot_state(s, &pipe_fields, p);
    snapshot_state(s, &pipe_state_fields, &core->state);
    if (!s->loading || s->status != P5_OK)
        return;
    pipe_load(p, &core->state, &core->timing);
    p->waiting = p->has_pending ? &p->pending.insn : NULL;
    const prefetch_state *f = &core->state.prefetch;
    /* a redirected stream is requested one clock later */
    if ((int64_t)core->now + f->clock + f->redirect < 0)
        snapshot_refuse(s, "pipe_state.prefetch.clock: %d is a fetch before clock 0", f->clock);
    else if (p->has_pending)
        decode_pending(core, s);
}

/* ---- the core ------------------------------------------------------------------------------------------ */

static const snapshot_table control_state = {SNAPSHOT(
    p5_control, "control",
    FIELD_FLAG(no_branch_allocation, single_pipe, code_cache_inhibit, data_cache_inhibit, cache_disable,
               not_write_through, paging, trap_flag, fpu_trap, branch_trace, fast_branch_trace))};

static const snapshot_table core_state = {
    SNAPSHOT(p5_core, "core", FIELD_TABLE(&control_state, control), FIELD_MOST(SNAPSHOT_CLOCK_MOST, now),
             FIELD_MOST(P5_CPL_CLASSES - 1, cpl_class), FIELD_ANY(instructions, groups),
             FIELD_TABLE(&breakpoints_state, breakpoints), FIELD_FLAG(faulted_in_v),
             FIELD_ANY(branches.last, branches.next)),
    .partial = true};

/* Recomputes what is not saved because it follows from the control inputs and other members. */
static void restore(p5_core *core, snapshot *s)
{
    core->match_at = core->instructions;
    memory_set_class(core->memory, core->cpl_class);
    core->used_as = (core->used_as & ~3u) | core->cpl_class; /* PROFILE_USED_AS: the class in bits 1-0 */
    memory_set_control(core->memory, &core->control);
    predictor_set_control(core->predictor, core->control.no_branch_allocation);
    planted_update(core);
    memo_hold(core);
    core_exclude_breakpoints(core);
    if (core->check != NULL)
        s->status = memo_check_follow(core, s->error);
}

void core_transfer(p5_core *core, snapshot *s)
{
    check_model(core, s);
    totals_bring_up(core);
    memo_materialise(core); /* from here on, `pipe` is valid in both directions */
    price_forget_matches(core);
    if (s->loading)
        memo_drop_all(core); /* nothing from before may be found again */
    snapshot_state(s, &core_state, core);
    s->clock = core->now; /* times in the snapshot are checked against it */
    memory_transfer(core->memory, s);
    predictor_transfer(core->predictor, s);
    snapshot_state(s, &planted_state, core->planted);
    transfer_pipe(core, s);
    transfer_counts(core, s);
    transfer_branches(core, s);
    if (s->loading && s->status == P5_OK)
        restore(core, s);
}

const snapshot_table *const core_tables[] = {&name_state,        &key_state,
                                             &core_state,        &memory_state,
                                             &bus_state,         &bus_use_state,
                                             &l2_state,          &predictor_state,
                                             &planted_state,     &pipe_fields,
                                             &pipe_state_fields, &counts_state,
                                             &recent_state,      NULL};

p5_status p5_core_save(p5_core *core, bool (*write)(void *context, const void *bytes, size_t size),
                       void *context, p5_error *error)
{
    snapshot s = {.write = write, .context = context, .error = error};
    snapshot_begin(&s);
    core_transfer(core, &s);
    return s.status;
}

p5_status p5_core_load(p5_core *core, bool (*read)(void *context, void *bytes, size_t size), void *context,
                       p5_error *error)
{
    snapshot s = {.loading = true, .read = read, .context = context, .error = error};
    snapshot_begin(&s);
    core_transfer(core, &s);
    return s.status;
}
