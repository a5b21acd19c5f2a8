/* What was executed is recorded and told (stretch.c). Inline is what happens where each block starts. */
#ifndef ENGINE_STRETCH_STRETCH_H
#define ENGINE_STRETCH_STRETCH_H

#include <string.h>

#include "base/host_line.h"
#include "engine/internal.h"

/* The owner has done everything that it was told. */
static inline void engine_catch_up(engine *e)
{
    if (e->callbacks.catch_up)
        e->callbacks.catch_up(e->callbacks.context);
}

/* No block is running, and nothing is recorded. The batch is empty. What is recorded next goes into the
 * engine's own room. */
void stretch_none(engine *e);
/* A stretch has more accesses or values than a room has place for, which its block's plan excludes: they are
 * dropped, and the run ends with ENGINE_FAILED. */
void stretch_full(engine *e) __attribute__((cold));
/* Gives the batch away; a block of `running` instructions goes on, which is none of it. True if attention is
 * wanted at the next boundary. */
bool stretch_give_batch(engine *e, unsigned running);
/* Leaves the running block in front of the instruction that made the call which returns to `retaddr`, unless
 * that is its first. */
void stretch_leave_before(engine *e, uintptr_t retaddr);
/* Ends the running block: gives instructions [0, count) to retired(). Returns true if attention is wanted. */
bool stretch_end(engine *e, unsigned count, uint32_t next, bool interrupted);
/* Ends the running block completely. */
bool stretch_end_all(engine *e, uint32_t next);
/* Ends the running block before the instruction at linear address `at`. */
bool stretch_end_before(engine *e, uint32_t at);

/* Looked at where a batch ends: what asks in the middle of a block calls engine_no_batch, too. */
static inline unsigned engine_requests(const engine *e)
{
    return atomic_load_explicit(&e->requested, memory_order_relaxed);
}
/* A REP string is to be interrupted between two iterations; a step is an instruction. */
static inline bool engine_iteration_wanted(const engine *e)
{
    return engine_requests(e) & REQUEST_ITERATION;
}

/* ECX as the count of a REP string. */
static inline uint32_t repeat_register(const engine *e, const engine_block *b)
{
    uint32_t ecx = (uint32_t)e->env->regs[ENGINE_ECX];
    return b->address16 ? ecx & 0xffff : ecx;
}
/* References of an iteration at most. */
enum { EACH_REPEAT = 2 };

static inline bool stretch_batch_waits(const engine *e)
{
    return e->batch_next != e->at.blocks + 1;
}

/* How many more references a REP string may record. One in a batch makes so few that there is room for all.
 */
static inline ptrdiff_t stretch_records_left(const engine *e)
{
    return e->record_end - e->record_next - (stretch_batch_waits(e) ? 0 : RECORD_RESERVE);
}

/* From here on everything is recorded in `room`, which has place for so many accesses; a batch begins. */
static inline void stretch_record_in(engine *e, const engine_room *room, size_t accesses)
{
    e->at = *room;
    room->blocks->accesses_end = e->record_next = room->accesses;
    room->blocks->values_end = e->value_next = room->values;
    e->record_end = room->accesses + accesses - 1; /* who stores an m80 looks once for two */
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

/* A block starts that is to go into the batch. */
static inline void stretch_batch_begin(engine *e, p5_block *block, uint32_t levels)
{
    p5_retired_block *s = e->batch_next;
    __builtin_prefetch(block); /* core_predict_blocks will look at it */
    s->block = block;
    memcpy(&s->cpl, &levels, sizeof levels);
}

/* It goes there. */
static inline void stretch_batch_add(engine *e, uint32_t next)
{
    p5_retired_block *s = e->batch_next++;
    host_line_will_write(s); /* the model's thread has read there */
    host_line_will_write(e->record_next);
    s->accesses_end = e->record_next;
    s->values_end = e->value_next;
    s->next = next;
}

/* It is the last one of the batch, which goes to the owner. True if attention is wanted. */
static inline bool stretch_end_batch(engine *e, uint32_t next)
{
    stretch_batch_add(e, next);
    bool attention = stretch_give_batch(e, 0);
    stretch_none(e);
    return attention;
}

/* Gives the stretch to the owner, as far as it is not filled in yet: what it accessed. True if attention is
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

/* stretch.c. The same as stretch_end for a block that is one REP string instruction: `e->repeat_count` minus
 * the count register are the iterations made since the last part was given away. */
bool stretch_end_repeat(engine *e, uint32_t next, bool interrupted);

#endif
