/* The limit of CS, which Unicorn does not check. It matters only if a code segment is smaller than 4 GB. */
#include "engine/memory/guard.h"
#include "engine/memory/memory_internal.h"
#include "engine/stretch/stretch.h"

/* Returns whether the first `bytes` bytes of a block exceed the limit of CS or wrap around. */
static bool beyond_limit(const engine *e, const engine_block *b, uint32_t bytes)
{
    uint32_t first = engine_code_offset(e, b->linear), last = first + bytes - 1;
    return last > e->env->segs[ENGINE_CS].limit || last < first;
}

/* Undoes what the last instruction of a block did to ESP or ECX, and sets the state's EIP to it, because a near
 * branch whose target lies beyond the limit faults without any effect. Returns false if it is not a near branch. */
static bool take_back_branch(engine *e, const engine_block *b)
{
    if (!b->code)
        return false;
    const isa_insn *insn = &b->code->insns[b->count - 1];
    const isa_form *form = &isa_forms[insn->form];
    uint32_t mask = e->env->segs[ENGINE_SS].flags & DESCRIPTOR_B ? UINT32_MAX : 0xffff, change = 0;
    uint32_t pointer_bytes = insn->operand32 ? 4 : 2;
    switch (form->branch) {
    case ISA_JCC:
    case ISA_JMP:
    case ISA_JMP_INDIRECT:
        break;
    case ISA_CALL:
    case ISA_CALL_INDIRECT:
        change = pointer_bytes;
        break;
    case ISA_RET:
        change = 0u - (pointer_bytes + insn->imm16);
        break;
    case ISA_LOOP:
        if (form->writes & 1 << ENGINE_ECX) { /* JCXZ does not count */
            uint32_t ecx = (uint32_t)e->env->regs[ENGINE_ECX], count = insn->address32 ? UINT32_MAX : 0xffff;
            e->env->regs[ENGINE_ECX] = (ecx & ~count) | ((ecx + 1) & count);
        }
        break;
    default:
        return false;
    }
    uint32_t esp = (uint32_t)e->env->regs[ENGINE_ESP];
    e->env->regs[ENGINE_ESP] = (esp & ~mask) | ((esp + change) & mask);
    e->env->eip = engine_code_offset(e, insn->address);
    return true;
}

/* Raises #GP if the running block has ended with a near branch to offset `to` and that lies beyond the limit of CS.
 * Where execution runs past the limit without a branch, the fault belongs to the next instruction. */
void guard_branch_target(engine *e, uint32_t to)
{
    const engine_block *from = stretch_block(e);
    const uc_segment *cs = &e->env->segs[ENGINE_CS];
    if (!e->memory.guard.code || !from || stretch_restarts(e) || to <= cs->limit)
        return;
    bool falls = (uint32_t)cs->base + to == from->linear + from->size;
    if (!falls && take_back_branch(e, from))
        engine_raise(e, VECTOR_GP, 0);
}

/* Called when control leaves the running block for `b`: checks the branch. */
void guard_branch(engine *e, const engine_block *b)
{
    guard_branch_target(e, engine_code_offset(e, b->linear));
}

/* Called before the fetch of the byte at `linear` page-faults: raises #GP instead if it lies beyond the limit. */
void guard_fetch(engine *e, uint32_t linear)
{
    const uc_segment *cs = &e->env->segs[ENGINE_CS];
    if (!e->memory.guard.code || linear - (uint32_t)cs->base <= cs->limit)
        return;
    guard_branch_target(e, (uint32_t)e->env->eip);
    e->memory.fault.fetch = true;
    engine_raise(e, VECTOR_GP, 0);
}

/* Raises #GP if the block's first instruction exceeds the limit of CS. Near the limit, blocks are executed one
 * instruction at a time, so that those before the limit complete. */
void guard_code_limit(engine *e, const engine_block *b)
{
    if (beyond_limit(e, b, b->size ? b->size : 1)) {
        if (b->count <= 1)
            engine_raise(e, VECTOR_GP, 0);
        /* Has the same code translated again, instruction by instruction. */
        e->memory.guard.limit_step = true;
        guard_set_step_flag(e);
        engine_resume(e);
    }
    if (e->memory.guard.limit_step && !beyond_limit(e, b, GUARD_BLOCK_BYTES)) {
        e->memory.guard.limit_step = false;
        guard_set_step_flag(e);
        engine_resume(e);
    }
}
