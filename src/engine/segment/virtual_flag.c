/* The virtual interrupt flag: CLI, STI, PUSHF, POPF, IRET and INT n of V86 tasks with CR4.VME, CLI and STI of
 * CPL 3 with CR4.PVI. Each is alone in its block. Manual: virtual-8086 mode extensions, protected-mode
 * virtual interrupts. Whatever would fault is left to Unicorn, which raises #GP(0) for it. */
#include "engine/segment/segmentation.h"
#include "isa/prefix.h"

enum { CR4_VME = 1, CR4_PVI = 2 };
enum { OP_CLI = 0xfa, OP_STI = 0xfb, OP_PUSHF = 0x9c, OP_POPF = 0x9d, OP_INT = 0xcd, OP_IRET = 0xcf };
enum { TSS_BITMAP_FIELD = 0x66, REDIRECTION_BYTES = 32 };

static void set_flags(engine *e, uint32_t flags)
{
    registers_set_eflags(e, flags);
    guard_update(e);
}

/* FLAGS from the stack as a V86 task with IOPL < 3 loads them: IF goes to VIF, IOPL stays. False if that is
 * #GP(0): an interrupt is pending and would be let through, or TF is set. */
static bool load_flags(engine *e, uint32_t popped)
{
    uint32_t flags = flags_current(e), kept = FLAG_IF | FLAG_IOPL;
    if (popped & FLAG_TF || (popped & FLAG_IF && flags & FLAG_VIP))
        return false;
    uint32_t mask = FLAGS_LOW & FLAGS_ALL & ~kept;
    flags = (flags & ~(mask | FLAG_VIF | FLAG_RF)) | (popped & mask) | (popped & FLAG_IF ? FLAG_VIF : 0u);
    set_flags(e, flags);
    return true;
}

static bool push_flags(engine *e)
{
    uint32_t flags = flags_current(e);
    uint32_t seen = (flags & ~(uint32_t)FLAG_IF) | FLAG_IOPL | (flags & FLAG_VIF ? FLAG_IF : 0u);
    far_stack stack = far_stack_current(e);
    far_stack_push(e, &stack, 2, seen);
    far_stack_set_sp(e, &stack);
    return true;
}

static bool pop_flags(engine *e)
{
    far_stack stack = far_stack_current(e);
    uint32_t popped = far_stack_pop(e, &stack, 2);
    if (!load_flags(e, popped))
        return false;
    far_stack_set_sp(e, &stack);
    return true;
}

static bool return_from_interrupt(engine *e, uint32_t *next)
{
    far_stack stack = far_stack_current(e);
    uint32_t ip = far_stack_pop(e, &stack, 2), selector = far_stack_pop(e, &stack, 2);
    if (!load_flags(e, far_stack_pop(e, &stack, 2)))
        return false;
    far_stack_set_sp(e, &stack);
    e->env->segs[ENGINE_CS] = segment_real(selector, true);
    segments_changed(e);
    *next = ip;
    return true;
}

static bool set_interrupt_flag(engine *e, bool on)
{
    uint32_t flags = engine_get(e, ENGINE_EFLAGS);
    if (on && flags & FLAG_VIP)
        return false;
    set_flags(e, on ? flags | FLAG_VIF : flags & ~(uint32_t)FLAG_VIF);
    return true;
}

/* True if the redirection bitmap, which lies below the I/O permission bitmap, sends INT n to the task's own
 * handler. */
static bool redirected(engine *e, unsigned vector)
{
    const uc_segment *tr = &e->env->tr;
    if ((tr->flags >> 8 & 15 & ~(unsigned)SYSTEM_TSS_BUSY) != SYSTEM_TSS32 ||
        tr->limit < TSS_BITMAP_FIELD + 1)
        return false;
    uint32_t base = (uint32_t)tr->base;
    uint32_t offset = access_load_system(e, base + TSS_BITMAP_FIELD, 2, 0) - REDIRECTION_BYTES + vector / 8;
    if (offset > tr->limit)
        return false;
    return !(access_load_system(e, base + offset, 1, 0) >> (vector & 7) & 1);
}

/* The opcode behind the prefixes; *wide: 32-bit operands. */
static const uint8_t *opcode_of(const engine_block *b, bool *wide)
{
    const uint8_t *bytes = b->bytes;
    *wide = b->flags & UC_HF_CS32;
    for (; isa_is_prefix(*bytes); bytes++)
        if (*bytes == 0x66)
            *wide = !(b->flags & UC_HF_CS32);
    return bytes;
}

static bool execute(engine *e, const uint8_t *opcode, bool wide, uint32_t *next)
{
    switch (*opcode) {
    case OP_CLI:
        return set_interrupt_flag(e, false);
    case OP_STI:
        return set_interrupt_flag(e, true);
    case OP_PUSHF:
        return !wide && push_flags(e);
    case OP_POPF:
        return !wide && pop_flags(e);
    default:
        return !wide && return_from_interrupt(e, next);
    }
}

void virtual_flag_execute(engine *e, engine_block *b)
{
    uc_env *env = e->env;
    uint32_t extension = env->eflags & UC_EFLAGS_VM ? CR4_VME : CR4_PVI;
    if (!(env->cr[4] & extension))
        return;
    bool wide;
    const uint8_t *opcode = opcode_of(b, &wide);
    uint32_t next = (uint32_t)env->eip + b->size;
    e->current = b;
    e->external = 0;
    if (*opcode == OP_INT) {
        if (redirected(e, opcode[1]))
            event_redirected(e, opcode[1], next);
        e->record_next = e->records;
        return;
    }
    if (!execute(e, opcode, wide, &next)) {
        e->record_next = e->records;
        return;
    }
    special_executed(e, next);
}
