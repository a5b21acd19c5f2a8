/* What an execution of a piece differs by from others with the same state, beside the answers of the
 * structures. Variants of one piece and state have paths of their own, which know each other
 * (memo_path.family). */
#ifndef CORE_REPLAY_MEMO_VARIANT_H
#define CORE_REPLAY_MEMO_VARIANT_H

#include "core/replay/memo_tree.h"

static inline unsigned memo_banks(const p5_access *a)
{
    return 1u << (a->linear >> 2 & 7) | 1u << ((a->linear + a->size - 1) >> 2 & 7);
}

/* References `a` and `b` would meet in one bank. */
static inline bool memo_meet(const p5_access *a, const p5_access *b)
{
    const uint32_t last = (a->linear & 3) + a->size - 1, other = (b->linear & 3) + b->size - 1;
    if (__builtin_expect((last | other) > 3, 0)) /* one of them needs more than one */
        return (memo_banks(a) & memo_banks(b)) != 0;
    return ((a->linear ^ b->linear) & 7 << 2) == 0;
}

/* The part of the variant that needs no values: the direction of LOOP, neighbours that would meet in one
 * bank. */
static inline uint32_t memo_banks_variant(const piece *p, const p5_access *accesses, bool taken)
{
    uint32_t key = taken & p->by_direction;
    const int16_t *at = p->bank_first, *end = at + p->bank_count;
    for (; at != end; at++) {
        const p5_access *first = (const p5_access *)((const char *)accesses + *at);
        key = key << 1 | memo_meet(first, first + 1);
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
/* Adds to `*key` what depends on values, which begin at `values`, and on the mode. False: too long for a key.
 */
bool memo_values_variant(const p5_core *core, const piece *p, const p5_value *values, uint8_t mode,
                         uint32_t *key);
/* The path of variant `key`, if `path`, which followed last time, is that but for the variant. NULL: it has
 * to be looked for. */
memo_path *memo_find_variant(p5_core *core, memo_path *path, uint32_t key);

#endif
