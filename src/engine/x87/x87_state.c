/* The x87's status and tag word, pending exceptions, stack faults, and operations on an image of the guest's state. */
#include <assert.h>
#include <string.h>

#include "engine/memory/guard.h"
#include "engine/memory/operand.h"
#include "engine/stretch/stretch.h"
#include "engine/stretch/value.h"
#include "engine/x87/x87_internal.h"

enum { EXPONENT_MASK = 0x7fff, SIGN = 0x8000 };

/* The default NaN, the result of masked invalid operations. */
const uc_fpreg x87_indefinite = {.mantissa = 0xc000000000000000u, .exponent = 0xffff};

uint16_t x87_status_word(const uc_env *env)
{
    return (uint16_t)((env->fpus & ~(unsigned)X87_TOP) | (env->fpstt & 7) << 11);
}

/* Returns the tag of a register that is not empty: 0 valid, 1 zero, 2 special. */
static unsigned tag_of(const uc_fpreg *r)
{
    unsigned exponent = r->exponent & EXPONENT_MASK;
    if (exponent == 0)
        return r->mantissa ? 2 : 1;
    return exponent == EXPONENT_MASK || !(r->mantissa >> 63) ? 2 : 0;
}

uint16_t x87_tag_word(const uc_env *env)
{
    uint16_t tags = 0;
    for (unsigned i = 0; i < 8; i++)
        tags |= (uint16_t)((env->fptags[i] ? 3 : tag_of(&env->fpregs[i])) << 2 * i);
    return tags;
}

/* Sets ES and B if an exception is unmasked, else clears them. */
void x87_update_summary(uc_env *env)
{
    bool pending = env->fpus & ~env->fpuc & X87_EXCEPTIONS;
    if (pending && !(env->fpus & X87_ES)) /* a new FERR#: IGNNE# was for the previous one */
        engine_of(env)->x87.ignored = false;
    env->fpus = (uint16_t)((env->fpus & ~(X87_ES | X87_BUSY)) | (pending ? X87_ES | X87_BUSY : 0));
}

/* Raises the pending exception (#MF), unless IGNNE# is active. Without CR0.NE the engine's owner does not deliver
 * it; the instruction waits until an interrupt comes. */
void x87_raise_pending(uc_env *env, uintptr_t retaddr)
{
    if (!(env->cr[0] & CR0_NE)) {
        if (engine_of(env)->x87.ignored)
            return;
        env->hflags &= ~(uint32_t)UC_HF_INHIBIT_IRQ; /* a shadow of STI must not delay that interrupt */
    }
    UC_INTERNAL(raise_exception_err_ra)(env, VECTOR_MF, 0, retaddr);
}

/* Executes FWAIT. */
void WRAP(helper_fwait)(uc_env *env)
{
    if (!x87_held(env)) /* else all exceptions are masked, and none is pending */
        x87_wait(env, X87_RETADDR);
}

/* Returns the instruction whose code calls at `retaddr`, and sets EIP to it. */
const isa_insn *x87_instruction(uc_env *env, uintptr_t retaddr)
{
    engine *e = engine_of(env);
    assert(stretch_block(e) != NULL && stretch_block(e)->code != NULL);
    const isa_block *code = stretch_block(e)->code;
    UC_INTERNAL(cpu_restore_state)(engine_cpu(e), retaddr, false);
    return block_insn(code->insns, code->count, engine_linear_eip(e));
}

/* Records `insn` as the last x87 instruction (FIP, FCS, opcode). EIP must be its own. */
static void record_instruction(uc_env *env, const isa_insn *insn)
{
    const isa_block *code = stretch_block(engine_of(env))->code;
    const uint8_t *bytes = code->bytes + (insn->address - code->linear) + insn->prefixes;
    env->fpip = env->eip;
    env->fpcs = (uint16_t)env->segs[ENGINE_CS].selector;
    env->fpop = x87_opcode(bytes);
}

/* Executes FNOP. */
void x87_nop(uc_env *env)
{
    uintptr_t retaddr = X87_RETADDR;
    if (!x87_held(env))
        x87_wait(env, retaddr);
    record_instruction(env, x87_instruction(env, retaddr));
}

/* Ends a store instruction that an unmasked exception prevents from storing at the linear address. */
void x87_end_unstored(uc_env *env, uint32_t linear, uintptr_t retaddr)
{
    engine *e = engine_of(env);
    const isa_block *code = stretch_block(e)->code;
    const isa_insn *insn = x87_instruction(env, retaddr);
    record_instruction(env, insn);
    engine_segment_name segment = operand_segment(insn, true, 0);
    env->fpdp = linear - (uint32_t)env->segs[segment].base;
    env->fpds = (uint16_t)env->segs[segment].selector;
    env->eip += insn->length;
    env->hflags &= ~(uint32_t)UC_HF_INHIBIT_IRQ;
    if (stretch_end(e, (unsigned)(insn - code->insns) + 1, engine_linear_eip(e), false))
        engine_request_attention(e);
    if (env->eflags & EFLAGS_TF)
        guard_trap(e, DR6_BS); /* the single-step trap */
    engine_resume(e);
}

