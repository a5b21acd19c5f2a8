/* The retired stream: sees every block start (Unicorn's block hook), ends the one before and gives it to
 * retired(), or puts it into a batch for retired_blocks(). REP strings, which Unicorn enters once per
 * iteration, blocks that change their own code, and what happens at boundaries are resolved here. */
#include <string.h>

#include "base/host_line.h"
#include "engine/internal.h"

/* ECX as the count of the REP string that is running. */
static uint32_t repeat_register(const engine *e)
{
    uint32_t ecx = (uint32_t)e->env->regs[ENGINE_ECX];
    return e->current->address16 ? ecx & 0xffff : ecx;
}

void stream_full(engine *e)
{
    engine_fail(e, "the code at %08x makes more references than it can",
                e->current ? e->current->linear : engine_linear_eip(e));
    engine_request_attention(e);
}

/* --- Batches --- */

void engine_batch(engine *e, unsigned clocks)
{
    e->batching = clocks != 0 && e->callbacks.retired_blocks;
    e->batch_clocks = (int)clocks;
    if (!e->batching)
        engine_no_batch(e); /* what there is goes at the next boundary */
}

void engine_batch_into(engine *e, const engine_room *room)
{
    e->next_batch = *room;
}

static inline bool batch_waits(const engine *e)
{
    return e->batch_instructions != 0;
}

/* From here on everything is recorded in `room`, which has place for so many accesses; a batch begins. */
static inline void record_in(engine *e, const engine_room *room, size_t accesses)
{
    e->at = *room;
    room->blocks->accesses_end = e->record_next = room->accesses;
    room->blocks->values_end = e->value_next = room->values;
    e->record_end = room->accesses + accesses - 1; /* who stores an m80 looks once for two */
    e->value_end = room->values + ENGINE_ROOM_VALUES;
    e->batch_next = room->blocks + 1;
    e->batch_instructions = 0;
}

static inline void batch_add(engine *e, const engine_block *b, uint32_t next)
{
    p5_retired_block *s = e->batch_next++;
    host_line_will_write(s); /* the model's thread has read there */
    host_line_will_write(e->record_next);
    s->block = b->block;
    __builtin_prefetch(s->block); /* core_predict_blocks will look at it */
    s->accesses_end = e->record_next;
    s->values_end = e->value_next;
    s->next = next;
    memcpy(&s->cpl, &b->levels, sizeof b->levels);
    e->batch_instructions += b->count;
}

bool stream_give_batch(engine *e)
{
    if (!batch_waits(e))
        return false;
    p5_retired_block *none = e->at.blocks;
    const p5_retired_block *first = none + 1, *last = e->batch_next - 1;
    unsigned instructions = e->batch_instructions;
    e->batch_next = none + 1;
    e->batch_room = 0;
    e->batch_instructions = 0;
    none->accesses_end = last->accesses_end;
    none->values_end = last->values_end;
    return e->callbacks.retired_blocks(e->callbacks.context, e->at.accesses, e->at.values, first,
                                       (size_t)(last - first + 1), instructions);
}

void stream_none(engine *e)
{
    e->current = NULL;
    e->batch_room = 0;
    const engine_room own = {e->batch, e->values, e->records};
    record_in(e, &own, RECORD_CAPACITY);
}

/* The running block is `b`, and nothing is recorded. Its stretch may go into a batch if nothing about it is
 * to be looked at. */
static inline void run(engine *e, engine_block *b)
{
    e->current = b;
    if (b->quick & e->batching) {
        e->batch_room = e->batch_clocks;
        record_in(e, &e->next_batch, ENGINE_ROOM_ACCESSES);
    }
}

/* --- Single stretches --- */

/* Gives the stretch to the owner, as far as it is not filled in yet: what it accessed. True if attention is
 * wanted. */
static inline bool give(engine *e, p5_retired *r, const engine_block *b, unsigned count, uint32_t next,
                        uint8_t cpl_after)
{
    bool attention = __builtin_expect(batch_waits(e), 0) && stream_give_batch(e);
    r->block = b->block;
    r->count = (uint16_t)count;
    r->accesses = e->at.blocks->accesses_end;
    r->values = e->at.blocks->values_end;
    r->access_count = (uint32_t)(e->record_next - r->accesses);
    r->value_count = (uint32_t)(e->value_next - r->values);
    r->next = next;
    memcpy(&r->cpl, &b->levels, sizeof b->levels);
    r->cpl_after = cpl_after;
    stream_none(e);
    return e->callbacks.retired(e->callbacks.context, r) | attention;
}

