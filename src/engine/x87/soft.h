/* The x87 by integers (x87_operation.h). Unicorn's own soft float cannot be used, because it reports neither the
 * direction of rounding (C1) nor a denormal operand (DE), and has no results of unmasked exceptions.
 *
 * A number before it is rounded to a register:
 *
 *   (-1)^negative * significand / 2^127 * 2^(exponent - 3FFFh)        significand: bit 127 set
 *                                                                     its last bit stands for all below it */
#ifndef ENGINE_X87_SOFT_H
#define ENGINE_X87_SOFT_H

#include "engine/x87/x87_internal.h"
#include "engine/x87/x87_operation.h"

__extension__ typedef unsigned __int128 soft_wide;

typedef enum soft_class {
    SOFT_ZERO,
    SOFT_FINITE,
    SOFT_INFINITE,
    SOFT_QUIET,
    SOFT_SIGNALLING,
    SOFT_INVALID
} soft_class;

/* An operand. */
typedef struct soft_number {
    soft_class class;
    bool negative, denormal;
    int exponent;      /* with its bias; below 1 for what was denormal */
    uint64_t mantissa; /* bit 63 is set if it is finite */
} soft_number;

/* Operands and results of an instruction. */
typedef struct soft {
    uint16_t control;
    unsigned flags;   /* exceptions */
    unsigned codes;   /* condition codes, C1 too */
    soft_number a, b; /* ST(0), and ST(1) or the operand in memory */
    uc_fpreg result;  /* of the instruction, for its destination */
    uc_fpreg pushed;  /* second result of an instruction that pushes */
    bool unfinished;  /* a trigonometric function of too large a number: nothing is pushed */
} soft;

enum { SOFT_BIAS = 0x3fff, SOFT_TOP = 0x7fff /* exponent of infinities and NaNs */, SOFT_SIGN = 0x8000 };

/* A format: significant bits, exponents of its smallest and largest normal numbers. */
typedef struct soft_format {
    unsigned bits;
    int low, high;
} soft_format;

/* Rounds by the control word to the format: sets OE, UE, PE and C1. `exponent` is `high` + 1 for infinity,
 * and `low` with a mantissa without bit 63 for a denormal number or zero. Of a register (`scales`), an
 * unmasked overflow or underflow moves the exponent by 6000h. */
uint64_t soft_round(soft *s, const soft_format *format, bool scales, bool negative, int *exponent,
                    soft_wide significand);
/* Rounds `value` to its upper 64 bits by the control word. Sets *up if that was away from zero, and *inexact. */
uint64_t soft_round_integer(uint16_t control, bool negative, soft_wide value, bool *inexact, bool *up);
/* Returns `value` / 2^by. The last bit is set if set bits were shifted out. */
static inline soft_wide soft_shift(soft_wide value, unsigned by)
{
    if (by == 0)
        return value;
    if (by > 127)
        return value != 0;
    return value >> by | ((value << (128 - by)) != 0);
}

soft_number soft_unpack(const uc_fpreg *r);
uc_fpreg soft_pack(const soft_number *n);
/* Rounds any number but zero to a register with `bits` bits of significand. */
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

/* Handles operands that are NaNs or invalid (`b` NULL: there is one operand). Returns true if that gives the
 * result. */
bool soft_not_numbers(soft *s, const soft_number *a, const soft_number *b);
static inline void soft_check_denormal(soft *s, const soft_number *a, const soft_number *b)
{
    if (a->denormal || (b && b->denormal))
        s->flags |= X87_DE;
}
/* Returns the number of significant bits by precision control. */
unsigned soft_precision(uint16_t control);
enum { SOFT_NEAREST, SOFT_DOWN, SOFT_UP, SOFT_CHOP };
static inline unsigned soft_rounding(uint16_t control)
{
    return control >> 10 & 3;
}

/* An instruction: computes on s->a and s->b. */
typedef void soft_instruction(soft *s);
typedef enum soft_depth { SOFT_KEEPS, SOFT_POPS, SOFT_PUSHES, SOFT_COMPARES } soft_depth;
typedef struct soft_form {
    soft_instruction *instruction;
    soft_depth depth;
    bool second;    /* takes ST(1) or an operand in memory */
    unsigned codes; /* condition codes that are 0 if it does not set them */
} soft_form;
/* Executes it in the image. `memory` is the operand in memory, NULL: it is ST(1). */
void soft_execute(uint8_t image[X87_IMAGE_BYTES], const soft_form *form, const soft_number *memory);
#define SOFT_FUNCTION(name, ...)                                                                             \
    void x87_##name(uint8_t image[X87_IMAGE_BYTES], const void *memory)                                      \
    {                                                                                                        \
        static const soft_form form = {__VA_ARGS__};                                                         \
        (void)memory;                                                                                        \
        soft_execute(image, &form, NULL);                                                                    \
    }

#endif
