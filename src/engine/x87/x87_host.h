/* The host's x87 as the guest's. While the guest masks all exceptions no x87 instruction needs a look at what
 * it did: values, tags, TOP and status word come out as they shall by executing it on the host's x87, which
 * then holds the guest's registers and is simply left as it is (x87_held). Translated code and this program's
 * own do not use it; tests/unit/engine/no_x87.sh looks at that. Before anybody else's code may run - a
 * callback of the owner, the end of a run - and before anything reads or writes the registers in Unicorn's
 * state, they are put back there (x87_settle).
 *
 * What is known of each register meanwhile is its reach: no value that is in it has an exponent further than
 * that from 0. It answers three questions by one comparison: whether the host's x87 is the guest's, whether
 * the register is empty, and whether its value is safe (x87_safe) as an operand. */
#ifndef ENGINE_X87_X87_HOST_H
#define ENGINE_X87_X87_HOST_H

#include "engine/x87/x87_internal.h"

/* What is executed while the registers are there, as asm has it; on a host without an x87 they never are. */
#ifdef P5_SOFT_X87
#define X87_ON_HOST(...) ((void)0)
#else
#define X87_ON_HOST(...) __asm__ volatile(__VA_ARGS__)
#endif

enum {
    X87_REACH_UNKNOWN = 0x7fff,
    X87_REACH_EMPTY = 0x8000,
    X87_REACH_ELSEWHERE = 0xffff, /* the registers are in Unicorn's state */
    /* of the formats in memory, with denormal numbers */
    X87_REACH_M32 = 149,
    X87_REACH_M64 = 1074,
    X87_REACH_I16 = 15,
    X87_REACH_I32 = 31,
    X87_REACH_I64 = 63
};

/* The guest's registers go to the host's x87, if it masks all exceptions. False if that is not so, or if they
 * are there: so a function that does not find what it needs asks once. */
bool x87_take(uc_env *env);

static inline unsigned *x87_reach(uc_env *env, unsigned i)
{
    return &engine_of(env)->x87.reach[x87_slot(env, i)];
}
static inline bool x87_filled(uc_env *env, unsigned i)
{
    return *x87_reach(env, i) < X87_REACH_EMPTY;
}
static inline bool x87_can_push(uc_env *env)
{
    return *x87_reach(env, 7) == X87_REACH_EMPTY;
}
/* `condition` holds, perhaps after taking the registers. */
#define X87_READY(env, condition) (__builtin_expect(condition, 1) || (x87_take(env) && (condition)))

/* What the host's x87 does to the stack: the top goes to physical register `slot`, or away from `top`. */
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

static inline uint16_t x87_host_status(void)
{
    uint16_t status = 0;
    X87_ON_HOST("fnstsw %0" : "=a"(status));
    return status;
}
/* The value of a filled register, held. C1 is lost. */
void x87_host_value(unsigned i, uc_fpreg *value);
/* Looks at a held register's value if its reach is not within `safe`. True if it is now. */
bool x87_within(uc_env *env, unsigned i);

/* Executes INSN with the register number `i`, 0 to 7, which the host knows only as part of the instruction.
 */
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
