/* FADD, FSUB, FMUL, FDIV and their reverses, comparisons, FSQRT, FRNDINT, FABS, FCHS, FXAM, FPREM, FSCALE. */
#include <string.h>

#include "engine/x87.h"

/* --- Safe instruction recognition --- */

/* x87_safe says which operands are; with inexact unmasked none is. */

/* Marks the instruction that calls at `retaddr` in the mask of its stretch. */
static void __attribute__((noinline)) mark_unsafe(engine *e, uintptr_t retaddr)
{
    const engine_block *b = e->current;
    UC_INTERNAL(cpu_restore_state)(engine_cpu(e), retaddr, false);
    uint32_t at = engine_linear_eip(e);
    for (unsigned i = 0; i < b->count; i++) {
        if (b->linear + b->marks[i].offset == at)
            e->unsafe[i] = 1;
    }
    e->retired.unsafe_x87 = true;
}

static inline void recognise(engine *e, const uc_fpreg *a, const uc_fpreg *b, uintptr_t retaddr)
{
    if (__builtin_expect(!x87_safe(e, a) || !x87_safe(e, b) || !(e->env->fpuc & X87_PE), 0))
        mark_unsafe(e, retaddr);
}

/* --- Two operands --- */

/* One operation in all its forms: on the bare operands in the host's ST(0) and ST(1) or memory, and between
 * FRSTOR and FNSAVE. */
typedef struct binary_forms {
    x87_operation *exact[4]; /* by x87_operand */
    uint16_t (*plain[4])(uc_fpreg *result, const uc_fpreg *a, const uc_fpreg *b, const void *memory);
} binary_forms;

#define EXACT(name, insn)                                                                                    \
    static void name(uint8_t image[108], const void *memory)                                                 \
    {                                                                                                        \
        __asm__ volatile("frstor (%0)\n\t" insn "\n\tfnsave (%0)"                                            \
                         :                                                                                   \
                         : "r"(image), "r"(memory)                                                           \
                         : X87_CLOBBERS);                                                                    \
    }
#define PLAIN_REGISTER(name, insn)                                                                           \
    static uint16_t name(uc_fpreg *result, const uc_fpreg *a, const uc_fpreg *b, const void *memory)         \
    {                                                                                                        \
        uint16_t status;                                                                                     \
        (void)memory;                                                                                        \
        __asm__ volatile("fldt %3\n\tfldt %2\n\t" insn "\n\tfnstsw %1\n\tfstpt %0\n\tfstp %%st(0)"           \
                         : "=m"(*result), "=&a"(status)                                                      \
                         : "m"(*a), "m"(*b)                                                                  \
                         : X87_CLOBBERS);                                                                    \
        return status;                                                                                       \
    }
#define PLAIN_MEMORY(name, insn)                                                                             \
    static uint16_t name(uc_fpreg *result, const uc_fpreg *a, const uc_fpreg *b, const void *memory)         \
    {                                                                                                        \
        uint16_t status;                                                                                     \
        (void)b;                                                                                             \
        __asm__ volatile("fldt %2\n\t" insn "\n\tfnstsw %1\n\tfstpt %0"                                      \
                         : "=m"(*result), "=&a"(status)                                                      \
                         : "m"(*a), "r"(memory)                                                              \
                         : X87_CLOBBERS);                                                                    \
        return status;                                                                                       \
    }
