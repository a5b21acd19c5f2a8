/* Roots, remainders, rounding to integers, scaling (soft.h). Each function computes s->result from the operands s->a
 * (ST(0)) and s->b (ST(1)), and sets exceptions in s->flags and condition codes in s->codes. */
#include "engine/x87/soft.h"

/* FSQRT. */
static void root(soft *s)
{
    const soft_number *a = &s->a;
    if (soft_not_numbers(s, a, NULL))
        return;
    if (a->negative && a->class != SOFT_ZERO) {
        s->result = soft_invalid(s);
        return;
    }
    soft_check_denormal(s, a, NULL);
    if (a->class != SOFT_FINITE) {
        s->result = soft_pack(a);
        return;
    }
    /* Computes 64 bits of the root bit by bit, from the mantissa times an even power of two. The remainder shows
     * whether the exact root is above the midpoint between two results; it is never the midpoint itself. */
    unsigned odd = (unsigned)(a->exponent - SOFT_BIAS) & 1;
    soft_wide rest = (soft_wide)a->mantissa << (63 + odd);
    uint64_t found = 0;
    for (unsigned bit = 64; bit-- > 0;) {
        soft_wide tried = (soft_wide)(found | 1ull << bit);
        if (tried * tried <= rest)
            found = (uint64_t)tried;
    }
    rest -= (soft_wide)found * found;
    soft_wide significand = (soft_wide)found << 64 | (soft_wide)(rest > found) << 63 | (rest != 0);
    s->result = soft_result(s, false, (a->exponent - SOFT_BIAS - (int)odd) / 2 + SOFT_BIAS, significand,
                            soft_precision(s->control));
}

/* FRNDINT. */
static void round_to_integer(soft *s)
{
    const soft_number *a = &s->a;
    enum { NO_FRACTION = SOFT_BIAS + 63 };
    if (soft_not_numbers(s, a, NULL))
        return;
    soft_check_denormal(s, a, NULL);
    s->result = soft_pack(a);
    if (a->class != SOFT_FINITE || a->exponent >= NO_FRACTION)
        return;
    bool inexact, up;
    soft_wide value = soft_shift((soft_wide)a->mantissa << 64, (unsigned)(NO_FRACTION - a->exponent));
    uint64_t whole = soft_round_integer(s->control, a->negative, value, &inexact, &up);
    s->flags |= inexact ? X87_PE : 0;
    s->codes |= up ? X87_C1 : 0;
    s->result = x87_from_integer((int64_t)whole); /* up to 2^63, whose sign is set below */
    s->result.exponent = (uint16_t)((s->result.exponent & SOFT_TOP) | (a->negative ? SOFT_SIGN : 0));
}

/* FSCALE: computes ST(0) * 2^n, where n is ST(1) truncated. */
static void scale(soft *s)
{
    const soft_number *a = &s->a, *b = &s->b;
    enum { MOST = 0x10000 }; /* enough for a certain overflow or underflow */
    if (soft_not_numbers(s, a, b))
        return;
    if (b->class == SOFT_INFINITE && a->class == (b->negative ? SOFT_INFINITE : SOFT_ZERO)) {
        s->result = soft_invalid(s);
        return;
    }
    soft_check_denormal(s, a, b);
    s->result = soft_pack(a);
    if (a->class != SOFT_FINITE || b->class == SOFT_ZERO)
        return;
    if (b->class == SOFT_INFINITE) {
        s->result = b->negative ? soft_zero(a->negative) : soft_infinity(a->negative);
        return;
    }
    int by = b->exponent < SOFT_BIAS        ? 0
             : b->exponent > SOFT_BIAS + 16 ? MOST
                                            : (int)(b->mantissa >> (SOFT_BIAS + 63 - b->exponent));
    s->result =
        soft_result(s, a->negative, a->exponent + (b->negative ? -by : by), (soft_wide)a->mantissa << 64, 64);
}

