/* Whole x87 instructions with two operands, arithmetic and comparisons, as single functions called by translated code
 * (x87_whole.h). A register's reach is a bound for its exponent (x87_host.h). */
#include "engine/x87/x87_whole.h"

/* Return whether an operand in memory is safe (x87_safe). Infinities and NaNs are not safe. All other numbers of these
 * formats are, on both P54C and P55C. */
static inline bool safe_m32(const void *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return (~number & 0x7f800000u) != 0;
}
static inline bool safe_m64(const void *at)
{
    uint32_t high;
    memcpy(&high, (const uint8_t *)at + 4, sizeof high);
    return (~high & 0x7ff00000u) != 0;
}
static inline bool safe_integer(const void *at)
{
    (void)at;
    return true;
}

/* --- FADD, FSUB, FMUL, FDIV and their reverses --- */

/* Returns the reach of a result, from those of the operands. A sum of two numbers of 64 bits with exponents of at least -r
 * is zero, or its exponent is at least -(r + 63). A quotient may be infinite. */
static inline unsigned result_reach(x87_binary which, unsigned a, unsigned b)
{
    if (which == X87_MUL)
        return a + b + 1;
    if (which >= X87_DIV)
        return X87_REACH_UNKNOWN;
    return (a > b ? a : b) + 63;
}

/* Records the operands of a division on the host's x87 for the model, ST(0) first, and marks the instruction if the
 * divisor is zero. The other operand is *operand, or ST(i) if `operand` is NULL. `by_top`: ST(0) is the divisor. */
static void __attribute__((noinline))
record_division(uc_env *env, const uc_fpreg *operand, unsigned i, bool by_top, uintptr_t retaddr)
{
    uc_fpreg top = {.mantissa = 0}, other = {.mantissa = 0};
    x87_host_value(0, &top);
    if (operand)
        other = *operand;
    else
        x87_host_value(i, &other);
    x87_value(engine_of(env), &top, &other);
    if ((by_top ? top : other).mantissa == 0)
        x87_mark(engine_of(env), P5_X87_REFUSED, retaddr);
}

/* Returns whether ST(i) has a safe value in the host's x87, after moving the registers there if possible. */
static bool operable(uc_env *env, unsigned i)
{
    x87_take(env);
    return x87_within(env, i);
}

/* Defines ST(0) op memory. `which` is the operation (x87_binary), `type` the operand's type in memory, and `kind` the
 * x87_operand to which it is converted. `safe` tests the operand, `operand_reach` is its reach, and `insn` is the host's
 * instruction. If the host holds the registers, all exceptions are masked, so that none can be pending. */
#define WITH_MEMORY(name, which, type, kind, safe, operand_reach, insn)                                      \
    RARE name##_rare(uc_env *env, uint64_t address, uint32_t by, uintptr_t retaddr)                          \
    {                                                                                                        \
        x87_take(env);                                                                                       \
        if (!x87_held(env))                                                                                  \
            x87_wait(env, retaddr);                                                                          \
        type operand = (type)access_load_quick(env, address, sizeof(type), by, retaddr);                     \
        if (x87_held(env) && x87_within(env, 0) && safe(&operand)) {                                         \
            if ((which) >= X87_DIV) {                                                                        \
                uc_fpreg number = x87_from_##type(operand);                                                  \
                record_division(env, &number, 0, (which) == X87_DIVR, retaddr);                              \
            }                                                                                                \
            X87_ON_HOST(insn " %0" : : "m"(operand));                                                        \
            *x87_reach(env, 0) = result_reach(which, *x87_reach(env, 0), operand_reach);                     \
            return;                                                                                          \
        }                                                                                                    \
        x87_settle(engine_of(env));                                                                          \
        x87_set_operand(env, kind, (uint64_t)operand);                                                       \
        x87_recognise_operand(env, which, retaddr);                                                          \
        x87_binary_operand(env, which, retaddr);                                                             \
    }                                                                                                        \
    ALWAYS_INLINE bool name(uc_env *env, uint64_t address, uint32_t by)                                      \
    {                                                                                                        \
        engine *e = engine_of(env);                                                                          \
        unsigned *reach = x87_reach(env, 0);                                                                 \
        access_place at;                                                                                     \
        if ((which) >= X87_DIV || __builtin_expect(*reach > e->x87.safe_reach, 0) ||                         \
            __builtin_expect(!whole_find(e, address, sizeof(type), by, false, &at), 0) ||                    \
            __builtin_expect(!safe(at.host), 0))                                                             \
            return false;                                                                                    \
        access_found(e, &at, 0);                                                                             \
        X87_ON_HOST(insn " %0" : : "m"(*(const type *)at.host));                                             \
        *reach = result_reach(which, *reach, operand_reach);                                                 \
        return true;                                                                                         \
    }                                                                                                        \
    BY_PRIVILEGE(name)
