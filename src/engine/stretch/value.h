/* Operands of instructions whose clocks depend on them. */
#ifndef ENGINE_STRETCH_VALUE_H
#define ENGINE_STRETCH_VALUE_H

#include "engine/stretch/stretch.h"

static inline void value_note(engine *e, p5_value value)
{
    if (__builtin_expect(e->value_next == e->value_end, 0)) {
        stretch_full(e);
        return;
    }
    *e->value_next++ = value;
}
static inline void value_add(engine *e, isa_value_kind kind, uint64_t a)
{
    value_note(e, (p5_value){.a = a, .kind = (uint8_t)kind});
}
void value_scan(engine *e, const engine_block *block);

#endif
