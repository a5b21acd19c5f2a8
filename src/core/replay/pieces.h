/* The pieces of a block (replay/README.md). */
#ifndef CORE_REPLAY_PIECES_H
#define CORE_REPLAY_PIECES_H

#include "core/block.h"

/* Cuts the block into pieces, so that the number of paths through each stays small. Returns false if memory
 * runs out. */
bool pieces_prepare(p5_block *block);
void pieces_free(memo_block *memo);

/* Return the linear addresses of the first byte of a piece and of the byte after it. */
static inline uint32_t piece_begin(const piece *p)
{
    return p->block->ops[p->first].address;
}

static inline uint32_t piece_end(const piece *p)
{
    const op *last = &p->block->ops[p->first + p->count - 1];
    return last->address + last->length;
}

/* Returns piece `p` of the stretch `r`, which is the whole block. Its references and values begin at
 * `accesses` and `values`. */
p5_retired piece_retired(const p5_retired *r, const piece *p, const p5_access *accesses,
                         const p5_value *values);

#endif