void engine_ignore_math_error(engine *e)
{
    e->x87.ignored = true;
}

static void count_stack_fault(engine *e, bool overflow)
{
    e->x87.overflows += overflow;
    e->x87.underflows += !overflow;
}

void engine_x87_faults(const engine *e, uint64_t *underflows, uint64_t *overflows)
{
    *underflows = e->x87.underflows;
    *overflows = e->x87.overflows;
}

/* Sets IE, SF and C1. Returns whether IE is masked; if not, suppresses the instruction's result and pop. */
static bool stack_fault(uc_env *env, bool overflow)
{
    count_stack_fault(engine_of(env), overflow);
    env->fpus = (uint16_t)((env->fpus & ~X87_C1) | X87_IE | X87_SF | (overflow ? X87_C1 : 0));
    x87_update_summary(env);
    engine_of(env)->x87.suppressed = !(env->fpuc & X87_IE);
    return env->fpuc & X87_IE;
}

bool x87_underflow(uc_env *env)
{
    return stack_fault(env, false);
}

bool x87_overflow(uc_env *env)
{
    return stack_fault(env, true);
}

/* --- Images: the state as a 32-bit FNSAVE stores it. The registers are in the order of the stack, the tags in that
 * of the physical registers --- */

static void put_register(uint8_t image[X87_IMAGE_BYTES], unsigned i, const uc_fpreg *value)
{
    memcpy(image + X87_IMAGE_REGISTERS + X87_REGISTER_BYTES * i, value->bytes, X87_REGISTER_BYTES);
}

/* Sets ST(i) to register `from` of the image. */
static void take_register(uc_env *env, unsigned i, const uint8_t image[X87_IMAGE_BYTES], unsigned from)
{
    memcpy(x87_st(env, i)->bytes, image + X87_IMAGE_REGISTERS + X87_REGISTER_BYTES * from,
           X87_REGISTER_BYTES);
    env->fptags[x87_slot(env, i)] = 0;
}

void x87_to_image(const uc_env *env, uint8_t image[X87_IMAGE_BYTES])
{
    uint16_t status = x87_status_word(env), tags = x87_tag_word(env);
    memset(image, 0, X87_IMAGE_BYTES);
    memcpy(image, &env->fpuc, 2);
    memcpy(image + X87_IMAGE_STATUS, &status, 2);
    memcpy(image + X87_IMAGE_TAGS, &tags, 2);
    for (unsigned i = 0; i < 8; i++)
        put_register(image, i, &env->fpregs[x87_slot(env, i)]);
}

void x87_from_image(uc_env *env, const uint8_t image[X87_IMAGE_BYTES])
{
    uint16_t status, tags;
    memcpy(&status, image + X87_IMAGE_STATUS, 2);
    memcpy(&tags, image + X87_IMAGE_TAGS, 2);
    env->fpstt = status >> 11 & 7;
    env->fpus = (uint16_t)(status & ~(unsigned)X87_TOP);
    for (unsigned i = 0; i < 8; i++) {
        take_register(env, i, image, i);
        env->fptags[x87_slot(env, i)] = (tags >> 2 * x87_slot(env, i) & 3) == 3;
    }
}

/* Makes an image with the operands, executes the operation on it, and takes over status word, stack and results.
 * Returns whether an operand was invalid or a divisor zero. */
