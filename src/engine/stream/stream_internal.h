/* What the files that translate blocks, start them and end them share. */
#ifndef ENGINE_STREAM_STREAM_INTERNAL_H
#define ENGINE_STREAM_STREAM_INTERNAL_H

#include "engine/stream/stream.h"

/* Returns true if the block only has to be recorded at its start and end. */
static inline bool block_plain(const engine_block *b)
{
    return b->quick && !b->slow && b->kind == BLOCK_PLAIN;
}

/* describe.c. Drops all blocks if there are too many. Returns true if it did; the running block is then gone,
 * too. */
bool block_make_room(engine *e);

/* emit.c. Completes the call at the start of the translated block, which is `b`. */
void emit_start_as(engine *e, const engine_block *b);
/* Serves blocks that are not plain, instead of stream_block. */
stream_start stream_block_unplain;
/* Serves all blocks while guard.c has something to check. */
stream_start stream_block_checked;

/* stream.c. If there was a request, asks the owner what to do at a boundary. The state's EIP must be current.
 * May not return. */
void stream_attention_if_wanted(engine *e);

/* repeat.c. Makes the iterations of the REP string `b` that need nothing else. Later records belong to the
 * next iteration. */
void repeat_ahead(engine *e, const engine_block *b);

#endif
