/* Transcendental functions: computed by the C library with 113 bits of precision and then rounded to 64, with the
 * same result on every host. A processor's own functions have errors of some tenths of a unit in the last place, so
 * its results may differ in the last bit (docs/fidelity.md). The operands are s->a, ST(0), and s->b, ST(1); the
 * results s->result and s->pushed (soft.h). */
#include <string.h>

#include "engine/x87/soft.h"

#if __LDBL_MANT_DIG__ == 113
/* IEEE quadruple precision: sign, exponent as in a register, 112 bits of fraction. */
typedef long double quad;
#define QUAD(name) name##l
#else
__extension__ typedef __float128 quad;
#define QUAD(name) name##f128
#endif
quad QUAD(sin)(quad x);
quad QUAD(cos)(quad x);
quad QUAD(tan)(quad x);
quad QUAD(atan2)(quad y, quad x);
quad QUAD(log2)(quad x);
quad QUAD(log1p)(quad x);
quad QUAD(expm1)(quad x);

enum { FRACTION = 112 }; /* bits of a quad's fraction */

static quad from_bits(soft_wide bits)
{
    quad q;
    memcpy(&q, &bits, sizeof q);
    return q;
}

/* Returns the number times 2^`scaled`. A quad that is not denormal needs an exponent of 1 or more, which `scaled`
 * provides for smaller numbers. */
static quad quad_of(const soft_number *n, int scaled)
{
    soft_wide sign = (soft_wide)n->negative << 127;
    if (n->class == SOFT_ZERO)
        return from_bits(sign);
    if (n->class == SOFT_INFINITE)
        return from_bits(sign | (soft_wide)SOFT_TOP << FRACTION);
    return from_bits(sign | (soft_wide)(unsigned)(n->exponent + scaled) << FRACTION |
                     (soft_wide)(n->mantissa << 1) << (FRACTION - 64));
}

/* Returns the next quad towards zero. */
static quad nearer_to_zero(quad value)
{
    soft_wide bits;
    memcpy(&bits, &value, sizeof bits);
    return from_bits(bits - 1);
}

/* Returns the natural logarithm of 2. */
static quad ln2(void)
{
    return from_bits((soft_wide)0x3ffe62e42fefa39eu << 64 | 0xf35793c7673007e6u);
}

/* Returns the result value / 2^`scaled`, rounded to a register. The exact result is never the value itself, so it
 * counts as inexact. */
static uc_fpreg rounded(soft *s, quad value, int scaled)
{
    soft_wide bits;
    memcpy(&bits, &value, sizeof bits);
    bool negative = bits >> 127;
    int exponent = (int)(bits >> FRACTION & SOFT_TOP);
    soft_wide fraction = bits << (128 - FRACTION) >> 1;
    if (exponent == SOFT_TOP)
        return soft_infinity(negative);
    if (exponent == 0 && fraction == 0)
        return soft_zero(negative);
    fraction |= (soft_wide)(exponent != 0) << 127;
    exponent += exponent == 0;
    int shift = soft_leading_zeros(fraction);
    return soft_result(s, negative, exponent - shift - scaled, fraction << shift | 1, 64);
}

#define ONE ((soft_wide)1 << 127) /* the significand of 1 */

/* Rounds a result whose magnitude is a little less than that of the given number. */
static uc_fpreg less(soft *s, bool negative, int exponent, soft_wide significand)
{
    if (significand == ONE)
        return soft_result(s, negative, exponent - 1, ~(soft_wide)0, 64);
    return soft_result(s, negative, exponent, significand - 1, 64);
}

/* Returns `n` and sets PE. The exact result differs from `n` only far below the last bit, and processors do not round
 * it. */
static uc_fpreg as_if_inexact(soft *s, const soft_number *n)
{
    s->flags |= X87_PE | (n->exponent < 1 ? X87_UE : 0);
    return soft_result(s, n->negative, n->exponent, (soft_wide)n->mantissa << 64, 64);
}

/* Returns 1 or -1. */
static uc_fpreg one(bool negative)
{
    return x87_from_integer(negative ? -1 : 1);
}

/* --- Trigonometric functions --- */