#define x87_from_i16 x87_from_integer
#define x87_from_i32 x87_from_integer

/* Defines ST(to) op ST(from) to ST(to), with a pop if `pops`. Of `to` and `from`, one is 0 and the other is i, the
 * parameter of the functions. `before` and `after` are the text of the host's instruction around ST(i). */
#define WITH_REGISTER(name, which, to, from, before, after, pops)                                            \
    ALWAYS_INLINE void name##_held(uc_env *env, unsigned i, unsigned top, unsigned a, unsigned b)            \
    {                                                                                                        \
        engine *e = engine_of(env);                                                                          \
        e->x87.reach[(top + (to)) & 7] = result_reach(which, a, b);                                          \
        if (pops)                                                                                            \
            x87_pop_from(env, e, top);                                                                       \
        X87_BY_NUMBER(i, before, after)                                                                      \
    }                                                                                                        \
    RARE name##_rare(uc_env *env, unsigned i, uintptr_t retaddr)                                             \
    {                                                                                                        \
        if (operable(env, 0) && operable(env, i)) {                                                          \
            if ((which) >= X87_DIV)                                                                          \
                record_division(env, NULL, i, ((which) == X87_DIVR) == ((to) == 0), retaddr);                \
            name##_held(env, i, x87_slot(env, 0), *x87_reach(env, 0), *x87_reach(env, i));                   \
            return;                                                                                          \
        }                                                                                                    \
        x87_wait(env, retaddr);                                                                              \
        x87_recognise_registers(env, which, to, from, retaddr);                                              \
        x87_binary_registers(env, which, to, from, retaddr);                                                 \
        if (pops)                                                                                            \
            WRAP(helper_fpop)(env);                                                                          \
    }                                                                                                        \
    ALWAYS_INLINE bool name(uc_env *env, unsigned i)                                                         \
    {                                                                                                        \
        const engine *e = engine_of(env);                                                                    \
        unsigned top = x87_slot(env, 0), a = e->x87.reach[top], b = e->x87.reach[(top + i) & 7];             \
        if ((which) >= X87_DIV || __builtin_expect((a > b ? a : b) > e->x87.safe_reach, 0))                  \
            return false;                                                                                    \
        name##_held(env, i, top, a, b);                                                                      \
        return true;                                                                                         \
    }
/* Defines the function that translated code calls for `body` and `body`_rare. */
#define CALLED(type, name, body)                                                                             \
    type name(uc_env *env, int i)                                                                            \
    {                                                                                                        \
        if (!body(env, (unsigned)i))                                                                         \
            body##_rare(env, (unsigned)i, X87_RETADDR);                                                      \
    }
/* Defines all forms of an operation. `op` is the host's instruction with ST(0) as destination, `to_op` that with
 * ST(i): there the assembler's names FSUB and FSUBR, FDIV and FDIVR are exchanged. */
