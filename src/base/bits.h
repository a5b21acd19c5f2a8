/* Operations on integers, and integers in bytes. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Return the little-endian number of 16 or 32 bits at offset `at` of `bytes`. */
static inline uint16_t le16_at(const uint8_t *bytes, size_t at)
{
    uint16_t value;
    memcpy(&value, bytes + at, sizeof value);
    return value;
}

static inline uint32_t le32_at(const uint8_t *bytes, size_t at)
{
    uint32_t value;
    memcpy(&value, bytes + at, sizeof value);
    return value;
}

#endif
