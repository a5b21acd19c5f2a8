/* The pipe's part of a model file: sections [pipe], [branch], [x87], [mmx] and [interrupt]. */
#ifndef CORE_MODEL_TIMING_H
#define CORE_MODEL_TIMING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct timing {
    /* From keys of other sections, above all the processor's family: */
    uint8_t index;     /* index of the arrays with a value for each family (isa_form): 0 P54C, 1 P55C */
    bool fifo;         /* an F stage with a four-entry FIFO before D1 (P55C) */
    bool errata;       /* events count as silicon does (errata 44 and 76) */
    bool btb_by_pairs; /* branches are looked up by the pair before them, which only the pipe knows (P54C) */
    bool end_bits;     /* instruction boundaries are unknown until a line was decoded once (P54C) */

    uint32_t fetch_blocks;  /* 16-byte blocks that PF delivers in one clock */
    uint32_t pair_length_u; /* longest instruction that may be the first of a pair, prefixes not counted */
    uint32_t pair_length_v; /* longest instruction that may be the second of a pair, prefixes not counted */
    uint32_t push_length; /* P55C: F pushes two instructions into the FIFO in a clock if neither is longer */

    uint32_t depth; /* clocks from the resolution of a mispredicted branch to the EX of its target */
    /* Clocks before the end of EX at which an unpredicted direct JMP or CALL is resolved. */
    uint32_t direct_early;

    uint32_t x87_after_mmx;     /* clocks of the switch to x87, before the instruction */
    uint32_t divide_small_gain; /* FDIV, extended precision: clocks saved by a divisor below 1 */
    double trig_small;          /* FSIN, FCOS and others: largest argument of the short time, radians */
    double trig_middle;         /* largest argument of the middle time, radians */
    uint32_t trig_negated;      /* additional clocks if the argument's reduction changes the result's sign */
    uint32_t flop_clocks;       /* transcendentals: clocks for each count of event 22h */
    uint32_t flop_most;         /* transcendentals: most counts of event 22h */

    uint32_t mmx_after_x87; /* clocks of the switch to MMX, before the instruction */

    /* Clocks of the delivery of an interrupt or exception: */
    uint32_t dispatch_real;  /* in real mode */
    uint32_t dispatch_same;  /* in protected mode, to the same privilege level */
    uint32_t dispatch_inner; /* to a more privileged level */
    uint32_t dispatch_v86;   /* from V86 mode */
    uint32_t dispatch_task;  /* through a task gate */
} timing;

#endif
