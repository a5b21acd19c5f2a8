/* Delivery of what was executed to the owner. A stretch is a block that has completed, or its instructions up
 * to one that did not complete. Stretches go to retired() one by one, or into a batch for
 * retired_blocks(). */
#include <stdlib.h>

#include "engine/stretch/stretch.h"
#include "engine/stretch/value.h"

bool stretch_open(engine *e)
{
    e->stretch.records = malloc(RECORD_CAPACITY * sizeof *e->stretch.records);
    if (e->stretch.records == NULL)
        return false;
    e->stretch.retired.unsafe_mask = e->stretch.unsafe;
    stretch_none(e);
    engine_batch_into(e, &e->stretch.at);
    return true;
}

void stretch_close(engine *e)
{
    free(e->stretch.records);
}

void stretch_reset(engine *e)
{
    stretch_none(e);
    e->stretch.descriptor = e->stretch.restart = false;
}

void stretch_full(engine *e)
{
    engine_fail(e, "the code at %08x makes more references than it can",
                e->stretch.block ? e->stretch.block->linear : engine_linear_eip(e));
    stretch_no_batch(e);
    engine_request_attention(e);
}

const p5_access *stretch_take_records(engine *e, uint32_t *count)
{
    assert(e->stretch.block == NULL && !stretch_batch_waits(e));
    *count = (uint32_t)(e->stretch.record_next - e->stretch.records);
    stretch_drop_records(e);
    e->stretch.descriptor = false;
    return e->stretch.records;
}

void stretch_drop_store(engine *e)
{
    const bool repeats = e->stretch.block->ends == BLOCK_ENDS_REPEAT;
    const p5_access *first = repeats ? e->stretch.iteration_records : e->stretch.records;
    if (e->stretch.record_next > first && stretch_last_record(e)->flags & P5_ACCESS_WRITE)
        stretch_drop_record(e);
}

/* --- Batches --- */

void engine_batch(engine *e, unsigned clocks)
{
    e->stretch.batching = clocks != 0 && e->callbacks.retired_blocks;
    e->stretch.batch_clocks = (int)clocks;
    if (!e->stretch.batching)
        stretch_no_batch(e); /* the batch is delivered at the next boundary */
}

void engine_batch_into(engine *e, const engine_buffers *to)
{
    /* The members are copied one by one. They have just been stored one by one, and a wider load would have
     * to wait for these stores. */
    e->stretch.next_batch.blocks = to->blocks;
    e->stretch.next_batch.values = to->values;
    e->stretch.next_batch.accesses = to->accesses;
}

bool stretch_give_batch(engine *e, unsigned running)
{
    stretch_state *s = &e->stretch;
    if (!stretch_batch_waits(e))
        return false;
    p5_retired_block *none = s->at.blocks;
    const p5_retired_block *first = none + 1, *last = s->batch_next - 1;
    assert(last >= first);
    unsigned instructions = (unsigned)(uint32_t)s->batch_left - running;
    s->batch_next = none + 1;
    s->batch_left = INT64_MIN;
    none->accesses_end = last->accesses_end;
    none->values_end = last->values_end;
    return e->callbacks.retired_blocks(e->callbacks.context, s->at.accesses, s->at.values, first,
                                       (size_t)(last - first + 1), instructions);
}

void stretch_none(engine *e)
{
    e->stretch.block = NULL;
    e->stretch.batch_left = INT64_MIN;
    const engine_buffers own = {e->stretch.batch, e->stretch.values, e->stretch.records};
    stretch_record_in(e, &own, RECORD_CAPACITY);
}

/* --- Single stretches --- */

/* Records the operand of BSF or BSR, which end their blocks. The result is the position of the lowest or
 * highest set bit of the source, and ZF means that there was none. The recorded value is a number with just
 * that bit, because the clocks depend on nothing else. */
void stretch_scan(engine *e, const engine_block *b)
{
    enum { ZF = 0x40 };
    bool zero = UC_INTERNAL(cpu_cc_compute_all)(e->env, (int)e->env->cc_op) & ZF;
    unsigned bit = (unsigned)e->env->regs[b->needs.scan_register] & (b->needs.scan_bits - 1u);
    value_add(e, ISA_VALUE_SOURCE, zero ? 0 : 1ull << bit);
}

bool stretch_end(engine *e, unsigned count, uint32_t next, bool interrupted)
{
    stretch_state *s = &e->stretch;
    assert(s->block != NULL && count > 0 && count <= s->block->count);
    engine_block *b = s->block;
    if (__builtin_expect(b->ends == BLOCK_ENDS_SCAN, 0) && count == b->count)
        stretch_scan(e, b);
    p5_retired *r = &s->retired;
    r->interrupted = interrupted;
    r->descriptor = s->descriptor;
    s->descriptor = false;
    bool attention = stretch_give(e, b, count, next, e->env->hflags & UC_HF_CPL);
    r->interrupted = r->descriptor = false;
    if (__builtin_expect(r->unsafe_x87, 0)) {
        r->unsafe_x87 = false;
        memset(s->unsafe, 0, sizeof s->unsafe);
    }
    return attention;
}

