/* Calls to the owner. */
#ifndef ENGINE_CONTROL_CALLBACK_H
#define ENGINE_CONTROL_CALLBACK_H

#include "engine/stretch/stretch.h"
#include "engine/x87/x87.h"

/* Must be called before every callback that reports anything but stretches. */
static inline void engine_before_callback(engine *e)
{
    x87_settle(e);
    engine_catch_up(e);
}

#endif
