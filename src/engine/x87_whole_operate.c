/* Whole x87 instructions with two operands: arithmetic and comparisons. */
#include "engine/x87_whole.h"

/* Infinities and NaNs are unsafe; everything else of these formats lies in the window of either processor. */
static inline bool safe_m32(uint64_t number)
{
    return (~number & 0x7f800000u) != 0;
}
static inline bool safe_m64(uint64_t number)
{
    return (~number & 0x7ff0000000000000u) != 0;
}
static inline bool safe_i32(uint64_t number)
{
    (void)number;
    return true;
}

/* --- FADD, FSUB, FMUL, FDIV and their reverses --- */

/* How far the result can reach. A sum of numbers of 64 bits of which neither is smaller than 2^-r is zero or
 * no smaller than 2^-(r + 63). A quotient may be infinite. */
static inline unsigned result_reach(x87_binary which, unsigned a, unsigned b)
{
    if (which == X87_MUL)
        return a + b + 1;
    if (which >= X87_DIVIDE)
        return X87_REACH_UNKNOWN;
    return (a > b ? a : b) + 64;
}

/* The model is told of the operands of a division, held, ST(0) first. */
static void __attribute__((noinline)) tell_division(uc_env *env, const uc_fpreg *operand, unsigned i)
{
    uc_fpreg top = {.mantissa = 0}, other = {.mantissa = 0};
    x87_host_value(0, &top);
    if (!operand)
        x87_host_value(i, &other);
    x87_value(engine_of(env), &top, operand ? operand : &other);
}

/* A register may be operated upon, on the host's x87: its value is there, and safe. */
static bool __attribute__((noinline)) operable_after_all(uc_env *env, unsigned i)
{
    x87_take(env);
    return x87_within(env, i);
}
static inline bool operable(uc_env *env, unsigned i)
{
    return __builtin_expect(*x87_reach(env, i) <= engine_of(env)->x87.safe_reach, 1) ||
           operable_after_all(env, i);
}

static void __attribute__((noinline))
unusual_operand(uc_env *env, x87_binary which, x87_operand kind, uint64_t operand, uintptr_t retaddr)
{
    x87_settle(engine_of(env));
    x87_set_operand(env, kind, operand);
    x87_recognise_operand(env, which, retaddr);
    x87_binary_operand(env, which);
}

static void __attribute__((noinline))
unusual_registers(uc_env *env, x87_binary which, unsigned a, unsigned b, uintptr_t retaddr)
{
    x87_wait(env, retaddr);
    x87_recognise_registers(env, which, a, b, retaddr);
    x87_binary_registers(env, which, a, b);
}

/* ST(0) op memory. */
#define WITH_MEMORY(name, which, type, kind, safe, reach, insn)                                              \
    ALWAYS_INLINE void name(uc_env *env, uint64_t address, bool user, uintptr_t retaddr)                     \
    {                                                                                                        \
        bool can = operable(env, 0);                                                                         \
        if (!can)                                                                                            \
            x87_wait(env, retaddr);                                                                          \
        uint64_t kept;                                                                                       \
        const type *at =                                                                                     \
            (const void *)access_load_place(env, address, sizeof(type), user, 0, retaddr, &kept);            \
        type operand;                                                                                        \
        memcpy(&operand, at, sizeof operand);                                                                \
        if (__builtin_expect(can && safe((uint64_t)operand), 1)) {                                           \
            if ((which) >= X87_DIVIDE) {                                                                     \
                uc_fpreg number = x87_from_##type(operand);                                                  \
                tell_division(env, &number, 0);                                                              \
            }                                                                                                \
            __asm__ volatile(insn " %0" : : "m"(*at));                                                       \
            *x87_reach(env, 0) = result_reach(which, *x87_reach(env, 0), reach);                             \
            return;                                                                                          \
        }                                                                                                    \
        unusual_operand(env, which, kind, (uint64_t)operand, retaddr);                                       \
    }                                                                                                        \
    BY_PRIVILEGE(name)
#define x87_from_i16 x87_from_integer
#define x87_from_i32 x87_from_integer
/* ST(a) op ST(b) to ST(a); one of them is 0, the other is `i`. */
#define WITH_REGISTER(type, name, which, a, b, before, after, pops)                                          \
    type name(uc_env *env, int i)                                                                            \
    {                                                                                                        \
        if (__builtin_expect(operable(env, 0) && operable(env, (unsigned)i), 1)) {                           \
            if ((which) >= X87_DIVIDE)                                                                       \
                tell_division(env, NULL, (unsigned)i);                                                       \
            unsigned reach = result_reach(which, *x87_reach(env, 0), *x87_reach(env, (unsigned)i));          \
            *x87_reach(env, a) = reach;                                                                      \
            if (pops)                                                                                        \
                x87_popped(env);                                                                             \
            X87_BY_NUMBER(i, before, after)                                                                  \
            return;                                                                                          \
        }                                                                                                    \
        unusual_registers(env, which, a, b, X87_RETADDR);                                                    \
        if (pops)                                                                                            \
            WRAP(helper_fpop)(env);                                                                          \
    }
