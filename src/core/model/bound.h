/* What things take at most, by the model. */
#ifndef CORE_MODEL_BOUND_H
#define CORE_MODEL_BOUND_H

#include "p5scope/core.h"

/* A reference and a line of code, in core clocks: memory, bus, and an agent on it. */
typedef struct bound {
    uint32_t access_clocks, line_clocks, walk_clocks;
    uint32_t miss_clocks;       /* a reference that needs no walk, within 8 bytes, without an agent */
    uint32_t write_back_clocks; /* a modified line */
} bound;

enum { BOUND_LINES_AHEAD = 2 }; /* where the stream goes on is fetched too */

bound bound_of_model(const p5_model *model);
/* No fewer clocks than pass until instructions have been priced that take `most` in sum when every reference
 * hits (op.most_clocks), in so many references and bytes of code. */
uint64_t bound_blind(const bound *b, uint64_t most, uint32_t references, uint32_t bytes);
/* Clocks that pass at least until an event has been counted `left` times. */
static inline uint64_t bound_until_counted(uint64_t left)
{
    enum {
        PER_CLOCK = 4, /* no event is counted more often in a clock */
        AHEAD = 256    /* the memory side counts for instructions before they enter EX */
    };
    return left > AHEAD ? (left - AHEAD) / PER_CLOCK : 0;
}

#endif
