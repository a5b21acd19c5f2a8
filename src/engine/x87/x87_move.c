/* x87 loads, stores, constants and moves between registers. The functions named helper_ replace Unicorn's helper
 * functions for these instructions. If the host's x87 holds the guest's registers, or can take them (X87_READY), an
 * instruction is executed there. Otherwise x87_wait moves the registers back to Unicorn's state and raises a pending
 * exception, and the code below implements the instruction. */

#include "engine/memory/access.h"
#include "engine/x87/x87_host.h"

/* --- Loads: all push --- */

/* Pushes `value`. `new_flags` are the exceptions that its conversion has raised. With an unmasked IE nothing is pushed;
 * with an unmasked DE the value is. */
static void push(uc_env *env, const uc_fpreg *value, unsigned new_flags)
{
    engine *e = engine_of(env);
    e->x87.suppressed = false;
    const uc_fpreg *pushed = value;
    if (__builtin_expect(!x87_empty(env, 7), 0)) {
        if (!x87_overflow(env))
            return;
        pushed = &x87_indefinite;
    } else {
        x87_set_conditions(env, 0, X87_C1); /* clears C1 */
        if (__builtin_expect(new_flags & ~env->fpus, 0)) {
            env->fpus |= (uint16_t)new_flags;
            x87_update_summary(env);
        }
        if (__builtin_expect(new_flags & ~env->fpuc & X87_IE, 0))
            return;
    }
    env->fpstt = (env->fpstt - 1) & 7;
    x87_set(env, 0, pushed);
}

/* Pushes `value`, which was converted from single or double precision. A denormal number raises DE. A signalling NaN
 * raises IE and becomes quiet. */
static void push_format(uc_env *env, uc_fpreg value, bool denormal)
{
    unsigned flags = denormal ? X87_DE : 0;
    bool nan = (value.exponent & 0x7fff) == 0x7fff && value.mantissa << 1;
    if (__builtin_expect(nan && !(value.mantissa >> 62 & 1), 0)) {
        flags |= X87_IE;
        value.mantissa |= 1ull << 62;
    }
    push(env, &value, flags);
}

void WRAP(helper_flds_ST0)(uc_env *env, uint32_t number)
{
    x87_wait(env, X87_RETADDR);
    push_format(env, x87_from_m32(number), !(number >> 23 & 0xff) && number << 9);
}

void WRAP(helper_fldl_ST0)(uc_env *env, uint64_t number)
{
    x87_wait(env, X87_RETADDR);
    push_format(env, x87_from_m64(number), !(number >> 52 & 0x7ff) && number << 12);
}

void WRAP(helper_fildl_ST0)(uc_env *env, int32_t number)
{
    x87_wait(env, X87_RETADDR);
    uc_fpreg value = x87_from_integer(number);
    push(env, &value, 0);
}

void WRAP(helper_fildll_ST0)(uc_env *env, int64_t number)
{
    x87_wait(env, X87_RETADDR);
    uc_fpreg value = x87_from_integer(number);
    push(env, &value, 0);
}

/* Loads an 80-bit operand: two references, of 8 and 2 bytes. */
static uc_fpreg load80(uc_env *env, uint64_t address, uintptr_t retaddr)
{
    uc_fpreg value = {.mantissa = 0};
    value.mantissa = WRAP(cpu_ldq_data_ra)(env, address, retaddr);
    value.exponent = (uint16_t)WRAP(cpu_lduw_data_ra)(env, address + 8, retaddr);
    return value;
}

/* Stores an 80-bit operand. Both references are checked first, so that a fault leaves memory unchanged. */
static void store80(uc_env *env, uint64_t address, const uc_fpreg *value, uintptr_t retaddr)
{
    access_check_store(env, (uint32_t)address, 8, retaddr);
    access_check_store(env, (uint32_t)address + 8, 2, retaddr);
    WRAP(cpu_stq_data_ra)(env, address, value->mantissa, retaddr);
    WRAP(cpu_stw_data_ra)(env, address + 8, value->exponent, retaddr);
}

/* Executes FLD m80. The host's x87 raises no exception for it. */
void WRAP(helper_fldt_ST0)(uc_env *env, uint64_t address)
{
    uintptr_t retaddr = X87_RETADDR;
    bool on_host = X87_READY(env, x87_can_push(env));
    if (!on_host)
        x87_wait(env, retaddr);
    uc_fpreg value = load80(env, address, retaddr);
    if (on_host) {
        X87_ON_HOST("fldt %0" : : "m"(value));
        x87_pushed(env, X87_REACH_UNKNOWN);
        return;
    }
    push(env, &value, 0);
}