/* Reduces an angle: returns the remainder after subtracting the nearest multiple of pi/2, and in *quarters that
 * multiple modulo 4. These processors use pi with 66 bits (241430, FSIN). */
static quad reduced(const soft_number *a, unsigned *quarters)
{
    /* pi/2 = half_pi / 2^UNIT */
    const soft_wide half_pi = (soft_wide)0xc90fdaa22168c234u << 2 | 3;
    enum { UNIT = 65 };
    soft_wide rest = a->mantissa;
    unsigned count = 0;
    *quarters = 0;
    if (a->exponent < SOFT_BIAS - 1)
        return quad_of(a, 0);
    for (int i = a->exponent - SOFT_BIAS - 63 + UNIT; i >= 0; i--) { /* rest = mantissa << i mod half_pi */
        count <<= 1;
        if (rest >= half_pi) {
            count += (unsigned)(rest / half_pi);
            rest %= half_pi;
        }
        if (i > 0)
            rest <<= 1;
    }
    bool negative = a->negative;
    if (rest * 2 > half_pi) {
        rest = half_pi - rest;
        count++;
        negative = !negative;
    }
    *quarters = a->negative ? (0u - count) & 3 : count & 3;
    if (rest == 0)
        return 0;
    quad value = (quad)(uint64_t)(rest >> 64) * from_bits((soft_wide)(SOFT_BIAS + 64 - UNIT) << FRACTION) +
                 (quad)(uint64_t)rest * from_bits((soft_wide)(SOFT_BIAS - UNIT) << FRACTION);
    return negative ? -value : value;
}

/* Returns whether a trigonometric function has to be computed. Otherwise makes the result of its operand: a NaN, an
 * infinity, or a magnitude of 2^63 or more, which sets C2. */
static bool has_angle(soft *s)
{
    const soft_number *a = &s->a;
    if (soft_not_numbers(s, a, NULL)) {
        s->pushed = s->result;
        return false;
    }
    if (a->class == SOFT_INFINITE) {
        s->result = s->pushed = soft_invalid(s);
        return false;
    }
    soft_check_denormal(s, a, NULL);
    if (a->class == SOFT_FINITE && a->exponent >= SOFT_BIAS + 63) {
        s->codes |= X87_C2;
        s->unfinished = true;
        s->result = soft_pack(a);
        return false;
    }
    return true;
}

/* Below this exponent, a sine or tangent differs from the angle by less than the last bit. */
enum { SMALL = SOFT_BIAS - 64 };

/* Returns the sine of ST(0) + `more` * pi/2; so `more` is 1 for the cosine. */
static uc_fpreg sine_of(soft *s, unsigned more)
{
    const soft_number *a = &s->a;
    unsigned quarters = 0;
    if (a->class == SOFT_ZERO)
        return more ? one(false) : soft_zero(a->negative);
    if (a->exponent < SMALL)
        return as_if_inexact(
            s, more
                   ? &(const soft_number){.class = SOFT_FINITE, .exponent = SOFT_BIAS, .mantissa = 1ull << 63}
                   : a);
    quad rest = reduced(a, &quarters);
    quarters += more;
    quad value = quarters & 1 ? QUAD(cos)(rest) : QUAD(sin)(rest);
    if (quarters & 1 && value == 1) /* the exact cosine is smaller by less than a quad can express */
        return less(s, quarters & 2, SOFT_BIAS, ONE);
    if (!(quarters & 1) && value == rest && rest != 0) /* likewise, the exact sine is nearer to zero */
        value = nearer_to_zero(value);
    return rounded(s, quarters & 2 ? -value : value, 0);
}

static void sine(soft *s)
{
    if (has_angle(s))
        s->result = sine_of(s, 0);
}

static void cosine(soft *s)
{
    if (has_angle(s))
        s->result = sine_of(s, 1);
}

/* FSINCOS: replaces ST(0) by its sine and pushes its cosine. */
static void sine_and_cosine(soft *s)
{
    if (!has_angle(s))
        return;
    s->result = sine_of(s, 0);
    s->pushed = sine_of(s, 1);
}

