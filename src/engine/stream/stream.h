/* Translation, start and end of blocks. */
#ifndef ENGINE_STREAM_STREAM_H
#define ENGINE_STREAM_STREAM_H

#include "engine/internal.h"

bool block_open(engine *e);
void block_close(engine *e);
/* Uses Unicorn's block hook. Returns false if it is not laid out as when p5scope was built. */
bool stream_set_hook(engine *e, uc_hook_head *hook);
extern const snapshot_table stream_saved;
/* The type of the functions that a translated block calls when it starts, instead of Unicorn's block hook.
 * The call passes the needed values, because a block's description is usually not in the host's cache.
 * stream_block serves ordinary blocks (block_is_ordinary). */
typedef void stream_start(uc_env *env, engine_block *b, p5_block *block, uint64_t linear, uint32_t levels,
                          int64_t takes);
stream_start stream_block;
/* Handles an interrupt or exception. */
void event_interrupt(uc_engine *uc, uint32_t vector, void *engine);

#endif