void WRAP(helper_fbld_ST0)(uc_env *env, uint64_t address)
{
    uintptr_t retaddr = X87_RETADDR;
    x87_wait(env, retaddr);
    uc_fpreg decimal = load80(env, address, retaddr), value = x87_from_decimal(&decimal);
    push(env, &value, 0);
}

/* Begins FLD constant or FLD ST(i), which Unicorn translates to a call that pushes and one that loads. This is the
 * first. It only records that the second has to push, because the value decides about exceptions, which may prevent
 * the push. */
void WRAP(helper_fpush)(uc_env *env)
{
    x87_wait(env, X87_RETADDR);
    engine_of(env)->x87.pushing = true;
}

/* Loads a constant, whose last bit depends on the rounding control. */
#define CONSTANT(name)                                                                                       \
    void WRAP(helper_##name##_ST0)(uc_env * env)                                                             \
    {                                                                                                        \
        uc_fpreg value = x87_##name(env->fpuc);                                                              \
        engine_of(env)->x87.pushing = false;                                                                 \
        push(env, &value, 0);                                                                                \
    }
X87_CONSTANTS(CONSTANT)

/* Executes the load of FLD ST(i) after helper_fpush. `i` counts from the new top of the stack, so the source is
 * register i - 1 before the push. Without helper_fpush before it, this is an FCMOV of later processors, which has not
 * waited yet. */
void WRAP(helper_fmov_ST0_STN)(uc_env *env, int i)
{
    engine *e = engine_of(env);
    bool pushing = e->x87.pushing;
    if (!pushing)
        x87_wait(env, X87_RETADDR);
    unsigned from = (unsigned)i - pushing;
    e->x87.pushing = e->x87.suppressed = false;
    uc_fpreg value = *x87_st(env, from & 7);
    if (x87_empty(env, from & 7)) { /* an empty source takes precedence over a full stack */
        if (!x87_underflow(env))
            return;
        value = x87_indefinite;
    } else if (pushing && !x87_empty(env, 7)) {
        push(env, &value, 0); /* overflow */
        return;
    } else {
        x87_set_conditions(env, 0, X87_C1);
    }
    if (pushing)
        env->fpstt = (env->fpstt - 1) & 7;
    x87_set(env, 0, &value);
}

/* --- Stores. helper_fpop pops separately. With an unmasked exception, nothing is stored and nothing is popped. --- */

/* Updates the guest's status word after a conversion of ST(0) that ended with `status`. */
static inline void finish_store(uc_env *env, uint16_t status)
{
    engine *e = engine_of(env);
    unsigned flags = status & X87_EXCEPTIONS;
    e->x87.suppressed = flags & ~env->fpuc & (X87_IE | X87_DE | X87_OE | X87_UE);
    x87_set_conditions(env, status, X87_C1);
    env->fpus = (uint16_t)(env->fpus | flags);
    x87_update_summary(env);
}

/* Defines a function that converts ST(0) to `type`, for stores that the fast path of x87_whole_move.c does not
 * execute. `taken` is the type of the helper's result in Unicorn: for FIST m16, the translated code stores the low
 * half of a 32-bit result. `indefinite` is the result for an empty register. */
#define CONVERSION(helper, taken, format, type, indefinite)                                                  \
    taken WRAP(helper)(uc_env * env)                                                                         \
    {                                                                                                        \
        type result = indefinite;                                                                            \
        x87_wait(env, X87_RETADDR);                                                                          \
        engine_of(env)->x87.suppressed = false;                                                              \
        if (__builtin_expect(x87_empty(env, 0), 0))                                                          \
            x87_underflow(env);                                                                              \
        else                                                                                                 \
            finish_store(env, x87_to_##format(x87_st(env, 0), env->fpuc, &result));                          \
        return result;                                                                                       \
    }
CONVERSION(helper_fsts_ST0, uint32_t, m32, uint32_t, 0xffc00000u)
CONVERSION(helper_fstl_ST0, uint64_t, m64, uint64_t, 0xfff8000000000000u)
CONVERSION(helper_fist_ST0, int32_t, i16, int16_t, INT16_MIN)
CONVERSION(helper_fistl_ST0, int32_t, i32, int32_t, INT32_MIN)
CONVERSION(helper_fistll_ST0, int64_t, i64, int64_t, INT64_MIN)

/* Stores ST(0) as 80 bits directly from the host's x87, which keeps the value. Returns false without an effect if the
 * operand needs the slow path, for example because it crosses a page. */
static bool store_held80(uc_env *env, uint64_t address)
{
    engine *e = engine_of(env);
    bool user = engine_at_user_level(env);
    access_place low, high;
    if (!access_inside(e, (uint32_t)address, 8, ACCESS_MODE(ACCESS_ANY)) ||
        !access_find(e, address, 8, user, true, &low) || !access_find(e, address + 8, 2, user, true, &high) ||
        low.page != high.page || !stretch_has_space(e))
        return false;
    access_found(e, &low, P5_ACCESS_WRITE);
    access_found(e, &high, P5_ACCESS_WRITE);
    X87_ON_HOST("fstpt %0\n\tfldt %0" : "=m"(*(uint8_t(*)[10])low.host));
    return true;
}

/* Executes the store of FSTP m80; helper_fpop pops. */
void WRAP(helper_fstt_ST0)(uc_env *env, uint64_t address)
{
    uintptr_t retaddr = X87_RETADDR;
    if (X87_READY(env, x87_filled(env, 0)) && store_held80(env, address))
        return;
    x87_wait(env, retaddr);
    bool empty = x87_empty(env, 0);
    if (empty && !(env->fpuc & X87_IE)) {
        x87_underflow(env);
        x87_end_unstored(env, (uint32_t)address, retaddr);
    }
    store80(env, address, empty ? &x87_indefinite : x87_st(env, 0), retaddr);
    engine_of(env)->x87.suppressed = false;
    if (empty)
        x87_underflow(env);
    else
        x87_set_conditions(env, 0, X87_C1);
}

/* Updates the guest's status word after FBSTP has converted ST(0), or has found it empty. */
static void finish_decimal(uc_env *env, bool empty, uint16_t status)
{
    engine_of(env)->x87.suppressed = false;
    if (empty)
        x87_underflow(env);
    else
        finish_store(env, status);
}

/* Executes the store of FBSTP; helper_fpop pops. */
void WRAP(helper_fbst_ST0)(uc_env *env, uint64_t address)
{
    uintptr_t retaddr = X87_RETADDR;
    uint16_t status = 0;
    uc_fpreg decimal = {.mantissa = 0xc000000000000000u,
                        .exponent = 0xffff}; /* the packed indefinite number */
    x87_wait(env, retaddr);
    bool empty = x87_empty(env, 0);
    if (!empty)
        status = x87_to_decimal(x87_st(env, 0), env->fpuc, &decimal);
    if ((empty || status & X87_IE) && !(env->fpuc & X87_IE)) {
        finish_decimal(env, empty, status);
        x87_end_unstored(env, (uint32_t)address, retaddr);
    }
    store80(env, address, &decimal, retaddr);
    finish_decimal(env, empty, status);
}

/* --- Moves --- */

/* FST ST(i). */
void WRAP(helper_fmov_STN_ST0)(uc_env *env, int i)
{
    if (X87_READY(env, x87_filled(env, 0))) {
        *x87_reach(env, (unsigned)i) = *x87_reach(env, 0);
        X87_BY_NUMBER(i, "fst ", "")
        return;
    }
    x87_wait(env, X87_RETADDR);
    engine_of(env)->x87.suppressed = false;
    uc_fpreg value = *x87_st(env, 0);
    if (x87_empty(env, 0)) {
        if (!x87_underflow(env))
            return;
        value = x87_indefinite;
    } else {
        x87_set_conditions(env, 0, X87_C1);
    }
    x87_set(env, (unsigned)i, &value);
}

/* FXCH: an empty register is exchanged as the indefinite number. */
void WRAP(helper_fxchg_ST0_STN)(uc_env *env, int i)
{
    if (X87_READY(env, x87_filled(env, 0) && x87_filled(env, (unsigned)i))) {
        unsigned *first = x87_reach(env, 0), *second = x87_reach(env, (unsigned)i), reach = *first;
        *first = *second;
        *second = reach;
        X87_BY_NUMBER(i, "fxch ", "")
        return;
    }
    x87_wait(env, X87_RETADDR);
    engine_of(env)->x87.suppressed = false;
    bool empty = x87_empty(env, 0), other_empty = x87_empty(env, (unsigned)i);
    uc_fpreg *a = x87_st(env, 0), *b = x87_st(env, (unsigned)i);
    if (__builtin_expect(empty || other_empty, 0)) {
        if (!x87_underflow(env))
            return;
        if (empty)
            x87_set(env, 0, &x87_indefinite);
        if (other_empty)
            x87_set(env, (unsigned)i, &x87_indefinite);
    } else {
        x87_set_conditions(env, 0, X87_C1);
    }
    uc_fpreg kept = *a;
    *a = *b;
    *b = kept;
}

/* Pops after an instruction that also stores, unless an unmasked exception has suppressed the pop. */
void WRAP(helper_fpop)(uc_env *env)
{
    engine *e = engine_of(env);
    if (x87_held(env)) { /* the instruction was executed on the host's x87, so it had no unmasked exception */
        X87_ON_HOST("ffree %st(0)\n\tfincstp");
        x87_popped(env);
        return;
    }
    if (!e->x87.suppressed)
        x87_pop(env);
}
