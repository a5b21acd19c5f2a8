/* Reads and writes registers, segments and the x87 state, with their side effects. */
#include <assert.h>
#include <string.h>

#include "engine/control/registers.h"
#include "engine/memory/guard.h"
#include "engine/stretch/leave.h"
#include "engine/x87/x87.h"

enum { TSS_BUSY = SYSTEM_TSS_BUSY << 8 };

/* Returns a register. EFLAGS is composed of three parts: Unicorn computes the arithmetic flags when they are needed, and
 * keeps DF separately, as 1 or -1. */
uint32_t engine_get(const engine *e, engine_register which)
{
    static const uint8_t control[] = {0, 2, 3, 4}; /* of ENGINE_CR0 to ENGINE_CR4 */
    uc_env *env = e->env;
    switch (which) {
    case ENGINE_EIP:
        return (uint32_t)env->eip;
    case ENGINE_EFLAGS:
        return (uint32_t)env->eflags | UC_INTERNAL(cpu_cc_compute_all)(env, (int)env->cc_op) |
               ((uint32_t)env->df & EFLAGS_DF) | EFLAGS_FIXED;
    default:
        return (uint32_t)(which < ENGINE_CR0 ? env->regs[which] : env->cr[control[which - ENGINE_CR0]]);
    }
}

/* Stores EFLAGS in the three parts of which Unicorn composes it. */
void registers_set_eflags(engine *e, uint32_t value)
{
    uc_env *env = e->env;
    env->cc_src = value & UC_CC_MASK;
    env->cc_op = UC_CC_OP_EFLAGS;
    env->df = value & EFLAGS_DF ? -1 : 1;
    uint32_t separate =
        engine_running(e) ? UC_CC_MASK | EFLAGS_DF : 0; /* between runs, Unicorn keeps them all here */
    env->eflags = (value & ~separate) | EFLAGS_FIXED;
}

/* Computes the arithmetic flags from the operands that Unicorn has stored instead of them, and stores the flags. */
void registers_settle_flags(engine *e)
{
    uc_env *env = e->env;
    env->cc_src = UC_INTERNAL(cpu_cc_compute_all)(env, (int)env->cc_op);
    env->cc_op = UC_CC_OP_EFLAGS;
}

/* Sets a register and updates what Unicorn and the engine derive from it. */
void engine_set(engine *e, engine_register which, uint32_t value)
{
    uc_env *env = e->env;
    if (which <= ENGINE_EDI) {
        env->regs[which] = value;
        return;
    }
    engine_redirect(e); /* the next block may be another one */
    switch (which) {
    case ENGINE_EIP:
        env->eip = value;
        break;
    case ENGINE_EFLAGS:
        registers_set_eflags(e, value);
        guard_update(e);
        break;
    case ENGINE_CR0:
        UC_INTERNAL(cpu_x86_update_cr0)(env, value);
        engine_flush_translations(e);
        guard_update(e);
        break;
    case ENGINE_CR2:
        env->cr[2] = value;
        break;
    case ENGINE_CR3:
        UC_INTERNAL(cpu_x86_update_cr3)(env, value);
        engine_flush_translations(e);
        break;
    case ENGINE_CR4:
        UC_INTERNAL(cpu_x86_update_cr4)(env, value);
        engine_flush_translations(e);
        guard_debug_written(e);
        break;
    default:
        break;
    }
}

static uc_segment *segment_of(const engine *e, engine_segment_name which)
{
    return which == ENGINE_LDTR ? &e->env->ldt : which == ENGINE_TR ? &e->env->tr : &e->env->segs[which];
}

void engine_get_segment(const engine *e, engine_segment_name which, engine_segment *segment)
{
    const uc_segment *s = segment_of(e, which);
    *segment = (engine_segment){(uint16_t)s->selector, (uint32_t)s->base, s->limit, s->flags};
}

/* Updates the bits of hflags that the segments determine: sizes of code and stack, and whether data addresses
 * need a base added. */
