#include "core/warm.h"

#include <stdlib.h>

#include "base/error.h"
#include "core/core_internal.h"
#include "core/memory.h"
#include "core/predictor_fast.h"

/* ---- the memory side ----------------------------------------------------------------------------------- */

static void __attribute__((noinline)) look_up_data(p5_core *core, const p5_access *access, unsigned locked)
{
    data_answer answer;
    memory_set_pipe(core->memory, false);
    memory_data(core->memory, access, core->warm->clock, locked, false, &answer);
    core->warm->clock = answer.done;
}

static inline void touch_data(p5_core *core, const p5_access *access, unsigned locked)
{
    if (locked != LOCK_NONE || !memory_data_usual(core->memory, access, core->warm->clock))
        look_up_data(core, access, locked);
}

static void look_up_line(p5_core *core, const p5_block *block, uint32_t linear)
{
    warm *w = core->warm;
    code_answer answer;
    uint32_t line = linear & ~31u;
    uint32_t physical = price_physical(block, linear);
    if (!memory_code_usual(core->memory, linear, physical, w->clock)) {
        memory_code(core->memory, linear, physical, block->code->cache_disable, w->clock, &answer);
        w->clock = answer.ready[linear / 8 % 4];
    }
    w->line = line;
    w->changes = block->code->cache_disable ? 0 : memory_code_changes(core->memory);
}

static inline void touch_line(p5_core *core, const p5_block *block, uint32_t linear)
{
    const warm *w = core->warm;
    if ((linear & ~31u) != w->line || w->changes != memory_code_changes(core->memory))
        look_up_line(core, block, linear);
}

/* As prefetch.c: 16 bytes at a time, a look into the cache for every line and for every new stream. */
static inline void touch_code(p5_core *core, const p5_block *block, uint32_t first, uint32_t last)
{
    enum { BLOCK = 16 };
    warm *w = core->warm;
    if (w->redirect) {
        w->redirect = false;
        w->block = first / BLOCK;
        touch_line(core, block, w->block * BLOCK);
    }
    while (w->block != last / BLOCK) {
        w->block = (w->block + 1) & 0x0fffffff;
        if (w->block % 2 == 0)
            touch_line(core, block, w->block * BLOCK);
    }
}

/* The end bits of the P54C's code cache. */
static void touch_ends(p5_core *core, const p5_retired *r)
{
    for (unsigned i = r->first; i < (unsigned)r->first + r->count; i++)
        price_end_known(core, r->block, r->block->ops[i].address + r->block->ops[i].length - 1);
}

static inline void touch_references(p5_core *core, const p5_retired *r)
{
    const p5_access *a = r->accesses, *end = a + r->access_count;
    if (!r->block->locks) {
        for (; a < end; a++)
            touch_data(core, a, LOCK_NONE);
        return;
    }
    unsigned last = (unsigned)r->first + r->count - 1;
    for (unsigned i = r->first; i <= last; i++) {
        const op *o = &r->block->ops[i];
        size_t left = (size_t)(end - a);
        for (size_t n = i == last || o->accesses > left ? left : o->accesses; n > 0; n--)
            touch_data(core, a++, o->lock);
    }
}

/* ---- branches ------------------------------------------------------------------------------------------ */

static inline void touch_branch(p5_core *core, const p5_retired *r, const op *o, uint32_t next, bool in_v)
{
    warm *w = core->warm;
    bool taken = price_taken(o, next);
    uint64_t since = core->instructions - r->block->ran->instructions;
    uint64_t pairs = core->groups - r->block->ran->groups;
    const branch_query query = {.address = o->address,
                                .last_byte = o->address + o->length - 1,
                                .pair = w->last_u,
                                .previous_pair = w->previous_u,
                                .target = next,
                                .fall_through = o->address + o->length,
                                .kind = o->branch,
                                .taken = taken,
                                .in_v = in_v,
                                .loop_pairs = (uint8_t)(pairs < 255 ? pairs : 255),
                                .since_last = (uint16_t)(since < UINT16_MAX ? since : UINT16_MAX)};
    predictor *p = core->predictor;
    btb_entry *entry = r->block->warmed;
    if (predictor_is_own(&p->btb, entry, &query)) { /* predictor_branch, without the search */
        bool overflow;
        unsigned own = predictor_own(p, &query, entry, &overflow);
        btb_used(&p->btb, entry);
        p->wrong = (own & OWN_RIGHT) == 0;
        p->wrong_pair = query.pair;
        w->redirect |= taken | p->wrong;
        return;
    }
    branch_answer answer = {0};
    predictor_branch(p, &query, &answer);
    if (o->branch < ISA_FAR)
        r->block->warmed = predictor_entry(p, query.last_byte);
    w->redirect |= taken || (!answer.right && o->branch < ISA_FAR);
}

