/* What those share that translate blocks and see them start and end. */
#ifndef ENGINE_STREAM_STREAM_INTERNAL_H
#define ENGINE_STREAM_STREAM_INTERNAL_H

#include "engine/stream/stream.h"

/* It has nothing to do at its start or end but to be noted. */
static inline bool block_plain(const engine_block *b)
{
    return b->quick && !b->slow && b->kind == BLOCK_PLAIN;
}

/* describe.c */
/* Throws all blocks away if there are too many; true if it did, and the running one with them. */
bool block_make_room(engine *e);

/* emit.c. The block that has been translated turned out to be `b`. */
void emit_start_as(engine *e, const engine_block *b);
/* In the place of stream_block: what a block calls that is not plain, */
stream_start stream_block_unplain;
/* ... and any while guard.c has something to look after. */
stream_start stream_block_checked;

/* stream.c. If there was a request, asks the owner what to do at a boundary; the state's EIP must be current.
 * May not return. */
void stream_attention_if_wanted(engine *e);

/* repeat.c: makes those iterations of the REP string `b` that need nobody else; what is recorded from here on
 * belongs to the next. */
void repeat_ahead(engine *e, const engine_block *b);

#endif
