/* Moves the registers between Unicorn's state and the host's x87 (x87_host.h). */
#include <assert.h>
#include <string.h>

#include "engine/x87/x87_host.h"

/* Marks the registers as not in the host's x87. */
static void forget_reach(engine *e)
{
    for (unsigned i = 0; i < 8; i++)
        e->x87.reach[i] = X87_REACH_ELSEWHERE;
}

/* Returns the reach of a value: the magnitude of its exponent without the bias. Infinities, NaNs, denormal numbers and
 * unsupported formats have X87_REACH_UNKNOWN. */
static unsigned reach_of(const uc_fpreg *value)
{
    int exponent = value->exponent & 0x7fff;
    if (value->mantissa == 0 && exponent == 0)
        return 0;
    if (!(value->mantissa >> 63) || exponent == 0x7fff || exponent == 0)
        return X87_REACH_UNKNOWN;
    return (unsigned)(exponent < 0x3fff ? 0x3fff - exponent : exponent - 0x3fff);
}

/* Moves the registers from Unicorn's state to the host's x87. Returns false if the guest has unmasked an exception, or
 * if the registers are already there. */
bool x87_take(uc_env *env)
{
    if (!X87_BY_HOST || x87_held(env) || !x87_masked(env->fpuc))
        return false;
    engine *e = engine_of(env);
    uint8_t image[X87_IMAGE_BYTES];
    env->fpstt &= 7;
    x87_to_image(env, image);
    for (unsigned slot = 0; slot < 8; slot++)
        e->x87.reach[slot] = env->fptags[slot] ? X87_REACH_EMPTY : reach_of(&env->fpregs[slot]);
    X87_ON_HOST("frstor %0" : : "m"(image));
    e->x87.place = X87_IN_HOST;
    e->x87.suppressed = false;
    return true;
}

/* Moves the registers back to Unicorn's state. */
void x87_settle_from(engine *e)
{
    uc_env *env = e->env;
    if (!x87_held(env)) {
        e->x87.place = X87_IN_STATE;
        return;
    }
    uint8_t image[X87_IMAGE_BYTES];
    X87_ON_HOST(
        "fnsave %0"
        : "=m"(image)); /* also resets the host's x87, because this program's own code expects it so */
    /* cppcheck-suppress legacyUninitvar; FNSAVE has written it */
    x87_from_image(env, image);
    e->x87.place = X87_IN_STATE;
    forget_reach(e);
}

void engine_settle(engine *e)
{
    x87_settle(e);
}

void x87_wait_before(engine *e)
{
    x87_wait(e->env, 0);
}

/* Prepares the x87 of a new engine. */
void x87_open(engine *e)
{
    const bool p55c = e->options.family == P5_FAMILY_P55C;
    /* Biased exponents of safe operands: 3000h to 4FFFh, or 2001h to 5FFDh on the P54C. */
    e->x87.safe_low = 0x3fffu - (p55c ? 0x0fff : 0x1ffe);
    e->x87.safe_span = p55c ? 0x1fff : 0x3ffc;
    e->x87.safe_reach = 0x3fff - e->x87.safe_low;
    e->x87.place = X87_IN_STATE;
    forget_reach(e);
}

/* Reads ST(i) from the host's x87 by exchanging it with ST(0) and back, and by storing and reloading ST(0). FLD of
 * ST(i) would need a free register. */
void x87_host_value(unsigned i, uc_fpreg *value)
{
    (void)value; /* where there is no host's x87 */
    X87_BY_NUMBER(i, "fxch ", "")
    X87_ON_HOST("fstpt %0\n\tfldt %0" : "+m"(*value));
    X87_BY_NUMBER(i, "fxch ", "")
}

/* Returns whether ST(i), in the host's x87, has a safe exponent. Updates its reach from the value if the reach
 * is not conclusive. */
bool x87_within(uc_env *env, unsigned i)
{
    unsigned safe = engine_of(env)->x87.safe_reach, *reach = x87_reach(env, i);
    if (*reach > safe && *reach < X87_REACH_EMPTY) {
        uc_fpreg value = {.mantissa = 0};
        x87_host_value(i, &value);
        *reach = reach_of(&value);
    }
    return *reach <= safe;
}
