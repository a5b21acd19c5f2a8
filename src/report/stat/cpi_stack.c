#include "report/stat/cpi_stack.h"

/* Returns clocks * 1000 / total, rounded down, and in *remainder the remainder of that division. Nothing overflows for
 * any 64-bit clocks. */
static unsigned permille_floor(uint64_t clocks, uint64_t total, uint64_t *remainder)
{
    unsigned __int128 scaled = (unsigned __int128)clocks * 1000;
    *remainder = (uint64_t)(scaled % total);
    return (unsigned)(scaled / total);
}

size_t cpi_stack(const p5_counts *counts, cpi_share stack[P5_STALL_COUNT])
{
    uint64_t total = 0;
    for (int cause = 0; cause < P5_STALL_COUNT; cause++)
        total += p5_counts_sum(counts->stalls[cause], P5_CPL_MASK_ALL);
    if (total == 0)
        return 0;
    /* Largest remainder method: round all down, then add 1 to those that lost most, until the sum is 1000. */
    uint64_t lost[P5_STALL_COUNT]; /* remainder that rounding took from stack[i] */
    size_t count = 0;
    unsigned given = 0; /* sum of the shares */
    for (int cause = 0; cause < P5_STALL_COUNT; cause++) {
        uint64_t clocks = p5_counts_sum(counts->stalls[cause], P5_CPL_MASK_ALL);
        if (clocks == 0)
            continue;
        cpi_share share = {.cause = (p5_stall)cause, .clocks = clocks};
        uint64_t remainder;
        share.permille = permille_floor(clocks, total, &remainder);
        given += share.permille;
        size_t at = count++; /* insertion sort, largest first */
        for (; at > 0 && stack[at - 1].clocks < clocks; at--) {
            stack[at] = stack[at - 1];
            lost[at] = lost[at - 1];
        }
        stack[at] = share;
        lost[at] = remainder;
    }
    for (; given < 1000; given++) {
        size_t most = 0;
        for (size_t i = 1; i < count; i++)
            if (lost[i] > lost[most])
                most = i;
        stack[most].permille++;
        lost[most] = 0;
    }
    return count;
}
