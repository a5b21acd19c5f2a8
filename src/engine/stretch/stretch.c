/* Delivery of what was executed to the engine's owner. A *stretch* is a block that has completed, or its
 * instructions before one that did not complete. Stretches go to the owner's callback retired() one by one, or
 * into a batch for retired_blocks(). Their records (p5_access) and values are collected in buffers. The *running
 * block* is the one that is being executed. "Attention" is a call of the owner's attention(), which both callbacks
 * may request by returning true, and which comes at the next boundary: a block's start where everything before has
 * been delivered. */
#include <stdlib.h>

#include "engine/stretch/stretch.h"
#include "engine/stretch/value.h"

/* Allocates the buffers. Returns false if memory runs out. */
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

/* Prepares for a run: discards what the previous run has left. */
void stretch_reset(engine *e)
{
    stretch_none(e);
    e->stretch.descriptor = e->stretch.restart = false;
}

/* Makes the run fail because of more references or values than the buffers hold. Ends the batch, because requests are
 * checked after it. */
void stretch_full(engine *e)
{
    engine_fail(e, "the code at %08x makes more references than a block can record",
                e->stretch.block ? e->stretch.block->linear : engine_linear_eip(e));
    stretch_no_batch(e);
    engine_request_attention(e);
}

/* Returns the records of a delivery of an exception or interrupt, which has no block, and their number. The array
 * may be overwritten from now on, but the caller still uses it first. */
const p5_access *stretch_take_records(engine *e, uint32_t *count)
{
    assert(e->stretch.block == NULL && !stretch_batch_waits(e));
    *count = (uint32_t)(e->stretch.record_next - e->stretch.records);
    stretch_drop_records(e);
    e->stretch.descriptor = false;
    return e->stretch.records;
}

/* Drops the running instruction's last record if it is a store. The block is in no batch. */
void stretch_drop_store(engine *e)
{
    const bool repeats = e->stretch.block->ends == BLOCK_ENDS_REPEAT;
    const p5_access *first = repeats ? e->stretch.iteration_records : e->stretch.records;
    if (e->stretch.record_next > first && stretch_last_record(e)->flags & P5_ACCESS_WRITE)
        stretch_drop_record(e);
}

/* --- Batches --- */

/* Permits batches of at most `clocks`, or forbids them (0). */
void engine_batch(engine *e, unsigned clocks)
{
    e->stretch.batching = clocks != 0 && e->callbacks.retired_blocks;
    e->stretch.batch_clocks = (int)clocks;
    if (!e->stretch.batching)
        stretch_no_batch(e); /* the batch is delivered at the next boundary */
}

/* Chooses the buffers of the batches after the current one. */
void engine_batch_into(engine *e, const engine_buffers *to)
{
    /* The members are copied one by one. They have just been stored one by one, and a wider load would have
     * to wait for these stores. */
    e->stretch.next_batch.blocks = to->blocks;
    e->stretch.next_batch.values = to->values;
    e->stretch.next_batch.accesses = to->accesses;
}

/* Delivers the complete stretches of the batch, if there are any, and closes it. The running block, with `running`
 * instructions, continues, and is recorded where it was. Returns true if attention is wanted. */
