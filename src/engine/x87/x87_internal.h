/* The x87, computed by the host's own if it has one. The functions here replace Unicorn's helper functions one
 * by one. An instruction is one to three of these (fetch the operand, operate, pop); x87_whole_operate.c and
 * x87_whole_move.c join them. Values and the status word are those of an x87, unlike those of Unicorn's
 * software arithmetic.
 *
 * While the guest masks all exceptions, its instructions run on the host's x87 (x87_host.h). Otherwise, for
 * transcendental functions, and on hosts without an x87, the registers are in Unicorn's state, and an operation
 * is computed by integers on an image of them (x87_exact, x87_operation.h), including stack faults and unmasked
 * exceptions. */
#ifndef ENGINE_X87_X87_INTERNAL_H
#define ENGINE_X87_X87_INTERNAL_H

#include "engine/x87/x87.h"

/* Bits of the status word. The exceptions' bits are also their masks in the control word. */
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
    X87_TOP = 0x3800,
    X87_C3 = 0x4000,
    X87_BUSY = 0x8000,
    X87_CC = X87_C0 | X87_C1 | X87_C2 | X87_C3,
    X87_EXCEPTIONS = 0x3f,
    X87_DEFAULT_CONTROL = 0x37f
};

/* Kinds of the operand that the first helper of an instruction fetched. */
typedef enum x87_operand { X87_REGISTER, X87_M32, X87_M64, X87_I32, X87_ZERO /* of FTST */ } x87_operand;

/* The following functions access ST(i) in Unicorn's state. */

/* Returns the number of the physical register. */
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
/* Writes a value to ST(i), which is then not empty. */
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
/* Sets ES and B, which follow from the flags and the masks. */
void x87_update_summary(uc_env *env);

/* Returns whether all exceptions are masked, so that none can be pending. */
static inline bool x87_masked(uint16_t control)
{
    return (control & X87_EXCEPTIONS) == X87_EXCEPTIONS;
}

/* Returns whether the host's x87 holds the guest's registers. */
static inline bool x87_held(const uc_env *env)
{
    return X87_BY_HOST && engine_of(env)->x87.place == X87_IN_HOST;
}

/* Begin a waiting instruction that uses Unicorn's state: x87_wait moves the registers there. They raise vector 16 if an
 * unmasked exception is pending; `retaddr` is where the caller returns to in translated code, to find the instruction.
 * Without CR0.NE, the engine's owner does not deliver the vector but asserts FERR# to its board; and while IGNNE# is
 * active, nothing is raised. */
void x87_raise_pending(uc_env *env, uintptr_t retaddr);
static inline void x87_wait(uc_env *env, uintptr_t retaddr)
{
    x87_settle(engine_of(env));
    if (__builtin_expect(env->fpus & X87_ES, 0))
        x87_raise_pending(env, retaddr);
}
/* Returns the instruction of the running block that calls at `retaddr`, and sets EIP to it. */
const isa_insn *x87_instruction(uc_env *env, uintptr_t retaddr);
/* Ends a store instruction that an unmasked exception prevents from storing at the address `linear`: records it as the
 * last x87 instruction, and continues after it. It makes no reference, so the block ends there: only the last
 * instruction of a stretch may make fewer references than it has. */
_Noreturn void x87_end_unstored(uc_env *env, uint32_t linear, uintptr_t retaddr);
/* Where the function returns to that uses this. */
#define X87_RETADDR ((uintptr_t)__builtin_return_address(0))

/* Set IE, SF and C1 for a stack fault outside x87_exact (loads, stores, moves, FABS, FCHS). Return true if IE is
 * masked: the result is the indefinite number. Otherwise there is no result, and no pop follows. */
bool x87_underflow(uc_env *env);
bool x87_overflow(uc_env *env);
extern const uc_fpreg x87_indefinite;

/* Operands of an operation on an image of the guest's state. `a` and `b` become ST(0) and ST(1) of the image,
 * whichever of the guest's registers they are. */
typedef struct x87_operands {
    const uc_fpreg *a, *b; /* NULL: empty in the image */
    bool a_empty, b_empty;
    const void *memory; /* the memory operand of an operation that has one */
} x87_operands;
/* Executes an operation. The result goes to the guest's ST(to), or to the top of its stack if the operation pushed
 * or popped. Returns whether an operand was invalid (including stack faults) or a divisor zero, masked or not. */
bool x87_exact(uc_env *env, x87_operation *operation, const x87_operands *operands, unsigned to);
/* Records P5_X87_* marks of the instruction that calls at `retaddr`, for the model. */
void x87_mark(engine *e, unsigned marks, uintptr_t retaddr);

/* Set the second operand for the functions below: a value in its format in memory, or ST(i). */
void x87_set_operand(uc_env *env, x87_operand kind, uint64_t bits);
void x87_register_operand(uc_env *env, unsigned i);

/* Two-operand operations and comparisons (x87_arithmetic.c). Functions with _operand compute ST(0) op the operand
 * set before; those with _registers compute ST(a) op ST(b) to ST(a), one of which is ST(0). The recognise functions
 * run before the operation: they mark the instruction that calls at `retaddr` if an operand is unsafe or the
 * precision exception is unmasked, and record the operands of divisions. Comparisons set condition codes only. */
typedef enum x87_binary { X87_ADD, X87_SUB, X87_SUBR, X87_MUL, X87_DIV, X87_DIVR } x87_binary;
void x87_recognise_operand(uc_env *env, x87_binary which, uintptr_t retaddr);
void x87_recognise_registers(uc_env *env, x87_binary which, unsigned a, unsigned b, uintptr_t retaddr);
void x87_binary_operand(uc_env *env, x87_binary which, uintptr_t retaddr);
void x87_binary_registers(uc_env *env, x87_binary which, unsigned a, unsigned b, uintptr_t retaddr);
void x87_compare_operand(uc_env *env, bool unordered);

/* Returns whether an operand is safe: zero, or a normal number whose exponent lies in the processor's window. FADD,
 * FSUB, FMUL and FDIV with any other operand are unsafe ("safe instruction recognition"). All exponents here include
 * the bias of 3FFFh. */
static inline bool x87_safe(const engine *e, const uc_fpreg *r)
{
    unsigned exponent = r->exponent & 0x7fff;
    bool inside = exponent - e->x87.safe_low <= e->x87.safe_span && r->mantissa >> 63;
    return __builtin_expect(inside, 1) || (r->mantissa == 0 && exponent == 0);
}

/* Copies the bits `which` of `status` to the status word in Unicorn's state. */
static inline void x87_set_conditions(uc_env *env, uint16_t status, unsigned which)
{
    env->fpus = (uint16_t)((env->fpus & ~which) | (status & which));
}

/* Records operands of an instruction whose clocks depend on them, as doubles (truncated). `b` NULL: there is one
 * operand. */
void x87_value(engine *e, const uc_fpreg *a, const uc_fpreg *b);
/* Convert a number to the format of registers, exactly. */
uc_fpreg x87_from_m32(uint32_t number);
uc_fpreg x87_from_m64(uint64_t number);
uc_fpreg x87_from_integer(int64_t number);

#endif
