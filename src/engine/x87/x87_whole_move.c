/* Whole x87 loads and stores, as single functions called by translated code (x87_whole.h). */
#include "engine/x87/x87_whole.h"

/* --- Loads --- */

/* Return the reach of a loaded value (x87_host.h), which is not known for infinities and NaNs. */
static inline unsigned reach_of_m32(const void *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return (~number & 0x7f800000u) != 0 ? X87_REACH_M32 : X87_REACH_UNKNOWN;
}
static inline unsigned reach_of_m64(const void *at)
{
    uint32_t high;
    memcpy(&high, (const uint8_t *)at + 4, sizeof high);
    return (~high & 0x7ff00000u) != 0 ? X87_REACH_M64 : X87_REACH_UNKNOWN;
}
static inline unsigned reach_of_integer(const void *at)
{
    (void)at;
    return X87_REACH_I64;
}

void WRAP(helper_flds_ST0)(uc_env *env, uint32_t number);
void WRAP(helper_fldl_ST0)(uc_env *env, uint64_t number);
void WRAP(helper_fildl_ST0)(uc_env *env, int32_t number);
void WRAP(helper_fildll_ST0)(uc_env *env, int64_t number);

/* Defines the load and push of an operand. `insn` is the host's instruction, `otherwise` the helper that pushes an
 * operand which is already loaded. */
