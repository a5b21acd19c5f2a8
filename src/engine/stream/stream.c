/* The start and end of executed blocks. Every translated block calls one of the stream_start functions here when
 * it starts (Unicorn's block hook), which then ends the previous block, the *running* one, and makes `b` the
 * running block. Executed blocks are reported to the engine's owner in batches, while one is open, or one by one.
 * A *boundary* is a block's start without an open batch, where everything before has been reported. These files
 * also handle REP strings, which Unicorn enters once per iteration, and blocks that change their own code. */
#include <assert.h>

#include "engine/control/callback.h"
#include "engine/memory/guard.h"
#include "engine/segment/segmentation.h"
#include "engine/stream/stream_internal.h"
#include "engine/stretch/stretch.h"

/* Returns true if `b` may be the last block of a batch although it is a REP string: it begins (it is not the one in
 * progress), and makes at most BATCH_REPEATED references. */
static inline bool repeat_joins(const engine *e, const engine_block *b)
{
    return b->kind == BLOCK_REP && stretch_repeat(e) != b &&
           repeat_register(e, b) <= BATCH_REPEATED / EACH_REPEAT;
}

/* Calls the owner's attention() at a boundary and does what it requests. The state's EIP must be current. Does not
 * return if the owner stops the run or changes where it continues. */
static void stream_attention(engine *e)
{
    engine_clear_requests(e);
    engine_clear_redirected(e);
    engine_before_callback(e);
    engine_action action = e->callbacks.attention(e->callbacks.context);
    if (engine_failed(e))
        engine_leave(e, ENGINE_FAILED);
    if (action == ENGINE_STOP)
        engine_leave(e, ENGINE_STOPPED);
    if (delivery_waits(e))
        delivery_injected(e);
    if (engine_redirected(e))
        engine_resume(e);
}

/* Calls attention() if that was requested. */
void stream_attention_if_wanted(engine *e)
{
    if (engine_requests(e) != 0)
        stream_attention(e);
}

/* Starts a block at a boundary where more has to be done than recording it. `attention`: the owner has requested a
 * call of attention(). Does not return if the block is not to run now. */
static void __attribute__((noinline)) start_slow(engine *e, engine_block *b, bool attention)
{
    assert(stretch_block(e) == NULL && !stretch_batch_open(e));
    e->env->eip = engine_code_offset(e, b->linear);
    bool again = guard_alone_ends(e); /* `b` was translated as a single instruction and is looked up again */
    if (attention || guard_steps(e) || engine_requests(e) != 0)
        stream_attention(e);
    if (again || block_make_room(e))
        engine_resume(e);
    guard_extra_segments(e, b);
    e->stream.later_count += b->needs.later;
    block_prepare(e, b);
    stretch_run(e, b);
}

/* Continues a REP string, which comes back to its own start after an iteration, without reporting the iterations
 * so far. Returns false, and does nothing, if they have to be reported first: if attention() is wanted between
 * iterations, if the records are full, or if the next iteration is a port access. */
static bool repeat_continues(engine *e, engine_block *b)
{
    assert(b->kind == BLOCK_REP);
    if (stretch_records_left(e) < EACH_REPEAT || engine_iteration_wanted(e) || b->needs.port_bytes)
        return false;
    repeat_ahead(e, b);
    return true;
}

/* Ends the running block when control goes to `b`, and reports it. Returns false if the running block is a REP
 * string that continues. Sets *attention if the owner wants attention(). */
static bool __attribute__((noinline)) leave(engine *e, engine_block *b, bool *attention)
{
    assert(stretch_block(e) != NULL);
    if (stretch_restarts(e)) {
        *attention = stretch_end_before(e, b->linear);
    } else if (stretch_block(e)->ends == BLOCK_ENDS_REPEAT) {
        bool again = b == stretch_block(e) && repeat_register(e, b) != 0; /* another iteration follows */
        if (again && repeat_continues(e, b))
            return false;
        if (b == stretch_block(e) && !again) { /* the entry with a count of zero does nothing more */
            stretch_iteration_begin(e);
            return false;
        }
        *attention = stretch_end_repeat(e, b->linear, again);
        stretch_set_repeat(e, again ? b : NULL);
    } else {
        *attention = stretch_end(e, stretch_block(e)->count, b->linear, false);
    }
    return true;
}

/* Starts block `b` while guard.c has something to check: does its checks, and then what the two other functions
 * do. If the running block has ended, there is none when they begin, so that they start at a boundary. */
void stream_block_checked(uc_env *env, engine_block *b, p5_block *block, uint64_t linear, uint32_t levels,
                          int64_t takes)
{
    engine *e = env->owner;
    bool attention = false;
    if (stretch_block(e)) {
        const engine_block *before = stretch_block(e);
        guard_branch(e, b);
        if (!leave(e, b, &attention))
            return;
        guard_completed(e, before);
        if (attention)
            engine_request_attention(e);
    }
    guard_block(e, b);
    if (block_is_ordinary(b))
        stream_block(env, b, block, linear, levels, takes);
    else
        stream_block_special(env, b, block, linear, levels, takes);
}

/* Starts block `b` at a boundary: first reports the batch with the running block, or that alone. */
static void __attribute__((noinline)) stream_boundary(engine *e, engine_block *b)
{
    bool attention = false;
    if (!stretch_end_quick(e, b->linear, &attention) && stretch_block(e) && !leave(e, b, &attention))
        return;
    stretch_restarted(e); /* `b` is the block that starts inside one that was left before a store */
    if (__builtin_expect(b->slow || attention || guard_steps(e) || engine_requests(e) != 0, 0))
        start_slow(e, b, attention);
    else {
        stretch_begin(e, b);
        block_prepare(e, b);
    }
}

/* Starts block `b` that is not ordinary (block_is_ordinary). */
void stream_block_special(uc_env *env, engine_block *b, p5_block *block, uint64_t linear, uint32_t levels,
                          int64_t takes)
{
    engine *e = env->owner;
    if (!stretch_batch_open(e) || b->slow || !(b->quick || repeat_joins(e, b))) {
        stream_boundary(e, b);
        return;
    }
    stretch_continue(e, b, block, linear, levels, takes);
    block_prepare(e, b);
}

/* Starts the ordinary block `b`. With an open batch, adds the running block to it. */
void stream_block(uc_env *env, engine_block *b, p5_block *block, uint64_t linear, uint32_t levels,
                  int64_t takes)
{
    engine *e = env->owner;
    if (__builtin_expect(!stretch_batch_open(e), 0)) {
        stream_boundary(e, b);
        return;
    }
    stretch_continue(e, b, block, linear, levels, takes);
}

/* --- Opening --- */

/* Finds Unicorn's block hook, which translation changes for each block. Returns false if it is not as expected. */
bool stream_set_hook(engine *e, uc_hook_head *hook)
{
    e->stream.block_hook = hook;
    return hook->user_data == e && hook->callback == (void *)stream_block && hook->places != NULL &&
           g_hash_table_size(hook->places) == 0;
}

const snapshot_table stream_saved = {SNAPSHOT(stream_state, NULL, FIELD_ANY(later_count)), .partial = true};

/* Returns the number of executed instructions that only later processors have. */
uint64_t engine_permissive_count(const engine *e)
{
    return e->stream.later_count;
}
