/* Arithmetic of totals. */
#include "p5scope/core.h"

static void add(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

static void subtract(uint64_t *from, const uint64_t *what, size_t count)
{
    for (size_t i = 0; i < count; i++)
        from[i] -= what[i];
}

uint64_t p5_counts_sum(const uint64_t row[P5_CPL_CLASSES], unsigned cpl_mask)
{
    uint64_t sum = 0;
    for (unsigned class = 0; class < P5_CPL_CLASSES; class ++)
        sum += cpl_mask >> class & 1 ? row[class] : 0;
    return sum;
}

/* Applies an operation to every row of p5_counts. */
#define EACH_ROW(operation, a, b)                                                                            \
    do {                                                                                                     \
        operation((a)->clocks, (b)->clocks, P5_CPL_CLASSES);                                                 \
        for (unsigned e = 0; e < P5_EVENT_COUNT; e++) {                                                      \
            operation((a)->increments[e], (b)->increments[e], P5_CPL_CLASSES);                               \
            operation((a)->asserted[e], (b)->asserted[e], P5_CPL_CLASSES);                                   \
        }                                                                                                    \
        for (unsigned s = 0; s < P5_STALL_COUNT; s++)                                                        \
            operation((a)->stalls[s], (b)->stalls[s], P5_CPL_CLASSES);                                       \
        for (unsigned w = 0; w < 2; w++)                                                                     \
            operation((a)->bus_bytes[w], (b)->bus_bytes[w], P5_CPL_CLASSES);                                 \
    } while (0)

void p5_counts_add(p5_counts *counts, const p5_counts *more)
{
    EACH_ROW(add, counts, more);
}

void p5_counts_subtract(p5_counts *counts, const p5_counts *earlier)
{
    EACH_ROW(subtract, counts, earlier);
}
