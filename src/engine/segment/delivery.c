/* Delivery of exceptions and interrupts through the IDT or the interrupt vector table. Manual: interrupt and
 * exception handling, the INT n operation, error codes (EXT, IDT, TI), virtual-8086 mode. */
#include <assert.h>

#include "engine/control/callback.h"
#include "engine/control/registers.h"
#include "engine/memory/access.h"
#include "engine/memory/guard.h"
#include "engine/segment/segment_internal.h"
#include "engine/stretch/stretch.h"

enum { GATE_BYTES = 8, VECTOR_ENTRY_BYTES = 4, CODE_IDT = 2 /* bit of an error code */ };

/* Returns EFLAGS as a push by the instruction at EIP would store it. The engine keeps RF separately from Unicorn's
 * flags (guard.h). */
uint32_t flags_current(const engine *e)
{
    uint32_t flags = engine_get(e, ENGINE_EFLAGS);
    return guard_resumes_at(e, engine_linear_eip(e)) ? flags | EFLAGS_RF : flags;
}

/* Returns EFLAGS as delivery pushes them. RF is set for faults, so that the instruction does not hit its own
 * code breakpoint when it is repeated, unless that breakpoint is the exception itself. Manual: RF. */
static uint32_t pushed_flags(const engine *e, const delivery *d)
{
    uint32_t flags = flags_current(e);
    return d->kind == P5_TRANSFER_FAULT && d->vector != VECTOR_DB ? flags | EFLAGS_RF : flags;
}

/* Makes the handler at code:eip the next instruction: loads CS and EIP, and clears RF and `flags_cleared`. */
static void enter(engine *e, uint32_t flags_cleared, const uc_segment *code, uint32_t eip)
{
    uint32_t flags = flags_current(e) & ~(flags_cleared | EFLAGS_RF);
    e->env->segs[ENGINE_CS] = *code;
    registers_set_eflags(e, flags);
    e->env->eip = eip;
    guard_set_resume(e, 0);
    segments_changed(e);
}

/* Delivers in real mode, and in V86 mode through the task's own vector table: pushes `flags`, CS and `eip`, enters the
 * handler that the table at linear address `table` has for `vector`, and clears the flags `cleared`. */
static void deliver_vector_table(engine *e, unsigned vector, uint32_t table, uint32_t eip, uint32_t flags,
                                 uint32_t cleared)
{
    const bool v86 = e->env->eflags & EFLAGS_VM;
    uint32_t offset = access_load_as(e, table + vector * VECTOR_ENTRY_BYTES, 2, v86);
    uint32_t selector = access_load_as(e, table + vector * VECTOR_ENTRY_BYTES + 2, 2, v86);
    far_stack stack = far_stack_current(e);
    far_stack_push(e, &stack, 2, flags);
    far_stack_push(e, &stack, 2, e->env->segs[ENGINE_CS].selector);
    far_stack_push(e, &stack, 2, eip);
    uc_segment code = segment_real_code(e, selector, offset);
    far_stack_set_sp(e, &stack);
    enter(e, cleared, &code, offset);
}

/* Delivers in real mode through the vector table at IDTR's base. Real mode pushes no error code. */
static void deliver_real(engine *e, const delivery *d)
{
    uint32_t offset = (uint32_t)d->vector * VECTOR_ENTRY_BYTES;
    if (offset + VECTOR_ENTRY_BYTES - 1 > e->env->idt.limit)
        segmentation_fault(e, VECTOR_GP, d->vector * 8u + CODE_IDT);
    deliver_vector_table(e, d->vector, (uint32_t)e->env->idt.base, d->eip, pushed_flags(e, d),
                         EFLAGS_IF | EFLAGS_TF | EFLAGS_AC);
}

/* Delivers INT n in V86 mode through the V86 task's vector table at linear address 0 (CR4.VME, redirection bitmap).
 * `eip` is that after the INT. */
static void deliver_redirected(engine *e, unsigned vector, uint32_t eip)
{
    uint32_t flags = flags_current(e), cleared = EFLAGS_TF;
    if ((flags & EFLAGS_IOPL) == EFLAGS_IOPL) {
        cleared |= EFLAGS_IF;
    } else { /* the task sees its virtual interrupt flag, and IOPL 3 */
        uint32_t seen = flags & ~(uint32_t)EFLAGS_IF;
        flags = seen | EFLAGS_IOPL | (flags & EFLAGS_VIF ? EFLAGS_IF : 0u);
        cleared |= EFLAGS_VIF;
    }
    e->segment.external = 0;
    deliver_vector_table(e, vector, 0, eip, flags, cleared);
}

