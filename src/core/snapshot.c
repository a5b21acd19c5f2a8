#include "core/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "core/profile/profile.h"
#include "core/replay/memo_check.h"
#include "core/testreg/watch.h"
#include "core/replay/memo_tree.h"
#include "core/memory/memory_system.h"
#include "core/model/model.h"

/* ---- the memory side ----------------------------------------------------------------------------------- */

static void transfer_bus(bus *b, snapshot *s)
{
    bus image = *b;
    p5_bus_use recent[BUS_RECENT];
    memcpy(recent, b->log.next - BUS_RECENT, sizeof recent);
    image.model = NULL;
    image.totals = NULL;
    memset(&image.log, 0, sizeof image.log);
    image.board.model = NULL;
    image.board.l2_tag = NULL;
    snapshot_piece(s, "bus", &image, sizeof image);
    snapshot_piece(s, "bus.recent", recent, sizeof recent);
    snapshot_piece(s, "l2", b->board.l2_tag, b->board.l2_lines * sizeof *b->board.l2_tag);
    if (!s->loading || s->status != P5_OK)
        return;
    image.model = b->model;
    image.totals = b->totals;
    image.log = b->log;
    image.board.model = b->board.model;
    image.board.l2_tag = b->board.l2_tag;
    *b = image;
    bus_log_restart(&b->log, recent);
}

static void transfer_memory(struct memory *m, snapshot *s)
{
    struct memory *image = malloc(sizeof *image);
    if (image == NULL) {
        s->status = error_set(s->error, P5_ERR_MEMORY, "out of memory");
        return;
    }
    if (!s->loading)
        memory_fold(m);
    *image = *m;
    memset(&image->bus, 0, sizeof image->bus); /* a piece of its own */
    memset(&image->hooks, 0, sizeof image->hooks);
    image->model = NULL;
    image->totals = NULL;
    image->uses = NULL;
    image->told = NULL;
    image->counts_apart = image->quick = false;
    data_cache_forget(&image->data); /* the exact path and the memo's do not know it of the same lines */
    snapshot_piece(s, "memory", image, sizeof *image);
    transfer_bus(&m->bus, s);
    if (s->loading && s->status == P5_OK) {
        image->bus = m->bus;
        image->hooks = m->hooks;
        image->model = m->model;
        image->totals = m->totals;
        image->counts_apart = m->counts_apart;
        image->told = m->told;
        image->uses = m->uses; /* until its class is known */
        *m = *image;
        memory_set_quick(m);
    }
    free(image);
}

static bool is_btb_entry(const btb_entry *entry)
{
    bool fits = entry->history < BTB_COUNTERS;
    for (unsigned i = 0; i < BTB_COUNTERS; i++)
        fits &= entry->counter[i] <= 3;
    return fits;
}

/* What indexes arrays lies in them. */
static void check_predictor(const predictor *p, unsigned return_entries, snapshot *s)
{
    bool fits = p->returns.entries == return_entries && p->returns.top < RETURN_STACK_ENTRIES;
    for (unsigned i = 0; i < BTB_SETS * BTB_WAYS; i++)
        fits &= is_btb_entry(&p->btb.entry[i / BTB_WAYS][i % BTB_WAYS]);
    if (!fits)
        snapshot_refuse(s, "part predictor of the snapshot does not describe a branch target buffer");
}

static void transfer_predictor(predictor *p, snapshot *s)
{
    predictor image = *p;
    image.btb.model = NULL;
    snapshot_piece(s, "predictor", &image, sizeof image);
    if (s->loading && s->status == P5_OK)
        check_predictor(&image, p->returns.entries, s);
    if (s->loading && s->status == P5_OK) {
        image.btb.model = p->btb.model;
        *p = image;
    }
}

/* ---- what test registers left -------------------------------------------------------------------------- */

