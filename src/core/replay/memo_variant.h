/* A variant is what distinguishes executions of a piece from the same state, apart from the answers of the
 * structures. Each variant has its own path. */
#ifndef CORE_REPLAY_MEMO_VARIANT_H
#define CORE_REPLAY_MEMO_VARIANT_H

#include "core/memory/banks.h"
#include "core/replay/memo_tree.h"

/* Returns the part of the variant that needs no values: the direction of LOOP, and which adjacent references
 * meet in one bank. */
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

/* Appends to `key` whether each value was saturated. For pieces with no other values. */
static inline uint32_t memo_saturation_variant(const piece *p, const p5_value *values, uint32_t key)
{
    for (const p5_value *end = values + p->value_count; values != end; values++)
        key = key << 1 | (values->a != 0);
    return key;
}

/* memo_variant.c */
/* Makes the key of a whole piece; for a REP string, the key is its count. Returns false if there is no such
 * key or it is too long. */
bool memo_variant(const p5_core *core, const p5_retired *r, const piece *p, bool taken, uint32_t *key);
#endif
