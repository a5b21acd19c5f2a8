/* Recording of what was executed, and its delivery to the owner (stretch.c): the user of the engine, whose
 * callbacks receive it. "Attention" means that the owner's attention() is called at the next boundary. The
 * inline functions here run at the start of every block or at every reference. */
#ifndef ENGINE_STRETCH_STRETCH_H
#define ENGINE_STRETCH_STRETCH_H

#include <assert.h>
#include <string.h>

#include "base/host_line.h"
#include "engine/stretch/leave.h"

/* --- The running block --- */

/* Returns the running block, NULL between blocks. */
static inline engine_block *stretch_block(const engine *e)
{
    return e->stretch.block;
}
/* Makes `b` the running block, without recording anything. */
static inline void stretch_run(engine *e, engine_block *b)
{
    e->stretch.block = b;
}
/* Sets the state's EIP to the running block's first instruction. */
static inline void stretch_set_eip(engine *e)
{
    assert(e->stretch.block != NULL);
    e->env->eip = engine_code_offset(e, e->stretch.block->linear);
}
/* Keeps the running block out of the batch, because its stretch needs more than to be delivered with others. */
static inline void stretch_no_batch(engine *e)
{
    e->stretch.batch_left |= INT64_MIN;
}
static inline bool stretch_batch_open(const engine *e)
{
    return e->stretch.batch_left >= 0;
}
/* Records that the stretch has read a descriptor. */
static inline void stretch_descriptor_read(engine *e)
{
    e->stretch.descriptor = true;
    stretch_no_batch(e);
}
/* Return whether the running block was left before a store, so that the next block starts inside it; and end
 * that. */
static inline bool stretch_restarts(const engine *e)
{
    return e->stretch.restart;
}
static inline void stretch_restarted(engine *e)
{
    e->stretch.restart = false;
}

/* --- Records --- */

/* Returns where the running block's records begin. */
static inline p5_access *stretch_records(const engine *e)
{
    return e->stretch.at.accesses + (e->stretch.batch_next[-1].accesses_end - e->stretch.at.accesses);
}
/* Returns how many references the running block has recorded. */
static inline unsigned stretch_recorded(const engine *e)
{
    assert(e->stretch.record_next >= stretch_records(e));
    return (unsigned)(e->stretch.record_next - stretch_records(e));
}
/* Returns whether one more reference can be recorded. */
static inline bool stretch_has_space(const engine *e)
{
    return e->stretch.record_next < e->stretch.record_end;
}
/* Returns the place for the next reference's record. The caller has checked the space, or the reference was
 * counted when its block was translated. */
static inline p5_access *stretch_add_record(engine *e)
{
    return e->stretch.record_next++;
}
/* Returns the last record, and drops it. */
static inline p5_access *stretch_last_record(const engine *e)
{
    return e->stretch.record_next - 1;
}
static inline void stretch_drop_record(engine *e)
{
    assert(stretch_recorded(e) > 0);
    e->stretch.record_next--;
}
/* Drops all records of an instruction that is alone in its block and in no batch. */
static inline void stretch_drop_records(engine *e)
{
    e->stretch.record_next = e->stretch.records;
}

/* Records that an x87 operand of the running block's instruction number `i` is unsafe. */
static inline void stretch_mark_unsafe(engine *e, unsigned i, unsigned marks)
{
    assert(i < BLOCK_INSNS);
    e->stretch.unsafe[i] |= (uint8_t)marks;
    e->stretch.retired.unsafe_x87 = true;
}
/* Handles a stretch with more accesses or values than the buffers can hold, which the block's plan excludes:
 * drops them, and ends the run with ENGINE_FAILED. */
void stretch_full(engine *e) __attribute__((cold));
/* Returns the records since the last stretch, of a delivery, and their number in *count. Drops them. */
const p5_access *stretch_take_records(engine *e, uint32_t *count);
/* Drops the last reference of the running instruction, or of its current iteration, if it is a store. */
void stretch_drop_store(engine *e);

/* --- REP strings --- */

enum { EACH_REPEAT = 2 /* the largest number of references per iteration */ };

