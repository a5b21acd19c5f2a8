/* Clocks as signed numbers relative to a common beginning, such as that of the code that is being priced. */
#ifndef CORE_EVENT_CLOCK_H
#define CORE_EVENT_CLOCK_H

#include <stdint.h>

/* Returns the later of two clocks. */
static inline int64_t clock_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns the earlier of two clocks. */
static inline int64_t clock_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Returns `t` relative to `now`, clamped to 16 bits. */
static inline int16_t clock_relative(int64_t t, int64_t now)
{
    const int64_t r = t - now;
    if (__builtin_expect(r != (int16_t)r, 0))
        return r < 0 ? INT16_MIN : INT16_MAX;
    return (int16_t)r;
}

#endif
