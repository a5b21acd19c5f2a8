/* The x87, computed by the host's own if it has one. Unicorn's helper functions are replaced one by one; an
 * instruction is one to three of them (fetch the operand, operate, pop), of which x87_whole_operate.c and
 * x87_whole_move.c make one. Values and the status word come out as an x87 makes them, which Unicorn's
 * software arithmetic does not do.
 *
 * While the guest masks all exceptions, its x87 is the host's (x87_host.h). Otherwise, for transcendental
 * functions, and on hosts without an x87, its registers are in Unicorn's state, and an operation is computed
 * by integers on an image of them (x87_exact, x87_operation.h), stack faults and unmasked exceptions too. */
#ifndef ENGINE_X87_X87_INTERNAL_H
#define ENGINE_X87_X87_INTERNAL_H

#include "engine/x87/x87.h"

enum {
    X87_IE = 1,
    X87_DE = 2,
    X87_ZE = 4,
    X87_OE = 8,
    X87_UE = 16,
    X87_PE = 32,
    X87_SF = 64,
    X87_ES = 0x80,
    X87_C0 = 0x100,
    X87_C1 = 0x200,
    X87_C2 = 0x400,
    X87_C3 = 0x4000,
    X87_BUSY = 0x8000,
    X87_CC = X87_C0 | X87_C1 | X87_C2 | X87_C3,
    X87_EXCEPTIONS = 0x3f,
    X87_DEFAULT_CONTROL = 0x37f
};

/* Kinds of the operand that the first helper of an instruction fetched. */
typedef enum x87_operand { X87_REGISTER, X87_M32, X87_M64, X87_I32, X87_ZERO } x87_operand;

static inline unsigned x87_slot(const uc_env *env, unsigned i)
{
    return (env->fpstt + i) & 7;
}
static inline uc_fpreg *x87_st(uc_env *env, unsigned i)
{
    return &env->fpregs[x87_slot(env, i)];
}
static inline bool x87_empty(const uc_env *env, unsigned i)
{
    return env->fptags[x87_slot(env, i)];
}
static inline void x87_set(uc_env *env, unsigned i, const uc_fpreg *value)
{
    *x87_st(env, i) = *value;
    env->fptags[x87_slot(env, i)] = 0;
}

static inline void x87_pop(uc_env *env)
{
    env->fptags[x87_slot(env, 0)] = 1;
    env->fpstt = (env->fpstt + 1) & 7;
}

uint16_t x87_status_word(const uc_env *env);
uint16_t x87_tag_word(const uc_env *env);
/* ES and B follow from the flags and the masks. */
void x87_update_summary(uc_env *env);

/* True if nothing is unmasked, so that no exception can ever be pending. */
static inline bool x87_masked(uint16_t control)
{
    return (control & X87_EXCEPTIONS) == X87_EXCEPTIONS;
}

static inline bool x87_held(const uc_env *env)
{
    return X87_BY_HOST && engine_of(env)->x87.place == X87_IN_HOST;
}

/* A waiting instruction begins that looks at Unicorn's state: vector 16 is raised if an unmasked exception is
 * pending. Without CR0.NE it is not to be delivered: the owner's board answers FERR# (event.c), unless it has
 * activated IGNNE#. */
void x87_raise_pending(uc_env *env, uintptr_t retaddr);
static inline void x87_wait(uc_env *env, uintptr_t retaddr)
{
    x87_settle(engine_of(env));
    if (__builtin_expect(env->fpus & X87_ES, 0))
        x87_raise_pending(env, retaddr);
}
/* The instruction of the running block that calls at `retaddr`; EIP is at it afterwards. */
const isa_insn *x87_instruction(uc_env *env, uintptr_t retaddr);
/* The end of a store at `linear` that an unmasked exception keeps from storing: it makes no reference. The
 * block ends behind it, as only the last instruction of a stretch may make fewer references than it has. */
_Noreturn void x87_end_unstored(uc_env *env, uint32_t linear, uintptr_t retaddr);
#define X87_RETADDR ((uintptr_t)__builtin_return_address(0))

/* Stack faults of loads, stores and moves. True if masked: the result is the indefinite number. */
bool x87_underflow(uc_env *env);
bool x87_overflow(uc_env *env);
extern const uc_fpreg x87_indefinite;

/* An operation on an image of the guest's state, with ST(0) = a, ST(1) = b and the memory operand `memory`.
 * The result goes to `to`, or to the stack as the operation pushed or popped. */
typedef struct x87_operands {
    const uc_fpreg *a, *b; /* NULL = not there */
    bool a_empty, b_empty;
    const void *memory;
} x87_operands;
/* True if it found an operand invalid (stack faults too) or a divisor zero, masked or not. */
bool x87_exact(uc_env *env, x87_operation *operation, const x87_operands *operands, unsigned to);
/* What the model is to know of the instruction that calls at `retaddr`: P5_X87_*. */
void x87_mark(engine *e, unsigned marks, uintptr_t retaddr);

/* The operand of an instruction, for the functions below: as X87_REGISTER by x87_register_operand, else in
 * its memory format by x87_set_operand. */
void x87_set_operand(uc_env *env, x87_operand kind, uint64_t bits);
void x87_register_operand(uc_env *env, unsigned i);

/* Two-operand operations and comparisons (x87_arithmetic.c): ST(0) op that operand, or ST(a) op ST(b) to
 * ST(a), one of which is ST(0). Recognition comes before the operation: it marks the instruction that calls
 * at `retaddr` if an operand is unsafe, and reports the operands of divisions. */
typedef enum x87_binary { X87_ADD, X87_SUB, X87_SUBR, X87_MUL, X87_DIVIDE, X87_DIVIDER } x87_binary;
void x87_recognise_operand(uc_env *env, x87_binary which, uintptr_t retaddr);
void x87_recognise_registers(uc_env *env, x87_binary which, unsigned a, unsigned b, uintptr_t retaddr);
void x87_binary_operand(uc_env *env, x87_binary which, uintptr_t retaddr);
void x87_binary_registers(uc_env *env, x87_binary which, unsigned a, unsigned b, uintptr_t retaddr);
void x87_compare_operand(uc_env *env, bool unordered);

/* FADD, FSUB, FMUL and FDIV are unsafe ("safe instruction recognition") if an operand's exponent lies outside
 * the processor's window or the operand is special. Exponents with their bias of 3FFFh. Zero needs no
 * exponent. */
static inline bool x87_safe(const engine *e, const uc_fpreg *r)
{
    unsigned exponent = r->exponent & 0x7fff;
    bool inside = exponent - e->x87.safe_low <= e->x87.safe_span && r->mantissa >> 63;
    return __builtin_expect(inside, 1) || (r->mantissa == 0 && exponent == 0);
}

static inline void x87_set_conditions(uc_env *env, uint16_t host, unsigned which)
{
    env->fpus = (uint16_t)((env->fpus & ~which) | (host & which));
}

/* Operands of operations whose clocks depend on them, as doubles (truncated). */
void x87_value(engine *e, const uc_fpreg *a, const uc_fpreg *b);
/* A number in memory or in a register as an extended one; exact. */
uc_fpreg x87_from_m32(uint32_t number);
uc_fpreg x87_from_m64(uint64_t number);
uc_fpreg x87_from_integer(int64_t number);

#endif