/* Returns ECX as the count of a REP string. */
static inline uint32_t repeat_register(const engine *e, const engine_block *b)
{
    uint32_t ecx = (uint32_t)e->env->regs[ENGINE_ECX];
    return b->needs.address16 ? ecx & 0xffff : ecx;
}
/* Begins or continues a REP string. */
void stretch_repeat_begin(engine *e, const engine_block *b);
/* Return and set the REP string that is in progress between two of its parts, or NULL. */
static inline const engine_block *stretch_repeat(const engine *e)
{
    return e->stretch.repeat_block;
}
static inline void stretch_set_repeat(engine *e, const engine_block *b)
{
    assert(b == NULL || b->ends == BLOCK_ENDS_REPEAT);
    e->stretch.repeat_block = b;
}
/* Returns the arithmetic flags from before the REP string. */
static inline uint32_t stretch_repeat_flags(const engine *e)
{
    return e->stretch.repeat_flags;
}
static inline void stretch_iteration_begin(engine *e)
{
    e->stretch.iteration_records = e->stretch.record_next;
}
/* Returns how many references the current iteration has recorded. */
static inline unsigned stretch_iteration_recorded(const engine *e)
{
    assert(e->stretch.record_next >= e->stretch.iteration_records);
    return (unsigned)(e->stretch.record_next - e->stretch.iteration_records);
}
/* Returns true if a REP string must stop between two iterations, because a step is one instruction. */
static inline bool engine_iteration_wanted(const engine *e)
{
    return engine_requests(e) & REQUEST_ITERATION;
}

/* --- Batches --- */

static inline bool stretch_batch_waits(const engine *e)
{
    return e->stretch.batch_next != e->stretch.at.blocks + 1;
}

/* Returns how many more references a REP string may record. A REP string in a batch makes so few that all of
 * them fit. */
static inline ptrdiff_t stretch_records_left(const engine *e)
{
    return e->stretch.record_end - e->stretch.record_next - (stretch_batch_waits(e) ? 0 : RECORD_RESERVE);
}

/* Begins a batch and records everything from here on in `to`, which can hold `accesses` accesses. */
static inline void stretch_record_in(engine *e, const engine_buffers *to, size_t accesses)
{
    e->stretch.at = *to;
    to->blocks->accesses_end = e->stretch.record_next = to->accesses;
    to->blocks->values_end = e->stretch.value_next = to->values;
    e->stretch.record_end = to->accesses + accesses - 1; /* an m80 store checks once for two records */
    e->stretch.value_end = to->values + ENGINE_BUFFER_VALUES;
    e->stretch.batch_next = to->blocks + 1;
}

static inline uint32_t stretch_levels(const engine_block *b)
{
    uint32_t levels;
    _Static_assert(sizeof b->levels == sizeof levels, "one word");
    memcpy(&levels, &b->levels, sizeof levels);
    return levels;
}

/* Prepares the entry of a block that starts and is to go into the batch. */
static inline void stretch_batch_begin(engine *e, p5_block *block, uint32_t levels)
{
    p5_retired_block *s = e->stretch.batch_next;
    assert(s < e->stretch.at.blocks + ENGINE_BUFFER_BLOCKS);
    __builtin_prefetch(block); /* core_predict_blocks reads it soon */
    s->block = block;
    memcpy(&s->cpl, &levels, sizeof levels);
}

/* Adds the block to the batch when it has completed. */
static inline void stretch_batch_add(engine *e, uint32_t next)
{
    p5_retired_block *s = e->stretch.batch_next++;
    assert(s < e->stretch.at.blocks + ENGINE_BUFFER_BLOCKS);
    assert(e->stretch.record_next <= e->stretch.record_end + 1 &&
           e->stretch.value_next <= e->stretch.value_end);
    host_line_will_write(s); /* the model's thread has read this line */
    host_line_will_write(e->stretch.record_next);
    s->accesses_end = e->stretch.record_next;
    s->values_end = e->stretch.value_next;
    s->next = next;
}

/* Makes `b` the running block, with nothing recorded. Begins a batch with its stretch unless that has to be
 * delivered alone. */
static inline void stretch_begin(engine *e, engine_block *b)
{
    assert(!stretch_batch_waits(e));
    e->stretch.block = b;
    if (b->quick & e->stretch.batching) {
        stretch_record_in(e, &e->stretch.next_batch, ENGINE_BUFFER_ACCESSES);
        stretch_batch_begin(e, b->block, stretch_levels(b));
        e->stretch.batch_left = (int64_t)e->stretch.batch_clocks * ENGINE_CLOCK_LEFT + b->takes;
    }
}

/* Adds the running block to the batch, and makes `b` the running block. The other parameters are members of
 * `b`, which is usually not in the host's cache. */
