/* Blocks are translated, start and end. */
#ifndef ENGINE_STREAM_STREAM_H
#define ENGINE_STREAM_STREAM_H

#include "engine/internal.h"

bool block_open(engine *e);
void block_close(engine *e);
/* What a translated block calls when it starts, in the place of Unicorn's block hook: one that is plain,
 * whose description is mostly not in the host's cache, so that what is needed of it stands in the call; */
typedef void stream_start(uc_env *env, engine_block *b, p5_block *block, uint64_t linear, uint32_t levels,
                          int64_t takes);
stream_start stream_block;
/* The event of an interrupt or exception. */
void event_interrupt(uc_engine *uc, uint32_t vector, void *engine);

#endif