/* Reads the gate of a vector from the IDT, and raises the faults of a gate that cannot be used. */
static descriptor_words gate_read(engine *e, const delivery *d)
{
    assert(e->env->hflags & UC_HF_PE);
    descriptor_words gate;
    uint32_t offset = (uint32_t)d->vector * GATE_BYTES, code = offset + CODE_IDT;
    if (offset + GATE_BYTES - 1 > e->env->idt.limit)
        segmentation_fault(e, VECTOR_GP, code);
    gate.address = (uint32_t)e->env->idt.base + offset;
    gate.low = access_load_system(e, gate.address, 4, 0);
    gate.high = access_load_system(e, gate.address + 4, 4, 0);
    unsigned type = descriptor_type(&gate);
    enum { TRAP_OR_32BIT = 9 }; /* bits in which the types of interrupt and trap gates differ: 6, 7, 14, 15 */
    if (type != SYSTEM_TASK_GATE && (type & ~(unsigned)TRAP_OR_32BIT) != SYSTEM_INTERRUPT_GATE16)
        segmentation_fault(e, VECTOR_GP, code);
    if (d->kind == P5_TRANSFER_SOFTWARE && descriptor_dpl(&gate) < engine_cpl(e))
        segmentation_fault(e, VECTOR_GP, code);
    if (!(gate.high & DESCRIPTOR_P))
        segmentation_fault(e, VECTOR_NP, code);
    return gate;
}

/* Delivers through a task gate, whose TSS selector is `selector`: switches to the handler's task and pushes the
 * error code on its stack. */
static void deliver_task(engine *e, const delivery *d, uint32_t selector)
{
    descriptor_words tss;
    task_gate_target(e, selector, &tss);
    unsigned size = descriptor_type(&tss) & SYSTEM_32BIT ? 4 : 2;
    uint32_t flags = engine_get(e, ENGINE_EFLAGS);
    if (pushed_flags(e, d) & EFLAGS_RF) /* task_switch saves EFLAGS with RF in the old task's TSS */
        registers_set_eflags(e, flags | EFLAGS_RF);
    task_switch(e, TASK_INTERRUPT, selector, &tss, d->eip);
    if (!d->has_error_code)
        return;
    far_stack stack = far_stack_current(e);
    far_stack_push(e, &stack, size, d->error_code);
    far_stack_set_sp(e, &stack);
}

/* Reads and checks the code segment that an interrupt or trap gate names. Returns it as CS, with the handler's CPL as
 * RPL. *read is its descriptor. *inner says whether the handler runs at an inner level, on another stack. */
static uc_segment gate_code(engine *e, uint32_t selector, descriptor_words *read, bool *inner)
{
    descriptor_words d = gate_target(e, selector);
    unsigned cpl = engine_cpl(e);
    bool v86 = e->env->eflags & EFLAGS_VM;
    *inner = !(d.high & DESCRIPTOR_CONFORMING) && descriptor_dpl(&d) < cpl;
    if (v86 && (!*inner || descriptor_dpl(&d) != 0)) /* V86 mode can only be left for level 0 */
        segmentation_fault(e, VECTOR_GP, selector & 0xfffc);
    unsigned level = *inner ? descriptor_dpl(&d) : cpl;
    *read = d;
    return descriptor_segment(&d, (selector & 0xfffcu) | level);
}

/* Pushes the data segments of V86 mode, which delivery then clears. */
static void push_v86_segments(engine *e, far_stack *stack, unsigned size)
{
    static const engine_segment_name order[] = {ENGINE_GS, ENGINE_FS, ENGINE_DS, ENGINE_ES};
    for (unsigned i = 0; i < 4; i++)
        far_stack_push(e, stack, size, e->env->segs[order[i]].selector);
}

/* Delivers through the IDT in protected and V86 mode. Checks come first; a failing one raises a fault. Then the
 * frame is pushed: segments of V86 mode, the outer SS:ESP, EFLAGS, CS, EIP, error code. */
