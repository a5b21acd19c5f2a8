/* A translation look-aside buffer: lookup, fill, flushes, and snapshots (tlb.h). */
#include "core/memory/tlb.h"

#include <string.h>

/* Return the position of the first LRU bit of a set in `order`, and the mask of a set's LRU bits. */
static unsigned first_bit(const tlb *t, unsigned set)
{
    return set * (t->ways - 1);
}

static uint64_t set_bits(const tlb *t)
{
    return (1ull << (t->ways - 1)) - 1;
}

/* Makes an empty TLB, with the table of what a use of each entry does to the LRU bits. */
void tlb_init(tlb *t, unsigned sets, unsigned ways, bool large_only)
{
    memset(t, 0, sizeof *t);
    t->sets = sets;
    t->ways = ways;
    while (1u << t->way_bits < ways)
        t->way_bits++;
    t->set_shift = large_only ? 22 : 12;
    t->invalid = UINT64_MAX;
    t->use[TLB_NO_ENTRY] = (tlb_use){.keep = UINT64_MAX};
    _Static_assert(TLB_ENTRIES <= 64,
                   "the LRU bits of all sets are fewer than the entries, so they fit into `order`");
    for (unsigned entry = 0; entry < sets * ways; entry++) {
        const unsigned first = first_bit(t, entry / ways), way = entry % ways;
        t->use[entry] = (tlb_use){.keep = ~(~replacement_used(ways, UINT64_MAX, way) << first),
                                  .point = replacement_used(ways, 0, way) << first};
    }
}

/* Returns the mask of the valid entries among which that of `key` is. */
static inline uint64_t *group_of(tlb *t, uint32_t key)
{
    return &t->group[tlb_page(key) % TLB_GROUPS];
}

/* Makes the entry translate the page of `key`, or nothing if that is 0, and updates `group` and `invalid`. */
static inline void set_key(tlb *t, unsigned entry, tlb_keys key)
{
    const uint64_t bit = 1ull << entry;
    *group_of(t, t->row[entry].key.of[0]) &= ~bit;
    t->invalid |= bit;
    t->row[entry].key = key;
    if (key.of[0] != 0) {
        *group_of(t, key.of[0]) |= bit;
        t->invalid &= ~bit;
    }
}

/* Return and set the LRU bits of a set, in the order of replacement.h. */
uint64_t tlb_lru(const tlb *t, unsigned set)
{
    return t->order >> first_bit(t, set) & set_bits(t);
}

static void set_lru(tlb *t, unsigned set, uint64_t bits)
{
    t->order &= ~(set_bits(t) << first_bit(t, set));
    t->order |= (bits & set_bits(t)) << first_bit(t, set);
}

/* Before a snapshot is saved: copies the LRU bits to `lru`, set by set. */
void tlb_store(tlb *t)
{
    for (unsigned set = 0; set < t->sets; set++)
        t->lru[set] = tlb_lru(t, set);
}

/* After a snapshot was loaded: computes `group`, `invalid` and `order` from `row` and `lru`. */
void tlb_restore(tlb *t)
{
    memset(t->group, 0, sizeof t->group);
    t->last = 0;
    for (unsigned entry = 0; entry < TLB_ENTRIES; entry++)
        set_key(t, entry, t->row[entry].key);
    for (unsigned set = 0; set < t->sets; set++)
        set_lru(t, set, t->lru[set]);
}

/* Invalidates every entry and clears the LRU bits. */
void tlb_flush(tlb *t)
{
    for (unsigned entry = 0; entry < TLB_ENTRIES; entry++)
        t->row[entry].key = (tlb_keys){{0}};
    t->order = 0;
    memset(t->group, 0, sizeof t->group);
    t->invalid = UINT64_MAX;
    t->last = 0;
}

/* Returns the first entry of the set for a linear address or key. The low bits of the page number choose the set. */
static unsigned first_entry(const tlb *t, uint32_t linear)
{
    return ((linear >> t->set_shift) & (t->sets - 1)) << t->way_bits;
}

/* Returns the entry that translates `key`, or TLB_NO_ENTRY. */
unsigned tlb_find(tlb *t, uint32_t key)
{
    unsigned hint = tlb_hint_of(key);
    if (t->row[t->hint[hint]].key.of[0] == key)
        return t->hint[hint];
    for (uint64_t rest = *group_of(t, key); rest != 0; rest &= rest - 1) {
        const unsigned entry = (unsigned)__builtin_ctzll(rest);
        if (t->row[entry].key.of[0] == key) {
            t->hint[hint] = (uint8_t)entry;
            return entry;
        }
    }
    return TLB_NO_ENTRY;
}

/* Fills a translation into an invalid way of its set, or the one to be replaced. Returns the entry. */
unsigned tlb_fill(tlb *t, uint32_t key, uint32_t physical, uint8_t attributes, bool dirty)
{
    const unsigned first = first_entry(t, key);
    const uint64_t invalid = t->invalid >> first & UINT64_MAX >> (TLB_ENTRIES - t->ways);
    const uint64_t order = tlb_lru(t, first >> t->way_bits);
    const unsigned way =
        invalid != 0 ? (unsigned)__builtin_ctzll(invalid) : replacement_victim(t->ways, order);
    const unsigned entry = first + way;
    set_key(t, entry, (tlb_keys){{key, dirty ? key : 0}});
    t->row[entry].physical = physical & ((key & TLB_LARGE) != 0 ? 0xffc00000u : 0xfffff000u);
    t->row[entry].attributes = attributes;
    t->hint[tlb_hint_of(key)] = (uint8_t)entry;
    tlb_used(t, entry);
    return entry;
}