#define BINARY(name, which, op, to_op, integer_op)                                                           \
    WITH_MEMORY(name##_m32, which, m32, X87_M32, safe_m32, X87_REACH_M32, op "s")                            \
    WITH_MEMORY(name##_m64, which, m64, X87_M64, safe_m64, X87_REACH_M64, op "l")                            \
    WITH_MEMORY(name##_i32, which, i32, X87_I32, safe_integer, X87_REACH_I32, integer_op "l")                \
    WITH_MEMORY(name##_i16, which, i16, X87_I32, safe_integer, X87_REACH_I16, integer_op "s")                \
    WITH_REGISTER(name##_st0, which, 0, i, op " ", ", %%st", false)                                          \
    WITH_REGISTER(name##_sti, which, i, 0, to_op " %%st, ", "", false)                                       \
    WITH_REGISTER(name##_sti_pop, which, i, 0, to_op "p %%st, ", "", true)                                   \
    CALLED(static void, name##_with_sti, name##_st0)                                                         \
    CALLED(static void, name##_to_sti_pop, name##_sti_pop)                                                   \
    void WRAP(helper_##name##_STN_ST0)(uc_env * env, int i);                                                 \
    CALLED(void, WRAP(helper_##name##_STN_ST0), name##_sti)
BINARY(fadd, X87_ADD, "fadd", "fadd", "fiadd")
BINARY(fsub, X87_SUB, "fsub", "fsubr", "fisub")
BINARY(fsubr, X87_SUBR, "fsubr", "fsub", "fisubr")
BINARY(fmul, X87_MUL, "fmul", "fmul", "fimul")
BINARY(fdiv, X87_DIV, "fdiv", "fdivr", "fidiv")
BINARY(fdivr, X87_DIVR, "fdivr", "fdiv", "fidivr")

/* --- Comparisons --- */

/* Define comparisons of ST(0): COMPARE_WITH with an operand in memory, and COMPARE_REGISTER with ST(i), which with
 * `unordered` is FUCOM. They need no safe operands, because the host has the right result for every value. */
#define COMPARE_WITH(name, type, kind, insn, pops)                                                           \
    RARE name##_rare(uc_env *env, uint64_t address, uint32_t by, uintptr_t retaddr)                          \
    {                                                                                                        \
        bool on_host = X87_READY(env, x87_filled(env, 0));                                                   \
        if (!on_host)                                                                                        \
            x87_wait(env, retaddr);                                                                          \
        type operand = (type)access_load_quick(env, address, sizeof(type), by, retaddr);                     \
        if (on_host) {                                                                                       \
            X87_ON_HOST(insn " %0" : : "m"(operand));                                                        \
            if (pops)                                                                                        \
                x87_popped(env);                                                                             \
            return;                                                                                          \
        }                                                                                                    \
        x87_set_operand(env, kind, (uint64_t)operand);                                                       \
        x87_compare_operand(env, false);                                                                     \
        if (pops)                                                                                            \
            WRAP(helper_fpop)(env);                                                                          \
    }                                                                                                        \
    ALWAYS_INLINE bool name(uc_env *env, uint64_t address, uint32_t by)                                      \
    {                                                                                                        \
        engine *e = engine_of(env);                                                                          \
        access_place at;                                                                                     \
        if (__builtin_expect(!x87_filled(env, 0), 0) ||                                                      \
            __builtin_expect(!whole_find(e, address, sizeof(type), by, false, &at), 0))                      \
            return false;                                                                                    \
        access_found(e, &at, 0);                                                                             \
        X87_ON_HOST(insn " %0" : : "m"(*(const type *)at.host));                                             \
        if (pops)                                                                                            \
            x87_popped(env);                                                                                 \
        return true;                                                                                         \
    }                                                                                                        \
    BY_PRIVILEGE(name)
#define COMPARE_REGISTER(name, unordered, insn, pops)                                                        \
    ALWAYS_INLINE void name##_at(uc_env *env, unsigned i, uintptr_t retaddr)                                 \
    {                                                                                                        \
        if (X87_READY(env, x87_filled(env, 0) && x87_filled(env, i))) {                                      \
            X87_BY_NUMBER(i, insn " ", "")                                                                   \
            if (pops)                                                                                        \
                x87_popped(env);                                                                             \
            return;                                                                                          \
        }                                                                                                    \
        x87_wait(env, retaddr);                                                                              \
        x87_register_operand(env, i);                                                                        \
        x87_compare_operand(env, unordered);                                                                 \
        if (pops)                                                                                            \
            WRAP(helper_fpop)(env);                                                                          \
    }                                                                                                        \
    static void name(uc_env *env, unsigned i)                                                                \
    {                                                                                                        \
        name##_at(env, i, X87_RETADDR);                                                                      \
    }
/* Defines FCOMPP or FUCOMPP. The function `before` compares and pops once. Unicorn passes the register's number `i`,
 * which is 1 for these instructions. */
#define COMPARE_BOTH(name, before, insn)                                                                     \
    static void name(uc_env *env, unsigned i)                                                                \
    {                                                                                                        \
        if (X87_READY(env, x87_filled(env, 0) && x87_filled(env, 1) && i == 1)) {                            \
            X87_ON_HOST(insn);                                                                               \
            x87_popped(env);                                                                                 \
            x87_popped(env);                                                                                 \
            return;                                                                                          \
        }                                                                                                    \
        before##_at(env, i, X87_RETADDR);                                                                    \
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

/* Executes FTST, which Unicorn generates as a comparison with a zero that another helper has set as operand. */
static void test_zero(uc_env *env)
{
    if (X87_READY(env, x87_filled(env, 0))) {
        X87_ON_HOST("ftst");
        return;
    }
    x87_wait(env, X87_RETADDR);
    x87_set_operand(env, X87_ZERO, 0);
    x87_compare_operand(env, false);
}

/* Defines a function that only fetches the second operand. It replaces a load and a helper like helper_flds_FT0. The
 * pairs of WITH_OPERAND below then replace it and the operation after it, so that it is called only before operations
 * that are not in this file. */
#define OPERAND(type, kind)                                                                                  \
    RARE operand_##type##_rare(uc_env *env, uint64_t address, uint32_t by, uintptr_t retaddr)                \
    {                                                                                                        \
        uint64_t operand = access_load_quick(env, address, sizeof(type), by, retaddr);                       \
        x87_set_operand(env, kind, (uint64_t)(type)operand);                                                 \
    }                                                                                                        \
    ALWAYS_RARE(operand_##type)
OPERAND(m32, X87_M32)
OPERAND(m64, X87_M64)
OPERAND(i32, X87_I32)
OPERAND(i16, X87_I32)

/* --- The pairs of calls that these functions replace --- */

#define WITH_OPERAND(helper, name, with_register)                                                            \
    JOIN_EITHER(operand_m32, WRAP(helper), name##_m32), JOIN_EITHER(operand_m64, WRAP(helper), name##_m64),  \
        JOIN_EITHER(operand_i32, WRAP(helper), name##_i32),                                                  \
        JOIN_EITHER(operand_i16, WRAP(helper), name##_i16),                                                  \
        JOIN(WRAP(helper_fmov_FT0_STN), WRAP(helper), with_register)
#define ARITHMETIC(name)                                                                                     \
    WITH_OPERAND(helper_##name##_ST0_FT0, name, name##_with_sti),                                            \
        JOIN(WRAP(helper_##name##_STN_ST0), WRAP(helper_fpop), name##_to_sti_pop)

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

static const emit_pair rows[] = {
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
    WITH_OPERAND(helper_fcom_ST0_FT0, com, com_st0),
    JOIN(WRAP(helper_fmov_FT0_STN), WRAP(helper_fucom_ST0_FT0), ucom_st0),
    JOIN(WRAP(helper_fldz_FT0), WRAP(helper_fcom_ST0_FT0), test_zero),
    POPPED(com_m32),
    POPPED(com_m64),
    POPPED(com_i32),
    POPPED(com_i16),
    JOIN(com_st0, WRAP(helper_fpop), com_st0_pop),
    JOIN(ucom_st0, WRAP(helper_fpop), ucom_st0_pop),
    JOIN(com_st0_pop, WRAP(helper_fpop), com_both),
    JOIN(ucom_st0_pop, WRAP(helper_fpop), ucom_both),
};
const x87_pairs x87_whole_operations = {rows, sizeof rows / sizeof rows[0]};
