/* Conversion between register contents and soft_number, and rounding to a format with overflow and underflow (243190,
 * 7.8). Result NaNs are chosen here, too. */
#include "engine/x87/soft.h"

/* What is added to or subtracted from a register's exponent after an unmasked underflow or overflow. */
enum { WRAP_EXPONENT = 0x6000 };

static const soft_format soft_extended = {64, 1, SOFT_TOP - 1};

/* Takes the contents of a register apart. Denormal numbers are normalised. */
soft_number soft_unpack(const uc_fpreg *r)
{
    soft_number n = {
        .negative = r->exponent & SOFT_SIGN, .exponent = r->exponent & SOFT_TOP, .mantissa = r->mantissa};
    if (n.exponent == 0) {
        n.class = n.mantissa ? SOFT_FINITE : SOFT_ZERO;
        if (n.mantissa) {
            int shift = __builtin_clzll(n.mantissa);
            n.denormal = true;
            n.exponent = 1 - shift;
            n.mantissa <<= shift;
        }
    } else if (!(n.mantissa >> 63)) {
        n.class = SOFT_INVALID;
    } else if (n.exponent == SOFT_TOP) {
        n.class = !(n.mantissa << 1) ? SOFT_INFINITE : n.mantissa >> 62 & 1 ? SOFT_QUIET : SOFT_SIGNALLING;
    } else {
        n.class = SOFT_FINITE;
    }
    return n;
}

/* Returns the register's contents for a number that soft_unpack has made. */
uc_fpreg soft_pack(const soft_number *n)
{
    uint16_t sign = n->negative ? SOFT_SIGN : 0;
    if (n->class == SOFT_ZERO)
        return (uc_fpreg){.exponent = sign};
    if (n->class != SOFT_FINITE)
        return (uc_fpreg){.mantissa = n->mantissa, .exponent = (uint16_t)(SOFT_TOP | sign)};
    if (n->exponent < 1)
        return (uc_fpreg){.mantissa = n->mantissa >> (1 - n->exponent), .exponent = sign};
    return (uc_fpreg){.mantissa = n->mantissa, .exponent = (uint16_t)(n->exponent | sign)};
}

uc_fpreg soft_invalid(soft *s)
{
    s->flags |= X87_IE;
    return x87_indefinite;
}

unsigned soft_precision(uint16_t control)
{
    static const unsigned bits[] = {24, 64, 53, 64};
    return bits[control >> 8 & 3];
}

/* Returns whether a number is rounded away from zero. `odd` is the lowest bit that is kept, `half` the highest bit that
 * is dropped, and `rest` whether any other dropped bit is set. */
static bool rounds_up(uint16_t control, bool negative, bool odd, bool half, bool rest)
{
    switch (soft_rounding(control)) {
    case SOFT_DOWN:
        return negative && (half || rest);
    case SOFT_UP:
        return !negative && (half || rest);
    case SOFT_CHOP:
        return false;
    default:
        return half && (rest || odd);
    }
}

/* Rounds the magnitude value / 2^64 to an integer. */
uint64_t soft_round_integer(uint16_t control, bool negative, soft_wide value, bool *inexact, bool *up)
{
    uint64_t whole = (uint64_t)(value >> 64), part = (uint64_t)value;
    *inexact = part != 0;
    *up = rounds_up(control, negative, whole & 1, part >> 63, part << 1 != 0);
    return whole + *up;
}

typedef struct rounded {
    uint64_t mantissa;
    bool inexact, up; /* up: it was rounded away from zero */
    bool carry;       /* rounding has carried out of the mantissa, so the exponent must be increased by 1 */
} rounded;

/* Rounds to the upper `bits` bits of the significand. Bit 63 of the result's mantissa is the highest of them. */
static rounded round_to(const soft *s, unsigned bits, bool negative, soft_wide significand)
{
    rounded r;
    uint64_t kept =
        soft_round_integer(s->control, negative, soft_shift(significand, 64 - bits), &r.inexact, &r.up);
    r.carry = bits < 64 ? kept >> bits : r.up && kept == 0;
    r.mantissa = r.carry ? 1ull << 63 : kept << (64 - bits);
    return r;
}

/* Rounds to a format, with the masked or unmasked result of overflow and underflow (soft.h). `to_register`: the exponent
 * of an unmasked result is moved by WRAP_EXPONENT. */
