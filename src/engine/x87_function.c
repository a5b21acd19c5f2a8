/* Operations on ST(0), with ST(1) as second operand where there is one: roots, remainders, scaling, and the
 * transcendental ones, which the host computes as its generation does. */
#include <string.h>

#include "engine/x87.h"

/* What an operation does to the stack. */
typedef enum depth { KEEPS, POPS, PUSHES } depth;

typedef struct function {
    x87_operation *exact;
    uint16_t (*plain)(uc_fpreg result[2], const uc_fpreg *a, const uc_fpreg *b);
    depth depth;
    bool second;         /* takes ST(1) */
    bool value;          /* its clocks depend on its operands */
    uint16_t conditions; /* condition codes that it sets */
} function;

/* `operands` loads them, `results` takes result[1] (of PUSHES) and result[0] off and empties the stack. */
#define FUNCTION(name, insn, operands, results, ...)                                                         \
    static void name##_exact(uint8_t image[108], const void *memory)                                         \
    {                                                                                                        \
        (void)memory;                                                                                        \
        __asm__ volatile("frstor (%0)\n\t" insn "\n\tfnsave (%0)" : : "r"(image) : X87_CLOBBERS);            \
    }                                                                                                        \
    static uint16_t name##_plain(uc_fpreg result[2], const uc_fpreg *a, const uc_fpreg *b)                   \
    {                                                                                                        \
        uint16_t status;                                                                                     \
        __asm__ volatile(operands insn "\n\tfnstsw %1\n\t" results                                           \
                         : "=m"(*(uc_fpreg(*)[2])result), "=&a"(status)                                      \
                         : "r"(a), "r"(b), "r"(result)                                                       \
                         : X87_CLOBBERS);                                                                    \
        return status;                                                                                       \
    }                                                                                                        \
    static const function name##_function = {name##_exact, name##_plain, __VA_ARGS__};                       \
    void WRAP(helper_##name)(uc_env * env);                                                                  \
    void WRAP(helper_##name)(uc_env * env)                                                                   \
    {                                                                                                        \
        run(env, &name##_function, X87_RETADDR);                                                             \
    }
#define ONE           "fldt (%2)\n\t"
#define TWO           "fldt (%3)\n\tfldt (%2)\n\t"
#define TO_ST         "fstpt (%4)"
#define TO_ST_KEEPING "fstpt (%4)\n\tfstp %%st(0)"
#define TO_TWO        "fstpt (%4)\n\tfstpt 16(%4)"

/* A partial operation (C2 set: the operand is out of range) does not push. */
static void take_results(uc_env *env, const function *f, const uc_fpreg result[2])
{
    if (f->depth == PUSHES) {
        env->fpstt = (env->fpstt - 1) & 7;
        x87_set(env, 1, &result[1]);
    } else if (f->depth == POPS) {
        x87_pop(env);
    }
    x87_set(env, 0, &result[0]);
}

static bool ordinary(const uc_fpreg *r)
{
    return r->mantissa >> 63 && (r->exponent & 0x7fff) != 0x7fff && (r->exponent & 0x7fff) != 0;
}

/* Pushing operations run on the bare operands when neither an exception nor a full stack keeps them from
 * pushing and the operand is in the range of the trigonometric ones. */
static bool can_push(const uc_env *env, const uc_fpreg *r)
{
    return x87_empty(env, 7) && ordinary(r) && (r->exponent & 0x7fff) < 0x3fff + 62;
}

/* Remainders of special operands leave condition codes as they were, which bare operands do not show. */
static void run(uc_env *env, const function *f, uintptr_t retaddr)
{
    engine *e = engine_of(env);
    x87_wait(env, retaddr);
    x87_operands o = {
        .a = x87_st(env, 0), .a_empty = x87_empty(env, 0), .b = x87_st(env, 1), .b_empty = x87_empty(env, 1)};
    if (f->value)
        x87_value(e, o.a, f->second ? o.b : NULL);
    e->x87.suppressed = false;
    bool in_range = f->depth == PUSHES        ? can_push(env, o.a)
                    : f->conditions == X87_CC ? ordinary(o.a) && ordinary(o.b)
                                              : true;
    if (x87_plain(env) && !o.a_empty && !(f->second && o.b_empty) && in_range) {
        uc_fpreg result[2];
        memset(result, 0, sizeof result);
        x87_control_enter(env);
        uint16_t status = f->plain(result, o.a, o.b);
        x87_control_leave(env);
        if (x87_nothing_new(env, status)) {
            take_results(env, f, result);
            x87_set_conditions(env, status, f->conditions);
            return;
        }
    }
    x87_exact(env, f->exact, &o, 0);
}

FUNCTION(fsqrt, "fsqrt", ONE, TO_ST, KEEPS, false, true, X87_C1)
FUNCTION(frndint, "frndint", ONE, TO_ST, KEEPS, false, false, X87_C1)
FUNCTION(f2xm1, "f2xm1", ONE, TO_ST, KEEPS, false, false, X87_C1)
FUNCTION(fsin, "fsin", ONE, TO_ST, KEEPS, false, true, X87_C1 | X87_C2)
FUNCTION(fcos, "fcos", ONE, TO_ST, KEEPS, false, true, X87_C1 | X87_C2)
FUNCTION(fscale, "fscale", TWO, TO_ST_KEEPING, KEEPS, true, false, X87_C1)
FUNCTION(fprem, "fprem", TWO, TO_ST_KEEPING, KEEPS, true, true, X87_CC)
FUNCTION(fprem1, "fprem1", TWO, TO_ST_KEEPING, KEEPS, true, true, X87_CC)
FUNCTION(fpatan, "fpatan", TWO, TO_ST, POPS, true, false, X87_C1)
FUNCTION(fyl2x, "fyl2x", TWO, TO_ST, POPS, true, false, X87_C1)
FUNCTION(fyl2xp1, "fyl2xp1", TWO, TO_ST, POPS, true, false, X87_C1)
FUNCTION(fptan, "fptan", ONE, TO_TWO, PUSHES, false, true, X87_C1 | X87_C2)
FUNCTION(fsincos, "fsincos", ONE, TO_TWO, PUSHES, false, true, X87_C1 | X87_C2)
FUNCTION(fxtract, "fxtract", ONE, TO_TWO, PUSHES, false, false, X87_C1)

/* FABS and FCHS: no exception but an empty register. */
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

void WRAP(helper_fabs_ST0)(uc_env *env);
void WRAP(helper_fabs_ST0)(uc_env *env)
{
    change_sign(env, 0x8000, 0, X87_RETADDR);
}

void WRAP(helper_fchs_ST0)(uc_env *env);
void WRAP(helper_fchs_ST0)(uc_env *env)
{
    change_sign(env, 0, 0x8000, X87_RETADDR);
}

/* FXAM: C3, C2 and C0 say what ST(0) is, C1 its sign. Manual: FXAM. */
void WRAP(helper_fxam_ST0)(uc_env *env);
void WRAP(helper_fxam_ST0)(uc_env *env)
{
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
