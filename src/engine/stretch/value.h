/* Records operand values of instructions whose clocks depend on them (p5_value). */
#ifndef ENGINE_STRETCH_VALUE_H
#define ENGINE_STRETCH_VALUE_H

#include "engine/stretch/stretch.h"

/* Record an operand on which the clocks of the running instruction depend: value_add an integer of a kind
 * (isa_value_kind). If there is no space, the run fails. */
static inline void value_put(engine *e, p5_value value)
{
    if (__builtin_expect(e->stretch.value_next == e->stretch.value_end, 0)) {
        stretch_full(e);
        return;
    }
    *e->stretch.value_next++ = value;
}
static inline void value_add(engine *e, isa_value_kind kind, uint64_t a)
{
    value_put(e, (p5_value){.a = a, .kind = (uint8_t)kind});
}

#endif