static void deliver_protected(engine *e, const delivery *d)
{
    uc_env *env = e->env;
    descriptor_words gate = gate_read(e, d);
    uint32_t selector = gate.low >> 16;
    if (descriptor_type(&gate) == SYSTEM_TASK_GATE) {
        deliver_task(e, d, selector);
        return;
    }
    unsigned size = descriptor_type(&gate) & SYSTEM_32BIT ? 4 : 2;
    uint32_t eip = gate_offset(&gate);
    bool inner, v86 = env->eflags & EFLAGS_VM;
    descriptor_words target;
    uc_segment code = gate_code(e, selector, &target, &inner);
    unsigned level = code.selector & 3;
    far_stack stack = inner ? far_stack_inner(e, level) : far_stack_current(e);
    unsigned pushes = 3u + (inner ? 2 : 0) + (v86 ? 4 : 0) + d->has_error_code;
    stack.user = level == 3; /* the handler's level, not the current one, decides the rights of the pushes */
    far_stack_room(e, &stack, pushes * size);
    segment_check_eip(e, code.limit, eip);
    if (v86)
        push_v86_segments(e, &stack, size);
    if (inner) {
        far_stack_push(e, &stack, size, env->segs[ENGINE_SS].selector);
        far_stack_push(e, &stack, size, (uint32_t)env->regs[ENGINE_ESP]);
    }
    far_stack_push(e, &stack, size, pushed_flags(e, d));
    far_stack_push(e, &stack, size, env->segs[ENGINE_CS].selector);
    far_stack_push(e, &stack, size, d->eip);
    if (d->has_error_code)
        far_stack_push(e, &stack, size, d->error_code);

    descriptor_accessed(e, &target); /* the frame is written first. SDM vol. 2, INT n */
    code = descriptor_segment(&target, code.selector);
    if (v86) {
        for (engine_segment_name s = ENGINE_ES; s <= ENGINE_GS; s++)
            env->segs[s] = (uc_segment){0};
    }
    if (inner) {
        env->segs[ENGINE_SS] = stack.segment;
        env->regs[ENGINE_ESP] = stack.sp;
    } else {
        far_stack_set_sp(e, &stack);
    }
    const bool trap_gate = descriptor_type(&gate) & 1; /* else an interrupt gate, which disables interrupts */
    enter(e, (trap_gate ? 0 : EFLAGS_IF) | EFLAGS_TF | EFLAGS_VM | EFLAGS_NT, &code, eip);
}

/* Transfers control to the handler, or raises the fault that prevents it. */
static void transfer(engine *e, const delivery *d)
{
    e->segment.external = d->kind != P5_TRANSFER_SOFTWARE;
    if (e->env->hflags & UC_HF_PE)
        deliver_protected(e, d);
    else
        deliver_real(e, d);
    e->segment.external = 0;
    e->env->hflags &= ~(uint32_t)UC_HF_INHIBIT_IRQ; /* the shadow of STI, MOV SS or POP SS ends */
    guard_delivered(e);                             /* ends the shadow of MOV SS and POP SS for traps, too */
    if (d->kind == P5_TRANSFER_NMI)
        e->segment.nmi_blocked = true;
    if (d->vector == VECTOR_DB) /* the handler may use the debug registers */
        e->env->dr[7] &= ~(uint64_t)DR7_GENERAL_DETECT;
}

/* --- Reports to the engine's owner --- */

/* Returns whether there is a near RET at `linear`. Event 39h counts the deliveries there. */
static bool is_return(engine *e, uint32_t linear)
{
    enum { MOST = 15 };
    uint8_t bytes[MOST];
    unsigned size = engine_read_linear(e, linear, bytes, MOST) ? MOST : 0;
    isa_insn insn;
    while (size < MOST && engine_read_linear(e, linear + size, &bytes[size], 1))
        size++; /* the next page is not present */
    return isa_decode(e->decoder, bytes, size, linear, e->env->hflags & UC_HF_CS32, &insn) &&
           isa_forms[insn.form].branch == ISA_RET;
}

/* Reads the access byte of a vector's gate in the IDT. Returns false if it cannot be read without a fault or
 * lies outside the limit. */
bool delivery_gate_access(engine *e, unsigned vector, uint8_t *access)
{
    return vector * 8 + 7 <= e->env->idt.limit &&
           engine_read_linear(e, (uint32_t)e->env->idt.base + vector * 8 + 5, access, 1);
}

/* If `b` is an interrupted REP CMPS or SCAS, restores the flags from before it: these instructions write flags only
 * when they end. Manual: REP, for faults; measured on Intel processors for traps. */
void delivery_restore_flags(engine *e, const engine_block *b)
{
    if (b->ends != BLOCK_ENDS_REPEAT || (b->code->insns->flags & ISA_WRITES_FLAGS) == 0)
        return;
    e->env->cc_src = stretch_repeat_flags(e);
    e->env->cc_op = UC_CC_OP_EFLAGS;
}

/* Records the state before the delivery, for the delivered() callback. Here `interrupt_waits` only means that the
 * processor would take an interrupt; the owner knows whether INTR is active. */