#define LOAD(type, reach_of, insn, otherwise)                                                                \
    RARE load_##type##_rare(uc_env *env, uint64_t address, uint32_t by, uintptr_t retaddr)                   \
    {                                                                                                        \
        bool on_host = X87_READY(env, x87_can_push(env));                                                    \
        if (!on_host)                                                                                        \
            x87_wait(env, retaddr);                                                                          \
        type operand = (type)access_load_quick(env, address, sizeof(type), by, retaddr);                     \
        if (on_host) {                                                                                       \
            X87_ON_HOST(insn " %0" : : "m"(operand));                                                        \
            x87_pushed(env, reach_of(&operand));                                                             \
            return;                                                                                          \
        }                                                                                                    \
        WRAP(otherwise)(env, operand);                                                                       \
    }                                                                                                        \
    ALWAYS_INLINE bool load_##type(uc_env *env, uint64_t address, uint32_t by)                               \
    {                                                                                                        \
        engine *e = engine_of(env);                                                                          \
        unsigned slot = x87_slot(env, 7);                                                                    \
        access_place at;                                                                                     \
        if (__builtin_expect(e->x87.reach[slot] != X87_REACH_EMPTY, 0) ||                                    \
            __builtin_expect(!whole_find(e, address, sizeof(type), by, false, &at), 0))                      \
            return false;                                                                                    \
        unsigned reach = reach_of(at.host);                                                                  \
        if (__builtin_expect(reach == X87_REACH_UNKNOWN, 0))                                                 \
            return false;                                                                                    \
        access_found(e, &at, 0);                                                                             \
        X87_ON_HOST(insn " %0" : : "m"(*(const type *)at.host));                                             \
        x87_push_to(env, e, slot, reach);                                                                    \
        return true;                                                                                         \
    }                                                                                                        \
    BY_PRIVILEGE(load_##type)
LOAD(m32, reach_of_m32, "flds", helper_flds_ST0)
LOAD(m64, reach_of_m64, "fldl", helper_fldl_ST0)
LOAD(i16, reach_of_integer, "filds", helper_fildl_ST0)
LOAD(i32, reach_of_integer, "fildl", helper_fildl_ST0)
LOAD(i64, reach_of_integer, "fildll", helper_fildll_ST0)

void WRAP(helper_fpush)(uc_env *env);
void WRAP(helper_fmov_ST0_STN)(uc_env *env, int i);

/* Executes FLD ST(i). Unicorn numbers the registers after the push. */
static void load_register(uc_env *env, unsigned i)
{
    unsigned from = (i - 1) & 7;
    if (X87_READY(env, x87_filled(env, from) && x87_can_push(env))) {
        unsigned reach = *x87_reach(env, from);
        X87_BY_NUMBER(from, "fld ", "")
        x87_pushed(env, reach);
        return;
    }
    x87_wait(env, X87_RETADDR);
    WRAP(helper_fpush)(env);
    WRAP(helper_fmov_ST0_STN)(env, (int)i);
}

/* Defines the load of a constant. Their exponents are -2 to 1, so their reach is 2. */
#define LOAD_CONSTANT(name)                                                                                  \
    void WRAP(helper_##name##_ST0)(uc_env * env);                                                            \
    static void name(uc_env *env)                                                                            \
    {                                                                                                        \
        if (X87_READY(env, x87_can_push(env))) {                                                             \
            X87_ON_HOST(#name);                                                                              \
            x87_pushed(env, 2);                                                                              \
            return;                                                                                          \
        }                                                                                                    \
        x87_wait(env, X87_RETADDR);                                                                          \
        WRAP(helper_fpush)(env);                                                                             \
        WRAP(helper_##name##_ST0)(env);                                                                      \
    }
LOAD_CONSTANT(fld1)
LOAD_CONSTANT(fldl2t)
LOAD_CONSTANT(fldl2e)
LOAD_CONSTANT(fldpi)
LOAD_CONSTANT(fldlg2)
LOAD_CONSTANT(fldln2)
LOAD_CONSTANT(fldz)

/* --- Stores: the status word must change only after the reference, which may fault --- */

/* Defines the store of ST(0) on Unicorn's state: the helper `otherwise` converts the value, then it is stored, and
 * popped if `pops`. If an unmasked exception suppresses the store, the instruction ends without one. */
#define STORE_OTHERWISE(type, bits, result_type, otherwise)                                                  \
    result_type WRAP(otherwise)(uc_env * env);                                                               \
    static void __attribute__((noinline))                                                                    \
    store_##type##_otherwise(uc_env *env, uint32_t address, uint32_t by, bool pops, uintptr_t retaddr)       \
    {                                                                                                        \
        x87_wait(env, retaddr);                                                                              \
        uint16_t before = env->fpus;                                                                         \
        bits result = (bits)WRAP(otherwise)(env);                                                            \
        uint16_t after = env->fpus;                                                                          \
        if (engine_of(env)->x87.suppressed)                                                                  \
            x87_end_unstored(env, address, retaddr);                                                         \
        env->fpus = before;                                                                                  \
        access_store_quick(env, address, result, sizeof result, by, retaddr);                                \
        env->fpus = after;                                                                                   \
        if (pops)                                                                                            \
            WRAP(helper_fpop)(env);                                                                          \
    }
/* Defines a store, on the host's x87 if possible. */
#define STORE(name, type, insn, pops)                                                                        \
    ALWAYS_INLINE bool name(uc_env *env, uint64_t address, uint32_t by)                                      \
    {                                                                                                        \
        engine *e = engine_of(env);                                                                          \
        unsigned top = x87_slot(env, 0);                                                                     \
        access_place at;                                                                                     \
        if (__builtin_expect(e->x87.reach[top] >= X87_REACH_EMPTY, 0) ||                                     \
            __builtin_expect(!whole_find(e, address, sizeof(type), by, true, &at), 0))                       \
            return false;                                                                                    \
        access_found(e, &at, P5_ACCESS_WRITE);                                                               \
        X87_ON_HOST(insn " %0" : "=m"(*(type *)at.host));                                                    \
        if (pops)                                                                                            \
            x87_pop_from(env, e, top);                                                                       \
        return true;                                                                                         \
    }                                                                                                        \
    RARE name##_rare(uc_env *env, uint64_t address, uint32_t by, uintptr_t retaddr)                          \
    {                                                                                                        \
        if (!x87_take(env) || !name(env, address, by))                                                       \
            store_##type##_otherwise(env, (uint32_t)address, by, pops, retaddr);                             \
    }                                                                                                        \
    BY_PRIVILEGE(name)
STORE_OTHERWISE(m32, uint32_t, uint32_t, helper_fsts_ST0)
STORE_OTHERWISE(m64, uint64_t, uint64_t, helper_fstl_ST0)
STORE_OTHERWISE(i16, uint16_t, int32_t, helper_fist_ST0)
STORE_OTHERWISE(i32, uint32_t, int32_t, helper_fistl_ST0)
STORE_OTHERWISE(i64, uint64_t, int64_t, helper_fistll_ST0)
STORE(store_m32, m32, "fsts", false)
STORE(store_m64, m64, "fstl", false)
STORE(store_i16, i16, "fists", false)
STORE(store_i32, i32, "fistl", false)
STORE(store_m32_pop, m32, "fstps", true)
STORE(store_m64_pop, m64, "fstpl", true)
STORE(store_i16_pop, i16, "fistps", true)
STORE(store_i32_pop, i32, "fistpl", true)
STORE(store_i64_pop, i64, "fistpll", true)

/* Replaces conversion and reference of FISTP m64, until the pop joins them (store_i64_pop). It is called only if the
 * pop is missing; no instruction stores 64 bits without a pop. */
RARE store_i64_rare(uc_env *env, uint64_t address, uint32_t by, uintptr_t retaddr)
{
    store_i64_otherwise(env, (uint32_t)address, by, false, retaddr);
}
ALWAYS_RARE(store_i64)

void WRAP(helper_fmov_STN_ST0)(uc_env *env, int i);
/* Executes FSTP ST(i). */
static void store_register_pop(uc_env *env, unsigned i)
{
    if (X87_READY(env, x87_filled(env, 0))) {
        *x87_reach(env, i) = *x87_reach(env, 0);
        x87_popped(env);
        X87_BY_NUMBER(i, "fstp ", "")
        return;
    }
    x87_wait(env, X87_RETADDR);
    /* D9 D8+i (ISA_E_FSTP1) is an FSTP ST(i) that raises no exception if ST(0) is empty; nothing is stored then.
     * Measured on later processors; docs/fidelity.md. */
    if (x87_empty(env, 0) && isa_forms[x87_instruction(env, X87_RETADDR)->form].engine == ISA_E_FSTP1) {
        x87_set_conditions(env, 0, X87_C1);
        x87_pop(env);
        return;
    }
    WRAP(helper_fmov_STN_ST0)(env, (int)i);
    WRAP(helper_fpop)(env);
}

/* --- The pairs of calls that these functions replace --- */

#define CONSTANT(name) JOIN(WRAP(helper_fpush), WRAP(helper_##name##_ST0), name)

static const emit_pair rows[] = {
    FETCH(LOADS_DWORD, flds_ST0, load_m32),
    FETCH(LOADS_QWORD, fldl_ST0, load_m64),
    FETCH(LOADS_DWORD, fildl_ST0, load_i32),
    FETCH(LOADS_WORD, fildl_ST0, load_i16),
    FETCH(LOADS_QWORD, fildll_ST0, load_i64),
    {.first = ADDRESS(WRAP(helper_fpush)),
     .second = ADDRESS(WRAP(helper_fmov_ST0_STN)),
     .whole = ADDRESS(load_register),
     .from_second = true},
    CONSTANT(fld1),
    CONSTANT(fldl2t),
    CONSTANT(fldl2e),
    CONSTANT(fldpi),
    CONSTANT(fldlg2),
    CONSTANT(fldln2),
    CONSTANT(fldz),
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
const x87_pairs x87_whole_moves = {rows, sizeof rows / sizeof rows[0]};
