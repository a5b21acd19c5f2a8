/* Execution on the host's x87. While the guest masks all exceptions, executing an instruction on the host's x87 gives
 * the right values, tags, TOP and status word. The host's x87 then keeps the guest's registers (x87_held). Translated
 * code and this program's own code do not use it, which tests/unit/engine/no_x87.sh checks. Before other code may run
 * (a callback of the owner, the end of a run), and before the registers in Unicorn's state are read or written, they
 * are moved back there (x87_settle).
 *
 * Meanwhile each register has a reach: an upper bound for the magnitude of its exponent without the bias, or a
 * larger constant. One comparison with it answers three questions: whether the host's x87 holds the guest's
 * registers, whether the register is not empty, and whether its value is safe (x87_safe) as an operand. */
#ifndef ENGINE_X87_X87_HOST_H
#define ENGINE_X87_X87_HOST_H

#include "engine/x87/x87_internal.h"

/* Executes an asm statement while the host's x87 holds the registers. On a host without an x87 it never does. */
#ifdef P5_SOFT_X87
#define X87_ON_HOST(...) ((void)0)
#else
#define X87_ON_HOST(...) __asm__ volatile(__VA_ARGS__)
#endif

enum {
    X87_REACH_UNKNOWN = 0x7fff,   /* the register has a value; it may be infinite, a NaN or denormal */
    X87_REACH_EMPTY = 0x8000,     /* the register is empty */
    X87_REACH_ELSEWHERE = 0xffff, /* the registers are in Unicorn's state */
    /* numbers that were loaded from these formats, including denormal ones */
    X87_REACH_M32 = 149,
    X87_REACH_M64 = 1074,
    X87_REACH_I16 = 15,
    X87_REACH_I32 = 31,
    X87_REACH_I64 = 63
};

/* Moves the guest's registers to the host's x87. Returns false without doing anything if the guest does not mask all
 * exceptions, or if the registers are already there, so that X87_READY does not repeat its test. */
bool x87_take(uc_env *env);

/* Returns where the reach of ST(i) is kept. */
static inline unsigned *x87_reach(uc_env *env, unsigned i)
{
    return &engine_of(env)->x87.reach[x87_slot(env, i)];
}
/* Returns whether the host's x87 holds the registers and ST(i) is not empty. */
static inline bool x87_filled(uc_env *env, unsigned i)
{
    return *x87_reach(env, i) < X87_REACH_EMPTY;
}
/* Returns whether the host's x87 holds the registers and a push does not overflow. */
static inline bool x87_can_push(uc_env *env)
{
    return *x87_reach(env, 7) == X87_REACH_EMPTY;
}
/* Returns whether a condition on the reach of registers holds. If it does not hold at first, moves the registers to
 * the host and tests it again. */
#define X87_READY(env, condition) (__builtin_expect(condition, 1) || (x87_take(env) && (condition)))

/* Update TOP and reach after the host's x87 has pushed to the physical register `slot`, or popped `top`. */
static inline void x87_push_to(uc_env *env, engine *e, unsigned slot, unsigned reach)
{
    e->x87.reach[slot] = reach;
    env->fpstt = slot;
}
static inline void x87_pop_from(uc_env *env, engine *e, unsigned top)
{
    e->x87.reach[top] = X87_REACH_EMPTY;
    env->fpstt = (top + 1) & 7;
}
static inline void x87_pushed(uc_env *env, unsigned reach)
{
    x87_push_to(env, engine_of(env), x87_slot(env, 7), reach);
}
static inline void x87_popped(uc_env *env)
{
    x87_pop_from(env, engine_of(env), x87_slot(env, 0));
}

/* Returns the status word of the host's x87. */
static inline uint16_t x87_host_status(void)
{
    uint16_t status = 0;
    X87_ON_HOST("fnstsw %0" : "=a"(status));
    return status;
}
/* Reads the value of ST(i), which is not empty, from the host's x87. C1 is lost. */
void x87_host_value(unsigned i, uc_fpreg *value);
/* Returns whether ST(i) has a value in the host's x87 whose exponent lies in the safe range. If the reach is
 * not conclusive, updates it from the value itself. */
bool x87_within(uc_env *env, unsigned i);

/* Executes an instruction with the operand ST(i). The number is a part of the instruction, so there is one for each.
 * `before` and `after` are the assembler's text around the operand. */
#define X87_BY_NUMBER(i, before, after)                                                                      \
    switch ((i)&7) {                                                                                         \
        X87_CASE(0, before, after)                                                                           \
        X87_CASE(1, before, after)                                                                           \
        X87_CASE(2, before, after)                                                                           \
        X87_CASE(3, before, after)                                                                           \
        X87_CASE(4, before, after)                                                                           \
        X87_CASE(5, before, after)                                                                           \
        X87_CASE(6, before, after)                                                                           \
        X87_CASE(7, before, after)                                                                           \
    }
#define X87_CASE(number, before, after)                                                                      \
    case number:                                                                                             \
        X87_ON_HOST(before "%%st(" #number ")" after ::: "cc");                                              \
        break;

#endif