/* FPTAN: replaces ST(0) by its tangent and pushes 1. */
static void tangent(soft *s)
{
    if (!has_angle(s))
        return;
    unsigned quarters;
    s->pushed = one(false);
    if (s->a.class == SOFT_ZERO) {
        s->result = soft_zero(s->a.negative);
    } else if (s->a.exponent < SMALL) {
        s->result = soft_result(s, s->a.negative, s->a.exponent, (soft_wide)s->a.mantissa << 64 | 1, 64);
    } else {
        quad value = QUAD(tan)(reduced(&s->a, &quarters));
        s->result = rounded(s, quarters & 1 ? -1 / value : value, 0);
    }
}

/* FPATAN: the angle between the positive x axis and the point with x = ST(0) and y = ST(1). */
static void arc_tangent(soft *s)
{
    const soft_number *x = &s->a, *y = &s->b;
    if (soft_not_numbers(s, y, x))
        return;
    soft_check_denormal(s, x, y);
    /* The angle of a point on the positive x axis is zero. */
    bool axis = y->class == SOFT_ZERO || x->class == SOFT_INFINITE;
    if (axis && !x->negative && y->class != SOFT_INFINITE) {
        s->result = soft_zero(y->negative);
        return;
    }
    if (x->class == SOFT_FINITE && y->class == SOFT_FINITE && !x->negative &&
        y->exponent < x->exponent - 64) {
        /* The angle is smaller than the quotient y / x, but by less than the last bit. */
        soft_wide dividend = (soft_wide)y->mantissa << 63, rest = (dividend % x->mantissa) << 64;
        soft_wide quotient = dividend / x->mantissa << 64 | rest / x->mantissa;
        int shift = quotient >> 127 ? 0 : 1;
        int exponent = y->exponent - x->exponent + SOFT_BIAS - shift;
        s->result = rest % x->mantissa ? soft_result(s, y->negative, exponent, quotient << shift | 1, 64)
                                       : less(s, y->negative, exponent, quotient << shift);
        return;
    }
    /* The angle depends on the quotient only, so both exponents are moved to where quads can express the numbers. */
    soft_number p = *x, q = *y;
    if (p.class == SOFT_FINITE && q.class == SOFT_FINITE) {
        int over = p.exponent - q.exponent;
        p.exponent = SOFT_BIAS + (over > 200 ? 200 : over < -200 ? -200 : over);
        q.exponent = SOFT_BIAS;
    } else {
        p.exponent = p.class == SOFT_FINITE ? SOFT_BIAS : p.exponent;
        q.exponent = q.class == SOFT_FINITE ? SOFT_BIAS : q.exponent;
    }
    s->result = rounded(s, QUAD(atan2)(quad_of(&q, 0), quad_of(&p, 0)), 0);
}

/* --- Powers and logarithms --- */

/* Computes ST(1) * logarithm / 2^`scaled`. Neither factor is zero, infinite or a NaN. */
static void multiply_by(soft *s, quad logarithm, int scaled)
{
    soft_number y = s->b;
    int exponent = y.exponent;
    y.exponent = SOFT_BIAS; /* so that a quad can express the product; `rounded` restores the exponent */
    s->result = rounded(s, quad_of(&y, 0) * logarithm, scaled + SOFT_BIAS - exponent);
}

/* Computes the product ST(1) * logarithm if a factor is zero or infinite, else returns false. `zero`, `infinite` and
 * `negative` describe the logarithm. */
static bool special_product(soft *s, bool zero, bool infinite, bool negative)
{
    const soft_number *y = &s->b;
    negative ^= y->negative;
    if ((zero && y->class == SOFT_INFINITE) || (infinite && y->class == SOFT_ZERO))
        s->result = soft_invalid(s);
    else if (zero || y->class == SOFT_ZERO)
        s->result = soft_zero(negative);
    else if (infinite || y->class == SOFT_INFINITE)
        s->result = soft_infinity(negative);
    else
        return false;
    return true;
}