static tlb *numbered_tlb(struct memory *m, unsigned which)
{
    tlb *const all[PARITY_TLBS] = {[PARITY_DATA_TLB] = &m->data_tlb,
                                   [PARITY_LARGE_TLB] = &m->data_tlb_large,
                                   [PARITY_CODE_TLB] = &m->code_tlb};
    return all[which];
}

static void transfer_watch(p5_core *core, snapshot *s)
{
    watch *w = core->watch;
    uint8_t where[WATCH_PINS] = {0}; /* in place of pointers */
    watch *image = malloc(sizeof *image);
    if (image == NULL) {
        s->status = error_set(s->error, P5_ERR_MEMORY, "out of memory");
        return;
    }
    *image = *w;
    for (unsigned i = 0; i < WATCH_PINS; i++) {
        for (unsigned which = 0; which < PARITY_TLBS; which++)
            if (i < image->pin_count && image->pins[i].in == numbered_tlb(core->memory, which))
                where[i] = (uint8_t)which;
        image->pins[i].in = NULL;
    }
    image->parity.error = NULL;
    image->parity.context = NULL;
    snapshot_piece(s, "watch", image, sizeof *image);
    snapshot_piece(s, "watch.tlbs", where, sizeof where);
    if (s->loading && s->status == P5_OK) {
        if (image->line_count > WATCH_LINES || image->pin_count > WATCH_PINS)
            snapshot_refuse(s, "part watch of the snapshot counts more than there can be");
        for (unsigned i = 0; i < WATCH_PINS && s->status == P5_OK; i++)
            if (where[i] >= PARITY_TLBS)
                snapshot_refuse(s, "part watch.tlbs of the snapshot names a TLB %u", where[i]);
            else if (i < image->pin_count)
                image->pins[i].in = numbered_tlb(core->memory, where[i]);
        image->parity.error = w->parity.error;
        image->parity.context = w->parity.context;
        if (s->status == P5_OK)
            *w = *image;
    }
    free(image);
}

/* ---- branches that ran so recently that it matters ----------------------------------------------------- */

/* Predictions look back over at most 64 instructions (p5scope-model(5), btb.stale_instructions) or 16 pairs.
 */
enum { RECENT = 64 };
typedef struct recent_branch {
    uint64_t instructions, groups;
    uint32_t address;
    uint8_t length, kind;
    uint16_t reserved; /* 0 */
} recent_branch;

static bool is_recent(const p5_core *core, const branch_run *r)
{
    return (r->instructions != 0 && core->predictor->now - r->instructions < RECENT) ||
           (r->groups != 0 && core->groups - r->groups < RECENT);
}

/* In the order of execution: instructions are 0 on the P54C, groups on the P55C. */
static int by_time(const void *a, const void *b)
{
    const recent_branch *x = a, *y = b;
    uint64_t first = x->instructions + x->groups, second = y->instructions + y->groups;
    return (first > second) - (first < second);
}

/* In an order that does not depend on how they were found first. */
static unsigned collect_recent(const p5_core *core, recent_branch recent[RECENT])
{
    unsigned count = 0;
    for (unsigned bucket = 0; bucket < BRANCH_RUN_BUCKETS; bucket++)
        for (const branch_run *r = core->ran.bucket[bucket]; r != NULL; r = r->next)
            if (count < RECENT && is_recent(core, r))
                recent[count++] =
                    (recent_branch){r->instructions, r->groups, r->address, r->length, r->kind, 0};
    qsort(recent, count, sizeof *recent, by_time);
    return count;
}

static void transfer_branches(p5_core *core, snapshot *s)
{
    recent_branch recent[RECENT] = {{0}};
    unsigned count = s->loading ? 0 : collect_recent(core, recent);
    snapshot_piece(s, "core.recent", recent, sizeof recent);
    count = (unsigned)snapshot_number(s, "core.recent_count", count, RECENT);
    for (unsigned i = 0; s->loading && i < count; i++) {
        branch_run *r = branch_runs_find(&core->ran, recent[i].address, recent[i].length, recent[i].kind);
        if (r == NULL) {
            s->status = error_set(s->error, P5_ERR_MEMORY, "out of memory");
            return;
        }
        r->instructions = recent[i].instructions;
        r->groups = recent[i].groups;
    }
}

