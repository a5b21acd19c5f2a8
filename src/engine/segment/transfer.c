/* Far JMP, CALL, RET and IRET. Manual: privilege checks of control transfers, call gates, the operations of
 * these instructions. Each is the only instruction of its block. The functions named helper_ replace Unicorn's
 * functions for these instructions; their `shift` is 0 for 16-bit operands, and `next` is the EIP after the
 * instruction. In real and V86 mode, translated code executes JMP and RET itself. */
#include <assert.h>

#include "engine/control/registers.h"
#include "engine/memory/access.h"
#include "engine/memory/guard.h"
#include "engine/segment/segment_internal.h"
#include "engine/stretch/stretch.h"

enum { GATE_PARAMETERS = 0x1f, RPL = 3 };

/* Begins one of these instructions: sets EIP to it, for its faults. The engine's owner first processes what was executed
 * before, because it may still read that code through CS. */
static void begin(engine *e)
{
    engine_catch_up(e);
    e->segment.external = 0; /* EXT bit of the faults' error codes */
    if (stretch_block(e))    /* else the block has not started yet, and EIP is current */
        stretch_set_eip(e);
}

/* Continues at `eip` of the code segment `d`, with `cpl` as CS's RPL. */
static void continue_at(engine *e, const descriptor_words *d, uint32_t selector, unsigned cpl, uint32_t eip)
{
    e->env->segs[ENGINE_CS] = descriptor_segment(d, (selector & ~(uint32_t)RPL) | cpl);
    e->env->eip = eip;
    segments_changed(e);
}

static void check_present(engine *e, const descriptor_words *d, uint32_t selector)
{
    if (!(d->high & DESCRIPTOR_P))
        segmentation_fault(e, VECTOR_NP, selector & 0xfffc);
}

/* Checks a code segment as the target of a direct far JMP or CALL. */
static void check_direct(engine *e, const descriptor_words *d, uint32_t selector)
{
    unsigned cpl = engine_cpl(e), dpl = descriptor_dpl(d);
    bool allowed = d->high & DESCRIPTOR_CONFORMING ? dpl <= cpl : dpl == cpl && (selector & RPL) <= cpl;
    if (!(d->high & DESCRIPTOR_CODE) || !allowed)
        segmentation_fault(e, VECTOR_GP, selector & 0xfffc);
    check_present(e, d, selector);
}

/* Reads the descriptor that a far transfer names. Raises #GP for a null selector or one outside its table. */
static descriptor_words read_target(engine *e, uint32_t selector)
{
    descriptor_words d;
    if (selector_null(selector))
        segmentation_fault(e, VECTOR_GP, 0);
    if (!descriptor_read(e, selector, &d))
        segmentation_fault(e, VECTOR_GP, selector & 0xfffc);
    return d;
}

/* Checks the right to use a gate or a TSS descriptor, and that it is present. */
static void check_system(engine *e, const descriptor_words *d, uint32_t selector)
{
    if (descriptor_dpl(d) < engine_cpl(e) || descriptor_dpl(d) < (selector & RPL))
        segmentation_fault(e, VECTOR_GP, selector & 0xfffc);
    check_present(e, d, selector);
}

/* Executes a JMP or CALL if the descriptor `d` is a TSS or a task gate. Returns false if it is neither. */
static bool to_task(engine *e, task_switch_source source, descriptor_words *d, uint32_t selector,
                    uint32_t next)
{
    switch (descriptor_type(d)) {
    case SYSTEM_TSS16:
    case SYSTEM_TSS32:
        check_system(e, d, selector);
        break;
    case SYSTEM_TASK_GATE:
        check_system(e, d, selector);
        selector = d->low >> 16;
        task_gate_target(e, selector, d);
        break;
    default:
        return false;
    }
    task_switch(e, source, selector, d, next);
    return true;
}

static bool is_call_gate(const descriptor_words *d)
{
    return (descriptor_type(d) & ~(unsigned)SYSTEM_32BIT) == SYSTEM_CALL_GATE16;
}

/* Returns the descriptor of the code segment to which a call, interrupt or trap gate leads, after the checks that all
 * of them make. */
