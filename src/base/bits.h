/* Bit operations. */
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

#endif
