/* The 64-bit divisions that gcc calls in 32-bit code. They replace those of libgcc, which Debian builds for the i686. */
#include <stdint.h>

/* Quotient and remainder of (high:low) / divisor, which must fit: high < divisor. */
static uint32_t divide_wide(uint32_t high, uint32_t low, uint32_t divisor, uint32_t *remainder)
{
    uint32_t quotient;
    __asm__("divl %4" : "=a"(quotient), "=d"(*remainder) : "0"(low), "1"(high), "rm"(divisor) : "cc");
    return quotient;
}

uint64_t __udivmoddi4(uint64_t dividend, uint64_t divisor, uint64_t *remainder)
{
    uint32_t high = (uint32_t)(dividend >> 32), low = (uint32_t)dividend;
    uint32_t divisor_high = (uint32_t)(divisor >> 32), divisor_low = (uint32_t)divisor;
    uint64_t quotient, rest;
    if (divisor_high == 0) { /* long division by one digit of 32 bits; divides by 0 as DIV does */
        uint32_t rest_low;
        uint32_t quotient_high = divide_wide(0, high, divisor_low, &rest_low);
        quotient = (uint64_t)quotient_high << 32 | divide_wide(rest_low, low, divisor_low, &rest_low);
        rest = rest_low;
    } else {
        /* The quotient has one digit. DIV divides half the dividend by the 32 leading bits of the divisor, which cannot overflow. The result, shifted back, is at most one too large. Therefore it is reduced by one, and increased while the remainder is too large. */
        unsigned shift = (unsigned)__builtin_clz(divisor_high);
        uint32_t scaled = (uint32_t)((divisor << shift) >> 32);
        uint64_t half = dividend >> 1;
        uint32_t estimate = divide_wide((uint32_t)(half >> 32), (uint32_t)half, scaled, &(uint32_t){0});
        quotient = estimate >> (31 - shift);
        if (quotient > 0)
            quotient--;
        rest = dividend - quotient * divisor;
        while (rest >= divisor) {
            rest -= divisor;
            quotient++;
        }
    }
    if (remainder)
        *remainder = rest;
    return quotient;
}

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor)
{
    return __udivmoddi4(dividend, divisor, 0);
}

uint64_t __umoddi3(uint64_t dividend, uint64_t divisor)
{
    uint64_t remainder;
    __udivmoddi4(dividend, divisor, &remainder);
    return remainder;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* C: the quotient is cut towards 0, the remainder has the dividend's sign. */
int64_t __divmoddi4(int64_t dividend, int64_t divisor, int64_t *remainder)
{
    uint64_t rest, quotient = __udivmoddi4(magnitude(dividend), magnitude(divisor), &rest);
    if (remainder)
        *remainder = (int64_t)(dividend < 0 ? -rest : rest);
    return (int64_t)((dividend < 0) != (divisor < 0) ? -quotient : quotient);
}

int64_t __divdi3(int64_t dividend, int64_t divisor)
{
    return __divmoddi4(dividend, divisor, 0);
}

int64_t __moddi3(int64_t dividend, int64_t divisor)
{
    int64_t remainder;
    __divmoddi4(dividend, divisor, &remainder);
    return remainder;
}
