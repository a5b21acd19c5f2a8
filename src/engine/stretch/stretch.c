/* Delivery of what was executed to the owner. A stretch is a block that has completed, or its instructions up
 * to one that did not complete. Stretches go to retired() one by one, or into a batch for
 * retired_blocks(). */
#include "engine/stretch/leave.h"

#include <assert.h>
#include "engine/stretch/stretch.h"
#include "engine/stretch/value.h"

void stretch_full(engine *e)
{
    engine_fail(e, "the code at %08x makes more references than it can",
                e->current ? e->current->linear : engine_linear_eip(e));
    engine_no_batch(e);
    engine_request_attention(e);
}

/* --- Batches --- */

void engine_batch(engine *e, unsigned clocks)
{
    e->batching = clocks != 0 && e->callbacks.retired_blocks;
    e->batch_clocks = (int)clocks;
    if (!e->batching)
        engine_no_batch(e); /* the batch is delivered at the next boundary */
}

void engine_batch_into(engine *e, const engine_room *room)
{
    /* The members are copied one by one. They have just been stored one by one, and a wider load would have
     * to wait for these stores. */
    e->next_batch.blocks = room->blocks;
    e->next_batch.values = room->values;
    e->next_batch.accesses = room->accesses;
}

bool stretch_give_batch(engine *e, unsigned running)
{
    if (!stretch_batch_waits(e))
        return false;
    p5_retired_block *none = e->at.blocks;
    const p5_retired_block *first = none + 1, *last = e->batch_next - 1;
    assert(last >= first);
    unsigned instructions = (unsigned)(uint32_t)e->batch_left - running;
    e->batch_next = none + 1;
    e->batch_left = INT64_MIN;
    none->accesses_end = last->accesses_end;
    none->values_end = last->values_end;
    return e->callbacks.retired_blocks(e->callbacks.context, e->at.accesses, e->at.values, first,
                                       (size_t)(last - first + 1), instructions);
}

void stretch_none(engine *e)
{
    e->current = NULL;
    e->batch_left = INT64_MIN;
    const engine_room own = {e->batch, e->values, e->records};
    stretch_record_in(e, &own, RECORD_CAPACITY);
}

/* --- Single stretches --- */

bool stretch_end(engine *e, unsigned count, uint32_t next, bool interrupted)
{
    assert(e->current != NULL && count > 0 && count <= e->current->count);
    engine_block *b = e->current;
    if (__builtin_expect(b->kind == BLOCK_SCAN, 0) && count == b->count)
        value_scan(e, b);
    p5_retired *r = &e->retired;
    r->interrupted = interrupted;
    r->descriptor = e->descriptor;
    e->descriptor = false;
    bool attention = stretch_give(e, r, b, count, next, e->env->hflags & UC_HF_CPL);
    r->interrupted = r->descriptor = false;
    if (__builtin_expect(r->unsafe_x87, 0)) {
        r->unsafe_x87 = false;
        memset(e->unsafe, 0, sizeof e->unsafe);
    }
    return attention;
}

bool stretch_end_repeat(engine *e, uint32_t next, bool interrupted)
{
    engine_block *b = e->current;
    uint32_t left = repeat_register(e, b);
    assert(b->kind == BLOCK_REP);
    assert(left <= e->repeat_count);
    uint32_t made = e->repeat_count - left;
    e->repeat_count = left;
    if (interrupted && made == 0) { /* nothing happened yet */
        bool attention = stretch_give_batch(e, b->count);
        stretch_none(e);
        return attention;
    }
    if (stretch_batch_waits(e) && !interrupted)
        return stretch_end_batch(e, next);
    p5_retired *r = &e->retired;
    r->repeats = made;
    r->interrupted = interrupted;
    bool attention = stretch_give(e, r, b, 1, next, b->levels.cpl);
    r->repeats = 0;
    r->interrupted = false;
    return attention;
}

bool stretch_end_all(engine *e, uint32_t next)
{
    assert(e->current != NULL);
    if (e->current->kind == BLOCK_REP) /* a trap between two iterations interrupts the REP string */
        return stretch_end_repeat(e, next, next == e->current->linear && repeat_register(e, e->current) != 0);
    return stretch_end(e, e->current->count, next, false);
}

bool stretch_end_before(engine *e, uint32_t at)
{
    assert(e->current != NULL);
    engine_block *b = e->current;
    if (b->kind == BLOCK_REP) { /* drop the records of the iteration that did not complete */
        e->record_next = e->iteration_records;
        return stretch_end_repeat(e, at, true);
    }
    unsigned count = 0;
    while (count < b->count && b->linear + b->marks[count].offset != at)
        count++;
    bool attention = stretch_give_batch(e, b->count);
    if (count < b->count) { /* drop the records of the instruction that did not complete */
        p5_access *access = engine_records(e) + b->marks[count].accesses;
        p5_value *value = e->at.values + (e->at.blocks->values_end - e->at.values) + b->marks[count].values;
        e->record_next = access < e->record_next ? access : e->record_next;
        e->value_next = value < e->value_next ? value : e->value_next;
    }
    if (count == 0) {
        stretch_none(e);
        e->descriptor = false;
        return attention;
    }
    return stretch_end(e, count, at, false) | attention;
}

/* Unicorn leaves a block before a store is done in two cases: the store changes the block's own code, and
 * execution continues with a block of one instruction; or stretch_leave_before has requested it. */
void REAL(cpu_loop_exit_noexc)(uc_cpu *cpu);
void WRAP(cpu_loop_exit_noexc)(uc_cpu *cpu)
{
    engine *e = engine_of(uc_env_of(cpu));
    e->restart = true;
    engine_no_batch(e);
    REAL(cpu_loop_exit_noexc)(cpu);
}

void stretch_leave_before(engine *e, uintptr_t retaddr)
{
    if (UC_INTERNAL(cpu_restore_state)(engine_cpu(e), retaddr, true) &&
        engine_linear_eip(e) != e->current->linear)
        WRAP(cpu_loop_exit_noexc)(engine_cpu(e));
}