descriptor_words gate_target(engine *e, uint32_t selector)
{
    descriptor_words d = read_target(e, selector);
    if (!(d.high & DESCRIPTOR_S) || !(d.high & DESCRIPTOR_CODE) || descriptor_dpl(&d) > engine_cpl(e))
        segmentation_fault(e, VECTOR_GP, selector & 0xfffc);
    check_present(e, &d, selector);
    return d;
}

void WRAP(helper_ljmp_protected)(uc_env *env, int new_selector, uint64_t eip, uint64_t next)
{
    engine *e = engine_of(env);
    uint32_t selector = (uint32_t)new_selector & 0xffff, offset = (uint32_t)eip;
    begin(e);
    descriptor_words d = read_target(e, selector);
    if (d.high & DESCRIPTOR_S) {
        check_direct(e, &d, selector);
    } else if (to_task(e, TASK_JMP, &d, selector, (uint32_t)next)) {
        return;
    } else {
        if (!is_call_gate(&d))
            segmentation_fault(e, VECTOR_GP, selector & 0xfffc);
        check_system(e, &d, selector);
        selector = d.low >> 16;
        offset = gate_offset(&d);
        d = gate_target(e, selector);
        if (!(d.high & DESCRIPTOR_CONFORMING) && descriptor_dpl(&d) != engine_cpl(e))
            segmentation_fault(e, VECTOR_GP, selector & 0xfffc);
    }
    segment_check_eip(e, descriptor_limit(&d), offset);
    descriptor_accessed(e, &d);
    continue_at(e, &d, selector, engine_cpl(e), offset);
}

/* Pushes CS and the return address. */
static void push_return(engine *e, far_stack *stack, unsigned size, uint32_t next)
{
    far_stack_push(e, stack, size, e->env->segs[ENGINE_CS].selector);
    far_stack_push(e, stack, size, next);
}

/* Begins a CALL through a gate to an inner level: copies SS:ESP of the old stack and the parameters to the new stack,
 * and returns it. The registers do not change yet. */
static far_stack call_inner(engine *e, const descriptor_words *gate, unsigned level, unsigned size)
{
    assert(level < engine_cpl(e));
    uint32_t parameters[GATE_PARAMETERS];
    unsigned count = gate->high & GATE_PARAMETERS;
    far_stack stack = far_stack_inner(e, level), old = far_stack_current(e), from = old;
    far_stack_room(e, &stack, (4 + count) * size);
    for (unsigned i = 0; i < count; i++)
        parameters[i] = far_stack_pop(e, &from, size);
    far_stack_push(e, &stack, size, e->env->segs[ENGINE_SS].selector);
    far_stack_push(e, &stack, size, old.sp);
    while (count)
        far_stack_push(e, &stack, size, parameters[--count]);
    return stack;
}

/* Executes a CALL through a call gate, to the same or an inner level. */
static void call_gate(engine *e, const descriptor_words *gate, uint32_t next)
{
    unsigned size = descriptor_type(gate) & SYSTEM_32BIT ? 4 : 2;
    uint32_t selector = gate->low >> 16, offset = gate_offset(gate);
    descriptor_words d = gate_target(e, selector);
    unsigned cpl = engine_cpl(e), level = cpl;
    bool inner = !(d.high & DESCRIPTOR_CONFORMING) && descriptor_dpl(&d) < cpl;
    if (inner)
        level = descriptor_dpl(&d);
    far_stack stack = inner ? call_inner(e, gate, level, size) : far_stack_current(e);
    push_return(e, &stack, size, next);
    segment_check_eip(e, descriptor_limit(&d), offset);
    descriptor_accessed(e, &d);
    if (inner) {
        e->env->segs[ENGINE_SS] = stack.segment;
        e->env->regs[ENGINE_ESP] = stack.sp;
    } else {
        far_stack_set_sp(e, &stack);
    }
    continue_at(e, &d, selector, level, offset);
}

