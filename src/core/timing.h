/* What differs between the processors as far as the pipe is concerned, as data: one row per core. */
#ifndef CORE_TIMING_H
#define CORE_TIMING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct timing {
    unsigned family;       /* P5_FAMILY_* */
    uint8_t index;         /* column of the form table: 0 P54C, 1 P55C */
    bool fifo;             /* an F stage with a four-entry FIFO before D1 (P55C) */
    bool end_bits;         /* instruction boundaries are unknown until a line was decoded once (P54C) */
    uint8_t depth;         /* clocks from a resolved branch to the EX of its target: PF [F] D1 D2 */
    uint8_t direct_early;  /* clocks before the end of EX at which a direct JMP or CALL is resolved */
    uint8_t fetch_blocks;  /* 16-byte blocks that PF delivers in one clock */
    uint8_t pair_length_u; /* longest instruction that may be the first of a pair, prefixes not counted */
    uint8_t pair_length_v; /* ... the second */
    uint8_t push_length;   /* F pushes two in a clock if neither is longer */
    uint8_t x87_after_mmx; /* clocks of the switch to x87, before the instruction */
    uint8_t mmx_after_x87;
    uint8_t dispatch_real;  /* interrupt and exception dispatch: real mode */
    uint8_t dispatch_same;  /* protected mode, same privilege */
    uint8_t dispatch_inner; /* to a more privileged level */
    uint8_t dispatch_v86;   /* from V86 mode */
    uint8_t dispatch_task;  /* through a task gate */
} timing;

/* The row of a family (P5_FAMILY_P54C or P5_FAMILY_P55C). */
const timing *timing_of(unsigned family);

#endif
