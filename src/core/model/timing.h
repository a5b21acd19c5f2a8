/* The pipe's part of a model file: sections [pipe], [branch], [x87], [mmx] and [interrupt]. */
#ifndef CORE_MODEL_TIMING_H
#define CORE_MODEL_TIMING_H

#include <stdbool.h>
#include <stdint.h>

/* timing.gap_clocks of usual boards, and of those on which a reference, or the writes of FNSAVE, may take longer than
 * that. The sum of several gaps fits into the 16 bits of a stored clock. */
enum { TIMING_GAP_LEAST = 1024, TIMING_GAP_MOST = 6400 };

typedef struct timing {
    /* From keys of other sections, above all the processor's family: */
    uint8_t index;     /* of the family in arrays that have a value for each (isa_form): 0 P54C, 1 P55C */
    bool fifo;         /* an F stage with a four-entry FIFO before D1 (P55C) */
    bool errata;       /* events count as silicon does (errata 44 and 76) */
    bool btb_by_pairs; /* branches are looked up by the pair before them, which only the pipe knows (P54C) */
    /* Longest gap between clocks of the front end that the pipe keeps after an instruction. It is longer than four
     * instructions with fourteen prefixes each keep F, and on most boards than any instruction but a REP string keeps EX.
     * Event 33h counts from the clock at which D1 was free. If EX was kept for longer than the gap (REP strings, or
     * PUSHA, ENTER and FNSAVE on a slow board), the event counts no more of that time than the gap. */
    uint32_t gap_clocks;
    bool end_bits; /* instruction boundaries are unknown until a line was decoded once (P54C) */

    uint32_t fetch_blocks;  /* 16-byte blocks that PF delivers in one clock */
    uint32_t pair_length_u; /* longest instruction that may be the first of a pair, prefixes not counted */
    uint32_t pair_length_v; /* longest instruction that may be the second of a pair, prefixes not counted */
    uint32_t push_length; /* P55C: F pushes two instructions into the FIFO in a clock if neither is longer */

    uint32_t depth; /* clocks from the resolution of a mispredicted branch to the EX of its target */
    /* A direct JMP or CALL that was not predicted right is resolved this many clocks before the end of its EX. */
    uint32_t direct_early;

    uint32_t x87_after_mmx;     /* clocks of the switch to x87, before the first such instruction begins EX */
    uint32_t divide_small_gain; /* division with extended precision: clocks saved if |divisor| < 1 */
    double trig_small;          /* FSIN, FCOS and others: greatest |argument| of the short time, in radians */
    double trig_middle;         /* greatest |argument| of the middle time, in radians */
    uint32_t trig_negated;      /* additional clocks if the argument's reduction changes the result's sign */
    uint32_t flop_clocks;       /* transcendentals: event 22h counts one for each flop_clocks, rounded down */
    uint32_t flop_most;         /* most that event 22h counts for a transcendental; the least is 1 */

    uint32_t mmx_after_x87; /* clocks of the switch to MMX, before the first such instruction begins EX */

    /* Clocks of the delivery of an interrupt or exception (cost_dispatch), without waits of its references. Those of
     * INT n, INT3 and INTO are in the instruction table. */
    uint32_t dispatch_real;  /* in real mode */
    uint32_t dispatch_same;  /* from protected mode to the same privilege level */
    uint32_t dispatch_inner; /* from protected mode to a more privileged level */
    uint32_t dispatch_v86;   /* from V86 mode to any handler but a task */
    uint32_t dispatch_task;  /* through a task gate */
} timing;

#endif