static void begin(engine *e, const delivery *d)
{
    uint8_t access = 0;
    stretch_set_repeat(e, NULL); /* a REP string begins anew after the handler has returned */
    if (!e->segment.delivering)  /* else the accesses of the failed delivery stay, because they were made */
        stretch_drop_records(e);
    e->segment.delivering = true;
    e->segment.exception = (p5_exception){.size = sizeof(p5_exception),
                                          .kind = d->kind,
                                          .vector = d->vector,
                                          .cpl = (uint8_t)engine_cpl(e),
                                          .mode = (uint8_t)engine_mode(e),
                                          .interrupt_waits = engine_interruptible(e),
                                          .instruction = engine_linear_eip(e),
                                          .on_return = is_return(e, engine_linear_eip(e)),
                                          .block = d->block,
                                          .index = d->index,
                                          .reference = (uint8_t)d->reference,
                                          .reference_linear = d->reference_linear};
    e->segment.exception.task_gate = e->segment.exception.mode != P5_MODE_REAL &&
                                     delivery_gate_access(e, d->vector, &access) &&
                                     (access & 0x1f) == SYSTEM_TASK_GATE;
}

/* Reports the delivery with the state after it. */
static void end(engine *e)
{
    p5_exception *x = &e->segment.exception;
    x->cpl_after = (uint8_t)engine_cpl(e);
    x->mode_after = (uint8_t)engine_mode(e);
    x->handler = engine_linear_eip(e);
    x->accesses = stretch_take_records(e, &x->access_count);
    e->segment.delivering = false;
    e->env->old_exception = -1; /* the next exception makes no double fault */
    engine_before_callback(e);
    e->callbacks.delivered(e->callbacks.context, x);
}

/* Delivers and reports to the owner. If the delivery faults, this does not return: the fault is delivered next. */
void delivery_run(engine *e, const delivery *d)
{
    begin(e, d);
    transfer(e, d);
    end(e);
}

/* Delivers the interrupt that engine_inject has stored, at the current EIP. */
void delivery_injected(engine *e)
{
    assert(e->segment.injected);
    const delivery d = {
        .kind = e->segment.injected_kind, .vector = e->segment.injected_vector, .eip = (uint32_t)e->env->eip};
    e->segment.injected = false;
    if (stretch_repeat(e))
        delivery_restore_flags(e, stretch_repeat(e));
    delivery_run(e, &d);
    engine_redirect(e);
}

/* Executes INT n, the running instruction, by delivery through the V86 task's own vector table. `next` is the EIP after
 * the INT. */
void delivery_of_v86(engine *e, unsigned vector, uint32_t next)
{
    const delivery d = {.kind = P5_TRANSFER_SOFTWARE, .vector = (uint8_t)vector};
    begin(e, &d);
    e->segment.exception.task_gate = false;
    deliver_redirected(e, vector, next);
    /* The delivery can no longer fault. The INT is retired without references; they belong to the delivery. */
    if (stretch_end_delivered(e, engine_linear_eip(e), P5_GATE_VECTOR))
        engine_request_attention(e);
    end(e);
    engine_resume(e);
}

/* --- Snapshots, and functions of engine.h --- */

const snapshot_table segment_saved = {
    SNAPSHOT(segment_state, NULL, FIELD_FLAG(injected), FIELD_ANY(injected_vector),
             FIELD_MOST(P5_TRANSFER_NMI, injected_kind), FIELD_MOST(1, external), FIELD_FLAG(nmi_blocked)),
    .partial = true};

bool engine_interrupts_on(const engine *e)
{
    return (e->env->eflags & EFLAGS_IF) != 0;
}

bool engine_interruptible(const engine *e)
{
    return engine_interrupts_on(e) && !(e->env->hflags & UC_HF_INHIBIT_IRQ);
}

bool engine_resuming(const engine *e)
{
    return guard_resume(e) == RESUME_AFTER_THIS;
}

void engine_resume_done(engine *e)
{
    guard_resume_done(e);
}

/* Returns whether an NMI would be taken at this boundary: none is being handled, and no shadow of STI, MOV SS or POP SS
 * delays it. */
static bool nmi_possible(const engine *e)
{
    return !e->segment.nmi_blocked && !(e->env->hflags & UC_HF_INHIBIT_IRQ);
}

/* Stores an interrupt for delivery before the next instruction. P5_TRANSFER_FAULT stands for a machine check. */
bool engine_inject(engine *e, uint8_t vector, p5_transfer kind)
{
    assert(kind == P5_TRANSFER_FAULT || kind == P5_TRANSFER_NMI || kind == P5_TRANSFER_INTERRUPT);
    bool allowed =
        kind == P5_TRANSFER_FAULT || (kind == P5_TRANSFER_NMI ? nmi_possible(e) : engine_interruptible(e));
    if (!allowed || e->segment.injected)
        return false;
    e->segment.injected = true;
    e->segment.injected_vector = vector;
    e->segment.injected_kind = kind;
    return true;
}
