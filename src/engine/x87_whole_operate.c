/* Whole x87 instructions with two operands: arithmetic and comparisons. */
#include "engine/x87_whole.h"

/* Infinities and NaNs are unsafe; everything else of these formats lies in the window of either processor. */
static inline bool safe_m32(m32 number)
{
    return (~number & 0x7f800000u) != 0;
}
static inline bool safe_m64(m64 number)
{
    return (~number & 0x7ff0000000000000u) != 0;
}
static inline bool safe_i32(i32 number)
{
    (void)number;
    return true;
}

/* --- FADD, FSUB, FMUL, FDIV and their reverses --- */

/* The host's operation on ST(0). */
#define OPERATE(env, insn, result, status, ...)                                                              \
    do {                                                                                                     \
        x87_control_enter(env);                                                                              \
        __asm__ volatile(insn "\n\tfnstsw %1" : "=t"(result), "=a"(status) : __VA_ARGS__);                   \
        x87_control_leave(env);                                                                              \
    } while (0)
/* Nothing to recognise: neither a division nor an unsafe operand. */
#define NOTHING_TO_TELL(which, plain, safe_operands)                                                         \
    __builtin_expect((which) < X87_DIVIDE && (plain) && (safe_operands), (which) < X87_DIVIDE)

/* ST(0) op memory. */
#define WITH_MEMORY(name, which, type, kind, safe, insn)                                                     \
    static void name(uc_env *env, uint64_t address)                                                          \
    {                                                                                                        \
        uintptr_t retaddr = X87_RETADDR;                                                                     \
        x87_wait(env, retaddr);                                                                              \
        type operand = fetch_##type(env, address, retaddr);                                                  \
        uc_fpreg *st = x87_st(env, 0);                                                                       \
        bool plain = x87_plain(env);                                                                         \
        if (!NOTHING_TO_TELL(which, plain, x87_safe(engine_of(env), st) && safe(operand))) {                 \
            x87_set_operand(env, kind, (uint64_t)operand);                                                   \
            x87_recognise_operand(env, which, retaddr);                                                      \
        }                                                                                                    \
        if (__builtin_expect(plain && !x87_empty(env, 0), 1)) {                                              \
            long double result;                                                                              \
            uint16_t status;                                                                                 \
            OPERATE(env, insn " %3", result, status, "0"(st->number), "m"(operand));                         \
            if (x87_whole_usual(env, status, X87_C1)) {                                                      \
                st->number = result;                                                                         \
                return;                                                                                      \
            }                                                                                                \
        }                                                                                                    \
        x87_set_operand(env, kind, (uint64_t)operand);                                                       \
        x87_binary_operand(env, which);                                                                      \
    }
/* ST(a) op ST(b) to ST(a); one of them is 0, the other is `i`. */
#define WITH_REGISTER(type, name, which, insn, a, b, pops)                                                   \
    type name(uc_env *env, int i)                                                                            \
    {                                                                                                        \
        uintptr_t retaddr = X87_RETADDR;                                                                     \
        x87_wait(env, retaddr);                                                                              \
        const engine *e = engine_of(env);                                                                    \
        uc_fpreg *first = x87_st(env, a);                                                                    \
        const uc_fpreg *second = x87_st(env, b);                                                             \
        bool plain = x87_plain(env);                                                                         \
        if (!NOTHING_TO_TELL(which, plain, x87_safe(e, first) && x87_safe(e, second)))                       \
            x87_recognise_registers(env, which, a, b, retaddr);                                              \
        if (__builtin_expect(plain && !x87_empty(env, a) && !x87_empty(env, b), 1)) {                        \
            long double result;                                                                              \
            uint16_t status;                                                                                 \
            OPERATE(env, insn " %%st(1), %%st", result, status, "0"(first->number), "u"(second->number));    \
            if (x87_whole_usual(env, status, X87_C1)) {                                                      \
                first->number = result;                                                                      \
                if (pops)                                                                                    \
                    x87_pop(env);                                                                            \
                return;                                                                                      \
            }                                                                                                \
        }                                                                                                    \
        x87_binary_registers(env, which, a, b);                                                              \
        if (pops)                                                                                            \
            WRAP(helper_fpop)(env);                                                                          \
    }
