/* The x87 as the rest of the engine sees it. */
#ifndef ENGINE_X87_X87_H
#define ENGINE_X87_X87_H

#include "engine/internal.h"
#include "engine/x87/x87_operation.h"

/* x87_host.c: the guest's x87 registers are in Unicorn's state after this, wherever they were. Before anybody
 * else's code runs, and before they are looked at. */
void x87_settle_from(engine *e);
static inline void x87_settle(engine *e)
{
    if (e->x87.place != X87_IN_STATE)
        x87_settle_from(e);
}
void x87_open(engine *e);
/* Raises what is pending in front of a block that waits for the x87. */
void x87_wait_before(engine *e);

/* The state as an image, but for the pointers to the last instruction and its operand, which are 0; and back,
 * the control word left alone. */
void x87_to_image(const uc_env *env, uint8_t image[X87_IMAGE_BYTES]);
void x87_from_image(uc_env *env, const uint8_t image[X87_IMAGE_BYTES]);
/* FNOP: waits, and is the last instruction that the x87 had. */
void x87_nop(uc_env *env);

#endif
