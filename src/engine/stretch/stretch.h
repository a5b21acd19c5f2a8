/* Recording of what was executed, and its delivery to the owner (stretch.c): the user of the engine, whose
 * callbacks receive it. "Attention" means that the owner's attention() is called at the next boundary. The
 * inline functions here run at the start of every block. */
#ifndef ENGINE_STRETCH_STRETCH_H
#define ENGINE_STRETCH_STRETCH_H

#include <string.h>

#include "base/host_line.h"
#include "engine/internal.h"

/* Waits until the owner has processed everything that was delivered. */
static inline void engine_catch_up(engine *e)
{
    if (e->callbacks.catch_up)
        e->callbacks.catch_up(e->callbacks.context);
}

/* Records that no block is running, and empties the batch. Later records go into the engine's own buffers. */
void stretch_none(engine *e);
/* Handles a stretch with more accesses or values than the buffers can hold, which the block's plan excludes:
 * drops them, and ends the run with ENGINE_FAILED. */
void stretch_full(engine *e) __attribute__((cold));
/* Delivers the batch without the running block, which has `running` instructions and continues. Returns true
 * if attention is wanted at the next boundary. */
bool stretch_give_batch(engine *e, unsigned running);
/* Leaves the running block before the instruction whose call returns to `retaddr`, unless it is the block's
 * first. */
void stretch_leave_before(engine *e, uintptr_t retaddr);
/* Ends the running block: gives instructions [0, count) to retired(). Returns true if attention is wanted. */
bool stretch_end(engine *e, unsigned count, uint32_t next, bool interrupted);
/* Ends the running block completely. */
bool stretch_end_all(engine *e, uint32_t next);
/* Ends the running block before the instruction at linear address `at`. */
bool stretch_end_before(engine *e, uint32_t at);

/* Returns the pending requests. They are checked where a batch ends; a request in the middle of a block
 * therefore calls engine_no_batch, too. */
static inline unsigned engine_requests(const engine *e)
{
    return atomic_load_explicit(&e->requested, memory_order_relaxed);
}
/* Returns true if a REP string must stop between two iterations, because a step is one instruction. */
static inline bool engine_iteration_wanted(const engine *e)
{
    return engine_requests(e) & REQUEST_ITERATION;
}

/* Returns ECX as the count of a REP string. */
static inline uint32_t repeat_register(const engine *e, const engine_block *b)
{
    uint32_t ecx = (uint32_t)e->env->regs[ENGINE_ECX];
    return b->address16 ? ecx & 0xffff : ecx;
}
/* The largest number of references per iteration. */
enum { EACH_REPEAT = 2 };

static inline bool stretch_batch_waits(const engine *e)
{
    return e->batch_next != e->at.blocks + 1;
}

/* Returns how many more references a REP string may record. A REP string in a batch makes so few that all of
 * them fit. */
static inline ptrdiff_t stretch_records_left(const engine *e)
{
    return e->record_end - e->record_next - (stretch_batch_waits(e) ? 0 : RECORD_RESERVE);
}

/* Begins a batch and records everything from here on in `room`, which can hold `accesses` accesses. */
static inline void stretch_record_in(engine *e, const engine_room *room, size_t accesses)
{
    e->at = *room;
    room->blocks->accesses_end = e->record_next = room->accesses;
    room->blocks->values_end = e->value_next = room->values;
    e->record_end = room->accesses + accesses - 1; /* an m80 store checks once for two records */
    e->value_end = room->values + ENGINE_ROOM_VALUES;
    e->batch_next = room->blocks + 1;
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
    p5_retired_block *s = e->batch_next;
    __builtin_prefetch(block); /* core_predict_blocks reads it soon */
    s->block = block;
    memcpy(&s->cpl, &levels, sizeof levels);
}

/* Adds the block to the batch when it has completed. */
static inline void stretch_batch_add(engine *e, uint32_t next)
{
    p5_retired_block *s = e->batch_next++;
    host_line_will_write(s); /* the model's thread has read this line */
    host_line_will_write(e->record_next);
    s->accesses_end = e->record_next;
    s->values_end = e->value_next;
    s->next = next;
}

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
static inline bool stretch_give(engine *e, p5_retired *r, const engine_block *b, unsigned count,
                                uint32_t next, uint8_t cpl_after)
{
    bool attention = __builtin_expect(stretch_batch_waits(e), 0) && stretch_give_batch(e, b->count);
    r->block = b->block;
    r->count = (uint16_t)count;
    r->accesses = e->at.blocks->accesses_end;
    r->values = e->at.blocks->values_end;
    r->access_count = (uint32_t)(e->record_next - r->accesses);
    r->value_count = (uint32_t)(e->value_next - r->values);
    r->next = next;
    memcpy(&r->cpl, &b->levels, sizeof b->levels);
    r->cpl_after = cpl_after;
    stretch_none(e);
    return e->callbacks.retired(e->callbacks.context, r) | attention;
}

/* stretch.c. Does what stretch_end does for a block that is one REP string instruction. The iterations made
 * since the last part was delivered are `e->repeat_count` minus the count register. */
bool stretch_end_repeat(engine *e, uint32_t next, bool interrupted);

#endif