#define BINARY(name, which, op, integer_op)                                                                  \
    WITH_MEMORY(name##_m32, which, m32, X87_M32, safe_m32, op "s")                                           \
    WITH_MEMORY(name##_m64, which, m64, X87_M64, safe_m64, op "l")                                           \
    WITH_MEMORY(name##_i32, which, i32, X87_I32, safe_i32, integer_op "l")                                   \
    WITH_MEMORY(name##_i16, which, i16, X87_I32, safe_i32, integer_op "s")                                   \
    WITH_REGISTER(static void, name##_st0, which, op, 0, (unsigned)i, false)                                 \
    WITH_REGISTER(static void, name##_sti_pop, which, op, (unsigned)i, 0, true)                              \
    void WRAP(helper_##name##_STN_ST0)(uc_env * env, int i);                                                 \
    WITH_REGISTER(void, WRAP(helper_##name##_STN_ST0), which, op, (unsigned)i, 0, false)
BINARY(fadd, X87_ADD, "fadd", "fiadd")
BINARY(fsub, X87_SUB, "fsub", "fisub")
BINARY(fsubr, X87_SUBR, "fsubr", "fisubr")
BINARY(fmul, X87_MUL, "fmul", "fimul")
BINARY(fdiv, X87_DIVIDE, "fdiv", "fidiv")
BINARY(fdivr, X87_DIVIDER, "fdivr", "fidivr")

/* --- Comparisons --- */

#define COMPARE_WITH(name, type, kind, insn, pops)                                                           \
    static void name(uc_env *env, uint64_t address)                                                          \
    {                                                                                                        \
        uintptr_t retaddr = X87_RETADDR;                                                                     \
        x87_wait(env, retaddr);                                                                              \
        type operand = fetch_##type(env, address, retaddr);                                                  \
        if (__builtin_expect(x87_plain(env) && !x87_empty(env, 0), 1)) {                                     \
            uint16_t status;                                                                                 \
            __asm__ volatile(insn " %2\n\tfnstsw %0"                                                         \
                             : "=a"(status)                                                                  \
                             : "t"(x87_st(env, 0)->number), "m"(operand));                                   \
            if (x87_whole_usual(env, status, X87_CC)) {                                                      \
                if (pops)                                                                                    \
                    x87_pop(env);                                                                            \
                return;                                                                                      \
            }                                                                                                \
        }                                                                                                    \
        x87_set_operand(env, kind, (uint64_t)operand);                                                       \
        x87_compare_operand(env, false);                                                                     \
        if (pops)                                                                                            \
            WRAP(helper_fpop)(env);                                                                          \
    }
/* A second pop may follow, which asks whether the comparison was suppressed. */
#define COMPARE_REGISTER(name, unordered, insn, pops)                                                        \
    static void name(uc_env *env, unsigned i)                                                                \
    {                                                                                                        \
        x87_wait(env, X87_RETADDR);                                                                          \
        if (__builtin_expect(x87_plain(env) && !x87_empty(env, 0) && !x87_empty(env, i), 1)) {               \
            uint16_t status;                                                                                 \
            __asm__ volatile(insn " %%st(1)\n\tfnstsw %0"                                                    \
                             : "=a"(status)                                                                  \
                             : "t"(x87_st(env, 0)->number), "u"(x87_st(env, i)->number));                    \
            if (x87_whole_usual(env, status, X87_CC)) {                                                      \
                engine_of(env)->x87.suppressed = false;                                                      \
                if (pops)                                                                                    \
                    x87_pop(env);                                                                            \
                return;                                                                                      \
            }                                                                                                \
        }                                                                                                    \
        x87_register_operand(env, i);                                                                        \
        x87_compare_operand(env, unordered);                                                                 \
        if (pops)                                                                                            \
            WRAP(helper_fpop)(env);                                                                          \
    }
#define COMPARE(pop, pops)                                                                                   \
    COMPARE_WITH(com_m32##pop, m32, X87_M32, "fcoms", pops)                                                  \
    COMPARE_WITH(com_m64##pop, m64, X87_M64, "fcoml", pops)                                                  \
    COMPARE_WITH(com_i32##pop, i32, X87_I32, "ficoml", pops)                                                 \
    COMPARE_WITH(com_i16##pop, i16, X87_I32, "ficoms", pops)                                                 \
    COMPARE_REGISTER(com_st0##pop, false, "fcom", pops)                                                      \
    COMPARE_REGISTER(ucom_st0##pop, true, "fucom", pops)
COMPARE(, false)
COMPARE(_pop, true)

/* FTST, for which Unicorn fetches a zero. */
static void test(uc_env *env)
{
    x87_wait(env, X87_RETADDR);
    if (__builtin_expect(x87_plain(env) && !x87_empty(env, 0), 1)) {
        uint16_t status;
        __asm__ volatile("ftst\n\tfnstsw %0" : "=a"(status) : "t"(x87_st(env, 0)->number));
        if (x87_whole_usual(env, status, X87_CC))
            return;
    }
    x87_set_operand(env, X87_ZERO, 0);
    x87_compare_operand(env, false);
}

/* The operand alone: what stands between a fetch and its operation while the block is translated. */
#define OPERAND(type, kind)                                                                                  \
    static void operand_##type(uc_env *env, uint64_t address)                                                \
    {                                                                                                        \
        x87_set_operand(env, kind, (uint64_t)fetch_##type(env, address, X87_RETADDR));                       \
    }
OPERAND(m32, X87_M32)
OPERAND(m64, X87_M64)
OPERAND(i32, X87_I32)
OPERAND(i16, X87_I32)

/* --- What they take the place of --- */

#define WITH_OPERAND(helper, name)                                                                           \
    JOIN(operand_m32, WRAP(helper), name##_m32), JOIN(operand_m64, WRAP(helper), name##_m64),                \
        JOIN(operand_i32, WRAP(helper), name##_i32), JOIN(operand_i16, WRAP(helper), name##_i16),            \
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
    POPPED(com_st0),
    POPPED(ucom_st0),
};
const x87_wholes x87_whole_operations = {rows, sizeof rows / sizeof rows[0]};
