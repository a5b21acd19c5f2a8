/* The array of the branch target buffer: invalidation, replacement, and entries as test registers and snapshots see
 * them. */
#include "core/branch/btb.h"

#include <assert.h>
#include <string.h>

void btb_init(btb *b, const model_btb *model)
{
    memset(b, 0, sizeof *b);
    b->model = model;
    b->by_use = !btb_by_pairs(b) && model->replacement == BTB_REPLACE_PLRU;
    b->random = 1;
}

void btb_flush(btb *b)
{
    for (unsigned i = 0; i < BTB_ENTRIES; i++) {
        b->owner[i] &= ~(uint32_t)BTB_VALID;
        b->entry[i].state = 0; /* on the P54C, the state tells whether the entry is in use */
        b->entry[i].used = 0;
    }
}

/* Steps a 16-bit maximal-length shift register, once for each replacement. */
static unsigned random_way(btb *b)
{
    assert(b->random != 0 && b->random <= UINT16_MAX);
    b->random = (b->random >> 1) ^ ((b->random & 1) != 0 ? 0xb400u : 0);
    return b->random % BTB_WAYS;
}

/* Returns whether an entry is free. On the P54C, an entry in state 0 is free again. */
static bool is_free(const btb *b, size_t entry)
{
    return (b->owner[entry] & BTB_VALID) == 0 || (btb_by_pairs(b) && b->entry[entry].state == 0);
}

/* Returns a way (0-3) of the set that begins with entry `first`: a free one, or the one to be replaced. */
size_t btb_victim(btb *b, size_t first)
{
    assert(first % BTB_WAYS == 0 && first < BTB_ENTRIES);
    for (size_t way = 0; way < BTB_WAYS; way++)
        if (is_free(b, first + way))
            return way;
    return b->model->replacement == BTB_REPLACE_RANDOM ? random_way(b) : btb_least_used(&b->entry[first]);
}

/* ---- raw entries --------------------------------------------------------------------------------------- */

btb_raw btb_raw_of(const btb *b, unsigned entry)
{
    assert(entry < BTB_ENTRIES);
    const btb_entry *e = &b->entry[entry];
    const uint32_t owner = b->owner[entry], history = (e->pattern & PATTERN_HISTORY) / PATTERN_LAST;
    btb_raw raw = {.tag = owner & BTB_TAG,
                   .valid = (owner & BTB_VALID) != 0,
                   .offset = (owner & BTB_OFFSET) / (BTB_OFFSET / 3),
                   .type = (uint8_t)btb_type_of(owner),
                   .target = e->target,
                   .state = e->state,
                   .prediction = (e->pattern & PATTERN_PREDICTION) != 0,
                   .stale_prediction = (e->pattern & PATTERN_STALE) != 0,
                   .history = (uint8_t)history,
                   .used = e->used};
    for (unsigned i = 0; i < BTB_COUNTERS; i++)
        raw.counter[i] = e->counters >> 2 * i & 3;
    return raw;
}

void btb_set_raw(btb *b, unsigned entry, const btb_raw *raw)
{
    assert(entry < BTB_ENTRIES);
    assert(raw->offset <= 3 && raw->type <= 3);
    assert((raw->tag & ~(uint32_t)BTB_TAG) == 0);
    b->owner[entry] = raw->tag | raw->type * (BTB_TYPE / 3u) | raw->offset * (BTB_OFFSET / 3u) |
                      (raw->valid ? BTB_VALID : 0);
    btb_entry *e = &b->entry[entry];
    *e = (btb_entry){.used = raw->used,
                     .settled = BTB_NEVER_SETTLED, /* unknown */
                     .target = raw->target,
                     .pattern =
                         (raw->history * (uint32_t)PATTERN_LAST | (raw->prediction ? PATTERN_PREDICTION : 0) |
                          (raw->stale_prediction ? PATTERN_STALE : 0)),
                     .state = raw->state};
    for (unsigned i = 0; i < BTB_COUNTERS; i++)
        e->counters |= (uint32_t)raw->counter[i] << 2 * i;
}

/* Returns the first entry of the set that TR11 numbers like this. */
static unsigned raw_first(const btb *b, unsigned set, unsigned bank)
{
    return (btb_by_pairs(b) ? set & 63 : (set & 15) << 2 | (bank & 3)) * BTB_WAYS;
}

btb_raw btb_get(const btb *b, unsigned set, unsigned bank, unsigned way)
{
    return btb_raw_of(b, raw_first(b, set, bank) + (way & 3));
}

/* Replaces the valid entry of the set with the same tag, or else the one in `way` (manual, 26.2.1.3). */
void btb_put(btb *b, unsigned set, unsigned bank, unsigned way, const btb_raw *raw)
{
    const unsigned first = raw_first(b, set, bank);
    unsigned entry = first + (way & 3);
    for (unsigned i = first; i < first + BTB_WAYS; i++)
        if ((b->owner[i] & (BTB_TAG | BTB_VALID)) == (raw->tag | BTB_VALID))
            entry = i;
    uint64_t used = b->entry[entry].used; /* a write by the test registers is no use */
    btb_set_raw(b, entry, raw);
    b->entry[entry].used = used;
}

const snapshot_table btb_raw_state = {
    SNAPSHOT(btb_raw, "btb_entry", FIELD_BITS(~63u, tag), FIELD_FLAG(valid), FIELD_MOST(3, offset),
             FIELD_MOST(BTB_RET, type), FIELD_ANY(target), FIELD_MOST(3, state),
             FIELD_FLAG(prediction, stale_prediction), FIELD_MOST(BTB_COUNTERS - 1, history), FIELD_ANY(used),
             FIELD_MOST_OF([0], 3, counter))};
