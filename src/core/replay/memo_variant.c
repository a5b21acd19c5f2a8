#include "core/replay/memo_variant.h"

#include "core/pipe/cost.h"

enum {
    MODE_BITS = 2, /* and one for the privilege */
    CLOCK_BITS = 10
}; /* of an instruction whose clocks depend on mode or operands; one of a piece at most */
/* ... and one for what waits: memo_look_up. */
_Static_assert(2 + PIECE_BANKS + PIECE_VALUES + CLOCK_BITS <= 32, "a variant fits");

/* Adds to `*result` what depends on values, saturation and clocks, and on the mode; block.c sees to it that
 * the bits fit. False: too long for a key. */
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

/* References of a far transfer or load of a segment register: how many, which are writes, and whether a
 * descriptor is among them. False: too many of them, two in one clock, or the privilege changes. */
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

memo_path *memo_find_variant(p5_core *core, memo_path *path, uint32_t key)
{
    if (path->streak.variant == key)
        return path;
    if (!path->streak.family)
        return NULL;
    const uint32_t number = path->streak.family[memo_member(key)];
    path = memo_path_at(&core->memo, number);
    if (number == 0 || path->streak.variant != key)
        return NULL;
    memo_last(&core->memo)->next_path = number;
    return path;
}
