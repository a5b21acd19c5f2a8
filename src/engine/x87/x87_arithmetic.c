/* FADD, FSUB, FMUL, FDIV and their reverses, and comparisons: what is recorded of their operands for the model, and
 * their execution where x87_whole_operate.c cannot use the host's x87. `retaddr` is where the running helper
 * function returns to in translated code; it identifies the instruction. */
#include <assert.h>

#include "engine/stretch/stretch.h"
#include "engine/x87/x87_internal.h"

/* --- Safe instruction recognition --- */

/* Finds the instruction by `retaddr`, and marks it in the record of the running block. The block then goes into no
 * batch. */
void __attribute__((noinline)) x87_mark(engine *e, unsigned marks, uintptr_t retaddr)
{
    const engine_block *b = stretch_block(e);
    assert(b != NULL && marks != 0);
    UC_INTERNAL(cpu_restore_state)(engine_cpu(e), retaddr, false);
    uint32_t at = engine_linear_eip(e);
    for (unsigned i = 0; i < b->count; i++) {
        if (b->linear + b->marks[i].offset == at)
            stretch_mark_unsafe(e, i, marks);
    }
    stretch_no_batch(e);
}

/* Marks the instruction if an operand is unsafe (x87_safe) or the precision exception is unmasked. Records the
 * operands of a division, whose clocks depend on them. */
static void recognise(uc_env *env, x87_binary which, const uc_fpreg *to, const uc_fpreg *other,
                      uintptr_t retaddr)
{
    engine *e = engine_of(env);
    if (!x87_safe(e, to) || !x87_safe(e, other) || !(env->fpuc & X87_PE))
        x87_mark(e, P5_X87_UNSAFE, retaddr);
    if (which >= X87_DIV) { /* records ST(0) first, whichever of them receives the result */
        bool to_top = to == x87_st(env, 0);
        x87_value(e, to_top ? to : other, to_top ? other : to);
    }
}

/* Returns the operand that was fetched before (x87_set_operand, x87_register_operand), in the format of a register. */
static uc_fpreg as_register(const engine *e)
{
    switch (e->x87.operand_kind) {
    case X87_M32:
        return x87_from_m32((uint32_t)e->x87.operand);
    case X87_M64:
        return x87_from_m64(e->x87.operand);
    case X87_I32:
        return x87_from_integer((int32_t)e->x87.operand);
    default:
        return e->x87.operand_register;
    }
}

void x87_recognise_operand(uc_env *env, x87_binary which, uintptr_t retaddr)
{
    uc_fpreg operand = as_register(engine_of(env));
    recognise(env, which, x87_st(env, 0), &operand, retaddr);
}

void x87_recognise_registers(uc_env *env, x87_binary which, unsigned a, unsigned b, uintptr_t retaddr)
{
    recognise(env, which, x87_st(env, a), x87_st(env, b), retaddr);
}

/* --- Two operands --- */

/* operations[x87_binary][x87_operand] */
#define BY_OPERAND(name)                                                                                     \
    {                                                                                                        \
        x87_##name##_register, x87_##name##_m32, x87_##name##_m64, x87_##name##_i32                          \
    }
static x87_operation *const operations[][4] = {BY_OPERAND(fadd), BY_OPERAND(fsub), BY_OPERAND(fsubr),
                                               BY_OPERAND(fmul), BY_OPERAND(fdiv), BY_OPERAND(fdivr)};

/* Returns ST(0) and the operand that was fetched before, as the operands of x87_exact. */
static x87_operands with_operand(uc_env *env)
{
    const engine *e = engine_of(env);
    bool memory = e->x87.operand_kind != X87_REGISTER;
    return (x87_operands){.a = x87_st(env, 0),
                          .a_empty = x87_empty(env, 0),
                          .b = memory ? NULL : &e->x87.operand_register,
                          .b_empty = !memory && e->x87.operand_empty,
                          .memory = &e->x87.operand};
}

/* Computes ST(0) op the operand that was fetched before. */
void x87_binary_operand(uc_env *env, x87_binary which, uintptr_t retaddr)
{
    engine *e = engine_of(env);
    x87_operands o = with_operand(env);
    if (x87_exact(env, operations[which][e->x87.operand_kind], &o, 0))
        x87_mark(e, P5_X87_REFUSED, retaddr);
}

/* Computes ST(a) op ST(b) to ST(a). */
void x87_binary_registers(uc_env *env, x87_binary which, unsigned a, unsigned b, uintptr_t retaddr)
{
    x87_operands o = {
        .a = x87_st(env, a), .a_empty = x87_empty(env, a), .b = x87_st(env, b), .b_empty = x87_empty(env, b)};
    if (x87_exact(env, operations[which][X87_REGISTER], &o, a))
        x87_mark(engine_of(env), P5_X87_REFUSED, retaddr);
}