/* FXTRACT: replaces ST(0) by its exponent and pushes its significand. */
static void extract(soft *s)
{
    const soft_number *a = &s->a;
    s->pushed = soft_pack(a);
    if (soft_not_numbers(s, a, NULL)) {
        s->pushed = s->result;
        return;
    }
    soft_check_denormal(s, a, NULL);
    if (a->class == SOFT_FINITE) {
        s->pushed =
            (uc_fpreg){.mantissa = a->mantissa, .exponent = a->negative ? SOFT_BIAS | SOFT_SIGN : SOFT_BIAS};
        s->result = x87_from_integer(a->exponent - SOFT_BIAS);
    } else {
        s->flags |= a->class == SOFT_ZERO ? X87_ZE : 0;
        s->result = soft_infinity(a->class == SOFT_ZERO);
    }
}

/* FPREM, FPREM1 (`nearest`: the quotient is rounded, not truncated): subtracts a multiple of ST(1) from ST(0). If
 * the quotient has more than 64 bits, the result is partial and C2 is set; otherwise C0, C3 and C1 are the
 * quotient's bits 2 to 0. */
static void remainder_of(soft *s, bool nearest)
{
    const soft_number *a = &s->a, *b = &s->b;
    if (soft_not_numbers(s, a, b) || a->class == SOFT_INFINITE || b->class == SOFT_ZERO) {
        if (a->class < SOFT_QUIET && b->class < SOFT_QUIET)
            s->result = soft_invalid(s);
        return;
    }
    soft_check_denormal(s, a, b);
    s->codes = 0;
    s->result = soft_pack(a);
    int over = a->exponent - b->exponent, exponent = b->exponent;
    /* The quotient is 0, and ST(0) is the remainder. */
    if (a->class == SOFT_ZERO || b->class == SOFT_INFINITE || over < -1 || (over == -1 && !nearest)) {
        if (a->class == SOFT_FINITE && b->class == SOFT_FINITE)
            s->result = soft_result(s, a->negative, a->exponent, (soft_wide)a->mantissa << 64, 64);
        return;
    }
    if (over > 63) { /* computes only the upper 33 to 64 bits of the quotient */
        int part = 32 + over % 32;
        exponent += over - part;
        over = part;
        s->codes |= X87_C2;
    }
    bool negative = a->negative;
    soft_wide rest = a->mantissa, divisor = b->mantissa;
    uint64_t whole = 0;
    if (over < 0) { /* the dividend is smaller, so the unit is that of ST(0) */
        divisor <<= 1;
        exponent--;
    }
    for (int i = over < 0 ? 0 : over; i >= 0; i--) {
        whole <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            whole |= 1;
        }
        if (i > 0)
            rest <<= 1;
    }
    if (nearest && !(s->codes & X87_C2) && (rest * 2 > divisor || (rest * 2 == divisor && whole & 1))) {
        rest = divisor - rest;
        negative = !negative;
        whole++;
    }
    if (!(s->codes & X87_C2))
        s->codes |= (whole & 4 ? X87_C0 : 0u) | (whole & 2 ? X87_C3 : 0u) | (whole & 1 ? X87_C1 : 0u);
    if (rest == 0) {
        s->result = soft_zero(a->negative);
        return;
    }
    unsigned kept = s->codes; /* soft_result would clear C1, which is a bit of the quotient */
    int shift = soft_leading_zeros(rest);
    s->result = soft_result(s, negative, exponent + 64 - shift, rest << shift, 64);
    s->codes = kept;
}

static void truncated(soft *s)
{
    remainder_of(s, false);
}
static void nearest(soft *s)
{
    remainder_of(s, true);
}

SOFT_FUNCTION(fsqrt, root, SOFT_KEEPS, false, X87_C1)
SOFT_FUNCTION(frndint, round_to_integer, SOFT_KEEPS, false, X87_C1)
SOFT_FUNCTION(fscale, scale, SOFT_KEEPS, true, X87_C1)
SOFT_FUNCTION(fprem, truncated, SOFT_KEEPS, true, X87_C1 | X87_C2)
SOFT_FUNCTION(fprem1, nearest, SOFT_KEEPS, true, X87_C1 | X87_C2)
SOFT_FUNCTION(fxtract, extract, SOFT_PUSHES, false, X87_C1)