/* FYL2X: ST(1) * log2(ST(0)). */
static void logarithm(soft *s)
{
    const soft_number *x = &s->a, *y = &s->b;
    if (soft_not_numbers(s, x, y))
        return;
    if (x->negative && x->class != SOFT_ZERO) {
        s->result = soft_invalid(s);
        return;
    }
    if (x->class == SOFT_ZERO && y->class == SOFT_FINITE) {
        s->flags |= X87_ZE;
        s->result = soft_infinity(!y->negative);
        return;
    }
    bool zero = x->class == SOFT_FINITE && x->exponent == SOFT_BIAS && x->mantissa == 1ull << 63;
    soft_check_denormal(s, x, y);
    if (special_product(s, zero, x->class == SOFT_INFINITE || x->class == SOFT_ZERO,
                        x->class == SOFT_ZERO || (x->class == SOFT_FINITE && x->exponent < SOFT_BIAS)))
        return;
    enum { MOVED = 100 }; /* a denormal number is taken times 2^MOVED */
    if (x->exponent < 1)
        multiply_by(s, QUAD(log2)(quad_of(x, MOVED)) - (quad)MOVED, 0);
    else
        multiply_by(s, QUAD(log2)(quad_of(x, 0)), 0);
}

/* FYL2XP1: ST(1) * log2(ST(0) + 1). */
static void logarithm_near_one(soft *s)
{
    const soft_number *x = &s->a, *y = &s->b;
    if (soft_not_numbers(s, x, y))
        return;
    if (x->negative && x->class == SOFT_INFINITE) {
        s->result = soft_invalid(s);
        return;
    }
    soft_check_denormal(s, x, y);
    if (special_product(s, x->class == SOFT_ZERO, x->class == SOFT_INFINITE, x->negative))
        return;
    if (x->negative && x->exponent >= SOFT_BIAS) { /* -1 or less is out of range: the result is ST(0) */
        s->flags |= X87_PE;
        s->result = soft_pack(x);
        return;
    }
    if (x->exponent < SMALL) { /* the natural logarithm of 1 + x differs from x by less than the last bit */
        soft_number m = *x;
        m.exponent = SOFT_BIAS;
        multiply_by(s, quad_of(&m, 0) / ln2(), SOFT_BIAS - x->exponent);
        return;
    }
    multiply_by(s, QUAD(log1p)(quad_of(x, 0)) / ln2(), 0);
}

/* F2XM1: 2^ST(0) - 1. Magnitudes above 1 are out of range: the result is ST(0). */
static void power_minus_one(soft *s)
{
    const soft_number *a = &s->a;
    if (soft_not_numbers(s, a, NULL))
        return;
    soft_check_denormal(s, a, NULL);
    s->result = soft_pack(a);
    if (a->class == SOFT_ZERO)
        return;
    if (a->class == SOFT_INFINITE) {
        s->result = a->negative ? one(true) : s->result;
        return;
    }
    if (a->exponent < SMALL) {
        soft_number m = *a;
        m.exponent = SOFT_BIAS;
        s->result = rounded(s, quad_of(&m, 0) * ln2(), SOFT_BIAS - a->exponent);
        return;
    }
    s->flags |= X87_PE;
    if (a->exponent == SOFT_BIAS && a->mantissa == 1ull << 63)
        s->result = a->negative ? (uc_fpreg){.mantissa = 1ull << 63, .exponent = SOFT_SIGN | (SOFT_BIAS - 1)}
                                : one(false);
    else if (a->exponent < SOFT_BIAS)
        s->result = rounded(s, QUAD(expm1)(quad_of(a, 0) * ln2()), 0);
}

SOFT_FUNCTION(fsin, sine, SOFT_KEEPS, false, X87_C1 | X87_C2)
SOFT_FUNCTION(fcos, cosine, SOFT_KEEPS, false, X87_C1 | X87_C2)
SOFT_FUNCTION(fsincos, sine_and_cosine, SOFT_PUSHES, false, X87_C1 | X87_C2)
SOFT_FUNCTION(fptan, tangent, SOFT_PUSHES, false, X87_C1 | X87_C2)
SOFT_FUNCTION(fpatan, arc_tangent, SOFT_POPS, true, X87_C1)
SOFT_FUNCTION(fyl2x, logarithm, SOFT_POPS, true, X87_C1)
SOFT_FUNCTION(fyl2xp1, logarithm_near_one, SOFT_POPS, true, X87_C1)
SOFT_FUNCTION(f2xm1, power_minus_one, SOFT_KEEPS, false, X87_C1)
