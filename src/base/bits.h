/* Operations on integers. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdint.h>

/* Returns the number of the highest set bit; 0 for 0. */
static inline unsigned highest_bit(uint64_t value)
{
    unsigned bit = 0;
    while (value >>= 1)
        bit++;
    return bit;
}

/* Returns the smallest multiple of `step` that is not less than `value`. `step` must not be 0. */
static inline uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

#endif
