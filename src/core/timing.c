#include "core/timing.h"

#include "p5scope/event.h"

/* Switch costs: measured by Agner Fog (about 58 and 38). Dispatch: what INT n costs at each level; INTR, NMI
 * and faults take the same microcode. Depth: a mispredicted branch in U costs 3 clocks on the P54C and one
 * more, for the F stage, on the P55C. Direct jumps: Abrash has 3 clocks, the jump itself included, for an
 * unpredicted JMP on the Pentium where a Jcc in U takes 4: the target comes out of D2's adder and needs no
 * flags. No figure says so for the P55C; there Intel's 4 clocks on top of the jump stand. */
static const timing rows[] = {
    {.family = P5_FAMILY_P54C,
     .index = 0,
     .fifo = false,
     .end_bits = true,
     .depth = 3,
     .direct_early = 1,
     .fetch_blocks = 2,
     .pair_length_u = 7,
     .pair_length_v = 7,
     .push_length = 7,
     .x87_after_mmx = 0,
     .mmx_after_x87 = 0,
     .dispatch_real = 17,
     .dispatch_same = 25,
     .dispatch_inner = 42,
     .dispatch_v86 = 54,
     .dispatch_task = 82},
    {.family = P5_FAMILY_P55C,
     .index = 1,
     .fifo = true,
     .end_bits = false,
     .depth = 4,
     .fetch_blocks = 1,
     .pair_length_u = 11,
     .pair_length_v = 7,
     .push_length = 7,
     .x87_after_mmx = 58,
     .mmx_after_x87 = 38,
     .dispatch_real = 17,
     .dispatch_same = 25,
     .dispatch_inner = 42,
     .dispatch_v86 = 54,
     .dispatch_task = 82},
};

const timing *timing_of(unsigned family)
{
    return family == P5_FAMILY_P54C ? &rows[0] : &rows[1];
}
