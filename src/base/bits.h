/* Bits of numbers. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdint.h>

/* Number of the highest bit that is set; 0 for 0. */
static inline unsigned highest_bit(uint64_t value)
{
    unsigned bit = 0;
    while (value >>= 1)
        bit++;
    return bit;
}

#endif
