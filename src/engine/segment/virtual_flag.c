/* The virtual interrupt flag: CLI, STI, PUSHF, POPF, IRET and INT n of V86 tasks with CR4.VME, and CLI and STI at
 * CPL 3 with CR4.PVI. Each is a block of its own (BLOCK_VIRTUAL, plan.c); except for INT n, IOPL is below 3. Manual:
 * virtual-8086 mode extensions, protected-mode virtual interrupts. What the extension does not change is left to
 * Unicorn: #GP(0), and an INT n that is not redirected. */
#include <assert.h>

#include "engine/control/ports.h"
#include "engine/control/registers.h"
#include "engine/control/special.h"
#include "engine/memory/access.h"
#include "engine/memory/guard.h"
#include "engine/segment/segment_internal.h"

enum { REDIRECTION_BYTES = 32 }; /* of the interrupt redirection bitmap: a bit for each of 256 vectors */

static void set_flags(engine *e, uint32_t flags)
{
    registers_set_eflags(e, flags);
    guard_update(e);
}

/* Loads popped FLAGS as a V86 task with IOPL < 3 does: the popped IF goes to VIF, and IF and IOPL do not change.
 * Returns false, without a change, if the instruction raises #GP(0): the popped flags have TF, or IF while VIP is
 * set. */
static bool load_flags(engine *e, uint32_t popped)
{
    uint32_t flags = flags_current(e), kept = EFLAGS_IF | EFLAGS_IOPL;
    if (popped & EFLAGS_TF || (popped & EFLAGS_IF && flags & EFLAGS_VIP))
        return false;
    uint32_t mask = EFLAGS_LOW & EFLAGS_ALL & ~kept;
    flags =
        (flags & ~(mask | EFLAGS_VIF | EFLAGS_RF)) | (popped & mask) | (popped & EFLAGS_IF ? EFLAGS_VIF : 0u);
    set_flags(e, flags);
    return true;
}

/* The next four functions execute one instruction each, for IOPL < 3 and 16-bit operands. They return false if the
 * instruction raises #GP(0). */

/* PUSHF: pushes VIF in place of IF, and IOPL 3. */
static bool push_flags(engine *e)
{
    uint32_t flags = flags_current(e);
    uint32_t seen = (flags & ~(uint32_t)EFLAGS_IF) | EFLAGS_IOPL | (flags & EFLAGS_VIF ? EFLAGS_IF : 0u);
    far_stack stack = far_stack_current(e);
    far_stack_push(e, &stack, 2, seen);
    far_stack_set_sp(e, &stack);
    return true;
}

/* POPF. */
static bool pop_flags(engine *e)
{
    far_stack stack = far_stack_current(e);
    uint32_t popped = far_stack_pop(e, &stack, 2);
    if (!load_flags(e, popped))
        return false;
    far_stack_set_sp(e, &stack);
    return true;
}

/* IRET. *next is the IP to which it returns. */
static bool return_from_interrupt(engine *e, uint32_t *next)
{
    far_stack stack = far_stack_current(e);
    uint32_t ip = far_stack_pop(e, &stack, 2), selector = far_stack_pop(e, &stack, 2);
    if (!load_flags(e, far_stack_pop(e, &stack, 2)))
        return false;
    far_stack_set_sp(e, &stack);
    e->env->segs[ENGINE_CS] = segment_v86(selector);
    segments_changed(e);
    *next = ip;
    return true;
}

/* STI (`on`) and CLI, which change VIF. */
static bool set_interrupt_flag(engine *e, bool on)
{
    uint32_t flags = engine_get(e, ENGINE_EFLAGS);
    if (on && flags & EFLAGS_VIP)
        return false;
    set_flags(e, on ? flags | EFLAGS_VIF : flags & ~(uint32_t)EFLAGS_VIF);
    return true;
}

/* Returns whether INT n goes to the V86 task's own handler (IVT): its bit in the interrupt redirection bitmap, which
 * lies below the I/O permission bitmap, is 0. */
static bool redirected(engine *e, unsigned vector)
{
    const uc_segment *tr = &e->env->tr;
    if (!ports_have_bitmap(e->env))
        return false;
    uint32_t base = (uint32_t)tr->base;
    uint32_t offset = access_load_system(e, base + TSS_BITMAP_FIELD, 2, 0) - REDIRECTION_BYTES + vector / 8;
    if (offset > tr->limit)
        return false;
    return !(access_load_system(e, base + offset, 1, 0) >> (vector & 7) & 1);
}

/* Executes an instruction other than INT n. Returns false if it raises #GP(0), as PUSHF, POPF and IRET with 32-bit
 * operands do. IRET changes *next, the EIP of the next instruction. */
static bool execute(engine *e, const isa_insn *insn, uint32_t *next)
{
    bool wide = insn->operand32;
    switch (isa_forms[insn->form].engine) {
    case ISA_E_CLI:
        return set_interrupt_flag(e, false);
    case ISA_E_STI:
        return set_interrupt_flag(e, true);
    case ISA_E_PUSHF:
        return !wide && push_flags(e);
    case ISA_E_POPF:
        return !wide && pop_flags(e);
    default:
        return !wide && return_from_interrupt(e, next);
    }
}

/* Executes the instruction of block `b` and continues after it, without returning. Returns only if Unicorn is to
 * execute the instruction: the extension is off, the instruction faults, or it is an INT n that is not redirected. */
void virtual_flag_execute(engine *e, engine_block *b)
{
    uc_env *env = e->env;
    uint32_t extension = env->eflags & EFLAGS_VM ? CR4_VME : CR4_PVI;
    if (!(env->cr[4] & extension))
        return;
    assert(b->kind == BLOCK_VIRTUAL && b->count == 1);
    const isa_insn *insn = b->code->insns;
    uint32_t next = (uint32_t)env->eip + b->size;
    stretch_run(e, b);
    e->segment.external = 0;
    if (isa_forms[insn->form].engine == ISA_E_INT_N) {
        if (redirected(e, insn->imm8))
            delivery_of_v86(e, insn->imm8, next); /* does not return */
        stretch_drop_records(e); /* the reads of the bitmap: Unicorn's delivery makes its own references */
        return;
    }
    if (!execute(e, insn, &next)) {
        stretch_drop_records(e);
        return;
    }
    special_executed(e, next);
}