void WRAP(helper_lcall_protected)(uc_env *env, int new_selector, uint64_t eip, int shift, uint64_t next)
{
    engine *e = engine_of(env);
    uint32_t selector = (uint32_t)new_selector & 0xffff;
    begin(e);
    descriptor_words d = read_target(e, selector);
    if (d.high & DESCRIPTOR_S) {
        check_direct(e, &d, selector);
        far_stack stack = far_stack_current(e);
        push_return(e, &stack, shift ? 4 : 2, (uint32_t)next);
        segment_check_eip(e, descriptor_limit(&d), (uint32_t)eip);
        descriptor_accessed(e, &d);
        far_stack_set_sp(e, &stack);
        continue_at(e, &d, selector, engine_cpl(e), (uint32_t)eip);
    } else if (!to_task(e, TASK_CALL, &d, selector, (uint32_t)next)) {
        if (!is_call_gate(&d))
            segmentation_fault(e, VECTOR_GP, selector & 0xfffc);
        check_system(e, &d, selector);
        call_gate(e, &d, (uint32_t)next);
    }
}

/* Continues at selector:eip in real or V86 mode. */
static void continue_real(engine *e, uint32_t selector, uint32_t eip)
{
    e->env->segs[ENGINE_CS] = segment_real_code(e, selector, eip);
    e->env->eip = eip;
    segments_changed(e);
}

void WRAP(helper_lcall_real)(uc_env *env, int selector, uint64_t eip, int shift, int next)
{
    engine *e = engine_of(env);
    begin(e);
    far_stack stack = far_stack_current(e);
    push_return(e, &stack, shift ? 4 : 2, (uint32_t)next);
    continue_real(e, (uint32_t)selector, (uint32_t)eip);
    far_stack_set_sp(e, &stack);
}

/* --- RET and IRET --- */

/* Loads the `size` bytes of flags that IRET has popped at privilege `cpl`: the bits that this level may change, and
 * those of `allowed`. A set RF takes effect after this instruction; the caller calls guard_resume_here when EIP is
 * loaded. */
static void load_flags(engine *e, uint32_t popped, unsigned size, unsigned cpl, uint32_t allowed)
{
    uint32_t flags = engine_get(e, ENGINE_EFLAGS);
    unsigned iopl = flags >> 12 & 3;
    uint32_t mask = EFLAGS_ALWAYS | allowed;
    if (cpl <= iopl)
        mask |= EFLAGS_IF;
    if (cpl == 0)
        mask |= EFLAGS_IOPL | EFLAGS_VIF | EFLAGS_VIP;
    if (size == 2)
        mask &= EFLAGS_LOW;
    flags = (flags & ~mask) | (popped & mask);
    guard_set_resume(e, flags & EFLAGS_RF ? RESUME_AFTER_THIS : 0);
    registers_set_eflags(e, flags & ~(uint32_t)EFLAGS_RF);
}

/* Ends an IRET to V86 mode, which has popped EIP, CS and EFLAGS: pops the rest and loads everything. */
static void return_to_v86(engine *e, far_stack *stack, uint32_t eip, uint32_t selector, uint32_t flags)
{
    static const engine_segment_name order[] = {ENGINE_ES, ENGINE_DS, ENGINE_FS, ENGINE_GS};
    uint32_t esp = far_stack_pop(e, stack, 4), ss = far_stack_pop(e, stack, 4), selectors[4];
    for (unsigned i = 0; i < 4; i++)
        selectors[i] = far_stack_pop(e, stack, 4);
    load_flags(e, flags, 4, 0, EFLAGS_VM);
    for (unsigned i = 0; i < 4; i++)
        e->env->segs[order[i]] = segment_v86(selectors[i]);
    e->env->segs[ENGINE_CS] = segment_v86(selector);
    e->env->segs[ENGINE_SS] = segment_v86(ss);
    e->env->regs[ENGINE_ESP] = esp;
    e->env->eip = eip & 0xffff;
    segments_changed(e);
}