/* Marks an entry dirty, so that writes find it, too. */
void tlb_set_dirty(tlb *t, unsigned entry)
{
    t->row[entry].key.of[1] = t->row[entry].key.of[0];
}

/* Makes an entry invalid. */
void tlb_drop(tlb *t, unsigned entry)
{
    set_key(t, entry, (tlb_keys){{0}});
    t->last = 0;
}

/* INVLPG: drops the entries of either size that translate `linear`. */
void tlb_invalidate(tlb *t, uint32_t linear)
{
    unsigned entry;
    /* there is more than one only if a test register wrote the page twice */
    while ((entry = tlb_find(t, tlb_key(linear, false))) != TLB_NO_ENTRY)
        tlb_drop(t, entry);
    while ((entry = tlb_find(t, tlb_key(linear, true))) != TLB_NO_ENTRY)
        tlb_drop(t, entry);
}

/* Returns an entry as the test registers see it. */
tlb_entry tlb_get(const tlb *t, unsigned entry)
{
    uint32_t key = t->row[entry].key.of[0];
    return (tlb_entry){key & 0xfffff000u,
                       t->row[entry].physical,
                       (key & TLB_VALID) != 0,
                       (key & TLB_LARGE) != 0,
                       t->row[entry].key.of[1] != 0,
                       t->row[entry].attributes,
                       tlb_lru(t, entry >> t->way_bits)};
}

/* Returns the entry that is way `way` of the set of `key`. */
unsigned tlb_place(const tlb *t, uint32_t key, unsigned way)
{
    return first_entry(t, key) + (way & (t->ways - 1));
}

/* Writes an entry as a test register does: way `way` of the set that from->linear selects, with its LRU bits. */
void tlb_put(tlb *t, unsigned way, const tlb_entry *from)
{
    unsigned entry = tlb_place(t, from->linear, way);
    uint32_t key = from->valid ? tlb_key(from->linear, from->large) : 0;
    t->last = 0;
    set_key(t, entry, (tlb_keys){{key, from->dirty ? key : 0}});
    t->row[entry].physical = from->physical;
    t->row[entry].attributes = from->attributes;
    set_lru(t, entry >> t->way_bits, from->lru);
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* The tables say what a snapshot contains (base/snapshot.h); FIELD_DERIVED members are not saved. */
static const snapshot_table key_state = {
    SNAPSHOT(tlb_keys, "tlb_keys", FIELD_BITS_OF([0], 0xfffff000u | TLB_VALID | TLB_LARGE, of))};

static const snapshot_table row_state = {
    SNAPSHOT(tlb_row, "tlb_row", FIELD_TABLE(&key_state, key), FIELD_BITS(0xfffff000u, physical),
             FIELD_BITS(TLB_SUPERVISOR | TLB_WRITABLE | TLB_CACHE_DISABLE | TLB_WRITE_THROUGH, attributes),
             FIELD_DERIVED(unused))};

/* Refuses a snapshot in which this entry has impossible keys, or one that belongs into another set. */
static void check_entry(const tlb *t, unsigned entry, snapshot *s)
{
    const uint32_t *key = t->row[entry].key.of;
    bool there = (key[0] & TLB_VALID) != 0;
    if ((!there && key[0] != 0) || (key[1] != 0 && key[1] != key[0]) || (there && entry >= t->sets * t->ways))
        snapshot_refuse(s, "tlb.row.key.of: %08Xh and %08Xh are not the keys of entry %u", key[0], key[1],
                        entry);
    else if (there && first_entry(t, key[0]) != (entry & ~(t->ways - 1)))
        snapshot_refuse(s, "tlb.row.key.of: %08Xh does not belong into the set of entry %u", key[0], entry);
}

/* Refuses a snapshot with entries or LRU bits that the TLB cannot have. */
static void check_tlb(const void *row, snapshot *s)
{
    const tlb *t = row;
    for (unsigned entry = 0; entry < TLB_ENTRIES; entry++)
        check_entry(t, entry, s);
    for (unsigned set = 0; set < TLB_ENTRIES; set++)
        if (set < t->sets ? t->lru[set] >> (t->ways - 1) != 0 : t->lru[set] != 0)
            snapshot_refuse(s, "tlb.lru: %llX is not what set %u of %u with %u ways has",
                            (unsigned long long)t->lru[set], set, t->sets, t->ways);
}

const snapshot_table tlb_state = {
    SNAPSHOT(tlb, "tlb", FIELD_TABLE(&row_state, row),
             FIELD_DERIVED(order, use, last, hint, group, invalid, sets, ways, way_bits, set_shift),
             FIELD_ANY_OF([0], lru)),
    .check = check_tlb};
