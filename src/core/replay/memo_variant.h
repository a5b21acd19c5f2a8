/* What an execution of a piece differs by from others with the same state, beside the answers of the
 * structures. Variants of one piece and state have paths of their own, which know each other
 * (memo_path.family). */
#ifndef CORE_REPLAY_MEMO_VARIANT_H
#define CORE_REPLAY_MEMO_VARIANT_H

#include "core/memory/banks.h"
#include "core/replay/memo_tree.h"

/* The part of the variant that needs no values: the direction of LOOP, neighbours that would meet in one
 * bank. */
static inline uint32_t memo_banks_variant(const piece *p, const p5_access *accesses, bool taken)
{
    uint32_t key = taken & p->by_direction;
    const int16_t *at = p->bank_first, *end = at + p->bank_count;
    for (; at != end; at++) {
        const p5_access *first = (const p5_access *)((const char *)accesses + *at);
        key = key << 1 | banks_meet(first, first + 1);
    }
    return key;
}

/* `key` with what values add to it of which each is whether something was saturated. */
static inline uint32_t memo_saturation_variant(const piece *p, const p5_value *values, uint32_t key)
{
    for (const p5_value *end = values + p->value_count; values != end; values++)
        key = key << 1 | (values->a != 0);
    return key;
}

/* memo_variant.c */
/* The variant of a whole piece; of a REP string its count. False: too long for a key, or not for one. */
bool memo_variant(const p5_core *core, const p5_retired *r, const piece *p, bool taken, uint32_t *key);
/* The path of variant `key`, if `path`, which followed last time, is that but for the variant. NULL: it has
 * to be looked for. */
memo_path *memo_find_variant(p5_core *core, memo_path *path, uint32_t key);

#endif
