/* Blocks are translated, start and end. */
#ifndef ENGINE_STREAM_STREAM_H
#define ENGINE_STREAM_STREAM_H

#include "engine/internal.h"

/* It has nothing to do at its start or end but to be noted. */
static inline bool block_plain(const engine_block *b)
{
    return b->quick && !b->slow && b->kind == BLOCK_PLAIN;
}

/* describe.c */
bool block_open(engine *e);
void block_close(engine *e);
/* Throws all blocks away if there are too many; true if it did, and the running one with them. */
bool block_make_room(engine *e);

/* emit.c. The block that has been translated turned out to be `b`. */
void emit_start_as(engine *e, const engine_block *b);
/* What a translated block calls when it starts, in the place of Unicorn's block hook: one that is plain,
 * whose description is mostly not in the host's cache, so that what is needed of it stands in the call; */
typedef void stream_start(uc_env *env, engine_block *b, p5_block *block, uint64_t linear, uint32_t levels,
                          int64_t takes);
stream_start stream_block;
/* ... one that is not, */
stream_start stream_block_unplain;
/* ... and any while guard.c has something to look after. */
stream_start stream_block_checked;

/* stream.c. If there was a request, asks the owner what to do at a boundary; the state's EIP must be current.
 * May not return. */
void stream_attention_if_wanted(engine *e);

/* repeat.c: makes those iterations of the REP string `b` that need nobody else; what is recorded from here on
 * belongs to the next. */
void repeat_ahead(engine *e, const engine_block *b);

/* event.c */
void event_interrupt(uc_engine *uc, uint32_t vector, void *engine);

#endif