bool x87_exact(uc_env *env, x87_operation *operation, const x87_operands *operands, unsigned to)
{
    /* The image's TOP is 0, so ST(0), ST(1) and ST(7) are its registers 0, 1 and 7. ST(7) only matters as
     * full or empty. */
    uint8_t image[X87_IMAGE_BYTES] = {0};
    uint16_t status = env->fpus & X87_CC, tags = 0xffff;
    if (operands->a && !operands->a_empty)
        tags &= (uint16_t)~0x0003u;
    if (operands->b && !operands->b_empty)
        tags &= (uint16_t)~0x000cu;
    if (!x87_empty(env, 7))
        tags &= (uint16_t)~0xc000u;
    memcpy(image, &env->fpuc, 2);
    memcpy(image + X87_IMAGE_STATUS, &status, 2);
    memcpy(image + X87_IMAGE_TAGS, &tags, 2);
    if (operands->a)
        put_register(image, 0, operands->a);
    if (operands->b)
        put_register(image, 1, operands->b);
    operation(image, operands->memory);
    memcpy(&status, image + X87_IMAGE_STATUS, 2);
    memcpy(&tags, image + X87_IMAGE_TAGS, 2);

    env->fpus = (uint16_t)((env->fpus & ~X87_CC) | (status & (X87_CC | X87_EXCEPTIONS | X87_SF)));
    x87_update_summary(env);
    if (status & X87_SF)
        count_stack_fault(engine_of(env), (status & X87_C1) != 0);
    bool before = status & ~env->fpuc & (X87_IE | X87_DE | X87_ZE); /* detected before there was a result */
    bool refused = status & (X87_IE | X87_ZE);
    engine_of(env)->x87.suppressed = before;
    if (before)
        return refused;
    unsigned top = status >> 11 & 7;
    if (top == 7) { /* pushed */
        env->fpstt = (env->fpstt - 1) & 7;
        take_register(env, 0, image, 0);
        take_register(env, 1, image, 1);
    } else if (top == 1) { /* popped */
        x87_pop(env);
        take_register(env, 0, image, 0);
    } else if ((tags & 3) != 3) { /* the image's ST(0) is not empty */
        take_register(env, to, image, 0);
    }
    return refused;
}

/* --- Conversions without the host's x87, whose flags do not change --- */

uc_fpreg x87_from_integer(int64_t number)
{
    if (number == 0)
        return (uc_fpreg){.mantissa = 0};
    uint64_t magnitude = number < 0 ? -(uint64_t)number : (uint64_t)number;
    unsigned shift = (unsigned)__builtin_clzll(magnitude);
    return (uc_fpreg){.mantissa = magnitude << shift,
                      .exponent = (uint16_t)((0x3fff + 63 - shift) | (number < 0 ? SIGN : 0))};
}

/* Converts from a format with `bits` of fraction below an exponent of `exponent_bits`. Denormal numbers become
 * normal ones; signalling NaNs stay signalling. */
static uc_fpreg from_format(uint64_t number, unsigned bits, unsigned exponent_bits)
{
    uint64_t fraction = number & ((1ull << bits) - 1);
    unsigned top = (1u << exponent_bits) - 1, exponent = (unsigned)(number >> bits) & top;
    uint16_t sign = (uint16_t)((number >> (bits + exponent_bits) & 1) * SIGN);
    unsigned bias = 0x3fff - (top >> 1);
    if (exponent == top)
        return (uc_fpreg){.mantissa = 1ull << 63 | fraction << (63 - bits),
                          .exponent = (uint16_t)(EXPONENT_MASK | sign)};
    if (exponent)
        return (uc_fpreg){.mantissa = 1ull << 63 | fraction << (63 - bits),
                          .exponent = (uint16_t)((exponent + bias) | sign)};
    if (!fraction)
        return (uc_fpreg){.exponent = sign};
    unsigned shift = (unsigned)__builtin_clzll(fraction);
    return (uc_fpreg){.mantissa = fraction << shift,
                      .exponent = (uint16_t)((bias + 1 + 63 - bits - shift) | sign)};
}

uc_fpreg x87_from_m32(uint32_t number)
{
    return from_format(number, 23, 8);
}

uc_fpreg x87_from_m64(uint64_t number)
{
    return from_format(number, 52, 11);
}

/* Returns a register's value as a double: truncated, and at least the smallest normal number unless it is zero. */
static uint64_t as_double(const uc_fpreg *r)
{
    uint64_t sign = (uint64_t)(r->exponent & SIGN) << 48;
    int exponent = (r->exponent & EXPONENT_MASK) - 0x3fff + 1023;
    if ((r->exponent & EXPONENT_MASK) == EXPONENT_MASK) /* infinity, or a NaN with some bit set */
        return sign | 0x7ffull << 52 | (r->mantissa << 1 ? 1ull << 51 : 0);
    if (exponent >= 0x7ff)
        return sign | 0x7ffull << 52;
    if (exponent <= 0 || !(r->mantissa >> 63)) /* too small, or an unsupported format */
        return sign | (r->mantissa ? 1ull << 52 : 0);
    return sign | (uint64_t)exponent << 52 | (r->mantissa << 1 >> 12);
}

/* Records operands of an instruction whose clocks depend on them. */
void x87_value(engine *e, const uc_fpreg *a, const uc_fpreg *b)
{
    value_put(e, (p5_value){.a = as_double(a),
                            .b = b ? as_double(b) : 0,
                            .fpu_control = e->env->fpuc,
                            .kind = ISA_VALUE_X87});
}