bool stream_end(engine *e, unsigned count, uint32_t next, bool interrupted)
{
    engine_block *b = e->current;
    if (__builtin_expect(b->kind == BLOCK_SCAN, 0) && count == b->count)
        value_scan(e, b);
    p5_retired *r = &e->retired;
    r->interrupted = interrupted;
    r->descriptor = e->descriptor;
    e->descriptor = false;
    bool attention = give(e, r, b, count, next, e->env->hflags & UC_HF_CPL);
    r->interrupted = r->descriptor = false;
    if (__builtin_expect(r->unsafe_x87, 0)) {
        r->unsafe_x87 = false;
        memset(e->unsafe, 0, sizeof e->unsafe);
    }
    return attention;
}

/* The same for a block that is one REP string instruction: `e->repeat_count` minus the count register are the
 * iterations made since the last part was given away. */
static bool end_repeat(engine *e, uint32_t next, bool interrupted)
{
    engine_block *b = e->current;
    uint32_t left = repeat_register(e);
    uint32_t made = e->repeat_count - left;
    e->repeat_count = left;
    if (interrupted && made == 0) { /* nothing happened yet */
        stream_none(e);
        return false;
    }
    p5_retired *r = &e->retired;
    r->repeats = made;
    r->interrupted = interrupted;
    e->value_next = e->values; /* it has none, and begins without a batch */
    bool attention = give(e, r, b, 1, next, b->levels.cpl);
    r->repeats = 0;
    r->interrupted = false;
    return attention;
}

bool stream_end_all(engine *e, uint32_t next)
{
    if (e->current->kind == BLOCK_REP) /* a trap between two iterations interrupts it */
        return end_repeat(e, next, next == e->current->linear && repeat_register(e) != 0);
    return stream_end(e, e->current->count, next, false);
}

bool stream_end_before(engine *e, uint32_t at)
{
    engine_block *b = e->current;
    if (b->kind == BLOCK_REP) { /* what the broken iteration recorded did not happen */
        e->record_next = e->iteration_records;
        return end_repeat(e, at, true);
    }
    unsigned count = 0;
    while (count < b->count && b->linear + b->marks[count].offset != at)
        count++;
    bool attention = stream_give_batch(e);
    if (count < b->count) { /* what the instruction recorded that did not complete goes */
        p5_access *access = engine_records(e) + b->marks[count].accesses;
        p5_value *value = e->at.values + (e->at.blocks->values_end - e->at.values) + b->marks[count].values;
        e->record_next = access < e->record_next ? access : e->record_next;
        e->value_next = value < e->value_next ? value : e->value_next;
    }
    if (count == 0) {
        stream_none(e);
        e->descriptor = false;
        return attention;
    }
    return stream_end(e, count, at, false) | attention;
}

void stream_attention(engine *e)
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
        event_deliver_injected(e);
    if (e->redirected)
        engine_resume(e);
}

/* INS and OUTS may use the port, or fault before they touch memory, whatever the count. */
static void check_port(engine *e, const engine_block *b)
{
    if (ports_refused(e, (uint16_t)e->env->regs[ENGINE_EDX], b->port_bytes))
        engine_raise(e, 13, 0);
}

void stream_attention_if_wanted(engine *e)
{
    if (stream_requests(e) != 0)
        stream_attention(e);
}

/* Everything at a block's start that is not just noting it. */
static void __attribute__((noinline)) start_slow(engine *e, engine_block *b, bool attention)
{
    e->env->eip = b->linear - (uint32_t)e->env->segs[ENGINE_CS].base;
    if (attention || e->stepping || stream_requests(e) != 0)
        stream_attention(e);
    if (block_make_room(e))
        engine_resume(e);
    guard_extra_segments(e, b);
    e->later_count += b->later;
    engine_special_call call = {.which = b->kind == BLOCK_INVD ? ENGINE_INVD : ENGINE_WBINVD};
    switch (b->kind) {
    case BLOCK_UNDEFINED:
        engine_raise(e, 6, 0);
    case BLOCK_TOO_LONG:
        engine_raise(e, 13, 0);
    case BLOCK_ICEBP:
        e->current = b;
        e->env->eip += b->size;
        engine_raise(e, 1, 0);
    case BLOCK_CODE_WRITE:
        if (b->waits)
            x87_wait_before(e);
        if (isa_forms[b->code->insns->form].traits & ISA_T_POP)
            stack_frame_read(e, b); /* comes first */
        engine_raise(e, 13, 0);
    case BLOCK_VIRTUAL:
        virtual_flag_execute(e, b);
        break;
    case BLOCK_FAILED:
        engine_fail_memory(e); /* unless it has failed already: the first one is the cause */
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
    case BLOCK_FLAGS:
        registers_settle_flags(e);
        break;
    case BLOCK_ENTER:
    case BLOCK_PUSHA:
    case BLOCK_POPA:
        stack_frame_execute(e, b);
    case BLOCK_SMSW: /* Unicorn stores the low half */
        e->env->regs[b->scan_register] =
            ((uint32_t)e->env->regs[b->scan_register] & 0xffff) | ((uint32_t)e->env->cr[0] & 0xffff0000u);
        break;
    case BLOCK_PORT:
        check_port(e, b);
        break;
    case BLOCK_COUNT:
        registers_settle_flags(e);
        value_add(e, ISA_VALUE_COUNT, e->env->regs[ENGINE_ECX] & 0xff);
        break;
    case BLOCK_REP:
        e->repeat_count = (uint32_t)e->env->regs[ENGINE_ECX];
        if (b->address16)
            e->repeat_count &= 0xffff;
        if (e->repeat_goes_on != b)
            e->repeat_flags = (uint32_t)UC_INTERNAL(cpu_cc_compute_all)(e->env, (int)e->env->cc_op);
        e->repeat_goes_on = NULL;
        if (b->port_bytes)
            check_port(e, b);
        repeat_ahead(e, b);
        break;
    default:
        break;
    }
    e->current = b;
}

