/* Upper bounds of durations, derived from the model. */
#ifndef CORE_MODEL_BOUND_H
#define CORE_MODEL_BOUND_H

#include "core/model/timing.h"
#include "p5scope/core.h"

/* Upper bounds in core clocks. Each includes a turn of another bus master, except part_clocks and walk_clocks. */
typedef struct bound {
    /* A data reference to memory, which may lie in two lines and two pages, page walks included. */
    uint32_t access_clocks;
    uint32_t part_clocks; /* the same without page walk, within 8 bytes, without LOCK, not to video memory */
    uint32_t line_clocks; /* the fetch of a line of code */
    uint32_t walk_clocks; /* a page walk */
    uint32_t port_clocks; /* a reference to a port */
    uint32_t backlog_clocks; /* what earlier instructions may still take, a pending one included */
    uint32_t fetch_clocks;   /* the longest that a free EX waits for code, which was requested before */
    uint32_t string_walks;   /* number of page walks of a REP string within two pages for each operand */
} bound;

bound bound_of_model(const p5_model *model);
/* Returns an upper bound of the clocks of instructions that take `most` clocks in total when every reference hits
 * (op.most_clocks), and that make this many references to memory and have this many bytes of code. It does not include
 * backlog_clocks. */
uint64_t bound_own(const bound *b, uint64_t most, uint32_t references, uint32_t bytes);
/* The same for a REP string, whose operands lie in two pages each. */
uint64_t bound_own_of_string(const bound *b, uint64_t most, uint32_t references, uint32_t bytes);
/* Returns bound_own and backlog_clocks: an upper bound of the clocks until the instructions have left EX. */
uint64_t bound_worst(const bound *b, uint64_t most, uint32_t references, uint32_t bytes);
/* Returns timing.gap_clocks. */
uint32_t bound_gap(const p5_model *model);
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
