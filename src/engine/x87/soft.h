/* x87 operations computed with integers, for the functions of x87_operation.h. Unicorn's own soft float cannot be used,
 * because it reports neither the direction of rounding (C1) nor a denormal operand (DE), and has no results of unmasked
 * exceptions.
 *
 * Before a result is rounded, it is the number
 *
 *   (-1)^negative * significand / 2^127 * 2^(exponent - 3FFFh)
 *
 * where bit 127 of the significand is set and bit 0 is sticky: it is also set if any bit below it would be. */
#ifndef ENGINE_X87_SOFT_H
#define ENGINE_X87_SOFT_H

#include "engine/x87/x87_internal.h"
#include "engine/x87/x87_operation.h"

__extension__ typedef unsigned __int128 soft_wide;

typedef enum soft_class {
    SOFT_ZERO,
    SOFT_FINITE, /* not zero */
    SOFT_INFINITE,
    /* Classes from here on are not numbers. */
    SOFT_QUIET,      /* NaN */
    SOFT_SIGNALLING, /* NaN */
    SOFT_INVALID     /* an unsupported format: bit 63 is clear although the exponent is not 0 */
} soft_class;

/* An operand, taken apart from a register. */
typedef struct soft_number {
    soft_class class;
    bool negative;
    bool denormal;     /* the operand was denormal; the members here are normalised */
    int exponent;      /* with the bias of 3FFFh; below 1 for a denormal number of a register */
    uint64_t mantissa; /* bit 63 is set if the number is finite */
} soft_number;

/* Operands and results of an instruction. */
typedef struct soft {
    uint16_t control; /* the control word */
    unsigned flags;   /* exceptions of this instruction: X87_IE to X87_SF */
    unsigned codes;   /* condition codes for the status word, C1 too */
    soft_number a, b; /* ST(0), and ST(1) or the operand in memory */
    uc_fpreg result;  /* of the instruction, for its destination */
    uc_fpreg pushed;  /* second result of an instruction that pushes */
    bool unfinished;  /* the operand of a trigonometric function was too large (C2): nothing is pushed */
} soft;

/* The 16 bits above a register's mantissa: sign and exponent. */
enum { SOFT_BIAS = 0x3fff, SOFT_TOP = 0x7fff /* exponent of infinities and NaNs */, SOFT_SIGN = 0x8000 };

/* A format of numbers. */
typedef struct soft_format {
    unsigned bits; /* of its significand, with the first bit */
    int low, high; /* exponents of its smallest and largest normal numbers, with the bias of 3FFFh */
} soft_format;

/* Rounds by the control word to the format. Returns the mantissa and changes *exponent: `high` + 1 means infinity,
 * `low` and a mantissa without bit 63 a denormal number or zero. Sets OE, UE, PE and C1 in *s. `to_register`: an
 * unmasked overflow or underflow moves the exponent by 6000h, as for results in registers. */
uint64_t soft_round(soft *s, const soft_format *format, bool to_register, bool negative, int *exponent,
                    soft_wide significand);
/* Rounds value / 2^64, a magnitude, to an integer by the control word. *up says whether it was rounded away from zero,
 * *inexact whether it was no integer. */
uint64_t soft_round_integer(uint16_t control, bool negative, soft_wide value, bool *inexact, bool *up);
/* Returns `value` / 2^by. The last bit is sticky: it is set if set bits were shifted out. */
static inline soft_wide soft_shift(soft_wide value, unsigned by)
{
    if (by == 0)
        return value;
    if (by > 127)
        return value != 0;
    return value >> by | ((value << (128 - by)) != 0);
}

/* Returns the number of leading zeros of a value that is not 0. */
static inline int soft_leading_zeros(soft_wide value)
{
    return value >> 64 ? __builtin_clzll((uint64_t)(value >> 64)) : 64 + __builtin_clzll((uint64_t)value);
}

/* Convert a register's contents to a number and back, without rounding and exceptions. */
soft_number soft_unpack(const uc_fpreg *r);
uc_fpreg soft_pack(const soft_number *n);
/* Rounds any number but zero to a register with `bits` bits of significand, as soft_round does. */
uc_fpreg soft_result(soft *s, bool negative, int exponent, soft_wide significand, unsigned bits);
static inline uc_fpreg soft_zero(bool negative)
{
    return (uc_fpreg){.exponent = negative ? SOFT_SIGN : 0};
}
static inline uc_fpreg soft_infinity(bool negative)
{
    return (uc_fpreg){.mantissa = 1ull << 63, .exponent = (uint16_t)(SOFT_TOP | (negative ? SOFT_SIGN : 0))};
}
/* Sets IE and returns the indefinite number. */
uc_fpreg soft_invalid(soft *s);

/* Returns true if an operand is a NaN or invalid, which determines the result: sets s->result and IE. `b` is NULL if
 * there is one operand. */
bool soft_not_numbers(soft *s, const soft_number *a, const soft_number *b);
/* Sets DE if an operand was denormal. */
static inline void soft_check_denormal(soft *s, const soft_number *a, const soft_number *b)
{
    if (a->denormal || (b && b->denormal))
        s->flags |= X87_DE;
}
/* Returns the number of significant bits that precision control (PC) of the control word demands. */
unsigned soft_precision(uint16_t control);
/* Rounding control (RC). */
enum { SOFT_NEAREST, SOFT_DOWN, SOFT_UP, SOFT_CHOP };
static inline unsigned soft_rounding(uint16_t control)
{
    return control >> 10 & 3;
}

/* The computation of an instruction: from s->a and s->b to s->result (and s->pushed), s->flags and s->codes. */
typedef void soft_instruction(soft *s);
/* What an instruction does to the register stack. */
typedef enum soft_stack_effect {
    SOFT_KEEPS,   /* the result replaces ST(0) */
    SOFT_POPS,    /* the result is the new ST(0) after a pop */
    SOFT_PUSHES,  /* the result replaces ST(0), then a second one is pushed */
    SOFT_COMPARES /* there are only condition codes */
} soft_stack_effect;
typedef struct soft_form {
    soft_instruction *instruction;
    soft_stack_effect effect;
    bool second;    /* it takes a second operand: ST(1) or one in memory */
    unsigned codes; /* condition codes that are cleared before the instruction; it keeps the others */
} soft_form;
/* Executes an instruction on an x87 whose state is `image`, as FNSAVE writes it, with TOP 0. This includes stack
 * faults and unmasked exceptions. `memory` is the second operand if it comes from memory, else NULL. */
void soft_execute(uint8_t image[X87_IMAGE_BYTES], const soft_form *form, const soft_number *memory);
/* Defines the x87_operation x87_`name` of an instruction without an operand in memory; the other arguments are a
 * soft_form. */
#define SOFT_FUNCTION(name, ...)                                                                             \
    void x87_##name(uint8_t image[X87_IMAGE_BYTES], const void *memory)                                      \
    {                                                                                                        \
        static const soft_form form = {__VA_ARGS__};                                                         \
        (void)memory;                                                                                        \
        soft_execute(image, &form, NULL);                                                                    \
    }

#endif