/* A REP string comes back to its own start after each iteration. It goes on as the same instruction unless
 * someone wants the boundary between iterations, the records are full, or the next iteration is a port
 * access, which sees everything before it retired. */
static bool repeat_continues(engine *e, engine_block *b)
{
    bool full = e->record_next - e->records > RECORD_CAPACITY - RECORD_RESERVE;
    if (full || stream_iteration_wanted(e) || b->port_bytes)
        return false;
    repeat_ahead(e, b);
    return true;
}

/* Control leaves the running block for `b`. False if a REP string goes on. */
static bool __attribute__((noinline)) leave(engine *e, engine_block *b, bool *attention)
{
    if (e->restart) {
        *attention = stream_end_before(e, b->linear);
    } else if (e->current->kind == BLOCK_REP) {
        bool again = b == e->current && repeat_register(e) != 0;
        if (again && repeat_continues(e, b))
            return false;
        if (b == e->current && !again) { /* the entry that finds the count zero: nothing more is done */
            e->iteration_records = e->record_next;
            return false;
        }
        *attention = end_repeat(e, b->linear, again);
        e->repeat_goes_on = again ? b : NULL;
    } else {
        *attention = stream_end(e, e->current->count, b->linear, false);
    }
    return true;
}

void stream_block_checked(uc_env *env, uint64_t linear, uint32_t size, engine_block *b)
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
        stream_block(env, linear, size, b);
    else
        stream_block_apart(env, linear, size, b);
}

/* A block starts, and what is there is given away. */
static void __attribute__((noinline)) stream_boundary(engine *e, engine_block *b)
{
    engine_block *ended = e->current;
    p5_retired *r = &e->retired;
    bool quick = ended && ended->quick && !(e->restart | e->descriptor | r->unsafe_x87), attention = false;
    if (quick && batch_waits(e)) {
        batch_add(e, ended, b->linear);
        attention = stream_give_batch(e);
        stream_none(e);
    } else if (quick) {
        attention = give(e, r, ended, ended->count, b->linear, ended->levels.cpl);
    } else if (ended && !leave(e, b, &attention)) {
        return;
    }
    e->restart = false;
    if (__builtin_expect(b->slow | attention | e->stepping | (stream_requests(e) != 0), 0))
        start_slow(e, b, attention);
    else
        run(e, b);
}

void stream_block_apart(uc_env *env, uint64_t linear, uint32_t size, engine_block *b)
{
    (void)linear, (void)size;
    stream_boundary(env->owner, b);
}

/* `b` itself is not looked at: its description is often not in the host's cache, but will be when it ends. */
void stream_block(uc_env *env, uint64_t linear, uint32_t size, engine_block *b)
{
    (void)size;
    engine *e = env->owner;
    __builtin_prefetch(b);
    if (__builtin_expect(e->batch_room <= 0 || stream_requests(e) != 0, 0)) {
        stream_boundary(e, b);
        return;
    }
    engine_block *ended = e->current;
    batch_add(e, ended, (uint32_t)linear);
    e->batch_room -= ended->weight;
    e->current = b;
}

/* A block is left before a store is done: it changed its own code, and goes on with a block of one
 * instruction; or stream_leave_before. */
void REAL(cpu_loop_exit_noexc)(uc_cpu *cpu);
void WRAP(cpu_loop_exit_noexc)(uc_cpu *cpu);
void WRAP(cpu_loop_exit_noexc)(uc_cpu *cpu)
{
    engine *e = engine_of(uc_env_of(cpu));
    e->restart = true;
    engine_no_batch(e);
    REAL(cpu_loop_exit_noexc)(cpu);
}

void stream_leave_before(engine *e, uintptr_t retaddr)
{
    if (UC_INTERNAL(cpu_restore_state)(engine_cpu(e), retaddr, true) &&
        engine_linear_eip(e) != e->current->linear)
        WRAP(cpu_loop_exit_noexc)(engine_cpu(e));
}
