/* The pieces of a block: a *piece* is a basic block or a part of it, whose outcome the memo remembers as a whole,
 * or a single instruction whose outcome cannot be remembered (core/memo_block.h, replay/README.md). */
#ifndef CORE_REPLAY_PIECES_H
#define CORE_REPLAY_PIECES_H

#include "core/block.h"

/* Cuts the block into pieces, so that the number of variants of each stays small, and sets block->memo. Returns
 * false if memory runs out. */
bool pieces_prepare(p5_block *block);
/* Frees the pieces of a block except for the first, which is part of the block. */
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

/* Returns the execution of piece `p` as a stretch by itself. `r` is the execution of the whole block, without marks of
 * x87 operands (unsafe_x87), in which the references and values of the piece begin at `accesses` and `values`. */
p5_retired piece_retired(const p5_retired *r, const piece *p, const p5_access *accesses,
                         const p5_value *values);

#endif
