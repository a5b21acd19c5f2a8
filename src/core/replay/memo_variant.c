#include "core/replay/memo_variant.h"

#include "core/pipe/cost.h"

/* Saturation, and clocks that depend on operand values. block.c sees to it that the bits fit. */
bool memo_values_variant(const p5_core *core, const p5_retired *r, uint64_t *result)
{
    const p5_block *block = r->block;
    uint64_t key = *result;
    for (unsigned i = 0; i < block->value_count; i++) {
        const op *o = &block->ops[block->value_ops[i]];
        const p5_value *value = &r->values[i];
        if (o->value == ISA_VALUE_SATURATED) {
            key = key << 1 | (value->a != 0);
        } else {
            const cost_context c = {.mode = r->mode, .value = value};
            unsigned clocks = cost_clocks(&core->timing, o, &c);
            if (clocks > 0x3ff)
                return false;
            key = key << 10 | clocks;
        }
    }
    *result = key;
    return true;
}

bool memo_variant(const p5_core *core, const p5_retired *r, bool taken, uint64_t *key)
{
    *key = memo_banks_variant(r->block, r->accesses, taken);
    return memo_values_variant(core, r, key);
}

memo_path *memo_find_variant(p5_core *core, memo_path *path, uint64_t key)
{
    if (path->variant == key)
        return path;
    if (!path->family)
        return NULL;
    path = path->family[memo_member(key)];
    if (!path || path->variant != key)
        return NULL;
    core->memo.last->next_path = path;
    return path;
}
