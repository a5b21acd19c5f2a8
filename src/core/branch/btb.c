#include "core/branch/btb.h"

#include <string.h>

void btb_init(btb *b, const model_btb *model)
{
    memset(b, 0, sizeof *b);
    b->model = model;
    b->random = 1;
    btb_flush(b);
}

void btb_flush(btb *b)
{
    for (unsigned set = 0; set < BTB_SETS; set++) {
        b->changes[set]++;
        for (unsigned way = 0; way < BTB_WAYS; way++) {
            btb_entry *entry = &b->entry[set][way];
            entry->valid = entry->steady = false;
            entry->state = 0; /* on the P54C it says whether the entry is in use */
            entry->used = 0;
        }
    }
}

/* A 16-bit maximal-length shift register, stepped for each replacement. */
static unsigned random_way(btb *b)
{
    b->random = (b->random >> 1) ^ ((b->random & 1) != 0 ? 0xb400u : 0);
    return b->random % BTB_WAYS;
}

/* On the P54C an entry of state 0 is free again. */
static bool is_free(const btb *b, const btb_entry *entry)
{
    return !entry->valid || (btb_by_pairs(b) && entry->state == 0);
}

/* Gives an entry to `key`. */
static btb_entry *take(btb *b, unsigned index, unsigned way, uint32_t key, uint64_t now)
{
    btb_entry *entry = &b->entry[index][way];
    b->changes[index]++;
    entry->tag = btb_tag(b, key);
    entry->valid = true;
    entry->used = now;
    return entry;
}

/* The way that the bits of a tree pseudo-LRU would point to (replacement.h): each says which side of its node
 * was used last, and that is known from the times of use. A bit that was never touched points to the lower
 * side. */
static unsigned least_used(const btb_entry *set)
{
    uint64_t lower = set[0].used > set[1].used ? set[0].used : set[1].used;
    uint64_t upper = set[2].used > set[3].used ? set[2].used : set[3].used;
    unsigned side = lower > upper ? 2 : 0;
    return side + (set[side].used > set[side + 1].used);
}

static btb_entry *allocate_new(btb *b, unsigned index, uint32_t key, uint64_t now)
{
    for (unsigned way = 0; way < BTB_WAYS; way++)
        if (is_free(b, &b->entry[index][way]))
            return take(b, index, way, key, now);
    bool random = b->model->replacement == BTB_REPLACE_RANDOM;
    return take(b, index, random ? random_way(b) : least_used(b->entry[index]), key, now);
}

btb_entry *btb_allocate(btb *b, uint32_t key, uint64_t now)
{
    unsigned index = btb_set(b, key);
    const btb_entry *entry = btb_find(b, key);
    return entry ? take(b, index, (unsigned)(entry - b->entry[index]), key, now)
                 : allocate_new(b, index, key, now);
}

static unsigned raw_index(const btb *b, unsigned set, unsigned bank)
{
    return btb_by_pairs(b) ? set & 63 : (set & 15) << 2 | (bank & 3);
}

btb_entry btb_get(const btb *b, unsigned set, unsigned bank, unsigned way)
{
    return b->entry[raw_index(b, set, bank)][way & 3];
}

void btb_put(btb *b, unsigned set, unsigned bank, unsigned way, const btb_entry *from)
{
    btb_entry *entries = b->entry[raw_index(b, set, bank)];
    b->changes[raw_index(b, set, bank)]++;
    btb_entry *entry = &entries[way & 3];
    for (unsigned i = 0; i < BTB_WAYS; i++)
        if (entries[i].valid && entries[i].tag == from->tag)
            entry = &entries[i];
    uint64_t used = entry->used;
    *entry = *from;
    entry->used = used;
    entry->steady = false; /* as far as is known */
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

static const snapshot_field entry_fields[] = {
    FIELD_BITS(btb_entry, tag, ~63u),
    FIELD_FLAG(btb_entry, valid),
    FIELD_MOST(btb_entry, offset, 3),
    FIELD_MOST(btb_entry, type, BTB_RET),
    FIELD_DERIVED(btb_entry, unused),
    FIELD_ANY(btb_entry, target),
    FIELD_MOST(btb_entry, state, 3),
    FIELD_FLAG(btb_entry, prediction),
    FIELD_FLAG(btb_entry, stale_prediction),
    FIELD_MOST(btb_entry, history, BTB_COUNTERS - 1),
    FIELD_ANY(btb_entry, used),
    FIELD_MOST(btb_entry, counter, 3, [0]),
    FIELD_DERIVED(btb_entry, steady),
};
static const snapshot_table entry_state = {SNAPSHOT_TABLE(btb_entry, "btb_entry", entry_fields)};

static const snapshot_field btb_fields[] = {
    FIELD_TABLE(btb, entry, &entry_state),
    FIELD_DERIVED(btb, changes),
    FIELD_DERIVED(btb, model),
    FIELD_RANGE(btb, random, 1, 0xffff),
};
const snapshot_table btb_state = {SNAPSHOT_TABLE(btb, "btb", btb_fields)};
