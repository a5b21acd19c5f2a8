/* Whole x87 instructions. Unicorn's translator makes one of a reference to memory and one to three calls that
 * leave each other the operand; emit.c puts one of these functions in their place. Each does the usual case
 * itself: all exceptions masked, no register empty, operands whose exponents the processor finds safe,
 * nothing new in the host's flags. In every other case it calls what it replaces, one after the other.
 *
 * The waiting for a pending exception comes before the reference, as on the processor. Registers are read and
 * written as the host's x87 does, in parts of 8 and 2 bytes: a load that has to be put together from several
 * stores waits for them. */
#include "engine/access.h"
#include "engine/emit.h"
#include "engine/x87.h"

/* --- Operands in memory --- */

typedef uint32_t m32;
typedef uint64_t m64;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;

#define FETCH_AND_PUT(type, bits)                                                                            \
    static inline type fetch_##type(uc_env *env, uint64_t address, uintptr_t retaddr)                        \
    {                                                                                                        \
        return (type)access_load_quick(env, address, sizeof(type), access_at_user_level(env), 0, retaddr);   \
    }                                                                                                        \
    static inline void put_##type(uc_env *env, uint64_t address, type number, uintptr_t retaddr)             \
    {                                                                                                        \
        access_store_quick(env, address, (bits)number, sizeof(type), access_at_user_level(env), 0, retaddr); \
    }
FETCH_AND_PUT(m32, uint32_t)
FETCH_AND_PUT(m64, uint64_t)
FETCH_AND_PUT(i16, uint16_t)
FETCH_AND_PUT(i32, uint32_t)
FETCH_AND_PUT(i64, uint64_t)

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

static inline bool full(const uc_env *env, unsigned i)
{
    return !x87_empty(env, i);
}

static inline void pop(uc_env *env)
{
    env->fptags[x87_slot(env, 0)] = 1;
    env->fpstt = (env->fpstt + 1) & 7;
}
static inline void pop_unless_suppressed(uc_env *env)
{
    if (!engine_of(env)->x87.suppressed)
        pop(env);
}

/* --- FADD, FSUB, FSUBR, FMUL; divisions take the long way, because they report their operands --- */

/* The host's operation on ST(0). */
#define OPERATE(env, insn, result, status, ...)                                                              \
    do {                                                                                                     \
        x87_control_enter(env);                                                                              \
        __asm__ volatile(insn "\n\tfnstsw %1" : "=t"(result), "=a"(status) : __VA_ARGS__);                   \
        x87_control_leave(env);                                                                              \
    } while (0)

/* ST(0) op memory. */
#define WITH_MEMORY(name, which, quick, type, kind, safe, insn)                                              \
    static void name(uc_env *env, uint64_t address)                                                          \
    {                                                                                                        \
        uintptr_t retaddr = X87_RETADDR;                                                                     \
        x87_wait(env, retaddr);                                                                              \
        type operand = fetch_##type(env, address, retaddr);                                                  \
        uc_fpreg *st = x87_st(env, 0);                                                                       \
        if (__builtin_expect(quick && x87_plain(env) && full(env, 0) && x87_safe(engine_of(env), st) &&      \
                                 safe(operand),                                                              \
                             1)) {                                                                           \
            long double result;                                                                              \
            uint16_t status;                                                                                 \
            OPERATE(env, insn " %3", result, status, "0"(st->number), "m"(operand));                         \
            if (__builtin_expect(x87_nothing_new(env, status), 1)) {                                         \
                st->number = result;                                                                         \
                x87_set_conditions(env, status, X87_C1);                                                     \
                return;                                                                                      \
            }                                                                                                \
        }                                                                                                    \
        x87_set_operand(env, kind, (uint64_t)operand);                                                       \
        x87_binary_operand(env, which, retaddr);                                                             \
    }