uint64_t soft_round(soft *s, const soft_format *format, bool to_register, bool negative, int *exponent,
                    soft_wide significand)
{
    rounded r = round_to(s, format->bits, negative, significand);
    int reached = *exponent + r.carry;
    s->codes &= ~(unsigned)X87_C1; /* C1 is that of the last result if there are two */
    if (reached < format->low &&
        s->control & X87_UE) { /* rounds again, to the fewer bits of a denormal number */
        r = round_to(s, format->bits, negative, soft_shift(significand, (unsigned)(format->low - *exponent)));
        reached = format->low;
        s->flags |= r.inexact ? X87_UE : 0;
    } else if (reached < format->low) {
        s->flags |= X87_UE;
        reached += to_register ? WRAP_EXPONENT : 0;
    } else if (reached > format->high) {
        s->flags |= X87_OE;
        if (s->control & X87_OE) {
            r.up = soft_rounding(s->control) == SOFT_NEAREST ||
                   soft_rounding(s->control) == (negative ? SOFT_DOWN : SOFT_UP);
            reached = format->high + r.up;
            r.mantissa = r.up ? 1ull << 63 : ~0ull << (64 - format->bits);
            r.inexact = true;
        } else {
            reached -= to_register ? WRAP_EXPONENT : 0;
        }
    }
    *exponent = reached;
    /* An unmasked overflow or underflow prevents a store to memory, so there is no rounding to report. */
    if (!to_register && s->flags & ~(unsigned)s->control & (X87_OE | X87_UE))
        return r.mantissa;
    if (r.inexact)
        s->flags |= X87_PE;
    if (r.inexact && r.up)
        s->codes |= X87_C1;
    return r.mantissa;
}

/* Rounds to a register with `bits` bits of significand (precision control). */
uc_fpreg soft_result(soft *s, bool negative, int exponent, soft_wide significand, unsigned bits)
{
    const soft_format format = {bits, soft_extended.low, soft_extended.high};
    uint64_t mantissa = soft_round(s, &format, true, negative, &exponent, significand);
    uint16_t sign = negative ? SOFT_SIGN : 0;
    if (exponent == format.low && !(mantissa >> 63))
        exponent = 0;
    if (exponent > SOFT_TOP || exponent < 0) { /* too large or small even after the exponent was moved */
        s->flags |= X87_PE;
        s->codes = (s->codes & ~(unsigned)X87_C1) | (exponent > 0 ? X87_C1 : 0);
        return exponent > 0 ? soft_infinity(negative) : soft_zero(negative);
    }
    return (uc_fpreg){.mantissa = mantissa, .exponent = (uint16_t)((unsigned)exponent | sign)};
}

/* Returns the NaN that is the result for operands of which at least one is a NaN (`b` NULL: there is one operand).
 * Of two NaNs, a quiet one precedes a signalling one, then the larger significand a smaller one, and then the
 * positive one the negative one. The result is always quiet. */
static uc_fpreg nan_of(const soft_number *a, const soft_number *b)
{
    const soft_number *taken = a;
    bool a_is = a->class >= SOFT_QUIET, b_is = b && b->class >= SOFT_QUIET;
    if (a_is && b_is) {
        if (a->class != b->class)
            taken = a->class == SOFT_QUIET ? a : b;
        else if (a->mantissa != b->mantissa)
            taken = a->mantissa > b->mantissa ? a : b;
        else
            taken = a->negative ? b : a;
    } else if (b_is) {
        taken = b;
    }
    uc_fpreg value = soft_pack(taken);
    value.mantissa |= 1ull << 62;
    return value;
}

/* Returns true if an operand is a NaN or invalid, which determines the result. `b` may be NULL. */
bool soft_not_numbers(soft *s, const soft_number *a, const soft_number *b)
{
    if (a->class == SOFT_INVALID || (b && b->class == SOFT_INVALID)) {
        s->result = soft_invalid(s);
        return true;
    }
    if (a->class == SOFT_SIGNALLING || (b && b->class == SOFT_SIGNALLING))
        s->flags |= X87_IE;
    if (a->class >= SOFT_QUIET || (b && b->class >= SOFT_QUIET)) {
        s->result = nan_of(a, b);
        return true;
    }
    return false;
}
