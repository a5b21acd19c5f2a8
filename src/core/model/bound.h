/* Upper bounds of durations, derived from the model. */
#ifndef CORE_MODEL_BOUND_H
#define CORE_MODEL_BOUND_H

#include "p5scope/core.h"

/* Upper bounds for a data reference and a line of code, in core clocks. They include memory, the bus and
 * another bus master. */
typedef struct bound {
    uint32_t access_clocks, line_clocks, walk_clocks;
    uint32_t miss_clocks;       /* a reference without page walk, within 8 bytes, without another bus
                                   master */
    uint32_t write_back_clocks; /* the write-back of a modified line */
} bound;

enum { BOUND_LINES_AHEAD = 2 }; /* the line at a branch target is prefetched too */

bound bound_of_model(const p5_model *model);
/* Returns an upper bound of the clocks until instructions have been priced that take `most` clocks in total
 * when every reference hits (op.most_clocks), and that make this many references and have this many bytes of
 * code. */
uint64_t bound_worst(const bound *b, uint64_t most, uint32_t references, uint32_t bytes);
/* The largest number of increments of an event in one clock. Most events have one or two: one for each pipe
 * or each half of a reference. */
enum { BOUND_PER_CLOCK = 4 };
/* Returns a lower bound of the clocks until an event has been counted `left` more times. */
static inline uint64_t bound_until_counted(uint64_t left)
{
    enum { AHEAD = 256 /* the memory side counts for instructions before they enter EX */ };
    return left > AHEAD ? (left - AHEAD) / BOUND_PER_CLOCK : 0;
}

#endif