/* ST(a) op ST(b) to ST(a); one of them is 0, the other is `i`. */
#define WITH_REGISTER(name, which, quick, insn, a, b, pops)                                                  \
    static void name(uc_env *env, unsigned i)                                                                \
    {                                                                                                        \
        uintptr_t retaddr = X87_RETADDR;                                                                     \
        x87_wait(env, retaddr);                                                                              \
        const engine *e = engine_of(env);                                                                    \
        uc_fpreg *first = x87_st(env, a);                                                                    \
        const uc_fpreg *second = x87_st(env, b);                                                             \
        if (__builtin_expect(quick && x87_plain(env) && full(env, 0) && full(env, i) &&                      \
                                 x87_safe(e, first) && x87_safe(e, second),                                  \
                             1)) {                                                                           \
            long double result;                                                                              \
            uint16_t status;                                                                                 \
            OPERATE(env, insn " %%st(1), %%st", result, status, "0"(first->number), "u"(second->number));    \
            if (__builtin_expect(x87_nothing_new(env, status), 1)) {                                         \
                first->number = result;                                                                      \
                x87_set_conditions(env, status, X87_C1);                                                     \
                if (pops)                                                                                    \
                    pop(env);                                                                                \
                return;                                                                                      \
            }                                                                                                \
        }                                                                                                    \
        x87_binary_registers(env, which, a, b, retaddr);                                                     \
        if (pops)                                                                                            \
            pop_unless_suppressed(env);                                                                      \
    }
