/* Makes the variant of an execution of a piece that needs more than the hot path has (memo_variant.h). */
#include "core/replay/memo_variant.h"

#include <assert.h>

#include "core/pipe/cost.h"

/* Bits of a key: for P5_MODE_*, and for the clocks of the one instruction of a piece that may depend on mode or
 * operands. */
enum { MODE_BITS = 2, CLOCK_BITS = 10 };
/* The key also has one bit for the direction and one for the pending instruction (memo_look_up). A piece with mode
 * bits has no clock bits, because at most one of its instructions depends on either. */
_Static_assert(2 + PIECE_BANKS + PIECE_VALUES + CLOCK_BITS <= 32, "a variant fits");

/* Appends to the key `*result` saturations, clocks that depend on values, and the mode and whether the privilege is
 * not that of the kernel. pieces.c cuts pieces so that the bits fit. Returns false if the clocks do not fit. */
static bool values_variant(const p5_core *core, const piece *p, const p5_value *values, uint8_t mode,
                           uint32_t *result)
{
    uint32_t key = *result;
    for (unsigned i = 0; i < p->value_count; i++) {
        const op *o = &p->block->ops[p->value_ops[i]];
        const p5_value *value = &values[i];
        if (o->value == ISA_VALUE_SATURATED) {
            key = key << 1 | (value->a != 0);
        } else {
            const cost_context c = {.mode = mode, .value = value};
            unsigned clocks = cost_clocks(&core->timing, o, &c);
            if (clocks >> CLOCK_BITS != 0)
                return false;
            key = key << CLOCK_BITS | clocks;
        }
    }
    if (p->by_mode)
        key = (key << MODE_BITS | mode) << 1 | (core->cpl_class != P5_CPL_KERNEL);
    *result = key;
    return true;
}

/* Makes a key for the references of a far transfer or a segment register load: how many there are, which of
 * them are writes, and whether a descriptor is among them. Returns false if there are too many, two in one
 * clock, or the privilege changes. */
static bool references_variant(const p5_core *core, const p5_retired *r, const piece *p, uint32_t *key)
{
    enum { MOST = 8 };
    const cost_context c = {
        .mode = r->mode, .cpl = r->cpl, .cpl_after = r->cpl_after, .descriptor = r->descriptor};
    const uint32_t n = r->access_count;
    if (n > MOST || n > cost_clocks(&core->timing, &p->block->ops[p->first], &c) || r->cpl_after != r->cpl)
        return false;
    *key = n << 1 | r->descriptor;
    for (uint32_t i = 0; i < n; i++)
        *key = *key << 1 | ((r->accesses[i].flags & P5_ACCESS_WRITE) != 0);
    return true;
}

/* Sets the key for the execution `r` of a piece. Returns false if there is none or it is too long. */
bool memo_variant(const p5_core *core, const p5_retired *r, const piece *p, bool taken, uint32_t *key)
{
    if (p->varies) {
        if (!references_variant(core, r, p, key))
            return false;
    } else {
        *key = p->repeats ? r->repeats : memo_banks_variant(p, r->accesses, taken);
    }
    return values_variant(core, p, r->values, r->mode, key);
}
