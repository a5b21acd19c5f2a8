/* x87 operations by integers: an instruction in an image, arithmetic and comparisons (x87_operation.h). */
#include <string.h>

#include "engine/x87/soft.h"

/* --- An instruction in an image --- */

/* Returns the bytes of ST(i). */
static uint8_t *register_in(uint8_t *image, unsigned i)
{
    return image + X87_IMAGE_REGISTERS + X87_REGISTER_BYTES * i;
}

/* Writes ST(i), and marks it as not empty in the tag word, for a TOP of `top`. Readers of the image derive the exact
 * tag from the value. */
static void put(uint8_t *image, unsigned i, const uc_fpreg *value, uint16_t *tags, unsigned top)
{
    memcpy(register_in(image, i), value->bytes, X87_REGISTER_BYTES);
    *tags &= (uint16_t) ~(3u << 2 * ((top + i) & 7));
}

/* Makes the result that of a stack fault, and sets condition codes. */
static void stack_fault(soft *s, unsigned codes)
{
    s->flags = X87_IE | X87_SF;
    s->codes |= codes;
    s->result = s->pushed = x87_indefinite;
}

/* Writes the results to the image and returns the new TOP. TOP is 0 before, so that it becomes 7 by a push and 1 by
 * a pop. */
static unsigned finish(const soft *s, uint8_t *image, uint16_t *tags, soft_stack_effect effect)
{
    if (effect == SOFT_PUSHES && !s->unfinished) {
        memmove(register_in(image, 1), register_in(image, 0), 7 * X87_REGISTER_BYTES);
        put(image, 0, &s->pushed, tags, 7);
        put(image, 1, &s->result, tags, 7);
        return 7;
    }
    if (effect == SOFT_POPS) {
        memmove(register_in(image, 0), register_in(image, 1), 7 * X87_REGISTER_BYTES);
        *tags |= 3;
        put(image, 0, &s->result, tags, 1);
        return 1;
    }
    put(image, 0, &s->result, tags, 0);
    return 0;
}

/* Executes an instruction on the image. An unmasked IE, DE or ZE, which is detected before there is a result, leaves
 * the registers unchanged. */
void soft_execute(uint8_t image[X87_IMAGE_BYTES], const soft_form *form, const soft_number *memory)
{
    uint16_t status, tags;
    uc_fpreg a = {.mantissa = 0}, b = {.mantissa = 0};
    soft s = {.unfinished = false};
    memcpy(&s.control, image, 2);
    memcpy(&status, image + X87_IMAGE_STATUS, 2);
    memcpy(&tags, image + X87_IMAGE_TAGS, 2);
    memcpy(a.bytes, register_in(image, 0), X87_REGISTER_BYTES);
    memcpy(b.bytes, register_in(image, 1), X87_REGISTER_BYTES);
    s.codes = status & X87_CC & ~form->codes;
    s.a = soft_unpack(&a);
    s.b = memory ? *memory : soft_unpack(&b);
    if ((tags & 3) == 3 || (form->second && !memory && (tags >> 2 & 3) == 3))
        stack_fault(&s, form->effect == SOFT_COMPARES ? X87_C0 | X87_C2 | X87_C3 : 0);
    else if (form->effect == SOFT_PUSHES && tags >> 14 != 3)
        stack_fault(&s, X87_C1);
    else
        form->instruction(&s);
    if (s.flags & ~(unsigned)s.control & (X87_IE | X87_DE | X87_ZE)) {
        s.flags &= X87_IE | X87_DE | X87_ZE | X87_SF;
        if (form->effect != SOFT_COMPARES && !(s.flags & X87_SF))
            s.codes = status & X87_CC & ~form->codes;
    } else if (form->effect != SOFT_COMPARES) {
        status = (uint16_t)((status & ~(unsigned)X87_TOP) | finish(&s, image, &tags, form->effect) << 11);
    }
    status = (uint16_t)((status & ~(unsigned)X87_CC) | s.flags | s.codes);
    memcpy(image + X87_IMAGE_STATUS, &status, 2);
    memcpy(image + X87_IMAGE_TAGS, &tags, 2);
}

/* --- Arithmetic --- */

/* Rounds to the precision of the control word. */
static void result(soft *s, bool negative, int exponent, soft_wide significand)
{
    s->result = soft_result(s, negative, exponent, significand, soft_precision(s->control));
}