#define BINARY(name, which, quick, op, integer_op)                                                           \
    WITH_MEMORY(name##_m32, which, quick, m32, X87_M32, safe_m32, op "s")                                    \
    WITH_MEMORY(name##_m64, which, quick, m64, X87_M64, safe_m64, op "l")                                    \
    WITH_MEMORY(name##_i32, which, quick, i32, X87_I32, safe_i32, integer_op "l")                            \
    WITH_MEMORY(name##_i16, which, quick, i16, X87_I32, safe_i32, integer_op "s")                            \
    WITH_REGISTER(name##_st0, which, quick, op, 0, i, false)                                                 \
    WITH_REGISTER(name##_sti_pop, which, quick, op, i, 0, true)
BINARY(add, X87_ADD, true, "fadd", "fiadd")
BINARY(sub, X87_SUB, true, "fsub", "fisub")
BINARY(subr, X87_SUBR, true, "fsubr", "fisubr")
BINARY(mul, X87_MUL, true, "fmul", "fimul")
BINARY(divide, X87_DIVIDE, false, "fdiv", "fidiv")
BINARY(divider, X87_DIVIDER, false, "fdivr", "fidivr")

/* --- Comparisons --- */

#define COMPARE_WITH(name, type, kind, insn, pops)                                                           \
    static void name(uc_env *env, uint64_t address)                                                          \
    {                                                                                                        \
        uintptr_t retaddr = X87_RETADDR;                                                                     \
        x87_wait(env, retaddr);                                                                              \
        type operand = fetch_##type(env, address, retaddr);                                                  \
        if (__builtin_expect(x87_plain(env) && full(env, 0), 1)) {                                           \
            uint16_t status;                                                                                 \
            __asm__ volatile(insn " %2\n\tfnstsw %0"                                                         \
                             : "=a"(status)                                                                  \
                             : "t"(x87_st(env, 0)->number), "m"(operand));                                   \
            if (__builtin_expect(x87_nothing_new(env, status), 1)) {                                         \
                x87_set_conditions(env, status, X87_CC);                                                     \
                if (pops)                                                                                    \
                    pop(env);                                                                                \
                return;                                                                                      \
            }                                                                                                \
        }                                                                                                    \
        x87_set_operand(env, kind, (uint64_t)operand);                                                       \
        x87_compare_operand(env, false, retaddr);                                                            \
        if (pops)                                                                                            \
            pop_unless_suppressed(env);                                                                      \
    }
/* A second pop may follow, which asks whether the comparison was suppressed. */
#define COMPARE_REGISTER(name, unordered, insn, pops)                                                        \
    static void name(uc_env *env, unsigned i)                                                                \
    {                                                                                                        \
        uintptr_t retaddr = X87_RETADDR;                                                                     \
        x87_wait(env, retaddr);                                                                              \
        if (__builtin_expect(x87_plain(env) && full(env, 0) && full(env, i), 1)) {                           \
            uint16_t status;                                                                                 \
            __asm__ volatile(insn " %%st(1)\n\tfnstsw %0"                                                    \
                             : "=a"(status)                                                                  \
                             : "t"(x87_st(env, 0)->number), "u"(x87_st(env, i)->number));                    \
            if (__builtin_expect(x87_nothing_new(env, status), 1)) {                                         \
                engine_of(env)->x87.suppressed = false;                                                      \
                x87_set_conditions(env, status, X87_CC);                                                     \
                if (pops)                                                                                    \
                    pop(env);                                                                                \
                return;                                                                                      \
            }                                                                                                \
        }                                                                                                    \
        x87_register_operand(env, i);                                                                        \
        x87_compare_operand(env, unordered, retaddr);                                                        \
        if (pops)                                                                                            \
            pop_unless_suppressed(env);                                                                      \
    }
#define COMPARE(name, pops)                                                                                  \
    COMPARE_WITH(name##_m32, m32, X87_M32, "fcoms", pops)                                                    \
    COMPARE_WITH(name##_m64, m64, X87_M64, "fcoml", pops)                                                    \
    COMPARE_WITH(name##_i32, i32, X87_I32, "ficoml", pops)                                                   \
    COMPARE_WITH(name##_i16, i16, X87_I32, "ficoms", pops)                                                   \
    COMPARE_REGISTER(name##_st0, false, "fcom", pops)                                                        \
    COMPARE_REGISTER(u##name##_st0, true, "fucom", pops)
COMPARE(com, false)
COMPARE(com_pop, true)

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

/* --- Loads --- */

static inline void push_words(uc_env *env, uint64_t mantissa, uint32_t exponent)
{
    unsigned top = (env->fpstt - 1) & 7;
    env->fpregs[top].mantissa = mantissa;
    env->fpregs[top].exponent = (uint16_t)exponent;
    env->fptags[top] = 0;
    env->fpstt = top;
    x87_set_conditions(env, 0, X87_C1);
}

enum { INTEGER_BIT = 63, BIAS = 0x3fff };

/* Normal numbers and zero; `bits` of fraction below `exponent_bits`. */
static inline bool push_normal(uc_env *env, uint64_t number, unsigned bits, unsigned exponent_bits)
{
    unsigned top = (1u << exponent_bits) - 1, exponent = (unsigned)(number >> bits) & top;
    uint32_t sign = (uint32_t)(number >> (bits + exponent_bits)) << 15;
    if (__builtin_expect(x87_empty(env, 7) && exponent - 1 < top - 1, 1)) {
        push_words(env, 1ull << INTEGER_BIT | number << (INTEGER_BIT - bits),
                   (exponent + BIAS - (top >> 1)) | sign);
        return true;
    }
    if (x87_empty(env, 7) && (number & ((1ull << (bits + exponent_bits)) - 1)) == 0) {
        push_words(env, 0, sign);
        return true;
    }
    return false;
}
static inline bool push_m32(uc_env *env, m32 number)
{
    return push_normal(env, number, 23, 8);
}
static inline bool push_m64(uc_env *env, m64 number)
{
    return push_normal(env, number, 52, 11);
}
static inline bool push_i64(uc_env *env, i64 number)
{
    if (!x87_empty(env, 7))
        return false;
    uc_fpreg value = x87_from_integer(number);
    push_words(env, value.mantissa, value.exponent);
    return true;
}

void WRAP(helper_flds_ST0)(uc_env *env, uint32_t number);
void WRAP(helper_fldl_ST0)(uc_env *env, uint64_t number);
void WRAP(helper_fildl_ST0)(uc_env *env, int32_t number);
void WRAP(helper_fildll_ST0)(uc_env *env, int64_t number);

#define LOAD(type, push, otherwise)                                                                          \
    static void load_##type(uc_env *env, uint64_t address)                                                   \
    {                                                                                                        \
        uintptr_t retaddr = X87_RETADDR;                                                                     \
        x87_wait(env, retaddr);                                                                              \
        type operand = fetch_##type(env, address, retaddr);                                                  \
        if (__builtin_expect(!push(env, operand), 0))                                                        \
            WRAP(otherwise)(env, operand);                                                                   \
    }
LOAD(m32, push_m32, helper_flds_ST0)
LOAD(m64, push_m64, helper_fldl_ST0)
LOAD(i32, push_i64, helper_fildl_ST0)
LOAD(i16, push_i64, helper_fildl_ST0)
LOAD(i64, push_i64, helper_fildll_ST0)

void WRAP(helper_fpush)(uc_env *env);
void WRAP(helper_fmov_ST0_STN)(uc_env *env, int i);

/* FLD ST(i): Unicorn counts from behind the push. */
static void load_register(uc_env *env, unsigned i)
{
    x87_wait(env, X87_RETADDR);
    unsigned from = (i - 1) & 7;
    if (__builtin_expect(full(env, from) && x87_empty(env, 7), 1)) {
        const uc_fpreg *r = x87_st(env, from);
        push_words(env, r->mantissa, r->exponent);
        return;
    }
    WRAP(helper_fpush)(env);
    WRAP(helper_fmov_ST0_STN)(env, (int)i);
}

/* --- Stores: the status word changes when the operand is stored, since storing it may fault --- */

#define STORE(name, type, put, insn, otherwise, pops)                                                        \
    static void name(uc_env *env, uint64_t address)                                                          \
    {                                                                                                        \
        uintptr_t retaddr = X87_RETADDR;                                                                     \
        x87_wait(env, retaddr);                                                                              \
        if (__builtin_expect(x87_plain(env) && full(env, 0), 1)) {                                           \
            type result;                                                                                     \
            uint16_t status;                                                                                 \
            x87_control_enter(env);                                                                          \
            __asm__ volatile(insn " %0\n\tfnstsw %1"                                                         \
                             : "=m"(result), "=a"(status)                                                    \
                             : "t"(x87_st(env, 0)->number)                                                   \
                             : "st");                                                                        \
            x87_control_leave(env);                                                                          \
            if (__builtin_expect(x87_nothing_new(env, status), 1)) {                                         \
                put(env, address, result, retaddr);                                                          \
                x87_set_conditions(env, status, X87_C1);                                                     \
                if (pops)                                                                                    \
                    pop(env);                                                                                \
                return;                                                                                      \
            }                                                                                                \
        }                                                                                                    \
        uint16_t before = env->fpus;                                                                         \
        type result = (type)WRAP(otherwise)(env);                                                            \
        uint16_t after = env->fpus;                                                                          \
        env->fpus = before;                                                                                  \
        put(env, address, result, retaddr);                                                                  \
        env->fpus = after;                                                                                   \
        if (pops)                                                                                            \
            pop_unless_suppressed(env);                                                                      \
    }
#define STORES(type, ctype, insn, result, otherwise)                                                         \
    result WRAP(otherwise)(uc_env * env);                                                                    \
    STORE(store_##type, ctype, put_##type, insn, otherwise, false)                                           \
    STORE(store_##type##_pop, ctype, put_##type, insn, otherwise, true)
STORES(m32, m32, "fstps", uint32_t, helper_fsts_ST0)
STORES(m64, m64, "fstpl", uint64_t, helper_fstl_ST0)
STORES(i16, i16, "fistps", int32_t, helper_fist_ST0)
STORES(i32, i32, "fistpl", int32_t, helper_fistl_ST0)
STORES(i64, i64, "fistpll", int64_t, helper_fistll_ST0)

void WRAP(helper_fmov_STN_ST0)(uc_env *env, int i);
static void store_register_pop(uc_env *env, unsigned i)
{
    x87_wait(env, X87_RETADDR);
    if (__builtin_expect(full(env, 0), 1)) {
        const uc_fpreg *r = x87_st(env, 0);
        uc_fpreg *to = x87_st(env, i);
        uint64_t mantissa = r->mantissa;
        to->exponent = r->exponent;
        to->mantissa = mantissa;
        env->fptags[x87_slot(env, i)] = 0;
        x87_set_conditions(env, 0, X87_C1);
        pop(env);
        return;
    }
    WRAP(helper_fmov_STN_ST0)(env, (int)i);
    pop_unless_suppressed(env);
}

/* --- What makes up what --- */

/* In place of a function: a reference, by size, whoever makes it. */
enum { LOADS_WORD = 1, LOADS_DWORD, LOADS_QWORD, STORES_WORD, STORES_DWORD, STORES_QWORD };

#define ADDRESS(function) ((uintptr_t)(function))
#define HELPER(name)      ADDRESS(WRAP(helper_##name))
#define FETCH(loads, helper, function)                                                                       \
    {                                                                                                        \
        .first = loads, .second = HELPER(helper), .whole = ADDRESS(function), .passes = true                 \
    }
#define JOIN(one, two, function)                                                                             \
    {                                                                                                        \
        .first = ADDRESS(one), .second = ADDRESS(two), .whole = ADDRESS(function)                            \
    }
#define KEEP(helper, stores, function)                                                                       \
    {                                                                                                        \
        .first = HELPER(helper), .second = stores, .whole = ADDRESS(function), .passes = true,               \
        .from_second = true                                                                                  \
    }
#define WITH_OPERAND(helper, name)                                                                           \
    JOIN(operand_m32, WRAP(helper), name##_m32), JOIN(operand_m64, WRAP(helper), name##_m64),                \
        JOIN(operand_i32, WRAP(helper), name##_i32), JOIN(operand_i16, WRAP(helper), name##_i16),            \
        JOIN(WRAP(helper_fmov_FT0_STN), WRAP(helper), name##_st0)
#define ARITHMETIC(helper, name)                                                                             \
    WITH_OPERAND(helper_##helper##_ST0_FT0, name),                                                           \
        JOIN(WRAP(helper_##helper##_STN_ST0), WRAP(helper_fpop), name##_sti_pop)
#define POPPED(name) JOIN(name, WRAP(helper_fpop), name##_pop)

void WRAP(helper_flds_FT0)(uc_env *env, uint32_t number);
void WRAP(helper_fldl_FT0)(uc_env *env, uint64_t number);
void WRAP(helper_fildl_FT0)(uc_env *env, int32_t number);
void WRAP(helper_fmov_FT0_STN)(uc_env *env, int i);
void WRAP(helper_fcom_ST0_FT0)(uc_env *env);
void WRAP(helper_fucom_ST0_FT0)(uc_env *env);
void WRAP(helper_fpop)(uc_env *env);
#define DECLARE(name)                                                                                        \
    void WRAP(helper_##name##_ST0_FT0)(uc_env * env);                                                        \
    void WRAP(helper_##name##_STN_ST0)(uc_env * env, int i);
DECLARE(fadd)
DECLARE(fsub)
DECLARE(fsubr)
DECLARE(fmul)
DECLARE(fdiv)
DECLARE(fdivr)

static const emit_whole wholes[] = {
    FETCH(LOADS_DWORD, flds_FT0, operand_m32),
    FETCH(LOADS_QWORD, fldl_FT0, operand_m64),
    FETCH(LOADS_DWORD, fildl_FT0, operand_i32),
    FETCH(LOADS_WORD, fildl_FT0, operand_i16),
    ARITHMETIC(fadd, add),
    ARITHMETIC(fsub, sub),
    ARITHMETIC(fsubr, subr),
    ARITHMETIC(fmul, mul),
    ARITHMETIC(fdiv, divide),
    ARITHMETIC(fdivr, divider),
    WITH_OPERAND(helper_fcom_ST0_FT0, com),
    JOIN(WRAP(helper_fmov_FT0_STN), WRAP(helper_fucom_ST0_FT0), ucom_st0),
    JOIN(com_m32, WRAP(helper_fpop), com_pop_m32),
    JOIN(com_m64, WRAP(helper_fpop), com_pop_m64),
    JOIN(com_i32, WRAP(helper_fpop), com_pop_i32),
    JOIN(com_i16, WRAP(helper_fpop), com_pop_i16),
    JOIN(com_st0, WRAP(helper_fpop), com_pop_st0),
    JOIN(ucom_st0, WRAP(helper_fpop), ucom_pop_st0),
    FETCH(LOADS_DWORD, flds_ST0, load_m32),
    FETCH(LOADS_QWORD, fldl_ST0, load_m64),
    FETCH(LOADS_DWORD, fildl_ST0, load_i32),
    FETCH(LOADS_WORD, fildl_ST0, load_i16),
    FETCH(LOADS_QWORD, fildll_ST0, load_i64),
    {.first = ADDRESS(WRAP(helper_fpush)),
     .second = ADDRESS(WRAP(helper_fmov_ST0_STN)),
     .whole = ADDRESS(load_register),
     .from_second = true},
    KEEP(fsts_ST0, STORES_DWORD, store_m32),
    KEEP(fstl_ST0, STORES_QWORD, store_m64),
    KEEP(fist_ST0, STORES_WORD, store_i16),
    KEEP(fistl_ST0, STORES_DWORD, store_i32),
    KEEP(fistll_ST0, STORES_QWORD, store_i64),
    POPPED(store_m32),
    POPPED(store_m64),
    POPPED(store_i16),
    POPPED(store_i32),
    POPPED(store_i64),
    JOIN(WRAP(helper_fmov_STN_ST0), WRAP(helper_fpop), store_register_pop),
};

static uintptr_t reference_kind(uintptr_t function)
{
    for (unsigned user = 0; user < 2; user++) {
        access_load *const *loads = access_loads[user];
        access_store *const *stores = access_stores[user];
        if (function == ADDRESS(loads[5])) /* sign-extended */
            return LOADS_WORD;
        if (function == ADDRESS(loads[2]))
            return LOADS_DWORD;
        if (function == ADDRESS(loads[3]))
            return LOADS_QWORD;
        for (unsigned size = 1; size < 4; size++) {
            if (function == ADDRESS(stores[size]))
                return STORES_WORD + size - 1;
        }
    }
    return function;
}

const emit_whole *x87_find_whole(uintptr_t first, uintptr_t second)
{
    first = reference_kind(first);
    second = reference_kind(second);
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
        if (wholes[i].first == first && wholes[i].second == second)
            return &wholes[i];
    }
    return NULL;
}
