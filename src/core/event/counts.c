/* Arithmetic of totals. */
#include "p5tool/core.h"

#include <stdlib.h>

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

p5_counts *p5_counts_new(void)
{
    return calloc(1, sizeof(p5_counts));
}

void p5_counts_free(p5_counts *counts)
{
    free(counts);
}

uint64_t p5_counts_clocks(const p5_counts *counts, unsigned cpl_mask)
{
    return p5_counts_sum(counts->clocks, cpl_mask);
}

uint64_t p5_counts_event(const p5_counts *counts, enum p5_event event, unsigned cpl_mask)
{
    return (unsigned)event < P5_EVENT_COUNT ? p5_counts_sum(counts->increments[event], cpl_mask) : 0;
}

uint64_t p5_counts_asserted(const p5_counts *counts, enum p5_event event, unsigned cpl_mask)
{
    return (unsigned)event < P5_EVENT_COUNT ? p5_counts_sum(counts->asserted[event], cpl_mask) : 0;
}

uint64_t p5_counts_stall(const p5_counts *counts, p5_stall cause, unsigned cpl_mask)
{
    return (unsigned)cause < P5_STALL_COUNT ? p5_counts_sum(counts->stalls[cause], cpl_mask) : 0;
}

uint64_t p5_counts_bus_bytes(const p5_counts *counts, bool written, unsigned cpl_mask)
{
    return p5_counts_sum(counts->bus_bytes[written], cpl_mask);
}
