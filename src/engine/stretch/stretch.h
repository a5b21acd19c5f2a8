/* Recording of what was executed, and its delivery to callbacks of the engine's owner, the code that has opened the
 * engine (stretch.c). The inline functions here run at the start of every block or at every reference.
 *
 *   running block   the block of translated code that is being executed
 *   stretch         an executed block or part of one, as it is delivered
 *   record          a data reference (p5_access); a value is an operand on which clocks depend (p5_value)
 *   batch           stretches that are delivered together. While one is open, each block that starts adds the
 *                   running block to it. When it is not, the running block is the last one of the batch, if any
 *                   stretch waits in it, or is delivered alone.
 *   boundary        the start of a block where everything before has been delivered
 *   attention       a call of the owner's attention() at the next boundary
 */
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
/* Closes the batch: the running block is its last one, or is delivered alone. The next block starts at a boundary. */
static inline void stretch_no_batch(engine *e)
{
    e->stretch.batch_left |= INT64_MIN;
}
/* Returns whether the running block, and blocks after it, are added to a batch. */
static inline bool stretch_batch_open(const engine *e)
{
    return e->stretch.batch_left >= 0;
}
/* Records that the running block has read a descriptor, which p5_retired reports. */
static inline void stretch_descriptor_read(engine *e)
{
    e->stretch.descriptor = true;
    stretch_no_batch(e);
}
/* Return whether the running block was left before a store, so that the next block starts inside it; and clear
 * that when the next block starts. */
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
/* Returns the last record, of which there must be one. */
static inline p5_access *stretch_last_record(const engine *e)
{
    return e->stretch.record_next - 1;
}
/* Drops the last record. */
static inline void stretch_drop_record(engine *e)
{
    assert(stretch_recorded(e) > 0);
    e->stretch.record_next--;
}
/* Drops all records since the last stretch: of an instruction that is alone in its block and in no batch, or of a
 * delivery. */
static inline void stretch_drop_records(engine *e)
{
    e->stretch.record_next = e->stretch.records;
}

/* Records `marks` (P5_X87_*) about the x87 operands of the running block's instruction number `i`. */
static inline void stretch_mark_unsafe(engine *e, unsigned i, unsigned marks)
{
    assert(i < BLOCK_INSNS);
    e->stretch.unsafe[i] |= (uint8_t)marks;
    e->stretch.retired.unsafe_x87 = true;
}
/* Makes the run end with ENGINE_FAILED at the next boundary, because a stretch has more accesses or values than the
 * buffers hold, which the block's plan excludes. The caller drops what does not fit. */
void stretch_full(engine *e) __attribute__((cold));
/* Returns the records since the last stretch, which are of a delivery of an exception or interrupt, and their
 * number in *count. Drops them: they are valid until something is recorded. */
const p5_access *stretch_take_records(engine *e, uint32_t *count);
/* Drops the last reference of the running instruction, or of its current iteration, if it is a store. */
void stretch_drop_store(engine *e);

/* --- REP strings --- */

enum { EACH_REPEAT = 2 /* the largest number of references per iteration */ };

/* Returns the iterations that the REP string `b` has left: ECX or CX. */
static inline uint32_t repeat_register(const engine *e, const engine_block *b)
{
    uint32_t ecx = (uint32_t)e->env->regs[ENGINE_ECX];
    return b->needs.address16 ? ecx & 0xffff : ecx;
}
/* Begins the REP string `b`, or continues it after a part of its iterations was delivered. */
void stretch_repeat_begin(engine *e, const engine_block *b);
/* Return and set the REP string of which a part was delivered and another follows; NULL: none. */
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
/* Records that an iteration begins: what is recorded from here on is its. */
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
/* Returns true if a REP string must stop between two iterations, because attention() was requested there. */
static inline bool engine_iteration_wanted(const engine *e)
{
    return engine_requests(e) & REQUEST_ITERATION;
}

/* --- Batches --- */

/* Returns whether the batch, open or closed, has complete stretches that have not been delivered. */
static inline bool stretch_batch_waits(const engine *e)
{
    return e->stretch.batch_next != e->stretch.at.blocks + 1;
}

/* Returns how many more references a REP string may record before its iterations have to be delivered. A REP
 * string in a batch makes so few that all of them fit. */
static inline ptrdiff_t stretch_records_left(const engine *e)
{
    return e->stretch.record_end - e->stretch.record_next - (stretch_batch_waits(e) ? 0 : RECORD_RESERVE);
}

/* Records everything from here on at the beginning of `to`, which can hold `accesses` accesses and values and
 * blocks as ENGINE_BUFFER_* say. The first entry of the blocks is a dummy, whose ends are where the first stretch
 * begins. */
