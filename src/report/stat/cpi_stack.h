/* The CPI stack: clocks by stall cause, in shares that add up to exactly 100 %. */
#ifndef REPORT_STAT_CPI_STACK_H
#define REPORT_STAT_CPI_STACK_H

#include <stddef.h>

#include "p5tool/core.h"

typedef struct cpi_share {
    p5_stall cause;
    uint64_t clocks;
    unsigned permille; /* share of all clocks; the shares of a stack add up to 1000 */
} cpi_share;

/* Fills `stack` with every cause that owns clocks at any privilege level, largest first. Returns how many: 0 if there
 * are no clocks. */
size_t cpi_stack(const p5_counts *counts, cpi_share stack[P5_STALL_COUNT]);

#endif
