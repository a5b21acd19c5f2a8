/* ENTER, PUSHA, POPA and some POPs to memory. Each is alone in its block and is executed here before the block runs,
 * with the references that the manual specifies; Unicorn then executes a NOP of the same length. Unicorn's own code
 * differs: it omits ENTER's probe of the stack at the final ESP, and loads all of EBP with 16-bit operands; it makes
 * PUSHA's stores from the last to the first; it omits POPA's read of ESP; and it lets POP's address by ESP leave a
 * 16-bit stack. */
#include <assert.h>

#include "engine/memory/access.h"
#include "engine/segment/segment_internal.h"

enum { LEVELS = 32 /* ENTER's nesting level is taken modulo this */, REGISTERS = 8 };

typedef struct frame_stack {
    uc_env *env;
    uint32_t base, mask; /* of SS; mask of its offsets */
    unsigned size;       /* bytes of a pushed value */
    uint32_t mode;       /* how its references are checked: ACCESS_MODE, ACCESS_USER (access.h) */
} frame_stack;

/* Makes `b` the running block, so that references are recorded for it, and returns the stack. */
static frame_stack begin(engine *e, engine_block *b)
{
    const uc_segment *ss = &e->env->segs[ENGINE_SS];
    stretch_run(e, b);
    return (frame_stack){.env = e->env,
                         .base = (uint32_t)ss->base,
                         .mask = ss->flags & DESCRIPTOR_B ? UINT32_MAX : 0xffff,
                         .size = b->needs.wide ? 4 : 2,
                         .mode = ACCESS_MODE(uc_env_is_real(e->env) ? ACCESS_REAL : ACCESS_PROTECTED) |
                                 ACCESS_BY(engine_at_user_level(e->env))};
}

/* Load and store a value at an offset in SS. */
static uint32_t load(const frame_stack *s, uint32_t offset)
{
    return (uint32_t)access_load_quick(s->env, s->base + (offset & s->mask), s->size, s->mode, 0);
}

static void store(const frame_stack *s, uint32_t offset, uint32_t value)
{
    access_store_quick(s->env, s->base + (offset & s->mask), value, s->size, s->mode, 0);
}

/* Sets the bits `mask` of a general register. */
static void set(uc_env *env, unsigned which, uint32_t value, uint32_t mask)
{
    assert(which < REGISTERS);
    env->regs[which] = ((uint32_t)env->regs[which] & ~mask) | (value & mask);
}

static uint32_t operand_mask(const frame_stack *s)
{
    assert(s->size == 2 || s->size == 4);
    return s->size == 4 ? UINT32_MAX : 0xffff;
}

/* Returns ESP after a push or pop. A 16-bit stack moves SP only, which wraps at 64 KB. */
static uint32_t moved(const frame_stack *s, uint32_t esp, uint32_t by)
{
    return (esp & ~s->mask) | ((esp + by) & s->mask);
}

/* Executes ENTER. The frame pointer is the full ESP after the first push. On a 16-bit stack the push moves SP
 * within 64 KB; with 32-bit operands, the upper half of ESP is pushed and loaded into EBP as well (measured
 * on later processors). */
static void enter(const frame_stack *s, const engine_block *b)
{
    uint32_t bytes = b->code->insns->imm16, level = b->code->insns->imm8 % LEVELS;
    uint32_t outer = (uint32_t)s->env->regs[ENGINE_EBP], esp = (uint32_t)s->env->regs[ENGINE_ESP];
    const uint32_t frame = moved(s, esp, -s->size);
    uint32_t sp = frame;
    store(s, frame, outer);
    for (unsigned i = 1; i < level; i++) {
        outer -= s->size;
        uint32_t pointer = load(s, outer);
        sp -= s->size;
        store(s, sp, pointer);
    }
    if (level != 0) {
        sp -= s->size;
        store(s, sp, frame);
    }
    sp -= bytes;
    access_check_store(s->env, s->base + (sp & s->mask), s->size, 0);
    set(s->env, ENGINE_EBP, frame, operand_mask(s));
    set(s->env, ENGINE_ESP, sp, s->mask);
}

