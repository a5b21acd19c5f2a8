/* A translation look-aside buffer: sets of ways with tree pseudo-LRU, up to 64 entries in all. The P54C has a data TLB
 * of 16 sets of 4 for 4 KB pages, another of 2 sets of 4 for 4 MB pages, and a code TLB of 8 sets of 4 that
 * stores 4 MB pages in pieces. The P55C has fully associative TLBs for both sizes. The engine translates
 * addresses; entries contain the result for the test registers only.
 *
 * An entry is known by its number: set * ways + way. */
#ifndef CORE_MEMORY_TLB_H
#define CORE_MEMORY_TLB_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "core/model/replacement.h"

enum {
    TLB_ENTRIES = 64,           /* the most entries */
    TLB_NO_ENTRY = TLB_ENTRIES, /* number that stands for no entry */
    TLB_HINTS = 256,            /* size of `hint` */
    TLB_GROUPS = 64             /* size of `group` */
};

/* Attributes of an entry, as TR6 and TR7 show them. TR6's U bit is the opposite of a page table's: it is set if only
 * CPL 0 may access the page (manual, table 26-11). */
enum { TLB_SUPERVISOR = 1, TLB_WRITABLE = 2, TLB_CACHE_DISABLE = 4, TLB_WRITE_THROUGH = 8 };

/* A key (tlb_key) is the linear address of a page, with TLB_VALID, and TLB_LARGE for a 4 MB page; 0 = invalid. */
enum { TLB_VALID = 1, TLB_LARGE = 2 };

/* The keys of an entry by kind of reference (0 read, 1 write). The key for writes is 0 until the entry is dirty, so that
 * the fast path does not find the entry for the first write. */
typedef struct tlb_keys {
    uint32_t of[2];
} tlb_keys;

typedef struct tlb_row {
    tlb_keys key;
    uint32_t physical;  /* address of the page */
    uint8_t attributes; /* TLB_SUPERVISOR ... */
    uint8_t unused[3];  /* 0 */
} tlb_row;

/* The effect of a use of an entry on the LRU bits of all sets: those not in `keep` are cleared, those in `point`
 * set. */
typedef struct tlb_use {
    uint64_t keep, point;
} tlb_use;

typedef struct tlb {
    tlb_row row[TLB_ENTRIES];     /* by entry */
    uint64_t order;               /* LRU bits of all sets (replacement.h), ways - 1 for each set */
    tlb_use use[TLB_ENTRIES + 1]; /* using TLB_NO_ENTRY changes nothing */
    uint32_t last;                /* code TLB: the most recently used entry's key; 0: not known */
    uint8_t hint[TLB_HINTS];      /* by tlb_hint_of: the entry that was found last; its key must be checked */
    /* By low bits of the page number: mask of the valid entries (bit n is entry n). */
    uint64_t group[TLB_GROUPS];
    uint64_t invalid;          /* mask of the invalid entries */
    unsigned sets, ways;       /* number of sets, and of ways of each */
    unsigned way_bits;         /* binary logarithm of `ways` */
    unsigned set_shift;        /* first bit of the set index: 12, or 22 for an array of 4 MB pages */
    uint64_t lru[TLB_ENTRIES]; /* `order` by set, for snapshots only: tlb_store */
} tlb;

/* Makes an empty TLB of sets * ways entries. `large_only`: an array for 4 MB pages only, whose sets are chosen by
 * other address bits. */
void tlb_init(tlb *t, unsigned sets, unsigned ways, bool large_only);
extern const snapshot_table tlb_state; /* what a snapshot contains of it */
/* Invalidates every entry and clears the LRU bits. */
void tlb_flush(tlb *t);
/* Fills in what a snapshot contains, before it is saved. */
void tlb_store(tlb *t);
/* Computes the other members, after a snapshot was loaded. */
void tlb_restore(tlb *t);
/* Returns the LRU bits of a set, in the order of replacement.h. */
uint64_t tlb_lru(const tlb *t, unsigned set);

/* Returns the key of the page of `linear`. */
static inline uint32_t tlb_key(uint32_t linear, bool large)
{
    return large ? (linear & 0xffc00000u) | TLB_VALID | TLB_LARGE : (linear & 0xfffff000u) | TLB_VALID;
}

/* Returns the page number of a key. */
static inline unsigned tlb_page(uint32_t key)
{
    return (key & TLB_LARGE) != 0 ? key >> 22 : key >> 12;
}

/* Returns the index into `hint` for a page. */
static inline unsigned tlb_hint_of(uint32_t key)
{
    return tlb_page(key) % TLB_HINTS;
}

/* Code TLB: returns whether the most recently used entry translates `key`, so that using it changes
 * nothing. */
static inline bool tlb_is_mru(const tlb *t, uint32_t key)
{
    return t->last == key;
}

/* Returns the LRU bits `order` as they are after a use of an entry. */
static inline uint64_t tlb_order_used(const tlb *t, uint64_t order, unsigned entry)
{
    assert(entry <= TLB_NO_ENTRY);
    return (order & t->use[entry].keep) | t->use[entry].point;
}

/* Updates the LRU bits for a use of an entry. The caller keeps `last` up to date. */
static inline void tlb_hit(tlb *t, unsigned entry)
{
    t->order = tlb_order_used(t, t->order, entry);
}

/* Updates the LRU bits for a use of an entry, and resets `last`. */
static inline void tlb_used(tlb *t, unsigned entry)
{
    tlb_hit(t, entry);
    t->last = 0;
}

/* Returns the entry that translates `key`, or TLB_NO_ENTRY. Changes nothing but the hint. */
unsigned tlb_find(tlb *t, uint32_t key);
/* Fills a translation into the first invalid way of its set, or the one that the LRU bits point to, and uses it.
 * `dirty`: the reference is a write. Returns the entry. */
unsigned tlb_fill(tlb *t, uint32_t key, uint32_t physical, uint8_t attributes, bool dirty);
/* Marks an entry dirty, at the first write through it. */
void tlb_set_dirty(tlb *t, unsigned entry);
/* Makes an entry invalid. */
void tlb_drop(tlb *t, unsigned entry);
/* INVLPG: drops the entries of either size that translate `linear`. */
void tlb_invalidate(tlb *t, uint32_t linear);

/* Access for the test registers (TR6, TR7), which look an entry up by its address to read it, and write an entry by way.
 */
static inline unsigned tlb_ways(const tlb *t)
{
    return t->ways;
}
/* Returns the number of entries. */
static inline unsigned tlb_size(const tlb *t)
{
    return t->sets * t->ways;
}
/* Returns the key of an entry, 0 if it is invalid. */
static inline uint32_t tlb_key_at(const tlb *t, unsigned entry)
{
    assert(entry < tlb_size(t));
    return t->row[entry].key.of[0];
}
typedef struct tlb_entry {
    uint32_t linear, physical; /* addresses of the page */
    bool valid, large, dirty;
    uint8_t attributes; /* TLB_SUPERVISOR ... */
    uint64_t lru;       /* of the set */
} tlb_entry;
tlb_entry tlb_get(const tlb *t, unsigned entry);
/* Returns the entry that is way `way` (modulo the number of ways) of the set of `key`, a key or a linear address. In
 * a fully associative TLB that is entry `way`. */
unsigned tlb_place(const tlb *t, uint32_t key, unsigned way);
/* Writes way `way` of the set that entry->linear selects, and the LRU bits of the set. */
void tlb_put(tlb *t, unsigned way, const tlb_entry *entry);

#endif
