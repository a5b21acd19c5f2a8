/* A *piece* is a basic block or a part of it, whose outcome the memo remembers. A *variant* is what distinguishes
 * executions of a piece from the same state of the pipe, apart from the results of lookups (caches, TLBs, predictor):
 * bank conflicts, operand values, mode. Each variant is a number (`key`) and has its own entry in the memo. */
#ifndef CORE_REPLAY_MEMO_VARIANT_H
#define CORE_REPLAY_MEMO_VARIANT_H

#include "core/memory/banks.h"
#include "core/replay/memo_tree.h"

/* Returns the part of the variant that needs no values: the direction of LOOP, if the piece ends in one, and which
 * adjacent references meet in one bank, one bit each. `accesses`: the piece's first reference; `taken`: the
 * direction of the branch. */
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

/* Appends a bit to `key` for each operand value: whether the result was saturated. For pieces whose values are all of
 * this kind (piece.clocks_fixed). */
static inline uint32_t memo_saturation_variant(const piece *p, const p5_value *values, uint32_t key)
{
    for (const p5_value *end = values + p->value_count; values != end; values++)
        key = key << 1 | (values->a != 0);
    return key;
}

/* memo_variant.c */
/* Sets `*key` for the execution `r` of the piece, which is a stretch by itself here; `taken`: the direction of its
 * branch. For a REP string, the key is its count. Returns false if there is no such key or it is too long; the piece
 * then takes the exact path. */
bool memo_variant(const p5_core *core, const p5_retired *r, const piece *p, bool taken, uint32_t *key);
#endif