static inline void stretch_record_in(engine *e, const engine_buffers *to, size_t accesses)
{
    e->stretch.at = *to;
    to->blocks->accesses_end = e->stretch.record_next = to->accesses;
    to->blocks->values_end = e->stretch.value_next = to->values;
    e->stretch.record_end = to->accesses + accesses - 1; /* an m80 store checks once for two records */
    e->stretch.value_end = to->values + ENGINE_BUFFER_VALUES;
    e->stretch.batch_next = to->blocks + 1;
}

/* Returns the levels of a block (CPL, mode, IOPL) as one word. */
static inline uint32_t stretch_levels(const engine_block *b)
{
    uint32_t levels;
    _Static_assert(sizeof b->levels == sizeof levels, "one word");
    memcpy(&levels, &b->levels, sizeof levels);
    return levels;
}

/* Prepares the entry of a block that starts and is to go into the batch. `levels` is its stretch_levels. */
static inline void stretch_batch_begin(engine *e, p5_block *block, uint32_t levels)
{
    p5_retired_block *s = e->stretch.batch_next;
    assert(s < e->stretch.at.blocks + ENGINE_BUFFER_BLOCKS);
    __builtin_prefetch(block); /* core_predict_blocks reads it soon */
    s->block = block;
    memcpy(&s->cpl, &levels, sizeof levels); /* and the three members after it */
}

/* Adds the running block to the batch when it has completed; control goes to linear address `next`. */
static inline void stretch_batch_add(engine *e, uint32_t next)
{
    p5_retired_block *s = e->stretch.batch_next++;
    assert(s < e->stretch.at.blocks + ENGINE_BUFFER_BLOCKS);
    assert(e->stretch.record_next <= e->stretch.record_end + 1 &&
           e->stretch.value_next <= e->stretch.value_end);
    host_line_will_write(s); /* the timing model's thread has read this line before */
    host_line_will_write(e->stretch.record_next);
    s->accesses_end = e->stretch.record_next;
    s->values_end = e->stretch.value_next;
    s->next = next;
}

/* Makes `b` the running block at a boundary, with nothing recorded. Begins a batch with it unless it has to be
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

/* Allocate and free the buffers. stretch_open returns false if memory runs out. */
bool stretch_open(engine *e);
void stretch_close(engine *e);
/* Prepares for a run. */
void stretch_reset(engine *e);
/* Records that no block is running, and empties the batch. Later records go into the engine's own buffers. */
void stretch_none(engine *e);
/* Delivers the complete stretches of the batch, if there are any, and closes it. The running block has `running`
 * instructions and continues; 0 if there is none. Returns true if attention is wanted. */
bool stretch_give_batch(engine *e, unsigned running);
/* Leaves the running block before the instruction whose call returns to `retaddr`, and continues with a block that
 * begins there. Returns if it is the block's first and `even_first` is false. */
void stretch_leave_before(engine *e, uintptr_t retaddr, bool even_first);
/* Records the operand of BSF or BSR, which end their blocks, as a value. */
void stretch_scan(engine *e, const engine_block *b);
/* End the running block, deliver it with the batch before it, and return true if attention is wanted. `next` is
 * the linear address to which control goes. stretch_end delivers instructions [0, count); stretch_end_all all of
 * them; stretch_end_before those before the instruction at linear address `at`; stretch_end_repeat those
 * iterations of a REP string that were made since its last part was delivered. `interrupted`: the last instruction
 * is a REP string that is not complete. */
bool stretch_end(engine *e, unsigned count, uint32_t next, bool interrupted);
bool stretch_end_all(engine *e, uint32_t next);
bool stretch_end_before(engine *e, uint32_t at);
bool stretch_end_repeat(engine *e, uint32_t next, bool interrupted);
/* End the running INT n, INT3 or INTO, which passes through `gate`: before its delivery, or afterwards, keeping the
 * delivery's records. Return true if attention is wanted. */
bool stretch_end_interrupt(engine *e, uint32_t next, p5_gate gate);
bool stretch_end_delivered(engine *e, uint32_t next, p5_gate gate);

/* Adds the running block as the last one to the batch and delivers the batch. Returns true if attention is wanted. */
static inline bool stretch_end_batch(engine *e, uint32_t next)
{
    stretch_batch_add(e, next);
    bool attention = stretch_give_batch(e, 0);
    stretch_none(e);
    return attention;
}

/* Delivers the batch, if stretches wait in it, and then `count` instructions of the running block `b` alone, with its
 * accesses and values; ends it. The rarely used members of stretch_state.retired are the caller's. `cpl_after` is the
 * CPL after the last instruction. Returns true if attention is wanted. */
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

/* Ends and delivers the running block, if nothing but that has to be done, and returns true; then *attention says
 * whether attention is wanted. Otherwise, or without a running block, returns false and changes nothing. */
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
