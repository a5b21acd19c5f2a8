/* Translation of guest code in blocks, and the start and end of executed blocks. */
#ifndef ENGINE_STREAM_STREAM_H
#define ENGINE_STREAM_STREAM_H

#include "engine/internal.h"

/* Make and free the index of blocks (index.c). block_open returns false if memory runs out. */
bool block_open(engine *e);
void block_close(engine *e);
/* Uses `hook`, Unicorn's block hook with stream_block. Returns false if it is not laid out as when p5scope was
 * built. */
bool stream_set_hook(engine *e, uc_hook_head *hook);
extern const snapshot_table stream_saved; /* the members of stream_state in snapshots */
/* The type of the functions of which a translated block calls one when it starts, as Unicorn's block hook. `b`
 * describes the block. The other parameters are members of `b` (`levels`: as one word), and are passed because a
 * block's description is usually not in the host's cache. stream_block serves ordinary blocks (block_is_ordinary). */
typedef void stream_start(uc_env *env, engine_block *b, p5_block *block, uint64_t linear, uint32_t levels,
                          int64_t takes);
stream_start stream_block;
/* Handles an interrupt or exception, for Unicorn. `engine` is the engine. */
void event_interrupt(uc_engine *uc, uint32_t vector, void *engine);

#endif
