/* The core model: implements p5scope/core.h and p5tool/core.h with the pipe and the memory side (caches, TLBs, bus).
 *
 * A *stretch* (p5_retired) is what was executed of a basic block at a time. A *batch* holds many of them, each a whole
 * block. The *memo* remembers what the pipe did with code from a given state; on the *exact path* the pipe runs.
 *
 *   memo_materialise  restores the timing state of core->pipe, which is out of date while the memo holds it
 *   memo_settle       issues the instruction that waits in D1 for a partner alone; does nothing if none waits
 *   memo_hold         decides again whether the memo may be used. Called after something that this depends on changed
 *   core->check       if not NULL, results are compared with those of core->exact, a second core without a memo
 *                     (memo_check.c), which gets every input that they depend on */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "core/core.h"
#include "core/exact/delivery.h"
#include "core/memo_check.h"
#include "core/profile/profile.h"
#include "core/replay/memo.h"
#include "core/valid.h"

p5_status p5_core_open(const p5_model *model, const p5_core_hooks *hooks, p5_core **core, p5_error *error)
{
    *core = NULL;
    p5_core_hooks own;
    p5_status status = SIZED_COPY_IN(p5_core_hooks, &own, hooks, error);
    if (status != P5_OK)
        return status;
    p5_core *c = host_line_calloc(sizeof *c);
    if (c) {
        c->timing = model->timing;
        c->timing.errata = model->errata;
        /* decodes instructions of later processors, too, because the engine may be set to execute them */
        c->decoder = isa_decoder_open((model->family == P5_FAMILY_P54C ? ISA_P54C : ISA_P55C) | ISA_P6);
        c->memory = memory_open(model, &own, &c->memory_counts);
        c->predictor = predictor_open(model);
        c->planted = planted_open(c);
        price_open(c);
        c->bound = bound_of_model(model);
        c->timing.gap_clocks = bound_gap(model);
        c->groups = BRANCH_RUN_RECENT;
        pipe_reset(&c->state);
        pipe_load(&c->pipe, &c->state, &c->timing);
    }
    if (!c || !c->decoder || !c->memory || !c->predictor || !c->planted || !memo_open(c)) {
        p5_core_close(c);
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    }
    *core = c;
    return P5_OK;
}

void p5_core_close(p5_core *core)
{
    if (!core)
        return;
    while (core->blocks)
        p5_block_release(core, core->blocks);
    memo_check_close(core->check);
    memo_close(&core->memo);
    profile_close(core->profile);
    predictor_close(core->predictor);
    memory_close(core->memory);
    branch_runs_close(&core->ran);
    free(core->planted);
    isa_decoder_close(core->decoder);
    free(core);
}

const p5_model *core_model(const p5_core *core)
{
    return memory_model(core->memory);
}

bool core_is_profiled(const p5_core *core)
{
    return core->profile != NULL;
}

uint64_t core_block_clocks(const p5_block *block)
{
    return block->own_clocks;
}

uint64_t core_most_clocks(const p5_core *core)
{
    return core_longest_block(core);
}