void stretch_repeat_begin(engine *e, const engine_block *b)
{
    stretch_state *s = &e->stretch;
    s->repeat_count = repeat_register(e, b);
    if (s->repeat_block != b)
        s->repeat_flags = (uint32_t)UC_INTERNAL(cpu_cc_compute_all)(e->env, (int)e->env->cc_op);
    stretch_set_repeat(e, NULL);
}

bool stretch_end_repeat(engine *e, uint32_t next, bool interrupted)
{
    stretch_state *s = &e->stretch;
    engine_block *b = s->block;
    uint32_t left = repeat_register(e, b);
    assert(b->ends == BLOCK_ENDS_REPEAT);
    assert(left <= s->repeat_count);
    uint32_t made = s->repeat_count - left;
    s->repeat_count = left;
    if (interrupted && made == 0) { /* nothing happened yet */
        bool attention = stretch_give_batch(e, b->count);
        stretch_none(e);
        return attention;
    }
    if (stretch_batch_waits(e) && !interrupted)
        return stretch_end_batch(e, next);
    p5_retired *r = &s->retired;
    r->repeats = made;
    r->interrupted = interrupted;
    bool attention = stretch_give(e, b, 1, next, b->levels.cpl);
    r->repeats = 0;
    r->interrupted = false;
    return attention;
}

bool stretch_end_all(engine *e, uint32_t next)
{
    assert(e->stretch.block != NULL);
    if (e->stretch.block->ends ==
        BLOCK_ENDS_REPEAT) /* a trap between two iterations interrupts the REP string */
        return stretch_end_repeat(
            e, next, next == e->stretch.block->linear && repeat_register(e, e->stretch.block) != 0);
    return stretch_end(e, e->stretch.block->count, next, false);
}

bool stretch_end_before(engine *e, uint32_t at)
{
    stretch_state *s = &e->stretch;
    assert(s->block != NULL);
    engine_block *b = s->block;
    if (b->ends == BLOCK_ENDS_REPEAT) { /* drop the records of the iteration that did not complete */
        s->record_next = s->iteration_records;
        return stretch_end_repeat(e, at, true);
    }
    unsigned count = 0;
    while (count < b->count && b->linear + b->marks[count].offset != at)
        count++;
    bool attention = stretch_give_batch(e, b->count);
    if (count < b->count) { /* drop the records of the instruction that did not complete */
        p5_access *access = stretch_records(e) + b->marks[count].accesses;
        p5_value *value = s->at.values + (s->at.blocks->values_end - s->at.values) + b->marks[count].values;
        s->record_next = access < s->record_next ? access : s->record_next;
        s->value_next = value < s->value_next ? value : s->value_next;
    }
    if (count == 0) {
        stretch_none(e);
        s->descriptor = false;
        return attention;
    }
    return stretch_end(e, count, at, false) | attention;
}

bool stretch_end_interrupt(engine *e, uint32_t next, p5_gate gate)
{
    e->stretch.retired.gate = (uint8_t)gate;
    bool attention = stretch_end_all(e, next);
    e->stretch.retired.gate = P5_GATE_NONE;
    return attention;
}

bool stretch_end_delivered(engine *e, uint32_t next, p5_gate gate)
{
    p5_access *end = e->stretch.record_next;
    stretch_drop_records(e);
    bool attention = stretch_end_interrupt(e, next, gate);
    e->stretch.record_next = end;
    return attention;
}

/* Unicorn leaves a block before a store is done in two cases: the store changes the block's own code, and
 * execution continues with a block of one instruction; or stretch_leave_before has requested it. */
void REAL(cpu_loop_exit_noexc)(uc_cpu *cpu);
void WRAP(cpu_loop_exit_noexc)(uc_cpu *cpu)
{
    engine *e = engine_of(uc_env_of(cpu));
    e->stretch.restart = true;
    stretch_no_batch(e);
    REAL(cpu_loop_exit_noexc)(cpu);
}

void stretch_leave_before(engine *e, uintptr_t retaddr, bool even_first)
{
    if (UC_INTERNAL(cpu_restore_state)(engine_cpu(e), retaddr, true) &&
        (even_first || engine_linear_eip(e) != e->stretch.block->linear))
        WRAP(cpu_loop_exit_noexc)(engine_cpu(e));
}
