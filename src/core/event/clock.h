/* Clocks as signed numbers, relative to the start of a stretch. */
#ifndef CORE_EVENT_CLOCK_H
#define CORE_EVENT_CLOCK_H

#include <stdint.h>

static inline int64_t clock_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