/* In EXACT the memory operand is %1, in PLAIN_MEMORY it is %3. */
#define BINARY(name, op, integer_op)                                                                         \
    EXACT(name##_exact_register, op " %%st(1), %%st")                                                        \
    EXACT(name##_exact_m32, op "s (%1)")                                                                     \
    EXACT(name##_exact_m64, op "l (%1)")                                                                     \
    EXACT(name##_exact_i32, integer_op "l (%1)")                                                             \
    PLAIN_REGISTER(name##_plain_register, op " %%st(1), %%st")                                               \
    PLAIN_MEMORY(name##_plain_m32, op "s (%3)")                                                              \
    PLAIN_MEMORY(name##_plain_m64, op "l (%3)")                                                              \
    PLAIN_MEMORY(name##_plain_i32, integer_op "l (%3)")                                                      \
    static const binary_forms name = {                                                                       \
        {name##_exact_register, name##_exact_m32, name##_exact_m64, name##_exact_i32},                       \
        {name##_plain_register, name##_plain_m32, name##_plain_m64, name##_plain_i32}};
BINARY(add, "fadd", "fiadd")
BINARY(sub, "fsub", "fisub")
BINARY(subr, "fsubr", "fisubr")
BINARY(mul, "fmul", "fimul")
BINARY(divide, "fdiv", "fidiv")
BINARY(divider, "fdivr", "fidivr")

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

/* ST(to) = a op b, b being a register or what stands in memory. */
static inline void binary(uc_env *env, const binary_forms *forms, unsigned kind, const x87_operands *o,
                          unsigned to, bool division, uintptr_t retaddr)
{
    engine *e = engine_of(env);
    x87_wait(env, retaddr);
    uc_fpreg other = kind == X87_REGISTER ? *o->b : as_register(e), result;
    recognise(e, o->a, &other, retaddr);
    if (division) /* ST(0) first, whichever of them receives the result */
        x87_value(e, to == 0 ? o->a : &other, to == 0 ? &other : o->a);
    e->x87.suppressed = false;
    if (__builtin_expect(x87_plain(env) && !o->a_empty && !o->b_empty, 1)) {
        x87_control_enter(env);
        uint16_t status = forms->plain[kind](&result, o->a, o->b, o->memory);
        x87_control_leave(env);
        if (__builtin_expect(x87_nothing_new(env, status), 1)) {
            memcpy(x87_st(env, to)->bytes, result.bytes, 10);
            x87_set_conditions(env, status, X87_C1);
            return;
        }
    }
    x87_exact(env, forms->exact[kind], o, to);
}

/* op ST(0), operand fetched before. */
static inline void with_operand(uc_env *env, const binary_forms *forms, bool division, uintptr_t retaddr)
{
    engine *e = engine_of(env);
    bool memory = e->x87.operand_kind != X87_REGISTER;
    x87_operands o = {.a = x87_st(env, 0),
                      .a_empty = x87_empty(env, 0),
                      .b = memory ? NULL : &e->x87.operand_register,
                      .b_empty = !memory && e->x87.operand_empty,
                      .memory = &e->x87.operand};
    binary(env, forms, e->x87.operand_kind, &o, 0, division, retaddr);
}

static const binary_forms *const operations[] = {&add, &sub, &subr, &mul, &divide, &divider};

void x87_binary_operand(uc_env *env, x87_binary which, uintptr_t retaddr)
{
    with_operand(env, operations[which], which >= X87_DIVIDE, retaddr);
}

void x87_binary_registers(uc_env *env, x87_binary which, unsigned a, unsigned b, uintptr_t retaddr)
{
    x87_operands o = {
        .a = x87_st(env, a), .a_empty = x87_empty(env, a), .b = x87_st(env, b), .b_empty = x87_empty(env, b)};
    binary(env, operations[which], X87_REGISTER, &o, a, which >= X87_DIVIDE, retaddr);
}

#define ARITHMETIC(name, which)                                                                              \
    void WRAP(helper_##name##_ST0_FT0)(uc_env * env);                                                        \
    void WRAP(helper_##name##_ST0_FT0)(uc_env * env)                                                         \
    {                                                                                                        \
        x87_binary_operand(env, which, X87_RETADDR);                                                         \
    }                                                                                                        \
    void WRAP(helper_##name##_STN_ST0)(uc_env * env, int i);                                                 \
    void WRAP(helper_##name##_STN_ST0)(uc_env * env, int i)                                                  \
    {                                                                                                        \
        x87_binary_registers(env, which, (unsigned)i, 0, X87_RETADDR);                                       \
    }
ARITHMETIC(fadd, X87_ADD)
ARITHMETIC(fsub, X87_SUB)
ARITHMETIC(fsubr, X87_SUBR)
ARITHMETIC(fmul, X87_MUL)
ARITHMETIC(fdiv, X87_DIVIDE)
ARITHMETIC(fdivr, X87_DIVIDER)

/* --- Comparisons: only condition codes --- */

EXACT(com_exact_register, "fcom %%st(1)")
EXACT(com_exact_m32, "fcoms (%1)")
EXACT(com_exact_m64, "fcoml (%1)")
EXACT(com_exact_i32, "ficoml (%1)")
EXACT(tst_exact, "ftst")
EXACT(ucom_exact, "fucom %%st(1)")
PLAIN_REGISTER(com_plain_register, "fcom %%st(1)")
PLAIN_MEMORY(com_plain_m32, "fcoms (%3)")
PLAIN_MEMORY(com_plain_m64, "fcoml (%3)")
PLAIN_MEMORY(com_plain_i32, "ficoml (%3)")
PLAIN_MEMORY(tst_plain, "ftst")
PLAIN_REGISTER(ucom_plain, "fucom %%st(1)")

typedef uint16_t plain_operation(uc_fpreg *, const uc_fpreg *, const uc_fpreg *, const void *);

static void compare(uc_env *env, x87_operation *exact, plain_operation *plain, uintptr_t retaddr)
{
    engine *e = engine_of(env);
    x87_wait(env, retaddr);
    bool memory = e->x87.operand_kind != X87_REGISTER;
    x87_operands o = {.a = x87_st(env, 0),
                      .a_empty = x87_empty(env, 0),
                      .b = memory ? NULL : &e->x87.operand_register,
                      .b_empty = !memory && e->x87.operand_empty,
                      .memory = &e->x87.operand};
    e->x87.suppressed = false;
    if (__builtin_expect(x87_plain(env) && !o.a_empty && !o.b_empty, 1)) {
        uc_fpreg unused;
        uint16_t status = plain(&unused, o.a, o.b, o.memory);
        if (__builtin_expect(x87_nothing_new(env, status), 1)) {
            x87_set_conditions(env, status, X87_CC);
            return;
        }
    }
    uc_fpreg kept = *o.a;
    bool kept_empty = o.a_empty;
    x87_exact(env, exact, &o, 0);
    *x87_st(env, 0) = kept;
    env->fptags[x87_slot(env, 0)] = kept_empty;
}

void x87_compare_operand(uc_env *env, bool unordered, uintptr_t retaddr)
{
    static x87_operation *const exact[] = {com_exact_register, com_exact_m32, com_exact_m64, com_exact_i32,
                                           tst_exact};
    static plain_operation *const plain[] = {com_plain_register, com_plain_m32, com_plain_m64, com_plain_i32,
                                             tst_plain};
    unsigned kind = engine_of(env)->x87.operand_kind;
    if (unordered)
        compare(env, ucom_exact, ucom_plain, retaddr);
    else
        compare(env, exact[kind], plain[kind], retaddr);
}

void WRAP(helper_fcom_ST0_FT0)(uc_env *env);
void WRAP(helper_fcom_ST0_FT0)(uc_env *env)
{
    x87_compare_operand(env, false, X87_RETADDR);
}

void WRAP(helper_fucom_ST0_FT0)(uc_env *env);
void WRAP(helper_fucom_ST0_FT0)(uc_env *env)
{
    x87_compare_operand(env, true, X87_RETADDR);
}

/* --- Operands of the above --- */

void x87_set_operand(uc_env *env, x87_operand kind, uint64_t bits)
{
    engine *e = engine_of(env);
    e->x87.operand_kind = (uint8_t)kind;
    e->x87.operand = bits;
    e->x87.operand_empty = false;
}

void WRAP(helper_flds_FT0)(uc_env *env, uint32_t number);
void WRAP(helper_flds_FT0)(uc_env *env, uint32_t number)
{
    x87_set_operand(env, X87_M32, number);
}

void WRAP(helper_fldl_FT0)(uc_env *env, uint64_t number);
void WRAP(helper_fldl_FT0)(uc_env *env, uint64_t number)
{
    x87_set_operand(env, X87_M64, number);
}

void WRAP(helper_fildl_FT0)(uc_env *env, int32_t number);
void WRAP(helper_fildl_FT0)(uc_env *env, int32_t number)
{
    x87_set_operand(env, X87_I32, (uint32_t)number);
}

void WRAP(helper_fldz_FT0)(uc_env *env);
void WRAP(helper_fldz_FT0)(uc_env *env)
{
    x87_set_operand(env, X87_ZERO, 0);
}

void x87_register_operand(uc_env *env, unsigned i)
{
    engine *e = engine_of(env);
    e->x87.operand_kind = X87_REGISTER;
    e->x87.operand_register = env->ft0 = *x87_st(env, i); /* FT0 is for later processors' FCOMI */
    e->x87.operand_empty = x87_empty(env, i);
}

void WRAP(helper_fmov_FT0_STN)(uc_env *env, int i);
void WRAP(helper_fmov_FT0_STN)(uc_env *env, int i)
{
    x87_register_operand(env, (unsigned)i);
}
