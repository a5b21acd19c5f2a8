/* Conversion of registers to numbers in memory, and of packed decimal to registers; the constants of FLD1, FLDPI and so
 * on (soft.h). x87_state.c loads the other formats, which needs no rounding. */
#include <string.h>

#include "engine/x87/soft.h"

/* --- Stores --- */

/* Returns the exceptions and C1 of a store, as bits of the status word. */
static uint16_t status_of(const soft *s)
{
    return (uint16_t)(s->flags | (s->codes & X87_C1));
}

/* Returns whether an unmasked exception prevents the store. */
static bool forbidden(const soft *s)
{
    return s->flags & ~(unsigned)s->control & (X87_IE | X87_OE | X87_UE);
}

/* Returns `value` in single or double precision, rounded to that format. Sets exceptions and C1 in *s. */
static uint64_t narrowed(soft *s, const uc_fpreg *value, const soft_format *format)
{
    const soft_number n = soft_unpack(value);
    const unsigned fraction = format->bits - 1;                      /* bits of the fraction */
    const uint64_t top = (uint64_t)(format->high - format->low + 2); /* exponent of infinities and NaNs */
    const uint64_t sign_bit = (top + 1) << fraction, sign = n.negative ? sign_bit : 0;
    if (soft_not_numbers(s, &n, NULL)) {
        const uint64_t result_sign = s->result.exponent & SOFT_SIGN ? sign_bit : 0;
        return result_sign | top << fraction | s->result.mantissa << 1 >> (64 - fraction);
    }
    if (n.class != SOFT_FINITE)
        return n.class == SOFT_ZERO ? sign : sign | top << fraction;
    int exponent = n.exponent;
    uint64_t mantissa = soft_round(s, format, false, n.negative, &exponent, (soft_wide)n.mantissa << 64);
    exponent -=
        format->low - (int)(mantissa >> 63); /* 0 for a denormal number, whose mantissa lacks bit 63 */
    return sign | (uint64_t)exponent << fraction | mantissa << 1 >> (64 - fraction);
}

/* Defines the x87_conversion to the format `name`. The arguments after `bits_type` are its soft_format. */
#define NARROWED(name, bits_type, ...)                                                                       \
    uint16_t x87_to_##name(const uc_fpreg *value, uint16_t control, void *to)                                \
    {                                                                                                        \
        static const soft_format format = {__VA_ARGS__};                                                     \
        soft s = {.control = control};                                                                       \
        bits_type bits = (bits_type)narrowed(&s, value, &format);                                            \
        if (!forbidden(&s))                                                                                  \
            memcpy(to, &bits, sizeof bits);                                                                  \
        return status_of(&s);                                                                                \
    }
NARROWED(m32, uint32_t, 24, SOFT_BIAS - 126, SOFT_BIAS + 127)
NARROWED(m64, uint64_t, 53, SOFT_BIAS - 1022, SOFT_BIAS + 1023)

/* Returns the magnitude of `value`, rounded to an integer, and its sign in *negative. Sets PE and C1 in *s. If the
 * magnitude is above `most`, or `value` is infinite or not a number, sets IE instead and returns 0. */
static uint64_t to_integer(soft *s, const uc_fpreg *value, uint64_t most, bool *negative)
{
    const soft_number n = soft_unpack(value);
    *negative = n.negative;
    if (n.class == SOFT_ZERO)
        return 0;
    bool inexact = false, up = false;
    uint64_t whole = 0;
    int over = n.exponent - (SOFT_BIAS + 63); /* above 0: 64 bits cannot hold the integer */
    if (n.class == SOFT_FINITE && over <= 0)
        whole = soft_round_integer(s->control, n.negative,
                                   soft_shift((soft_wide)n.mantissa << 64, (unsigned)-over), &inexact, &up);
    if (n.class != SOFT_FINITE || over > 0 || whole > most) {
        s->flags |= X87_IE;
        return 0;
    }
    s->flags |= inexact ? X87_PE : 0;
    s->codes |= up ? X87_C1 : 0;
    return whole;
}