/* Defines the function that replaces Unicorn's for ST(0) op the operand fetched before. */
#define ARITHMETIC(name, which)                                                                              \
    void WRAP(helper_##name##_ST0_FT0)(uc_env * env)                                                         \
    {                                                                                                        \
        x87_wait(env, X87_RETADDR);                                                                          \
        x87_recognise_operand(env, which, X87_RETADDR);                                                      \
        x87_binary_operand(env, which, X87_RETADDR);                                                         \
    }
ARITHMETIC(fadd, X87_ADD)
ARITHMETIC(fsub, X87_SUB)
ARITHMETIC(fsubr, X87_SUBR)
ARITHMETIC(fmul, X87_MUL)
ARITHMETIC(fdiv, X87_DIV)
ARITHMETIC(fdivr, X87_DIVR)

/* --- Comparisons: only condition codes --- */

/* Compares ST(0) with the operand that was fetched before, and sets only condition codes and exceptions. `unordered`:
 * as FUCOM. */
void x87_compare_operand(uc_env *env, bool unordered)
{
    static x87_operation *const ordered[] = {x87_fcom_register, x87_fcom_m32, x87_fcom_m64, x87_fcom_i32,
                                             x87_ftst};
    x87_operands o = with_operand(env);
    x87_exact(env, unordered ? x87_fucom : ordered[engine_of(env)->x87.operand_kind], &o, 0);
}

void WRAP(helper_fcom_ST0_FT0)(uc_env *env)
{
    x87_wait(env, X87_RETADDR);
    x87_compare_operand(env, false);
}

void WRAP(helper_fucom_ST0_FT0)(uc_env *env)
{
    x87_wait(env, X87_RETADDR);
    x87_compare_operand(env, true);
}

/* Executes FCOMI or FUCOMI of later processors: the result goes to ZF, PF and CF, and OF, SF and AF become 0. With an
 * unmasked exception, EFLAGS stay. */
static void compare_to_flags(uc_env *env, bool unordered, uintptr_t retaddr)
{
    x87_wait(env, retaddr);
    const uint16_t before = env->fpus;
    x87_compare_operand(env, unordered);
    const uint16_t after = env->fpus;
    x87_set_conditions(env, before, X87_C0 | X87_C2 | X87_C3);
    /* C0, C2 and C3 are 8 bits above CF, PF and ZF. */
    env->cc_src = (after & X87_ES) == 0 ? (after & (X87_C0 | X87_C2 | X87_C3)) >> 8
                                        : UC_INTERNAL(cpu_cc_compute_all)(env, (int)env->cc_op);
}
#define COMPARE_TO_FLAGS(name, unordered)                                                                    \
    void WRAP(helper_##name##_ST0_FT0)(uc_env * env)                                                         \
    {                                                                                                        \
        compare_to_flags(env, unordered, X87_RETADDR);                                                       \
    }
COMPARE_TO_FLAGS(fcomi, false)
COMPARE_TO_FLAGS(fucomi, true)

/* --- Helper functions that fetch the second operand, before one of those above --- */

/* Fetches an operand from memory, whose bits are given. */
void x87_set_operand(uc_env *env, x87_operand kind, uint64_t bits)
{
    engine *e = engine_of(env);
    e->x87.operand_kind = (uint8_t)kind;
    e->x87.operand = bits;
    e->x87.operand_empty = false;
}

void WRAP(helper_flds_FT0)(uc_env *env, uint32_t number)
{
    x87_set_operand(env, X87_M32, number);
}

void WRAP(helper_fldl_FT0)(uc_env *env, uint64_t number)
{
    x87_set_operand(env, X87_M64, number);
}

void WRAP(helper_fildl_FT0)(uc_env *env, int32_t number)
{
    x87_set_operand(env, X87_I32, (uint32_t)number);
}

void WRAP(helper_fldz_FT0)(uc_env *env)
{
    x87_set_operand(env, X87_ZERO, 0);
}

/* Fetches ST(i) as the operand. */
void x87_register_operand(uc_env *env, unsigned i)
{
    engine *e = engine_of(env);
    x87_settle(e);
    e->x87.operand_kind = X87_REGISTER;
    e->x87.operand_register = *x87_st(env, i);
    e->x87.operand_empty = x87_empty(env, i);
}

void WRAP(helper_fmov_FT0_STN)(uc_env *env, int i)
{
    x87_register_operand(env, (unsigned)i);
}
