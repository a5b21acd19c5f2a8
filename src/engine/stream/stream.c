/* The retired stream. It receives the start of every block (Unicorn's block hook) and ends the previous
 * block. It also handles REP strings, which Unicorn enters once per iteration, blocks that change their own
 * code, and work at boundaries. */
#include "engine/control/callback.h"

#include <assert.h>
#include "engine/control/ports.h"
#include "engine/control/registers.h"
#include "engine/control/special.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"
#include "engine/segment/segmentation.h"
#include "engine/stream/stream_internal.h"
#include "engine/stretch/leave.h"
#include "engine/stretch/stretch.h"
#include "engine/stretch/value.h"
#include "engine/x87/x87.h"

/* Begins or continues a REP string. */
static void begin_repeat(engine *e, const engine_block *b)
{
    e->repeat_count = repeat_register(e, b);
    if (e->repeat_goes_on != b)
        e->repeat_flags = (uint32_t)UC_INTERNAL(cpu_cc_compute_all)(e->env, (int)e->env->cc_op);
    e->repeat_goes_on = NULL;
    repeat_ahead(e, b);
}

/* Does what is required before block `b` runs, which may go into a batch. */
static inline void prepare(engine *e, engine_block *b)
{
    switch (b->kind) {
    case BLOCK_SCAN: /* its result is inspected at its end */
        engine_no_batch(e);
        break;
    case BLOCK_COUNT:
        registers_settle_flags(e);
        value_add(e, ISA_VALUE_COUNT, e->env->regs[ENGINE_ECX] & 0xff);
        break;
    case BLOCK_FLAGS:
        registers_settle_flags(e);
        break;
    case BLOCK_FRAME:
        stack_frame_execute(e, b);
        break;
    case BLOCK_REP:
        engine_no_batch(e);
        begin_repeat(e, b);
        break;
    default:
        break;
    }
}

/* Makes `b` the running block, with nothing recorded. Its stretch may go into a batch if nothing requires it
 * to be delivered alone. */
static inline void run(engine *e, engine_block *b)
{
    e->current = b;
    if (b->quick & e->batching) {
        stretch_record_in(e, &e->next_batch, ENGINE_ROOM_ACCESSES);
        stretch_batch_begin(e, b->block, stretch_levels(b));
        e->batch_left = (int64_t)e->batch_clocks * ENGINE_CLOCK_LEFT + b->takes;
    }
    prepare(e, b);
}

/* Returns true if `b` is a REP string that begins, and makes few references. */
static inline bool repeat_joins(const engine *e, const engine_block *b)
{
    return b->kind == BLOCK_REP && e->repeat_goes_on != b &&
           repeat_register(e, b) <= BATCH_REPEATED / EACH_REPEAT;
}

/* Adds the running block to the batch, and makes `b` the running block. */
static inline void run_on(engine *e, engine_block *b, p5_block *block, uint64_t linear, uint32_t levels,
                          int64_t takes)
{
    stretch_batch_add(e, (uint32_t)linear);
    stretch_batch_begin(e, block, levels);
    e->batch_left += takes;
    e->current = b;
}

/* Asks the owner what to do at a boundary. The state's EIP must be current. May not return. */
static void stream_attention(engine *e)
{
    atomic_store_explicit(&e->requested, 0, memory_order_relaxed);
    e->redirected = false;
    engine_before_callback(e);
    engine_action action = e->callbacks.attention(e->callbacks.context);
    if (e->failure[0])
        engine_leave(e, ENGINE_FAILED);
    if (action == ENGINE_STOP)
        engine_leave(e, ENGINE_STOPPED);
    if (e->injected)
        delivery_injected(e);
    if (e->redirected)
        engine_resume(e);
}

/* Checks that INS or OUTS may use the port. If not, they fault before they access memory, whatever the
 * count. */
static void check_port(engine *e, const engine_block *b)
{
    if (ports_refused(e, (uint16_t)e->env->regs[ENGINE_EDX], b->port_bytes, true))
        engine_raise(e, VECTOR_GP, 0);
}

/* Raises #UD for LOCK CMPXCHG8B of a register, with the bus locked. The processor reads the gate of #UD by a
 * locked read, which requires a writable page, and hangs. The workaround of operating systems is a read-only
 * page: then a page fault comes first. Specification update, erratum 81. */
static _Noreturn void raise_locked(engine *e)
{
    assert(e->options.locks_up);
    enum { VECTOR_BYTES = 4, GATE_BYTES = 8 };
    const unsigned bytes = engine_mode(e) == P5_MODE_REAL ? VECTOR_BYTES : GATE_BYTES;
    const uint32_t gate = (uint32_t)e->env->idt.base + VECTOR_UD * bytes;
    uint32_t code;
    if (mmu_faults(e, gate, MMU_WRITE, false, &code)) {
        e->env->cr[2] = gate;
        engine_raise(e, VECTOR_PF, code);
    }
    e->locked_up = true;
    engine_raise(e, VECTOR_UD, 0);
}

void stream_attention_if_wanted(engine *e)
{
    if (engine_requests(e) != 0)
        stream_attention(e);
}