/* With ST(0) as destination an instruction is itself; to ST(i) the assembler of AT&T has FSUB and FSUBR, FDIV
 * and FDIVR the other way round. */
#define BINARY(name, which, op, to_op, integer_op)                                                           \
    WITH_MEMORY(name##_m32, which, m32, X87_M32, safe_m32, X87_REACH_M32, op "s")                            \
    WITH_MEMORY(name##_m64, which, m64, X87_M64, safe_m64, X87_REACH_M64, op "l")                            \
    WITH_MEMORY(name##_i32, which, i32, X87_I32, safe_i32, X87_REACH_I32, integer_op "l")                    \
    WITH_MEMORY(name##_i16, which, i16, X87_I32, safe_i32, X87_REACH_I16, integer_op "s")                    \
    WITH_REGISTER(static void, name##_st0, which, 0, (unsigned)i, op " ", ", %%st", false)                   \
    WITH_REGISTER(static void, name##_sti_pop, which, (unsigned)i, 0, to_op "p %%st, ", "", true)            \
    void WRAP(helper_##name##_STN_ST0)(uc_env * env, int i);                                                 \
    WITH_REGISTER(void, WRAP(helper_##name##_STN_ST0), which, (unsigned)i, 0, to_op " %%st, ", "", false)
BINARY(fadd, X87_ADD, "fadd", "fadd", "fiadd")
BINARY(fsub, X87_SUB, "fsub", "fsubr", "fisub")
BINARY(fsubr, X87_SUBR, "fsubr", "fsub", "fisubr")
BINARY(fmul, X87_MUL, "fmul", "fmul", "fimul")
BINARY(fdiv, X87_DIVIDE, "fdiv", "fdivr", "fidiv")
BINARY(fdivr, X87_DIVIDER, "fdivr", "fdiv", "fidivr")

/* --- Comparisons --- */

#define COMPARE_WITH(name, type, kind, insn, pops)                                                           \
    ALWAYS_INLINE void name(uc_env *env, uint64_t address, bool user, uintptr_t retaddr)                     \
    {                                                                                                        \
        bool can = X87_READY(env, x87_filled(env, 0));                                                       \
        if (!can)                                                                                            \
            x87_wait(env, retaddr);                                                                          \
        uint64_t kept;                                                                                       \
        const type *at =                                                                                     \
            (const void *)access_load_place(env, address, sizeof(type), user, 0, retaddr, &kept);            \
        if (can) {                                                                                           \
            __asm__ volatile(insn " %0" : : "m"(*at));                                                       \
            if (pops)                                                                                        \
                x87_popped(env);                                                                             \
            return;                                                                                          \
        }                                                                                                    \
        type operand;                                                                                        \
        memcpy(&operand, at, sizeof operand);                                                                \
        x87_set_operand(env, kind, (uint64_t)operand);                                                       \
        x87_compare_operand(env, false);                                                                     \
        if (pops)                                                                                            \
            WRAP(helper_fpop)(env);                                                                          \
    }                                                                                                        \
    BY_PRIVILEGE(name)
#define COMPARE_REGISTER(name, unordered, insn, pops)                                                        \
    static void name(uc_env *env, unsigned i)                                                                \
    {                                                                                                        \
        if (X87_READY(env, x87_filled(env, 0) && x87_filled(env, i))) {                                      \
            X87_BY_NUMBER(i, insn " ", "")                                                                   \
            if (pops)                                                                                        \
                x87_popped(env);                                                                             \
            return;                                                                                          \
        }                                                                                                    \
        x87_wait(env, X87_RETADDR);                                                                          \
        x87_register_operand(env, i);                                                                        \
        x87_compare_operand(env, unordered);                                                                 \
        if (pops)                                                                                            \
            WRAP(helper_fpop)(env);                                                                          \
    }
/* FCOMPP and FUCOMPP, with ST(1). */
#define COMPARE_BOTH(name, before, insn)                                                                     \
    static void name(uc_env *env, unsigned i)                                                                \
    {                                                                                                        \
        if (X87_READY(env, x87_filled(env, 0) && x87_filled(env, 1) && i == 1)) {                            \
            __asm__ volatile(insn);                                                                          \
            x87_popped(env);                                                                                 \
            x87_popped(env);                                                                                 \
            return;                                                                                          \
        }                                                                                                    \
        before(env, i);                                                                                      \
        WRAP(helper_fpop)(env);                                                                              \
    }
COMPARE_WITH(com_m32, m32, X87_M32, "fcoms", false)
COMPARE_WITH(com_m64, m64, X87_M64, "fcoml", false)
COMPARE_WITH(com_i32, i32, X87_I32, "ficoml", false)
COMPARE_WITH(com_i16, i16, X87_I32, "ficoms", false)
COMPARE_WITH(com_m32_pop, m32, X87_M32, "fcomps", true)
COMPARE_WITH(com_m64_pop, m64, X87_M64, "fcompl", true)
COMPARE_WITH(com_i32_pop, i32, X87_I32, "ficompl", true)
COMPARE_WITH(com_i16_pop, i16, X87_I32, "ficomps", true)
COMPARE_REGISTER(com_st0, false, "fcom", false)
COMPARE_REGISTER(ucom_st0, true, "fucom", false)
COMPARE_REGISTER(com_st0_pop, false, "fcomp", true)
COMPARE_REGISTER(ucom_st0_pop, true, "fucomp", true)
COMPARE_BOTH(com_both, com_st0_pop, "fcompp")
COMPARE_BOTH(ucom_both, ucom_st0_pop, "fucompp")

/* FTST, for which Unicorn fetches a zero. */
static void test(uc_env *env)
{
    if (X87_READY(env, x87_filled(env, 0))) {
        __asm__ volatile("ftst");
        return;
    }
    x87_wait(env, X87_RETADDR);
    x87_set_operand(env, X87_ZERO, 0);
    x87_compare_operand(env, false);
}

/* The operand alone: what stands between a fetch and its operation while the block is translated. */
#define OPERAND(type, kind)                                                                                  \
    ALWAYS_INLINE void operand_##type(uc_env *env, uint64_t address, bool user, uintptr_t retaddr)           \
    {                                                                                                        \
        uint64_t operand = access_load_quick(env, address, sizeof(type), user, 0, retaddr);                  \
        x87_set_operand(env, kind, (uint64_t)(type)operand);                                                 \
    }                                                                                                        \
    BY_PRIVILEGE(operand_##type)
OPERAND(m32, X87_M32)
OPERAND(m64, X87_M64)
OPERAND(i32, X87_I32)
OPERAND(i16, X87_I32)

/* --- What they take the place of --- */

#define WITH_OPERAND(helper, name)                                                                           \
    JOIN_EITHER(operand_m32, WRAP(helper), name##_m32), JOIN_EITHER(operand_m64, WRAP(helper), name##_m64),  \
        JOIN_EITHER(operand_i32, WRAP(helper), name##_i32),                                                  \
        JOIN_EITHER(operand_i16, WRAP(helper), name##_i16),                                                  \
        JOIN(WRAP(helper_fmov_FT0_STN), WRAP(helper), name##_st0)
#define ARITHMETIC(name)                                                                                     \
    WITH_OPERAND(helper_##name##_ST0_FT0, name),                                                             \
        JOIN(WRAP(helper_##name##_STN_ST0), WRAP(helper_fpop), name##_sti_pop)

void WRAP(helper_flds_FT0)(uc_env *env, uint32_t number);
void WRAP(helper_fldl_FT0)(uc_env *env, uint64_t number);
void WRAP(helper_fildl_FT0)(uc_env *env, int32_t number);
void WRAP(helper_fldz_FT0)(uc_env *env);
void WRAP(helper_fmov_FT0_STN)(uc_env *env, int i);
void WRAP(helper_fcom_ST0_FT0)(uc_env *env);
void WRAP(helper_fucom_ST0_FT0)(uc_env *env);
#define DECLARE(name) void WRAP(helper_##name##_ST0_FT0)(uc_env * env);
DECLARE(fadd)
DECLARE(fsub)
DECLARE(fsubr)
DECLARE(fmul)
DECLARE(fdiv)
DECLARE(fdivr)

static const emit_whole rows[] = {
    FETCH(LOADS_DWORD, flds_FT0, operand_m32),
    FETCH(LOADS_QWORD, fldl_FT0, operand_m64),
    FETCH(LOADS_DWORD, fildl_FT0, operand_i32),
    FETCH(LOADS_WORD, fildl_FT0, operand_i16),
    ARITHMETIC(fadd),
    ARITHMETIC(fsub),
    ARITHMETIC(fsubr),
    ARITHMETIC(fmul),
    ARITHMETIC(fdiv),
    ARITHMETIC(fdivr),
    WITH_OPERAND(helper_fcom_ST0_FT0, com),
    JOIN(WRAP(helper_fmov_FT0_STN), WRAP(helper_fucom_ST0_FT0), ucom_st0),
    JOIN(WRAP(helper_fldz_FT0), WRAP(helper_fcom_ST0_FT0), test),
    POPPED(com_m32),
    POPPED(com_m64),
    POPPED(com_i32),
    POPPED(com_i16),
    JOIN(com_st0, WRAP(helper_fpop), com_st0_pop),
    JOIN(ucom_st0, WRAP(helper_fpop), ucom_st0_pop),
    JOIN(com_st0_pop, WRAP(helper_fpop), com_both),
    JOIN(ucom_st0_pop, WRAP(helper_fpop), ucom_both),
};
const x87_wholes x87_whole_operations = {rows, sizeof rows / sizeof rows[0]};