bool stretch_give_batch(engine *e, unsigned running)
{
    stretch_state *s = &e->stretch;
    if (!stretch_batch_waits(e))
        return false;
    /* The dummy entry, whose end is where the running block's records begin. */
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

/* Records that there is no running block and no batch. Later records go to the beginning of the engine's own buffers. */
void stretch_none(engine *e)
{
    e->stretch.block = NULL;
    e->stretch.batch_left = INT64_MIN;
    const engine_buffers own = {e->stretch.batch, e->stretch.values, e->stretch.records};
    stretch_record_in(e, &own, RECORD_CAPACITY);
}

/* --- Single stretches --- */

/* Records the operand of BSF or BSR at the end of block `b`, which has completed. The result is the position of
 * the lowest or highest set bit of the source, and ZF means that there was none. The recorded value is a number
 * with just that bit, because the clocks depend on nothing else. */
void stretch_scan(engine *e, const engine_block *b)
{
    enum { ZF = 0x40 };
    bool zero = UC_INTERNAL(cpu_cc_compute_all)(e->env, (int)e->env->cc_op) & ZF;
    unsigned bit = (unsigned)e->env->regs[b->needs.scan_register] & (b->needs.scan_bits - 1u);
    value_add(e, ISA_VALUE_SOURCE, zero ? 0 : 1ull << bit);
}

/* Ends the running block after its first `count` instructions and delivers them; control goes to linear address
 * `next`. `interrupted`: p5_retired.interrupted. Returns true if attention is wanted. */
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

/* Begins the REP string `b`, or continues it after a part was delivered. The flags from before are kept from its
 * beginning. */
void stretch_repeat_begin(engine *e, const engine_block *b)
{
    stretch_state *s = &e->stretch;
    s->repeat_count = repeat_register(e, b);
    if (s->repeat_block != b)
        s->repeat_flags = (uint32_t)UC_INTERNAL(cpu_cc_compute_all)(e->env, (int)e->env->cc_op);
    stretch_set_repeat(e, NULL);
}

/* Delivers the iterations of the running REP string since its last part, and ends the running block.
 * `interrupted`: more iterations follow, so the instruction is not complete. Returns true if attention is wanted. */
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
    if (stretch_batch_waits(e) && !interrupted) /* it is the last stretch of the batch */
        return stretch_end_batch(e, next);
    p5_retired *r = &s->retired;
    r->repeats = made;
    r->interrupted = interrupted;
    bool attention = stretch_give(e, b, 1, next, b->levels.cpl);
    r->repeats = 0;
    r->interrupted = false;
    return attention;
}

/* Ends the running block, of which all instructions have completed, and delivers it. Returns true if attention is
 * wanted. */
bool stretch_end_all(engine *e, uint32_t next)
{
    assert(e->stretch.block != NULL);
    const engine_block *b = e->stretch.block;
    if (b->ends != BLOCK_ENDS_REPEAT)
        return stretch_end(e, b->count, next, false);
    /* A trap between two iterations interrupts the REP string. */
    return stretch_end_repeat(e, next, next == b->linear && repeat_register(e, b) != 0);
}

/* Ends the running block before its instruction at linear address `at`, which will be executed again or has
 * faulted, and delivers those before it, if there are any. Returns true if attention is wanted. */
bool stretch_end_before(engine *e, uint32_t at)
{
    stretch_state *s = &e->stretch;
    assert(s->block != NULL);
    engine_block *b = s->block;
    if (b->ends == BLOCK_ENDS_REPEAT) { /* drop the records of the iteration that did not complete */
        s->record_next = s->iteration_records;
        return stretch_end_repeat(e, at, true);
    }
    unsigned count = 0; /* instructions before `at` */
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

/* Ends the running INT n, INT3 or INTO, which passes through `gate`, before its delivery. Returns true if attention
 * is wanted. */
bool stretch_end_interrupt(engine *e, uint32_t next, p5_gate gate)
{
    e->stretch.retired.gate = (uint8_t)gate;
    bool attention = stretch_end_all(e, next);
    e->stretch.retired.gate = P5_GATE_NONE;
    return attention;
}

/* Ends the running INT n after its delivery. All records are the delivery's: the stretch has none, and they are
 * kept for stretch_take_records. */
bool stretch_end_delivered(engine *e, uint32_t next, p5_gate gate)
{
    p5_access *end = e->stretch.record_next;
    stretch_drop_records(e);
    bool attention = stretch_end_interrupt(e, next, gate);
    e->stretch.record_next = end;
    return attention;
}

/* Unicorn leaves a block before a store is done in two cases: the store changes the block's own code, and
 * execution continues with a block of one instruction; or stretch_leave_before has requested it. Unicorn calls
 * cpu_loop_exit_noexc for that, which this replaces; the state's EIP is the instruction of the store. */
void REAL(cpu_loop_exit_noexc)(uc_cpu *cpu);
void WRAP(cpu_loop_exit_noexc)(uc_cpu *cpu)
{
    engine *e = engine_of(uc_env_of(cpu));
    e->stretch.restart = true;
    stretch_no_batch(e);
    REAL(cpu_loop_exit_noexc)(cpu);
}

/* Leaves the running block before the instruction whose call returns to `retaddr`; it then begins a new block.
 * Returns if that is the block's first instruction, unless `even_first`, or if `retaddr` is not in translated
 * code. */
void stretch_leave_before(engine *e, uintptr_t retaddr, bool even_first)
{
    if (UC_INTERNAL(cpu_restore_state)(engine_cpu(e), retaddr, true) &&
        (even_first || engine_linear_eip(e) != e->stretch.block->linear))
        WRAP(cpu_loop_exit_noexc)(engine_cpu(e));
}