/* Starts a block that needs more than to be recorded. */
static void __attribute__((noinline)) start_slow(engine *e, engine_block *b, bool attention)
{
    e->env->eip = engine_code_offset(e, b->linear);
    if (attention || e->stepping || engine_requests(e) != 0)
        stream_attention(e);
    if (block_make_room(e))
        engine_resume(e);
    guard_extra_segments(e, b);
    e->later_count += b->later;
    engine_special_call call = {.which = b->kind == BLOCK_INVD ? ENGINE_INVD : ENGINE_WBINVD};
    switch (b->kind) {
    case BLOCK_UNDEFINED:
        if (b->locks_up && e->options.locks_up)
            raise_locked(e);
        engine_raise(e, VECTOR_UD, 0);
    case BLOCK_TOO_LONG:
        engine_raise(e, VECTOR_GP, 0);
    case BLOCK_ICEBP:
        e->current = b;
        e->env->eip += b->size;
        engine_raise(e, VECTOR_DB, 0);
    case BLOCK_CODE_WRITE:
        if (b->waits)
            x87_wait_before(e);
        if (isa_forms[b->code->insns->form].traits & ISA_T_POP)
            stack_frame_read(e, b); /* this read comes first */
        engine_raise(e, VECTOR_GP, 0);
    case BLOCK_VIRTUAL:
        virtual_flag_execute(e, b);
        break;
    case BLOCK_FAILED:
        engine_fail_memory(e); /* ignored if the engine has failed already: the first failure is the cause */
        engine_leave(e, ENGINE_FAILED);
    case BLOCK_INVD:
    case BLOCK_WBINVD:
        if (b->levels.cpl == 0) /* else the block itself raises #GP(0) */
            special_call(e, &call);
        break;
    case BLOCK_MARK_BEGIN:
    case BLOCK_MARK_END:
        call = (engine_special_call){.which = ENGINE_MARK,
                                     .operand = b->kind == BLOCK_MARK_END,
                                     .value = (uint32_t)e->env->regs[ENGINE_EAX]};
        special_call(e, &call);
        break;
    case BLOCK_SMSW: /* Unicorn stores the low half */
        e->env->regs[b->scan_register] =
            ((uint32_t)e->env->regs[b->scan_register] & 0xffff) | ((uint32_t)e->env->cr[0] & 0xffff0000u);
        break;
    default:
        if (b->port_bytes)
            check_port(e, b);
        prepare(e, b);
        break;
    }
    e->current = b;
}

/* Continues a REP string, which comes back to its own start after each iteration, as the same instruction.
 * Returns false if the boundary between iterations is wanted, if the records are full, or if the next
 * iteration is a port access, before which everything must have retired. */
static bool repeat_continues(engine *e, engine_block *b)
{
    assert(b->kind == BLOCK_REP);
    if (stretch_records_left(e) < EACH_REPEAT || engine_iteration_wanted(e) || b->port_bytes)
        return false;
    repeat_ahead(e, b);
    return true;
}

/* Ends the running block when control goes to `b`. Returns false if a REP string continues. */
static bool __attribute__((noinline)) leave(engine *e, engine_block *b, bool *attention)
{
    assert(e->current != NULL);
    if (e->restart) {
        *attention = stretch_end_before(e, b->linear);
    } else if (e->current->kind == BLOCK_REP) {
        bool again = b == e->current && repeat_register(e, b) != 0;
        if (again && repeat_continues(e, b))
            return false;
        if (b == e->current && !again) { /* the entry with a count of zero does nothing more */
            e->iteration_records = e->record_next;
            return false;
        }
        *attention = stretch_end_repeat(e, b->linear, again);
        e->repeat_goes_on = again ? b : NULL;
    } else {
        *attention = stretch_end(e, e->current->count, b->linear, false);
    }
    return true;
}

void stream_block_checked(uc_env *env, engine_block *b, p5_block *block, uint64_t linear, uint32_t levels,
                          int64_t takes)
{
    engine *e = env->owner;
    bool attention = false;
    if (e->current) {
        const engine_block *before = e->current;
        guard_branch(e, b);
        if (!leave(e, b, &attention))
            return;
        guard_completed(e, before);
        if (attention)
            engine_request_attention(e);
    }
    guard_block(e, b);
    if (block_plain(b))
        stream_block(env, b, block, linear, levels, takes);
    else
        stream_block_unplain(env, b, block, linear, levels, takes);
}

/* Starts block `b` after delivering the running block and the batch. */
static void __attribute__((noinline)) stream_boundary(engine *e, engine_block *b)
{
    engine_block *ended = e->current;
    p5_retired *r = &e->retired;
    bool quick = ended && ended->quick && !(e->restart | e->descriptor | r->unsafe_x87), attention = false;
    if (quick && ended->kind == BLOCK_SCAN)
        value_scan(e, ended);
    if (quick && stretch_batch_waits(e)) {
        attention = stretch_end_batch(e, b->linear);
    } else if (quick) {
        attention = stretch_give(e, r, ended, ended->count, b->linear, ended->levels.cpl);
    } else if (ended && !leave(e, b, &attention)) {
        return;
    }
    e->restart = false;
    if (__builtin_expect(b->slow | attention | e->stepping | (engine_requests(e) != 0), 0))
        start_slow(e, b, attention);
    else
        run(e, b);
}

void stream_block_unplain(uc_env *env, engine_block *b, p5_block *block, uint64_t linear, uint32_t levels,
                          int64_t takes)
{
    engine *e = env->owner;
    if (e->batch_left < 0 || b->slow || !(b->quick || repeat_joins(e, b))) {
        stream_boundary(e, b);
        return;
    }
    run_on(e, b, block, linear, levels, takes);
    prepare(e, b);
}

void stream_block(uc_env *env, engine_block *b, p5_block *block, uint64_t linear, uint32_t levels,
                  int64_t takes)
{
    engine *e = env->owner;
    if (__builtin_expect(e->batch_left < 0, 0)) {
        stream_boundary(e, b);
        return;
    }
    run_on(e, b, block, linear, levels, takes);
}
