/* ENTER, alone in its block. Manual: ENTER; Unicorn leaves out the last step, a probe of the stack where ESP
 * will point, and loads all of EBP where the operand size is 16 bits. */
#include "engine/segment/segmentation.h"
#include "engine/stream/access.h"

enum { LEVELS = 32, IMMEDIATES = 3 /* bytes: size, level */ };

typedef struct frame_stack {
    engine *e;
    uint32_t base, mask; /* of SS, and of its offsets */
    unsigned size;       /* of what is pushed */
    bool user;
} frame_stack;

static uint32_t load(const frame_stack *s, uint32_t offset)
{
    return (uint32_t)access_load_quick(s->e->env, s->base + (offset & s->mask), s->size, s->user, 0, 0);
}

static void store(const frame_stack *s, uint32_t offset, uint32_t value)
{
    access_store_quick(s->e->env, s->base + (offset & s->mask), value, s->size, s->user, 0, 0);
}

static void set(uc_env *env, unsigned which, uint32_t value, uint32_t mask)
{
    env->regs[which] = ((uint32_t)env->regs[which] & ~mask) | (value & mask);
}

void enter_execute(engine *e, engine_block *b)
{
    uc_env *env = e->env;
    const uint8_t *immediates = b->bytes + b->size - IMMEDIATES;
    uint32_t bytes = immediates[0] | (uint32_t)immediates[1] << 8, level = immediates[2] % LEVELS;
    const uc_segment *ss = &env->segs[ENGINE_SS];
    frame_stack s = {.e = e,
                     .base = (uint32_t)ss->base,
                     .mask = ss->flags & DESCRIPTOR_B ? UINT32_MAX : 0xffff,
                     .size = b->wide ? 4 : 2,
                     .user = access_at_user_level(env)};
    uint32_t outer = (uint32_t)env->regs[ENGINE_EBP], frame = (uint32_t)env->regs[ENGINE_ESP] - s.size;
    uint32_t sp = frame;
    e->current = b;
    store(&s, frame, outer);
    for (unsigned i = 1; i < level; i++) {
        outer -= s.size;
        uint32_t pointer = load(&s, outer);
        sp -= s.size;
        store(&s, sp, pointer);
    }
    if (level != 0) {
        sp -= s.size;
        store(&s, sp, frame);
    }
    sp -= bytes;
    access_check_store(env, s.base + (sp & s.mask), s.size, 0);
    set(env, ENGINE_EBP, frame, s.mask & (b->wide ? UINT32_MAX : 0xffff));
    set(env, ENGINE_ESP, sp, s.mask);
    special_executed(e, (uint32_t)env->eip + b->size);
}