/* Computes a + b, or a - b. */
static void sum(soft *s, const soft_number *a, const soft_number *b, bool subtract)
{
    bool b_negative = b->negative ^ subtract;
    if (soft_not_numbers(s, a, b))
        return;
    if (a->class == SOFT_INFINITE && b->class == SOFT_INFINITE && a->negative != b_negative) {
        s->result = soft_invalid(s);
        return;
    }
    soft_check_denormal(s, a, b);
    if (a->class == SOFT_INFINITE || b->class == SOFT_INFINITE) {
        s->result = soft_infinity(a->class == SOFT_INFINITE ? a->negative : b_negative);
        return;
    }
    const bool down = soft_rounding(s->control) == SOFT_DOWN;
    if (a->class == SOFT_ZERO && b->class == SOFT_ZERO) {
        s->result = soft_zero(a->negative == b_negative ? a->negative : down);
        return;
    }
    /* The mantissas are shifted so that two bits above them take the carry; the last bit is sticky. */
    soft_wide x = a->class == SOFT_ZERO ? 0 : (soft_wide)a->mantissa << 62;
    soft_wide y = b->class == SOFT_ZERO ? 0 : (soft_wide)b->mantissa << 62;
    int exponent = !x || (y && b->exponent > a->exponent) ? b->exponent : a->exponent;
    x = x ? soft_shift(x, (unsigned)(exponent - a->exponent)) : 0;
    y = y ? soft_shift(y, (unsigned)(exponent - b->exponent)) : 0;
    bool negative = a->negative;
    if (a->negative == b_negative) {
        x += y;
    } else if (x == y) {
        s->result = soft_zero(down);
        return;
    } else {
        negative = x > y ? a->negative : b_negative;
        x = x > y ? x - y : y - x;
    }
    int shift = soft_leading_zeros(x);
    result(s, negative, exponent + 2 - shift, x << shift);
}

/* Computes a * b. */
static void product(soft *s, const soft_number *a, const soft_number *b)
{
    bool negative = a->negative ^ b->negative, zero = a->class == SOFT_ZERO || b->class == SOFT_ZERO,
         infinite = a->class == SOFT_INFINITE || b->class == SOFT_INFINITE;
    if (soft_not_numbers(s, a, b))
        return;
    if (zero && infinite) {
        s->result = soft_invalid(s);
        return;
    }
    soft_check_denormal(s, a, b);
    if (zero || infinite) {
        s->result = zero ? soft_zero(negative) : soft_infinity(negative);
        return;
    }
    soft_wide significand = (soft_wide)a->mantissa * b->mantissa;
    int exponent = a->exponent + b->exponent - SOFT_BIAS + 1;
    if (!(significand >> 127)) {
        significand <<= 1;
        exponent--;
    }
    result(s, negative, exponent, significand);
}

/* Computes a / b. */
static void quotient(soft *s, const soft_number *a, const soft_number *b)
{
    bool negative = a->negative ^ b->negative;
    if (soft_not_numbers(s, a, b))
        return;
    if (a->class == b->class && a->class != SOFT_FINITE) {
        s->result = soft_invalid(s);
        return;
    }
    if (a->class == SOFT_FINITE && b->class == SOFT_ZERO) {
        s->flags |= X87_ZE;
        s->result = soft_infinity(negative);
        return;
    }
    soft_check_denormal(s, a, b);
    if (a->class != SOFT_FINITE || b->class != SOFT_FINITE) {
        s->result = a->class == SOFT_ZERO || b->class == SOFT_INFINITE ? soft_zero(negative)
                                                                       : soft_infinity(negative);
        return;
    }
    bool whole = a->mantissa >= b->mantissa; /* the quotient of the mantissas is 1 or more */
    soft_wide dividend = (soft_wide)(whole ? a->mantissa - b->mantissa : a->mantissa) << 64;
    soft_wide high = dividend / b->mantissa, rest = (dividend % b->mantissa) << 64;
    soft_wide significand = high << 64 | rest / b->mantissa;
    int exponent = a->exponent - b->exponent + SOFT_BIAS - 1;
    bool lost = rest % b->mantissa != 0;
    if (whole) {
        lost |= significand & 1;
        significand = significand >> 1 | (soft_wide)1 << 127;
        exponent++;
    }
    result(s, negative, exponent, significand | lost);
}

/* --- Comparisons: only condition codes --- */

