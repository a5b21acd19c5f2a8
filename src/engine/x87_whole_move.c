/* Whole x87 loads and stores. */
#include "engine/x87_whole.h"

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
    if (__builtin_expect(!x87_empty(env, from) && x87_empty(env, 7), 1)) {
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
        if (__builtin_expect(x87_plain(env) && !x87_empty(env, 0), 1)) {                                     \
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
                    x87_pop(env);                                                                            \
                return;                                                                                      \
            }                                                                                                \
        }                                                                                                    \
        uint16_t before = env->fpus;                                                                         \
        type result = (type)WRAP(otherwise)(env);                                                            \
        uint16_t after = env->fpus;                                                                          \
        env->fpus = before;                                                                                  \
        if (engine_of(env)->x87.suppressed)                                                                  \
            access_store_nothing(engine_of(env), (uint32_t)address,                                          \
                                 access_word(sizeof(type), access_at_user_level(env), 0), retaddr);          \
        else                                                                                                 \
            put(env, address, result, retaddr);                                                              \
        env->fpus = after;                                                                                   \
        if (pops)                                                                                            \
            WRAP(helper_fpop)(env);                                                                          \
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
    if (__builtin_expect(!x87_empty(env, 0), 1)) {
        const uc_fpreg *r = x87_st(env, 0);
        uc_fpreg *to = x87_st(env, i);
        uint64_t mantissa = r->mantissa;
        to->exponent = r->exponent;
        to->mantissa = mantissa;
        env->fptags[x87_slot(env, i)] = 0;
        x87_set_conditions(env, 0, X87_C1);
        x87_pop(env);
        return;
    }
    WRAP(helper_fmov_STN_ST0)(env, (int)i);
    WRAP(helper_fpop)(env);
}

/* --- What they take the place of --- */

static const emit_whole rows[] = {
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
const x87_wholes x87_whole_moves = {rows, sizeof rows / sizeof rows[0]};
