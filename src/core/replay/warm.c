#include "core/replay/warm.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "core/internal.h"
#include "core/memory/memory.h"
#include "core/branch/predictor_fast.h"
#include "core/branch/predictor_pairs.h"

enum { FETCHED = 16, FETCHED_MASK = UINT32_MAX / FETCHED, WARM_LINES = 8 };

/* A line of code, and where it was found last. */
typedef struct warm_line {
    uint32_t tag;
    uint32_t ends; /* P54C: end bits that have to be known */
    uint8_t set, way;
} warm_line;

/* What is known of a block that has been executed whole: see can_be_known. */
struct warm_block {
    uint8_t line_count;
    uint8_t skips;       /* lines in front that are not fetched when it follows what stands before it */
    uint32_t page;       /* tlb_key of its code */
    uint32_t before;     /* the 16 bytes that what stands before it ends in, */
    uint32_t last_block; /* ... and those that it ends in */
    uint32_t last_line;  /* linear address */
    /* memory_code_changes when its lines were used last, as what stands before went on, and by a branch to
     * it. If it is still that, to use them again changes nothing: memo_way.h, memo_follow. */
    uint64_t changes[2];
    warm_line lines[WARM_LINES];
    data_expected *expected; /* of its references; they stand behind: */
    uint16_t group_count;    /* P54C: groups, as touch_pairs finds them; */
    uint32_t groups[];       /* ... the addresses of their first instructions */
};

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
    warm *w = core->warm;
    if (w->redirect) {
        w->redirect = false;
        w->block = first / FETCHED;
        touch_line(core, block, w->block * FETCHED);
    }
    while (w->block != last / FETCHED) {
        w->block = (w->block + 1) & FETCHED_MASK;
        if (w->block % 2 == 0)
            touch_line(core, block, w->block * FETCHED);
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

/* P54C: looked up by the pair before it. */
static void touch_branch(p5_core *core, const p5_block *block, const op *o, uint32_t next, bool in_v)
{
    warm *w = core->warm;
    bool taken = price_taken(o, next);
    const branch_query query = {.address = o->address,
                                .last_byte = o->address + o->length - 1,
                                .pair = w->last_u,
                                .previous_pair = w->previous_u,
                                .target = next,
                                .fall_through = o->address + o->length,
                                .kind = o->branch,
                                .taken = taken,
                                .in_v = in_v,
                                .loop_pairs = branch_run_pairs(block->ran, core->groups)};
    branch_answer answer;
    predictor_branch(core->predictor, &query, &answer);
    w->redirect |= taken || (!answer.right && o->branch < ISA_FAR);
    block->ran->groups = core->groups;
}

/* P54C: the next group begins at `u`, so the one before is what the BTB is asked by. */
static inline void begin_group(p5_core *core, uint32_t u)
{
    warm *w = core->warm;
    w->previous_u = w->last_u;
    w->last_u = u;
    core->groups++;
}

static inline void pass_group(p5_core *core)
{
    core->warm->redirect |= predictor_passed(core->predictor, core->warm->previous_u);
}

/* Pairs as the encodings have them: what else keeps two apart is not known without the pipe. */
static inline bool is_paired(const op *u, unsigned left)
{
    return left > 1 && u->next_unpaired == PAIRED;
}

static void touch_pairs(p5_core *core, const p5_retired *r)
{
    const op *o = &r->block->ops[r->first];
    for (unsigned left = r->count; left > 0;) {
        const op *u = o, *v = is_paired(u, left) ? u + 1 : u;
        o = v + 1;
        left -= (unsigned)(o - u);
        begin_group(core, u->address);
        if (left == 0 && v->branch != ISA_NOT_BRANCH)
            touch_branch(core, r->block, v, r->next, v != u);
        else
            pass_group(core);
    }
}

/* The same of a known block: all of it, with a near branch at its end. */
static inline void touch_known_pairs(p5_core *core, const p5_block *block, const warm_block *known,
                                     uint32_t next)
{
    warm *w = core->warm;
    const uint32_t *u = known->groups, *last = u + known->group_count - 1;
    w->redirect = false;
    for (; u < last; u++) {
        begin_group(core, *u);
        if (__builtin_expect(!predictor_passes(core->predictor, w->previous_u), 0))
            pass_group(core);
    }
    begin_group(core, *last);
    const branch_query query = {.last_byte = block->fall_through - 1,
                                .pair = w->last_u,
                                .previous_pair = w->previous_u,
                                .target = next,
                                .fall_through = block->fall_through,
                                .taken = block_taken(block, next),
                                .loop_pairs = branch_run_pairs(block->ran, core->groups)};
    const branch_answer answer = predictor_pairs(core->predictor, &query);
    w->redirect |= query.taken || !answer.right;
    block->ran->groups = core->groups;
}

/* ---- stretches ----------------------------------------------------------------------------------------- */

/* Most stretches are whole blocks that have been executed before, end in a branch and lie in one page. */
static bool can_be_known(const p5_retired *r)
{
    const p5_block *block = r->block;
    const isa_block *code = block->code;
    return r->count == block->count && r->access_count == block->access_count && !block->locks &&
           block->near && ((code->linear ^ (code->linear + code->size - 1)) >> 12) == 0 &&
           !code->cache_disable;
}

static void know_groups(const p5_block *block, warm_block *known)
{
    const op *o = block->ops;
    for (unsigned left = block->count; left > 0;) {
        const op *u = o;
        o += is_paired(u, left) ? 2 : 1;
        left -= (unsigned)(o - u);
        known->groups[known->group_count++] = u->address;
    }
}

/* Without room for it a block stays unknown. */
static void get_to_know(const p5_core *core, const p5_retired *r)
{
    p5_block *block = r->block;
    uint32_t first = block->code->linear, last = first + block->code->size - 1;
    uint32_t physical = price_physical(block, first) & ~31u;
    unsigned lines = last / 32 - first / 32 + 1, groups = core->timing.btb_by_pairs ? block->count : 0;
    size_t size =
        sizeof(warm_block) + groups * sizeof(uint32_t) + block->access_count * sizeof(data_expected);
    warm_block *known = lines <= WARM_LINES ? calloc(1, size) : NULL;
    if (known == NULL)
        return;
    known->page = tlb_key(first, false);
    known->line_count = (uint8_t)lines;
    known->skips = first % 32 != 0;
    known->before = (first - 1) / FETCHED & FETCHED_MASK;
    known->last_block = last / FETCHED;
    known->last_line = last & ~31u;
    for (unsigned i = 0; i < lines; i++)
        known->lines[i] = (warm_line){cache_tag(physical), core->timing.end_bits ? block->end_masks[i] : 0,
                                      (uint8_t)cache_set(physical + 32 * i), 0};
    known->expected = (data_expected *)(known->groups + groups);
    for (uint32_t i = 0; i < block->access_count; i++)
        known->expected[i] = memory_expect(&r->accesses[i]);
    if (groups > 0)
        know_groups(block, known);
    block->warm = known;
}

/* P54C: all lines are there, and the ends of their instructions are known. */
static bool ends_known(const code_cache *code, warm_block *known)
{
    for (warm_line *line = known->lines; line < known->lines + known->line_count; line++) {
        unsigned found = cache_match(code->tag[line->set], line->tag);
        if (found == 0)
            return false;
        line->way = (uint8_t)__builtin_ctz(found);
        if ((line->ends & ~code->ends[line->set][line->way]) != 0)
            return false;
    }
    return true;
}

/* The lines that the stretch fetches are in the code cache, and what translates them is in the TLB: they are
 * used. Otherwise nothing has happened. */
static bool __attribute__((noinline)) code_hits(p5_core *core, const p5_block *block, warm_block *known)
{
    const warm *w = core->warm;
    struct memory *m = core->memory;
    code_cache *code = &m->code;
    warm_line *begin = known->lines + (w->redirect ? 0 : known->skips),
              *end = known->lines + known->line_count;
    for (warm_line *line = begin; line < end; line++) {
        if (code->tag[line->set][line->way] == line->tag)
            continue;
        unsigned found = cache_match(code->tag[line->set], line->tag);
        if (found == 0)
            return false;
        line->way = (uint8_t)__builtin_ctz(found);
    }
    if (core->timing.end_bits && !ends_known(code, known))
        return false;
    if (m->paging && m->code_tlb.last.of[0] != known->page &&
        (!w->redirect || !memory_code_page_usual(m, block->code->linear)))
        return false;
    for (const warm_line *line = begin; line < end; line++)
        code_cache_used(code, line->set, line->way);
    known->changes[0] = memory_code_changes(m); /* they are among those by a branch */
    if (w->redirect)
        known->changes[1] = known->changes[0];
    return true;
}

/* From the first reference that is not as expected. */
static void __attribute__((noinline)) touch_rest(p5_core *core, const p5_access *a, const p5_access *end)
{
    for (; a < end; a++)
        touch_data(core, a, LOCK_NONE);
}

/* The whole of a known block whose code is there and whose branch has its entry (not on the P54C: `pairs`),
 * as warm_any, which it is left to otherwise. */
static inline __attribute__((always_inline)) bool warm_known(p5_core *core, const p5_block *block,
                                                             const p5_access *a, const p5_access *end,
                                                             uint32_t next, p5_prediction prediction,
                                                             bool pairs)
{
    warm *w = core->warm;
    warm_block *known = block->warm;
    struct memory *m = core->memory;
    if (known == NULL || (size_t)((const char *)end - (const char *)a) != block->access_bytes ||
        m->code_fill.done > w->clock || (!w->redirect && w->block != known->before))
        return false;
    bool same = known->changes[w->redirect] == memory_code_changes(m) &&
                (!m->paging || m->code_tlb.last.of[0] == known->page);
    if (__builtin_expect(!same, 0) && !code_hits(core, block, known))
        return false;
    if (w->redirect | (known->line_count > known->skips)) { /* something was fetched */
        w->line = known->last_line;
        w->changes = memory_code_changes(m);
    }
    w->block = known->last_block;
    if (w->clock >= m->write_quiet) /* never before read_quiet; nobody else has the bus */
        for (const data_expected *e = known->expected; a < end && memory_data_expected(m, a, e); e++)
            a++;
    if (__builtin_expect(a < end, 0))
        touch_rest(core, a, end);
    bool taken = block_taken(block, next), right = predictor_right(prediction);
    core->instructions += block->count;
    if (pairs)
        touch_known_pairs(core, block, known, next);
    else
        w->redirect = taken | !right;
    core->now += block->count;
    w->clock += block->count;
    return true;
}

static void warm_any(p5_core *core, const p5_retired *r, p5_prediction prediction)
{
    warm *w = core->warm;
    const p5_block *block = r->block;
    unsigned last = (unsigned)r->first + r->count - 1;
    const op *end = &block->ops[last];
    if (block->warm == NULL && can_be_known(r))
        get_to_know(core, r);
    touch_code(core, block, block->ops[r->first].address, end->address + end->length - 1);
    if (core->timing.end_bits)
        touch_ends(core, r);
    touch_references(core, r);
    core->instructions += (uint64_t)r->count - r->interrupted;
    if (core->timing.btb_by_pairs)
        touch_pairs(core, r);
    else if (end->branch != ISA_NOT_BRANCH)
        w->redirect |=
            price_taken(end, r->next) || (prediction != NOT_PREDICTED && !predictor_right(prediction));
    if (end->branch == ISA_NOT_BRANCH && r->next != end->address + end->length)
        w->redirect = true; /* a REP string that goes on, HLT */
    core->now += (uint64_t)r->count - r->interrupted;
    w->clock += r->count;
}

void p5_core_warm(p5_core *core, const p5_retired *r, p5_prediction prediction)
{
    if (r->count == 0)
        return;
    core->block = r->block;
    if (r->count != r->block->count || !warm_known(core, r->block, r->accesses, r->accesses + r->access_count,
                                                   r->next, prediction, core->timing.btb_by_pairs))
        warm_any(core, r, prediction);
    if (core->check)
        memo_check_fed(core, r, prediction);
}

/* Operand values do not matter. */
static inline __attribute__((always_inline)) void
warm_blocks(p5_core *core, const p5_access *accesses, const p5_value *values, const p5_retired_block *blocks,
            const p5_prediction *predictions, size_t count, bool pairs)
{
    for (const p5_retired_block *s = blocks, *end = s + count; s < end; s++, predictions++) {
        core->block = s->block;
        if (__builtin_expect(
                !warm_known(core, s->block, accesses, s->accesses_end, s->next, *predictions, pairs), 0)) {
            const p5_retired r = block_retired(s, accesses, values);
            warm_any(core, &r, *predictions);
        }
        accesses = s->accesses_end;
        values = s->values_end;
    }
}

uint64_t p5_core_warm_blocks(p5_core *core, const p5_access *accesses, const p5_value *values,
                             const p5_retired_block *blocks, const p5_prediction *predictions, size_t count)
{
    if (core->check)
        return memo_check_warm_blocks(core, accesses, values, blocks, predictions, count);
    if (core->timing.btb_by_pairs)
        warm_blocks(core, accesses, values, blocks, predictions, count, true);
    else
        warm_blocks(core, accesses, values, blocks, predictions, count, false);
    return core->now;
}

uint64_t p5_core_skip(p5_core *core, uint64_t instructions)
{
    warm *w = core->warm;
    core->instructions += instructions;
    core->now += instructions;
    w->clock += instructions;
    w->redirect = true;
    if (core->check)
        p5_core_skip(core->check->exact, instructions);
    return core->now;
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
    if (core->check && !p5_core_fast_forward(core->check->exact, on))
        return false;
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