/* Pairs as the encodings have them: what else keeps two apart is not known without the pipe. */
static void touch_pairs(p5_core *core, const p5_retired *r)
{
    warm *w = core->warm;
    unsigned last = (unsigned)r->first + r->count - 1;
    for (unsigned i = r->first; i <= last;) {
        const op *u = &r->block->ops[i], *v = u;
        if (u->next_unpaired == PAIRED && i < last)
            v = u + 1;
        w->previous_u = w->last_u;
        w->last_u = u->address;
        core->groups++;
        i += v == u ? 1 : 2;
        if (i > last && v->branch != ISA_NOT_BRANCH)
            touch_branch(core, r, v, r->next, v != u);
        else if (predictor_passed(core->predictor, w->previous_u))
            w->redirect = true;
    }
}

void p5_core_warm(p5_core *core, const p5_retired *r)
{
    if (r->count == 0)
        return;
    warm *w = core->warm;
    const p5_block *block = r->block;
    unsigned last = (unsigned)r->first + r->count - 1;
    const op *end = &block->ops[last];
    core->block = block;
    touch_code(core, block, block->ops[r->first].address, end->address + end->length - 1);
    if (core->timing.end_bits)
        touch_ends(core, r);
    touch_references(core, r);
    core->instructions += (uint64_t)r->count - r->interrupted;
    if (core->timing.end_bits)
        touch_pairs(core, r);
    else if (end->branch != ISA_NOT_BRANCH)
        touch_branch(core, r, end, r->next, false);
    if (end->branch != ISA_NOT_BRANCH) {
        block->ran->instructions = core->instructions;
        block->ran->groups = core->groups;
    } else if (r->next != end->address + end->length) {
        w->redirect = true; /* a REP string that goes on, HLT */
    }
    core->now += (uint64_t)r->count - r->interrupted;
    w->clock += r->count;
}

void warm_exception(p5_core *core, const p5_exception *e)
{
    for (uint32_t i = 0; i < e->access_count; i++)
        touch_data(core, &e->accesses[i], LOCK_NONE);
    core->warm->redirect = true;
    core->now++;
}

void warm_halt(p5_core *core, uint64_t clocks)
{
    core->now += clocks;
    core->warm->clock += clocks;
    core->warm->redirect = true;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* The pipe is empty when it goes on: nothing is under way. */
static void empty_pipe(p5_core *core)
{
    pipe_deltas uncounted = {0};
    memo_materialise(core);
    pipe_begin(&core->pipe, &core->timing, &core->state, core->now, 0, &core->resolver, &uncounted);
    core->pipe.sink = NULL;
    pipe_deliver(&core->pipe, NULL, 0, 0, P5_STALL_HALT);
    pipe_end(&core->pipe, &core->state);
}

bool p5_core_fast_forward(p5_core *core, bool on)
{
    memory *m = core->memory;
    if (on == (core->warm != NULL))
        return true;
    if (on && core->profile != NULL)
        return false;
    if (on) {
        warm *w = calloc(1, sizeof *w);
        if (w == NULL)
            return false;
        price_settle(core);
        empty_pipe(core);
        memory_advance(m, core->now);
        w->clock = memory_drained(m, core->now);
        w->redirect = true;
        w->totals = memory_hold(m, &w->scratch);
        w->taken = memory_bus_taken(m);
        core->warm = w;
        return true;
    }
    warm *w = core->warm;
    memory_release(m, w->totals, core->now);
    m->bus.taken = w->taken;
    core->warm = NULL;
    free(w);
    return true;
}
