/* Operations on ST(0), and ST(1) if there is a second operand: roots, remainders, scaling and transcendental
 * functions. The host's x87 executes them if it can. Transcendental functions are always computed by integers
 * (x87_exact), because no two generations of processors compute them with the same last bit. */

#include "engine/x87/x87_host.h"

typedef struct function {
    x87_operation *exact; /* the operation by integers */
    /* Executes the instruction on the host's x87 and returns the status word. NULL: not allowed. */
    uint16_t (*on_host)(void);
    bool pushes;
    bool second;   /* takes ST(1) */
    bool by_value; /* its clocks depend on its operands, which are recorded */
} function;

/* FUNCTION defines the function that replaces Unicorn's helper for instruction `name`. HOST_FUNCTION does the same for
 * an instruction that the host's x87 may execute. The last arguments initialise the flags of `function`. */
#define FUNCTION(name, on_host, ...)                                                                         \
    static const function name##_function = {x87_##name, on_host, __VA_ARGS__};                              \
    void WRAP(helper_##name)(uc_env * env)                                                                   \
    {                                                                                                        \
        run(env, &name##_function, X87_RETADDR);                                                             \
    }
#define HOST_FUNCTION(name, ...)                                                                             \
    static uint16_t name##_on_host(void)                                                                     \
    {                                                                                                        \
        uint16_t status = 0;                                                                                 \
        X87_ON_HOST(#name "\n\tfnstsw %0" : "=a"(status));                                                   \
        return status;                                                                                       \
    }                                                                                                        \
    FUNCTION(name, name##_on_host, __VA_ARGS__)

/* Executes an instruction on the host's x87. TOP shows afterwards whether it has pushed or popped: FXTRACT does not
 * push if it fails. The reach of its results is not known. */
static void run_on_host(uc_env *env, const function *f)
{
    if (f->by_value) {
        uc_fpreg a = {.mantissa = 0}, b = {.mantissa = 0};
        x87_host_value(0, &a);
        if (f->second)
            x87_host_value(1, &b);
        x87_value(engine_of(env), &a, f->second ? &b : NULL);
    }
    unsigned top = f->on_host() >> 11 & 7;
    if (top == x87_slot(env, 7))
        x87_pushed(env, X87_REACH_UNKNOWN), *x87_reach(env, 1) = X87_REACH_UNKNOWN;
    else if (top == x87_slot(env, 1))
        x87_popped(env);
    *x87_reach(env, 0) = X87_REACH_UNKNOWN;
}

/* Returns whether the host's x87 has IE or ZE set. These flags are sticky, so they belong to an
 * instruction only if they were clear before it. */
static bool host_has_refused(void)
{
    return x87_host_status() & (X87_IE | X87_ZE);
}

/* Executes the instruction whose call returns to `retaddr`: on the host's x87 if that is possible, else by integers.
 * Marks it for the model if an operand was invalid or a divisor zero. */
static void run(uc_env *env, const function *f, uintptr_t retaddr)
{
    if (f->on_host &&
        X87_READY(env, x87_filled(env, 0) && (!f->second || x87_filled(env, 1)) &&
                           (!f->pushes || x87_can_push(env))) &&
        !host_has_refused()) {
        run_on_host(env, f);
        if (host_has_refused())
            x87_mark(engine_of(env), P5_X87_REFUSED, retaddr);
        return;
    }
    x87_wait(env, retaddr);
    x87_operands o = {
        .a = x87_st(env, 0), .a_empty = x87_empty(env, 0), .b = x87_st(env, 1), .b_empty = x87_empty(env, 1)};
    if (f->by_value)
        x87_value(engine_of(env), o.a, f->second ? o.b : NULL);
    engine_of(env)->x87.suppressed = false;
    if (x87_exact(env, f->exact, &o, 0))
        x87_mark(engine_of(env), P5_X87_REFUSED, retaddr);
}

HOST_FUNCTION(fsqrt, .by_value = true)
HOST_FUNCTION(frndint, .second = false)
FUNCTION(f2xm1, NULL, .second = false)
FUNCTION(fsin, NULL, .by_value = true)
FUNCTION(fcos, NULL, .by_value = true)
HOST_FUNCTION(fscale, .second = true)
HOST_FUNCTION(fprem, .second = true, .by_value = true)
HOST_FUNCTION(fprem1, .second = true, .by_value = true)
FUNCTION(fpatan, NULL, .second = true)
FUNCTION(fyl2x, NULL, .second = true)
FUNCTION(fyl2xp1, NULL, .second = true)
FUNCTION(fptan, NULL, .pushes = true, .by_value = true)
FUNCTION(fsincos, NULL, .pushes = true, .by_value = true)
HOST_FUNCTION(fxtract, .pushes = true)

/* Executes FABS and FCHS on Unicorn's state: clears and flips bits of sign and exponent. The only exception is an empty
 * register. */
static void change_sign(uc_env *env, uint16_t clear, uint16_t flip, uintptr_t retaddr)
{
    x87_wait(env, retaddr);
    engine_of(env)->x87.suppressed = false;
    uc_fpreg *r = x87_st(env, 0);
    if (x87_empty(env, 0)) {
        if (x87_underflow(env))
            x87_set(env, 0, &x87_indefinite);
        return;
    }
    r->exponent = (uint16_t)((r->exponent & ~clear) ^ flip);
    x87_set_conditions(env, 0, X87_C1);
}

void WRAP(helper_fabs_ST0)(uc_env *env)
{
    if (X87_READY(env, x87_filled(env, 0)))
        X87_ON_HOST("fabs");
    else
        change_sign(env, 0x8000, 0, X87_RETADDR);
}

void WRAP(helper_fchs_ST0)(uc_env *env)
{
    if (X87_READY(env, x87_filled(env, 0)))
        X87_ON_HOST("fchs");
    else
        change_sign(env, 0, 0x8000, X87_RETADDR);
}

/* FXAM: C3, C2 and C0 say what ST(0) is, C1 its sign. Manual: FXAM. */
void WRAP(helper_fxam_ST0)(uc_env *env)
{
    if (X87_READY(env, x87_filled(env, 0))) {
        X87_ON_HOST("fxam");
        return;
    }
    x87_wait(env, X87_RETADDR);
    const uc_fpreg *r = x87_st(env, 0);
    unsigned exponent = r->exponent & 0x7fff, class;
    bool integer_bit = r->mantissa >> 63;
    if (x87_empty(env, 0))
        class = X87_C3 | X87_C0;
    else if (exponent == 0x7fff)
        class = !integer_bit ? 0 : r->mantissa << 1 ? X87_C0 : X87_C2 | X87_C0;
    else if (exponent == 0)
        class = r->mantissa ? X87_C3 | X87_C2 : X87_C3;
    else
        class = integer_bit ? X87_C2 : 0;
    class |= r->exponent & 0x8000 ? X87_C1 : 0u;
    x87_set_conditions(env, (uint16_t) class, X87_CC);
}