static inline void stretch_continue(engine *e, engine_block *b, p5_block *block, uint64_t linear,
                                    uint32_t levels, int64_t takes)
{
    assert(stretch_batch_open(e) && e->stretch.block != NULL);
    assert(b->block == block && b->linear == (uint32_t)linear && b->takes == takes);
    stretch_batch_add(e, (uint32_t)linear);
    stretch_batch_begin(e, block, levels);
    e->stretch.batch_left += takes;
    e->stretch.block = b;
}

/* --- Delivery --- */

/* Waits until the owner has processed everything that was delivered. */
static inline void engine_catch_up(engine *e)
{
    if (e->callbacks.catch_up)
        e->callbacks.catch_up(e->callbacks.context);
}

bool stretch_open(engine *e);
void stretch_close(engine *e);
/* Prepares for a run. */
void stretch_reset(engine *e);
/* Records that no block is running, and empties the batch. Later records go into the engine's own buffers. */
void stretch_none(engine *e);
/* Delivers the batch without the running block, which has `running` instructions and continues. Returns true
 * if attention is wanted at the next boundary. */
bool stretch_give_batch(engine *e, unsigned running);
/* Leaves the running block before the instruction whose call returns to `retaddr`; if that is the block's first,
 * only with `even_first`. */
void stretch_leave_before(engine *e, uintptr_t retaddr, bool even_first);
/* Records the operand of BSF or BSR, which end their blocks, as a value. */
void stretch_scan(engine *e, const engine_block *b);
/* End the running block and return true if attention is wanted. stretch_end delivers instructions [0, count);
 * stretch_end_all all of them; stretch_end_before those before the instruction at linear address `at`;
 * stretch_end_repeat those iterations of a REP string that were made since its last part was delivered. */
bool stretch_end(engine *e, unsigned count, uint32_t next, bool interrupted);
bool stretch_end_all(engine *e, uint32_t next);
bool stretch_end_before(engine *e, uint32_t at);
bool stretch_end_repeat(engine *e, uint32_t next, bool interrupted);
/* End the running INT n, which passes through `gate`: before its delivery, or afterwards, keeping the
 * delivery's records. */
bool stretch_end_interrupt(engine *e, uint32_t next, p5_gate gate);
bool stretch_end_delivered(engine *e, uint32_t next, p5_gate gate);

/* Adds the last block of a batch and delivers the batch. Returns true if attention is wanted. */
static inline bool stretch_end_batch(engine *e, uint32_t next)
{
    stretch_batch_add(e, next);
    bool attention = stretch_give_batch(e, 0);
    stretch_none(e);
    return attention;
}

/* Completes the stretch with its accesses and values and gives it to the owner. Returns true if attention is
 * wanted. */
static inline bool stretch_give(engine *e, const engine_block *b, unsigned count, uint32_t next,
                                uint8_t cpl_after)
{
    assert(count > 0 && count <= b->count && b->block != NULL);
    p5_retired *r = &e->stretch.retired;
    bool attention = __builtin_expect(stretch_batch_waits(e), 0) && stretch_give_batch(e, b->count);
    r->block = b->block;
    r->count = (uint16_t)count;
    r->accesses = e->stretch.at.blocks->accesses_end;
    r->values = e->stretch.at.blocks->values_end;
    r->access_count = (uint32_t)(e->stretch.record_next - r->accesses);
    r->value_count = (uint32_t)(e->stretch.value_next - r->values);
    r->next = next;
    memcpy(&r->cpl, &b->levels, sizeof b->levels);
    r->cpl_after = cpl_after;
    stretch_none(e);
    return e->callbacks.retired(e->callbacks.context, r) | attention;
}

/* Ends the running block, if that needs no more than to be delivered, and returns true. Sets *attention if it
 * is wanted. */
static inline bool stretch_end_quick(engine *e, uint32_t next, bool *attention)
{
    const engine_block *b = e->stretch.block;
    if (b == NULL || !b->quick || e->stretch.restart | e->stretch.descriptor | e->stretch.retired.unsafe_x87)
        return false;
    if (b->ends == BLOCK_ENDS_SCAN)
        stretch_scan(e, b);
    *attention = stretch_batch_waits(e) ? stretch_end_batch(e, next)
                                        : stretch_give(e, b, b->count, next, b->levels.cpl);
    return true;
}

#endif