/* Executes RET far and IRET in protected mode. `release` is the number of bytes of parameters. */
static void return_protected(engine *e, unsigned size, bool iret, uint32_t release)
{
    assert(!uc_env_is_real(e->env) && (size == 2 || size == 4));
    unsigned cpl = engine_cpl(e);
    far_stack stack = far_stack_current(e);
    uint32_t eip = far_stack_pop(e, &stack, size), selector = far_stack_pop(e, &stack, size) & 0xffff;
    uint32_t flags = iret ? far_stack_pop(e, &stack, size) : 0, code = selector & 0xfffc;
    if (iret && size == 4 && flags & EFLAGS_VM && cpl == 0) {
        return_to_v86(e, &stack, eip, selector, flags);
        return;
    }
    descriptor_words d = read_target(e, selector);
    unsigned level = selector & RPL, dpl = descriptor_dpl(&d);
    if (!(d.high & DESCRIPTOR_S) || !(d.high & DESCRIPTOR_CODE) || level < cpl ||
        (d.high & DESCRIPTOR_CONFORMING ? dpl > level : dpl != level))
        segmentation_fault(e, VECTOR_GP, code);
    check_present(e, &d, selector);
    stack.sp += release;
    if (level != cpl) {
        uint32_t esp = far_stack_pop(e, &stack, size), ss = far_stack_pop(e, &stack, size) & 0xffff;
        /* A stack segment that is not present raises #NP in IRET, and #SS in RET. */
        stack.segment = stack_segment_check(e, ss, level, VECTOR_GP, iret ? VECTOR_NP : VECTOR_SS);
        stack.sp = esp + release;
    }
    segment_check_eip(e, descriptor_limit(&d), eip);
    descriptor_accessed(e, &d);
    if (level != cpl) {
        e->env->segs[ENGINE_SS] = stack.segment;
        segments_drop_privileged(e, level);
    }
    far_stack_set_sp(e, &stack);
    if (iret)
        load_flags(e, flags, size, cpl, 0);
    continue_at(e, &d, selector, level, eip);
}

void WRAP(helper_lret_protected)(uc_env *env, int shift, int release)
{
    engine *e = engine_of(env);
    begin(e);
    return_protected(e, shift ? 4 : 2, false, (uint32_t)release);
}

/* Executes IRET with NT set, which returns to the task in the link field (offset 0) of the current TSS. */
static void return_from_task(engine *e, uint32_t next)
{
    uc_env *env = e->env;
    descriptor_words d;
    uint32_t selector = access_load_system(e, (uint32_t)env->tr.base, 2, 0), code = selector & 0xfffc;
    if (selector & 4 || selector_null(selector) || !descriptor_read(e, selector, &d) ||
        (descriptor_type(&d) & ~(unsigned)SYSTEM_32BIT) != SYSTEM_TSS16_BUSY)
        segmentation_fault(e, VECTOR_TS, code);
    check_present(e, &d, selector);
    task_switch(e, TASK_IRET, selector, &d, next);
}

void WRAP(helper_iret_protected)(uc_env *env, int shift, int next)
{
    engine *e = engine_of(env);
    begin(e);
    if (env->eflags & EFLAGS_NT) {
        return_from_task(e, (uint32_t)next);
    } else {
        return_protected(e, shift ? 4 : 2, true, 0);
        guard_resume_here(e); /* task_switch also does it */
    }
    e->segment.nmi_blocked = false;
}

/* Executes IRET in real mode, and in V86 mode with IOPL 3. */
void WRAP(helper_iret_real)(uc_env *env, int shift)
{
    engine *e = engine_of(env);
    unsigned size = shift ? 4 : 2;
    begin(e);
    bool v86 = env->eflags & EFLAGS_VM;
    far_stack stack = far_stack_current(e);
    uint32_t eip = far_stack_pop(e, &stack, size), selector = far_stack_pop(e, &stack, size);
    uint32_t flags = far_stack_pop(e, &stack, size);
    continue_real(e, selector, eip);
    far_stack_set_sp(e, &stack);
    /* In V86 mode, level 3 keeps IOPL. VIF and VIP never change here. */
    uint32_t kept = engine_get(e, ENGINE_EFLAGS) & (EFLAGS_VIF | EFLAGS_VIP);
    load_flags(e, (flags & ~(uint32_t)(EFLAGS_VIF | EFLAGS_VIP)) | kept, size, v86 ? 3 : 0, 0);
    guard_resume_here(e);
    e->segment.nmi_blocked = false;
}
