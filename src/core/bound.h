/* How long a stretch can take, before it is priced. */
#ifndef CORE_BOUND_H
#define CORE_BOUND_H

#include <stdbool.h>

#include "core/branch/branch.h"
#include "p5scope/core.h"

/* What a reference and a line of code take at most, in core clocks, by the model: memory, bus, and an agent
 * on it. */
typedef struct bound {
    uint32_t access_clocks, line_clocks, walk_clocks;
    uint32_t miss_clocks;       /* a reference that needs no walk, within 8 bytes, without an agent */
    uint32_t write_back_clocks; /* a modified line */
} bound;

bound bound_of_model(const p5_model *model);
/* No fewer clocks than pass until the stretch `r` has been priced: exactly as many, if the memo knows them
 * (memo_ahead). Looks at where its references and code lines are and at what is under way, and changes
 * nothing that a result depends on. */
uint64_t bound_clocks(p5_core *core, const p5_retired *r, p5_prediction prediction);
/* The same without looking: of instructions that take `most` in sum when every reference hits
 * (op.most_clocks), in so many references and bytes of code. */
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
/* Answers the clocks that pricing the stretch will take, if everything about it is as usual and has come
 * before (memo_ahead.c). False: not known. Changes nothing that a result depends on. */
bool memo_ahead(p5_core *core, const p5_retired *r, p5_prediction prediction, uint64_t *clocks);

#endif
