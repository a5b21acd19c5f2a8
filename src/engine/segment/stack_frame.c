/* ENTER, PUSHA and POPA, each alone in its block and executed in front of it, with the references that the
 * manual writes down for them: Unicorn leaves out ENTER's probe of the stack where ESP will point, and loads
 * all of EBP where the operand size is 16 bits; it makes PUSHA's stores from the last to the first, and
 * leaves out POPA's read of ESP. */
#include "engine/memory/access.h"
#include "engine/segment/segment_internal.h"

enum { LEVELS = 32, REGISTERS = 8 };

typedef struct frame_stack {
    uc_env *env;
    uint32_t base, mask; /* of SS, and of its offsets */
    unsigned size;       /* of what is pushed */
    uint32_t mode;       /* ACCESS_MODE */
    bool user;
} frame_stack;

static frame_stack begin(engine *e, engine_block *b)
{
    const uc_segment *ss = &e->env->segs[ENGINE_SS];
    e->current = b;
    return (frame_stack){.env = e->env,
                         .base = (uint32_t)ss->base,
                         .mask = ss->flags & DESCRIPTOR_B ? UINT32_MAX : 0xffff,
                         .size = b->wide ? 4 : 2,
                         .mode = ACCESS_MODE(uc_env_is_real(e->env) ? ACCESS_REAL : ACCESS_PROTECTED),
                         .user = engine_at_user_level(e->env)};
}

static uint32_t load(const frame_stack *s, uint32_t offset)
{
    return (uint32_t)access_load_quick(s->env, s->base + (offset & s->mask), s->size, s->user, s->mode, 0);
}

static void store(const frame_stack *s, uint32_t offset, uint32_t value)
{
    access_store_quick(s->env, s->base + (offset & s->mask), value, s->size, s->user, s->mode, 0);
}

static void set(uc_env *env, unsigned which, uint32_t value, uint32_t mask)
{
    env->regs[which] = ((uint32_t)env->regs[which] & ~mask) | (value & mask);
}

static uint32_t operand_mask(const frame_stack *s)
{
    return s->size == 4 ? UINT32_MAX : 0xffff;
}

static void enter(const frame_stack *s, const engine_block *b)
{
    uint32_t bytes = b->code->insns->imm16, level = b->code->insns->imm8 % LEVELS;
    uint32_t outer = (uint32_t)s->env->regs[ENGINE_EBP], frame = (uint32_t)s->env->regs[ENGINE_ESP] - s->size;
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
    set(s->env, ENGINE_EBP, frame, s->mask & operand_mask(s));
    set(s->env, ENGINE_ESP, sp, s->mask);
}

static void push_all(const frame_stack *s)
{
    uint32_t sp = (uint32_t)s->env->regs[ENGINE_ESP];
    for (unsigned which = 0; which < REGISTERS; which++)
        store(s, sp -= s->size, (uint32_t)s->env->regs[which]);
    set(s->env, ENGINE_ESP, sp, s->mask);
}

/* A fault half way leaves what was popped before, and ESP as it was (measured on later processors). */
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

void stack_frame_read(engine *e, engine_block *b)
{
    frame_stack s = begin(e, b);
    s.size = b->code->insns->operand_bytes;
    load(&s, (uint32_t)e->env->regs[ENGINE_ESP]);
}

void stack_frame_execute(engine *e, engine_block *b)
{
    e->env->eip = engine_code_offset(e, b->linear); /* should it fault */
    frame_stack s = begin(e, b);
    switch (isa_forms[b->code->insns->form].engine) {
    case ISA_E_ENTER:
        enter(&s, b);
        break;
    case ISA_E_PUSHA:
        push_all(&s);
        break;
    default:
        pop_all(&s);
    }
}