/* ---- the core ------------------------------------------------------------------------------------------ */

static void check_model(p5_core *core, snapshot *s)
{
    p5_model model = *core->memory->model;
    snapshot_piece(s, "model", &model, sizeof model);
    if (s->loading && s->status == P5_OK && memcmp(&model, core->memory->model, sizeof model) != 0)
        snapshot_refuse(s, "the snapshot was made with another model: %.*s", (int)sizeof model.title,
                        model.title);
}

static void transfer_pipe(pipe *p, snapshot *s)
{
    pipe image = *p;
    image.timing = NULL;
    image.resolver = NULL;
    image.deltas = NULL;
    image.trace = NULL;
    image.observer = NULL;
    image.breakpoints = NULL;
    image.pending.insn.op = NULL;
    image.pending.insn.accesses = NULL;
    snapshot_piece(s, "pipe", &image, sizeof image);
    if (!s->loading || s->status != P5_OK)
        return;
    /* the other pointers are set by pipe_begin and its caller */
    image.pending.insn.op = &p->pending.operation;
    image.pending.insn.accesses = p->pending.accesses;
    *p = image;
}

void core_transfer(p5_core *core, snapshot *s)
{
    check_model(core, s);
    memo_fold(core);
    memo_materialise(core); /* `state` is what counts from here on, in both directions */
    price_forget_matches(core);
    if (s->loading)
        memo_drop_all(core); /* it knows structures by the numbers of their changes */
    transfer_memory(core->memory, s);
    transfer_predictor(core->predictor, s);
    transfer_watch(core, s);
    transfer_pipe(&core->pipe, s);
    snapshot_piece(s, "pipe.state", &core->state, sizeof core->state);
    snapshot_piece(s, "core.control", &core->control, sizeof core->control);
    snapshot_piece(s, "core.now", &core->now, sizeof core->now);
    core->cpl_class = (unsigned)snapshot_number(s, "core.class", core->cpl_class, P5_CPL_CLASSES - 1);
    memory_set_class(core->memory, core->cpl_class);
    snapshot_piece(s, "core.deltas", core->deltas, sizeof core->deltas);
    snapshot_piece(s, "core.memory_counts", &core->memory_counts, sizeof core->memory_counts);
    snapshot_piece(s, "core.instructions", &core->instructions, sizeof core->instructions);
    snapshot_piece(s, "core.groups", &core->groups, sizeof core->groups);
    snapshot_piece(s, "core.breakpoints", &core->breakpoints, sizeof core->breakpoints);
    snapshot_piece(s, "core.faulted_in_v", &core->faulted_in_v, sizeof core->faulted_in_v);
    snapshot_piece(s, "core.branch_last", &core->branches.last, sizeof core->branches.last);
    snapshot_piece(s, "core.branch_next", &core->branches.next, sizeof core->branches.next);
    transfer_branches(core, s);
    if (!s->loading || s->status != P5_OK)
        return;
    core->match_at = core->instructions;
    core_hold_memo(core);
    watch_update(core);
    if (core->check != NULL)
        s->status = memo_check_follow(core, s->error);
}

p5_status p5_core_save(p5_core *core, bool (*write)(void *context, const void *bytes, size_t size),
                       void *context, p5_error *error)
{
    snapshot s = {.write = write, .context = context, .error = error};
    core_transfer(core, &s);
    return s.status;
}

p5_status p5_core_load(p5_core *core, bool (*read)(void *context, void *bytes, size_t size), void *context,
                       p5_error *error)
{
    snapshot s = {.loading = true, .read = read, .context = context, .error = error};
    core_transfer(core, &s);
    return s.status;
}