/* Defines the x87_conversion to an integer of `least` to `most`; `least` is stored for a masked IE. A negative number may
 * have a magnitude of most + 1. */
#define INTEGER(name, integer_type, least, most)                                                             \
    uint16_t x87_to_##name(const uc_fpreg *value, uint16_t control, void *to)                                \
    {                                                                                                        \
        soft s = {.control = control};                                                                       \
        bool negative;                                                                                       \
        uint64_t whole =                                                                                     \
            to_integer(&s, value, (uint64_t)(most) + (value->exponent & SOFT_SIGN ? 1 : 0), &negative);      \
        integer_type number = s.flags & X87_IE ? (least) : (integer_type)(negative ? 0 - whole : whole);     \
        if (!forbidden(&s))                                                                                  \
            memcpy(to, &number, sizeof number);                                                              \
        return status_of(&s);                                                                                \
    }
INTEGER(i16, int16_t, INT16_MIN, INT16_MAX)
INTEGER(i32, int32_t, INT32_MIN, INT32_MAX)
INTEGER(i64, int64_t, INT64_MIN, INT64_MAX)

uint16_t x87_to_decimal(const uc_fpreg *value, uint16_t control, void *to)
{
    enum { DIGIT_BYTES = 9 };
    const uint64_t most = 999999999999999999u;
    soft s = {.control = control};
    bool negative;
    uint64_t whole = to_integer(&s, value, most, &negative);
    uint8_t bytes[10] = {0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0xff}; /* the indefinite number */
    if (!(s.flags & X87_IE)) {
        for (unsigned i = 0; i < DIGIT_BYTES; i++, whole /= 100)
            bytes[i] = (uint8_t)(whole % 10 | whole / 10 % 10 << 4);
        bytes[DIGIT_BYTES] = negative ? 0x80 : 0;
    }
    if (!forbidden(&s))
        memcpy(to, bytes, sizeof bytes);
    return status_of(&s);
}

/* --- Loads --- */

uc_fpreg x87_from_decimal(const uc_fpreg *decimal)
{
    uint64_t number = 0;
    for (unsigned i = 9; i-- > 0;)
        number = number * 100 + (decimal->bytes[i] >> 4) * 10u + (decimal->bytes[i] & 15);
    uc_fpreg value = x87_from_integer((int64_t)number);
    if (decimal->bytes[9] & 0x80)
        value.exponent |= SOFT_SIGN;
    return value;
}

/* A number that registers cannot hold exactly. */
typedef struct constant {
    uint64_t mantissa; /* its first 64 bits, not rounded */
    bool nearest_is_up;
    uint16_t exponent;
} constant;

/* Returns the constant as rounding control demands. All are positive. */
static uc_fpreg rounded(const constant *c, uint16_t control)
{
    unsigned rounding = soft_rounding(control);
    bool up = rounding == SOFT_UP || (rounding == SOFT_NEAREST && c->nearest_is_up);
    return (uc_fpreg){.mantissa = c->mantissa + up, .exponent = c->exponent};
}

#define CONSTANT(name, ...)                                                                                  \
    uc_fpreg x87_##name(uint16_t control)                                                                    \
    {                                                                                                        \
        static const constant c = {__VA_ARGS__};                                                             \
        return rounded(&c, control);                                                                         \
    }
CONSTANT(fldl2t, 0xd49a784bcd1b8afeu, false, SOFT_BIAS + 1)
CONSTANT(fldl2e, 0xb8aa3b295c17f0bbu, true, SOFT_BIAS)
CONSTANT(fldpi, 0xc90fdaa22168c234u, true, SOFT_BIAS + 1)
CONSTANT(fldlg2, 0x9a209a84fbcff798u, true, SOFT_BIAS - 2)
CONSTANT(fldln2, 0xb17217f7d1cf79abu, true, SOFT_BIAS - 1)
#define EXACT(name, number)                                                                                  \
    uc_fpreg x87_##name(uint16_t control)                                                                    \
    {                                                                                                        \
        (void)control;                                                                                       \
        return x87_from_integer(number);                                                                     \
    }
EXACT(fld1, 1)
EXACT(fldz, 0)
