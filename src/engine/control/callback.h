/* What precedes calls to the engine's owner. */
#ifndef ENGINE_CONTROL_CALLBACK_H
#define ENGINE_CONTROL_CALLBACK_H

#include "engine/stretch/stretch.h"
#include "engine/x87/x87.h"

/* Moves the guest's x87 state out of the host's x87, and waits until the owner has processed all executed stretches
 * (parts of blocks) that were reported. Must be called before every callback that reports anything else. */
static inline void engine_before_callback(engine *e)
{
    x87_settle(e);
    engine_catch_up(e);
}

#endif