uint64_t core_agent_turn(const p5_core *core)
{
    return memory_agent_turn(core->memory);
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

/* Keeps a block out of the memo, whose results do not include breakpoint matches (events 23h-26h), if a code breakpoint
 * is in it. If it loads SS at its end, it also decides how a breakpoint directly after it counts (erratum 44). */
static void exclude_if_breakpoint(p5_core *core, p5_block *block)
{
    const uint32_t bytes = block->code->size + block->ops[block->count - 1].loads_ss;
    if (!breakpoints_within(&core->breakpoints, block->code->linear, bytes))
        return;
    memo_release(core, block); /* drops what is stored for it */
    for (piece *p = &block->memo.first; p; p = p->next)
        p->memo = false;
}

void core_exclude_breakpoints(p5_core *core)
{
    for (p5_block *block = core->blocks; block; block = block->next)
        exclude_if_breakpoint(core, block);
}

p5_block *p5_block_make(p5_core *core, const p5_code *from, unsigned max_insns)
{
    if (from == NULL || (from->bytes == NULL && from->size != 0))
        return NULL;
    const isa_code bytes = {from->bytes, from->size, from->linear, from->code32};
    isa_block *code = isa_block_decode(core->decoder, &bytes, from->physical, max_insns);
    if (!code || code->count == 0) {
        isa_block_free(code);
        return NULL;
    }
    return core_block_make(core, code);
}

p5_block *core_block_make(p5_core *core, isa_block *code)
{
    p5_block *block = block_prepare(&core->timing, code);
    if (!block)
        return NULL;
    block->own_clocks =
        block_is_repeat(block)
            ? bound_own_of_string(&core->bound, block->most_clocks, BATCH_REPEATED, block->code->size)
            : bound_own(&core->bound, block->most_clocks, block->access_count, block->code->size);
    const uint64_t worst = block->own_clocks + core->bound.backlog_clocks;
    if (worst > core_longest_block(core))
        atomic_store_explicit(&core->longest_block, worst, memory_order_relaxed);
    block->ran = branch_runs_find(&core->ran, block->branch_address, /* shared with blocks that end alike */
                                  (uint8_t)(block->fall_through - block->branch_address), block->branch_kind);
    if (!block->ran) {
        block_free(block);
        return NULL;
    }
    exclude_if_breakpoint(core, block);
    if (core->check) {
        block->exact = core_block_make(core->exact, isa_block_share(code));
        if (!block->exact) {
            block_free(block);
            return NULL;
        }
    }
    assert(block->code->count == block->count && block->count > 0);
    block->next = core->blocks;
    block->link = &core->blocks;
    if (block->next)
        block->next->link = &block->next;
    core->blocks = block;
    return block;
}

void p5_block_release(p5_core *core, p5_block *block)
{
    if (!block)
        return;
    if (core->profile)
        profile_released(core->profile, block);
    memo_release(core, block);
    if (core->check)
        p5_block_release(core->exact, block->exact);
    assert(*block->link == block);
    *block->link = block->next;
    if (block->next)
        block->next->link = block->link;
    block_free(block);
    if (!core->blocks && core->predictor) /* the records may move, because no block refers to them */
        branch_runs_trim(&core->ran, core->predictor->now, core->groups);
}

unsigned p5_block_count(const p5_block *block)
{
    return block->count;
}

unsigned p5_block_accesses(const p5_block *block, unsigned i)
{
    assert(i < block->count);
    return block->ops[i].accesses;
}

/* ---- pricing ------------------------------------------------------------------------------------------- */

/* Returns whether there is a profile that takes samples. */
static bool takes_samples(const p5_core *core)
{
    return core->profile && profile_takes_samples(core);
}

void core_price(p5_core *core, const p5_retired *r, p5_prediction prediction)
{
    assert(r->first + r->count <= r->block->count);
    if (takes_samples(core))
        profile_expect(core, r); /* turns the memo off if a sample may become due during the stretch */
    memo_price_alone(core, r, prediction);
    if (core->check)
        memo_check_fed(core, r, prediction);
}

p5_status p5_core_retire(p5_core *core, const p5_retired *retired)
{
    p5_retired r;
    p5_status status = SIZED_COPY_IN(p5_retired, &r, retired, NULL);
    if (status == P5_OK && !valid_retired(&r))
        status = P5_ERR_RANGE;
    if (status == P5_OK)
        core_price(core, &r, core_predict(core, &r));
    return status;
}

/* Does what core_price_batch_before does, for stretches during which no sample can become due. */
static size_t price_batch_before(p5_core *core, const p5_batch *batch, uint64_t limit)
{
    return core->check ? memo_check_batch(core, batch, limit) : memo_price_batch_before(core, batch, limit);
}

/* Does what core_price_batch_before does, while samples are taken: prices stretches together as long as no
 * sample can become due, and individually while one may (profile_is_looking). */
static size_t price_sampled_before(p5_core *core, const p5_batch *batch, uint64_t limit)
{
    size_t n = 0;
    while (n < batch->count) {
        const p5_batch rest = batch_rest(batch, n);
        /* no sample is due before this clock, unless the profile is looking */
        const uint64_t far = profile_look_clock(core);
        const size_t done =
            profile_is_looking(core) ? 0 : price_batch_before(core, &rest, far < limit ? far : limit);
        if (done == 0) {
            const p5_retired r = block_first(&rest);
            if (limit != UINT64_MAX && core->now + bound_clocks(core, &r) >= limit)
                break;
            core_price(core, &r, *rest.predictions);
        }
        n += done > 0 ? done : 1;
    }
    return n;
}

size_t core_price_batch_before(p5_core *core, const p5_batch *batch, uint64_t limit)
{
    return takes_samples(core) ? price_sampled_before(core, batch, limit)
                               : price_batch_before(core, batch, limit);
}

uint64_t core_price_batch(p5_core *core, const p5_batch *batch)
{
    if (takes_samples(core) || core->check)
        core_price_batch_before(core, batch, UINT64_MAX);
    else
        memo_price_batch(core, batch);
    return core->now;
}

uint64_t core_skip(p5_core *core, uint64_t instructions)
{
    assert(!memo_waiting(core));
    core->instructions += instructions;
    core->now += instructions;
    if (core->check)
        core_skip(core->exact, instructions);
    return core->now;
}

p5_status p5_core_exception(p5_core *core, const p5_exception *exception)
{
    p5_exception e;
    p5_status status = SIZED_COPY_IN(p5_exception, &e, exception, NULL);
    if (status == P5_OK && !valid_exception(&e))
        status = P5_ERR_RANGE;
    if (status != P5_OK)
        return status;
    memo_materialise(core);
    delivery_price(core, &e);
    if (core->check) {
        p5_core_exception(core->exact, &e);
        memo_check_compare(core, "delivery", e.handler);
    }
    return P5_OK;
}

void p5_core_halt(p5_core *core, uint64_t clocks, unsigned cpl)
{
    memo_materialise(core);
    delivery_halt(core, clocks, cpl);
    if (core->check) {
        p5_core_halt(core->exact, clocks, cpl);
        memo_check_compare(core, "HLT", 0);
    }
}

/* ---- control ------------------------------------------------------------------------------------------- */

p5_status p5_core_set_control(p5_core *core, const p5_control *control)
{
    p5_control own;
    p5_status status = SIZED_COPY_IN(p5_control, &own, control, NULL);
    if (status != P5_OK)
        return status;
    memo_settle(core);
    core->control = own;
    memory_set_control(core->memory, &own);
    planted_update(core); /* CR0.CD and NW decide whether caches may differ from memory */
    memo_hold(core);
    predictor_set_control(core->predictor, own.no_branch_allocation);
    if (core->check)
        p5_core_set_control(core->exact, &own);
    return P5_OK;
}

p5_status p5_core_set_debug(p5_core *core, const p5_debug *debug)
{
    p5_debug own;
    p5_status status = SIZED_COPY_IN(p5_debug, &own, debug, NULL);
    if (status != P5_OK)
        return status;
    memo_settle(core);
    bool code = breakpoints_set(&core->breakpoints, &own); /* true: a new code breakpoint */
    memo_hold(core);
    if (code)
        core_exclude_breakpoints(core);
    if (core->check)
        p5_core_set_debug(core->exact, &own);
    return P5_OK;
}

void p5_core_resume(p5_core *core)
{
    core->pipe.match_missed = core->timing.errata; /* erratum 44: RF hides a match from the counters, too */
    core->match_at = core->instructions;           /* the next instruction's */
    if (core->check)
        p5_core_resume(core->exact);
}

void p5_core_set_trace(p5_core *core, void (*insn)(void *context, const p5_trace_insn *insn), void *context)
{
    core->trace = (trace_sink){.insn = insn, .context = context}; /* a pending instruction stays pending */
    memo_hold(core);
}

void p5_core_on_branch_message(p5_core *core,
                               void (*message)(void *context, const p5_branch_message *message),
                               void *context)
{
    core->branches.message = message;
    core->branches.context = context;
}

void p5_core_on_bus(p5_core *core, void (*uses)(void *context, const p5_bus_use *uses, size_t count),
                    void *context)
{
    memory_on_bus(core->memory, uses, context);
}

void p5_core_report_bus(p5_core *core)
{
    memory_report_bus(core->memory);
}

/* `planted->on`: test registers have left something in caches or TLBs, so every reference must be checked (planted.h). */
bool p5_core_watching(p5_core *core, bool *refetch)
{
    *refetch = core->planted->refetch;
    core->planted->refetch = false;
    return core->planted->on;
}

void p5_core_set_memo(p5_core *core, bool on)
{
    core->memo_off = !on;
    planted_update(core); /* sets core->exact_memory, which depends on memo_off; memo_hold does not */
}

/* ---- totals -------------------------------------------------------------------------------------------- */

uint64_t core_next_clock(p5_core *core)
{
    /* pipe_next_entry is not negative, and relative to `now`, the clock at which EX is free */
    return core->now + (uint64_t)pipe_next_entry(memo_pipe_state(core), &core->timing);
}

uint64_t p5_core_clock(p5_core *core)
{
    p5_core_settle(core);
    return core_next_clock(core);
}

uint64_t p5_core_clock_estimate(const p5_core *core)
{
    return core->now;
}

void p5_core_settle(p5_core *core)
{
    memo_settle(core);
    if (core->check)
        p5_core_settle(core->exact);
}