/* Executes PUSHA. ESP changes only after the last store, so that the value pushed for ESP is that from before. */
static void push_all(const frame_stack *s)
{
    uint32_t sp = (uint32_t)s->env->regs[ENGINE_ESP];
    for (unsigned which = 0; which < REGISTERS; which++)
        store(s, sp -= s->size, (uint32_t)s->env->regs[which]);
    set(s->env, ENGINE_ESP, sp, s->mask);
}

/* Executes POPA. A fault half way keeps what was popped before, and ESP as it was (measured on later
 * processors). */
static void pop_all(const frame_stack *s)
{
    uint32_t sp = (uint32_t)s->env->regs[ENGINE_ESP];
    for (unsigned which = REGISTERS; which-- > 0; sp += s->size) {
        uint32_t value = load(s, sp);
        if (which != ENGINE_ESP)
            set(s->env, which, value, operand_mask(s));
    }
    set(s->env, ENGINE_ESP, sp, s->mask);
}

/* Executes POP to memory, whose address is computed with ESP as POP leaves it (manual: POP). Only POPs with ESP as base
 * register on a 16-bit stack come here. The ModRM byte follows the prefixes and the opcode; the SIB byte follows it. */
static void pop_memory(const frame_stack *s, const engine_block *b)
{
    assert(b->code->insns->memory && b->code->insns->address32 && s->mask == 0xffff);
    enum { NO_INDEX = 4 };
    const isa_insn *insn = b->code->insns;
    const uint8_t *modrm = b->code->bytes + insn->prefixes + 1;
    const uint32_t esp = (uint32_t)s->env->regs[ENGINE_ESP], after = moved(s, esp, s->size);
    const unsigned index = modrm[1] >> 3 & 7;
    uint32_t address = after, displacement = 0;
    if (index != NO_INDEX)
        address += (uint32_t)s->env->regs[index] << (modrm[1] >> 6);
    switch (modrm[0] >> 6) {
    case 1:
        displacement = (uint32_t)(int8_t)modrm[2];
        break;
    case 2:
        memcpy(&displacement, modrm + 2, sizeof displacement);
        break;
    default:
        break;
    }
    /* insn->segment is 0 without an override, else the segment's number + 1 */
    const engine_segment_name segment = insn->segment ? (engine_segment_name)(insn->segment - 1) : ENGINE_SS;
    const uint32_t value = load(s, esp);
    access_store_quick(s->env, (uint32_t)s->env->segs[segment].base + address + displacement, value, s->size,
                       ACCESS_MODE(ACCESS_ANY) | (s->mode & ACCESS_USER), 0);
    set(s->env, ENGINE_ESP, after, s->mask);
}

/* Reads the stack as a POP to memory does, and nothing else. Called if the POP's store will fault. */
void stack_frame_read(engine *e, engine_block *b)
{
    frame_stack s = begin(e, b);
    s.size = b->code->insns->operand_bytes;
    load(&s, (uint32_t)e->env->regs[ENGINE_ESP]);
}

/* Executes the instruction of a BLOCK_FRAME, without moving EIP after it. */
void stack_frame_execute(engine *e, engine_block *b)
{
    e->env->eip = engine_code_offset(e, b->linear); /* in case it faults */
    assert(b->kind == BLOCK_FRAME && b->count == 1);
    frame_stack s = begin(e, b);
    switch (isa_forms[b->code->insns->form].engine) {
    case ISA_E_ENTER:
        enter(&s, b);
        break;
    case ISA_E_PUSHA:
        push_all(&s);
        break;
    case ISA_E_POPA:
        pop_all(&s);
        break;
    default:
        pop_memory(&s, b);
    }
}