void registers_update_hidden(engine *e)
{
    uc_env *env = e->env;
    uint32_t flags = env->hflags & ~(uint32_t)(UC_HF_CS32 | UC_HF_SS32 | UC_HF_ADDSEG | UC_HF_CS64);
    if (env->segs[ENGINE_CS].flags & DESCRIPTOR_B)
        flags |= UC_HF_CS32;
    if (env->segs[ENGINE_SS].flags & DESCRIPTOR_B)
        flags |= UC_HF_SS32;
    bool flat = (env->segs[ENGINE_DS].base | env->segs[ENGINE_ES].base | env->segs[ENGINE_SS].base) == 0;
    if (uc_env_is_real(env) || !(flags & UC_HF_CS32) || !flat)
        flags |= UC_HF_ADDSEG;
    env->hflags = flags;
}

/* Loads a segment register without checks, and updates what is derived from it. */
void engine_set_segment(engine *e, engine_segment_name which, const engine_segment *segment)
{
    *segment_of(e, which) = (uc_segment){segment->selector, 0, segment->base, segment->limit, segment->flags};
    if (which == ENGINE_TR) /* Unicorn keeps TR as it was before LTR marked it busy */
        e->env->tr.flags &= ~(uint32_t)TSS_BUSY;
    if (which == ENGINE_SS) /* the stack segment's DPL is the CPL: 0 in real mode, 3 in V86 mode */
        e->env->hflags = (e->env->hflags & ~(uint32_t)UC_HF_CPL) | (segment->flags >> 13 & 3);
    if (which <= ENGINE_GS) {
        registers_update_hidden(e);
        guard_update(e);
    }
    engine_redirect(e);
}

void engine_set_table(engine *e, bool idt, uint32_t base, uint16_t limit)
{
    *(idt ? &e->env->idt : &e->env->gdt) = (uc_segment){.base = base, .limit = limit};
}

uint32_t engine_get_debug(const engine *e, unsigned number)
{
    return (uint32_t)e->env->dr[number];
}

void engine_set_debug(engine *e, unsigned number, uint32_t value)
{
    assert(number < 8 && number != 4 && number != 5);
    e->env->dr[number] = value;
    guard_debug_written(e);
    engine_redirect(e);
}

unsigned engine_cpl(const engine *e)
{
    return e->env->hflags & UC_HF_CPL;
}

unsigned engine_mode(const engine *e)
{
    return e->env->eflags & EFLAGS_VM  ? P5_MODE_V86
           : e->env->hflags & UC_HF_PE ? P5_MODE_PROTECTED
                                       : P5_MODE_REAL;
}

/* --- x87: the 32-bit protected-mode image of FNSAVE ---
 *   0 control   4 status   8 tags   12 FIP   16 FCS   18 opcode   20 FDP   24 FDS   28 ST(0)..ST(7), 10 bytes each */
enum { IMAGE_FIP = 12, IMAGE_FCS = 16, IMAGE_OPCODE = 18, IMAGE_FDP = 20, IMAGE_FDS = 24 };

void engine_get_x87(const engine *e, uint8_t image[X87_IMAGE_BYTES])
{
    const uc_env *env = e->env;
    uint32_t fip = (uint32_t)env->fpip, fdp = (uint32_t)env->fpdp;
    x87_to_image(env, image);
    memcpy(image + IMAGE_FIP, &fip, 4);
    memcpy(image + IMAGE_FCS, &env->fpcs, 2);
    memcpy(image + IMAGE_OPCODE, &env->fpop, 2);
    memcpy(image + IMAGE_FDP, &fdp, 4);
    memcpy(image + IMAGE_FDS, &env->fpds, 2);
}

void engine_set_x87(engine *e, const uint8_t image[X87_IMAGE_BYTES])
{
    uc_env *env = e->env;
    uint16_t control, status;
    uint32_t fip, fdp;
    memcpy(&control, image, 2);
    memcpy(&status, image + X87_IMAGE_STATUS, 2);
    x87_from_image(env, image);
    x87_load_words(env, control, status);
    memcpy(&fip, image + IMAGE_FIP, 4);
    memcpy(&fdp, image + IMAGE_FDP, 4);
    memcpy(&env->fpcs, image + IMAGE_FCS, 2);
    memcpy(&env->fpop, image + IMAGE_OPCODE, 2);
    memcpy(&env->fpds, image + IMAGE_FDS, 2);
    env->fpip = fip;
    env->fpdp = fdp;
}
