/* How long a stretch can take, before it is priced. */
#ifndef CORE_BOUND_H
#define CORE_BOUND_H

#include "p5scope/core.h"

/* What a reference and a line of code take at most, in core clocks, by the model: memory, bus, and an agent
 * on it. */
typedef struct bound {
    uint32_t access_clocks, line_clocks, walk_clocks;
} bound;

bound bound_of_model(const p5_model *model);
/* No fewer clocks than pass until the stretch `r` has been priced. Looks at where its references and code
 * lines are and at what is under way, and changes nothing. */
uint64_t bound_clocks(const p5_core *core, const bound *b, const p5_retired *r);
/* The same without looking: of instructions that take `most` in sum when every reference hits
 * (op.most_clocks), in so many references and bytes of code. */
uint64_t bound_blind(const bound *b, uint64_t most, uint32_t references, uint32_t bytes);

#endif