/* Compares s->a with s->b. `unordered`: as FUCOM, for which a quiet NaN is no invalid operand. */
static void compare(soft *s, bool unordered)
{
    const soft_number *a = &s->a, *b = &s->b;
    s->codes = X87_C0 | X87_C2 | X87_C3;
    if (a->class >= SOFT_QUIET || b->class >= SOFT_QUIET) {
        if (!unordered || a->class >= SOFT_SIGNALLING || b->class >= SOFT_SIGNALLING)
            s->flags |= X87_IE;
        return;
    }
    soft_check_denormal(s, a, b);
    int sign_a = a->class == SOFT_ZERO ? 0
                 : a->negative         ? -1
                                       : 1,
        sign_b = b->class == SOFT_ZERO ? 0
                 : b->negative         ? -1
                                       : 1;
    int order = sign_a - sign_b; /* above 0: the first is larger */
    if (order == 0 && sign_a != 0) {
        if (a->class != b->class)
            order = a->class == SOFT_INFINITE ? sign_a : -sign_a;
        else if (a->class == SOFT_FINITE && a->exponent != b->exponent)
            order = a->exponent > b->exponent ? sign_a : -sign_a;
        else if (a->class == SOFT_FINITE && a->mantissa != b->mantissa)
            order = a->mantissa > b->mantissa ? sign_a : -sign_a;
    }
    s->codes = order > 0 ? 0 : order < 0 ? X87_C0 : X87_C3;
}

/* --- Instructions, and their operands' formats --- */

/* Defines a soft_instruction. */
#define INSTRUCTION(name, function, ...)                                                                     \
    static void name(soft *s)                                                                                \
    {                                                                                                        \
        function(s, __VA_ARGS__);                                                                            \
    }
INSTRUCTION(ordered, compare, false)
INSTRUCTION(unordered, compare, true)
INSTRUCTION(add, sum, &s->a, &s->b, false)
INSTRUCTION(subtract, sum, &s->a, &s->b, true)
INSTRUCTION(subtract_reverse, sum, &s->b, &s->a, true)
INSTRUCTION(multiply, product, &s->a, &s->b)
INSTRUCTION(divide, quotient, &s->a, &s->b)
INSTRUCTION(divide_reverse, quotient, &s->b, &s->a)

/* Load an operand from memory. Denormal numbers of a format are normal in a register, but raise DE. */
static soft_number from_register(uc_fpreg value, bool denormal)
{
    soft_number n = soft_unpack(&value);
    n.denormal = denormal;
    return n;
}
static soft_number load_m32(const void *memory)
{
    uint32_t bits;
    memcpy(&bits, memory, sizeof bits);
    return from_register(x87_from_m32(bits), !(bits & 0x7f800000u) && bits << 1);
}
static soft_number load_m64(const void *memory)
{
    uint64_t bits;
    memcpy(&bits, memory, sizeof bits);
    return from_register(x87_from_m64(bits), !(bits & 0x7ff0000000000000u) && bits << 1);
}
static soft_number load_i32(const void *memory)
{
    int32_t number;
    memcpy(&number, memory, sizeof number);
    return from_register(x87_from_integer(number), false);
}

/* Define the operations x87_`name`_m32 and so on (x87_operation.h): one with its second operand in memory, and all
 * formats of the operand. */
#define FROM_MEMORY(name, format, ...)                                                                       \
    void x87_##name##_##format(uint8_t image[X87_IMAGE_BYTES], const void *memory)                           \
    {                                                                                                        \
        static const soft_form form = {__VA_ARGS__};                                                         \
        const soft_number operand = load_##format(memory);                                                   \
        soft_execute(image, &form, &operand);                                                                \
    }
#define WITH_OPERAND(name, ...)                                                                              \
    SOFT_FUNCTION(name##_register, __VA_ARGS__)                                                              \
    FROM_MEMORY(name, m32, __VA_ARGS__)                                                                      \
    FROM_MEMORY(name, m64, __VA_ARGS__)                                                                      \
    FROM_MEMORY(name, i32, __VA_ARGS__)
WITH_OPERAND(fadd, add, SOFT_KEEPS, true, X87_C1)
WITH_OPERAND(fsub, subtract, SOFT_KEEPS, true, X87_C1)
WITH_OPERAND(fsubr, subtract_reverse, SOFT_KEEPS, true, X87_C1)
WITH_OPERAND(fmul, multiply, SOFT_KEEPS, true, X87_C1)
WITH_OPERAND(fdiv, divide, SOFT_KEEPS, true, X87_C1)
WITH_OPERAND(fdivr, divide_reverse, SOFT_KEEPS, true, X87_C1)
WITH_OPERAND(fcom, ordered, SOFT_COMPARES, true, X87_CC)
SOFT_FUNCTION(fucom, unordered, SOFT_COMPARES, true, X87_CC)

void x87_ftst(uint8_t image[X87_IMAGE_BYTES], const void *memory)
{
    static const soft_form form = {ordered, SOFT_COMPARES, true, X87_CC};
    (void)memory;
    soft_execute(image, &form, &(const soft_number){.class = SOFT_ZERO});
}
