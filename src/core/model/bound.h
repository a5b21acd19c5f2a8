/* Upper bounds of durations, derived from the model. */
#ifndef CORE_MODEL_BOUND_H
#define CORE_MODEL_BOUND_H

#include "p5scope/core.h"

/* Upper bounds for a data reference and a line of code, in core clocks. They include memory, the bus and
 * another bus master. */
typedef struct bound {
    uint32_t access_clocks;     /* any data reference to memory, page walk included */
    uint32_t line_clocks;       /* the fill of a line, data or code */
    uint32_t walk_clocks;       /* a page walk */
    uint32_t miss_clocks;       /* a reference without page walk, within 8 bytes, without another bus
                                   master */
    uint32_t write_back_clocks; /* the write-back of a modified line */
} bound;

/* Lines of code that may be fetched besides those that the length of the code implies: because the code may begin
 * within a line, and because the line at a branch target is prefetched, too. */
enum { BOUND_LINES_AHEAD = 2 };

bound bound_of_model(const p5_model *model);
/* Returns an upper bound of the clocks until instructions have left EX that take `most` clocks in total when every
 * reference hits (op.most_clocks), and that make this many references and have this many bytes of code. It includes
 * what older instructions and requests may still take. */
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
