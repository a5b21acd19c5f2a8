/* The L1 code cache: 128 sets of 32-byte lines, 2 ways (P54C) or 4 (P55C), valid or invalid. On the P54C
 * every byte has an end bit (TR2): decoding marks instruction boundaries, so that two instructions can issue
 * together the next time.
 *
 * LRU bits, and the tables in `order` that say how a use changes them and which way they point to, are those of
 * model/replacement.h. `physical` is any address in the line that is meant. */
#ifndef CORE_MEMORY_CODE_CACHE_H
#define CORE_MEMORY_CODE_CACHE_H

#include <assert.h>
#include "core/memory/data_cache.h"

/* A dummy set whose most recently used tag is CACHE_NO_TAG, so that looking up CACHE_NO_TAG there always hits
 * and changes nothing. */
enum { CODE_NO_SET = CACHE_SETS };

typedef struct code_cache {
    /* For each set, the tag of the line that was hit last, or CACHE_NO_TAG. The LRU bits point away from that
     * line already, so another hit changes nothing. */
    uint32_t mru[CACHE_SETS + 1];
    uint32_t tag[CACHE_SETS + 1][CACHE_WAYS]; /* physical address bits 31-12, or CACHE_NO_TAG */
    uint32_t ends[CACHE_SETS][CACHE_WAYS];    /* P54C: bytes decoded as instruction ends since the fill */
    uint8_t lru[CACHE_SETS + 1];              /* LRU bits of each set */
    way_order order;                          /* tables for the number of ways */
} code_cache;

/* RESET: makes all lines invalid. `ways`: 2 or 4. */
void code_cache_init(code_cache *cache, unsigned ways);
extern const snapshot_table code_cache_state; /* what a snapshot contains of it */
/* Makes all lines invalid, and clears their end bits and the LRU bits. */
void code_cache_invalidate(code_cache *cache);
/* Clears `mru`, so that each set's next hit updates the LRU bits. */
void code_cache_forget(code_cache *cache);

/* Returns 0 if the line with this tag was hit last in its set, so that another hit changes nothing. */
static inline uint32_t code_cache_mru_differs(const code_cache *cache, unsigned set, uint32_t tag)
{
    return cache->mru[set] ^ tag;
}

/* Returns whether a hit of `physical` changes nothing. */
static inline bool code_cache_is_mru(const code_cache *cache, uint32_t physical)
{
    return code_cache_mru_differs(cache, cache_set(physical), cache_tag(physical)) == 0;
}

/* Returns a mask in which bit n is set if way n of this set holds the line with this tag. */
static inline unsigned code_cache_match(const code_cache *cache, unsigned set, uint32_t tag)
{
    return cache_match(cache->tag[set], tag);
}

/* Returns the way that holds the line of `physical`, or -1. */
static inline int code_cache_find(const code_cache *cache, uint32_t physical)
{
    unsigned hits = code_cache_match(cache, cache_set(physical), cache_tag(physical));
    return hits != 0 ? __builtin_ctz(hits) : -1;
}

/* Makes the LRU bits point away from `way`. Does not record its line in `mru`, because the fill of the line may
 * still be pending, and a fetch must then take the slow path. */
static inline void code_cache_used(code_cache *cache, unsigned set, unsigned way)
{
    assert(set < CACHE_SETS && way < CACHE_WAYS);
    cache->lru[set] = way_order_used(&cache->order, cache->lru[set], way);
    cache->mru[set] = CACHE_NO_TAG;
}

/* Records a hit of the line with this tag in `way`: it is now the most recently used of the set. */
static inline void code_cache_hit_as(code_cache *cache, unsigned set, unsigned way, uint32_t tag)
{
    assert(set <= CODE_NO_SET && way < CACHE_WAYS);
    cache->lru[set] = way_order_used(&cache->order, cache->lru[set], way);
    cache->mru[set] = tag;
}

/* Records a hit of the line in `way`, whatever its tag. */
static inline void code_cache_hit(code_cache *cache, unsigned set, unsigned way)
{
    assert(set < CACHE_SETS && way < CACHE_WAYS);
    code_cache_hit_as(cache, set, way, cache->tag[set][way]);
}

/* Fills the line of `physical` into a free way, or replaces another line. Returns the way. The line's end
 * bits are unknown. */
static inline unsigned code_cache_fill(code_cache *cache, uint32_t physical)
{
    assert(code_cache_find(cache, physical) < 0);
    unsigned set = cache_set(physical);
    unsigned way =
        way_order_victim(&cache->order, cache->lru[set], cache_match(cache->tag[set], CACHE_NO_TAG));
    cache->tag[set][way] = cache_tag(physical);
    cache->ends[set][way] = 0;
    code_cache_used(cache, set, way);
    return way;
}

/* Invalidates the line of `physical`. Returns false if it was absent. */
bool code_cache_drop(code_cache *cache, uint32_t physical);
/* Sets the end bits in `mask` (bit n: byte n of the line). Returns which of them were set before; 0 if the line
 * is absent. */
uint32_t code_cache_mark_ends(code_cache *cache, uint32_t physical, uint32_t mask);

/* Returns the end bits that are set in the line of this way (bit n: byte n). */
static inline uint32_t code_cache_known_ends(const code_cache *cache, unsigned set, unsigned way)
{
    assert(set < CACHE_SETS && way < CACHE_WAYS);
    return cache->ends[set][way];
}

/* Raw access for the test registers: one entry and the LRU bits of its set. */
typedef struct code_entry {
    uint32_t tag; /* physical address bits 31-12; 0 if it is not valid */
    bool valid;
    uint8_t lru;
    uint32_t ends; /* as TR2 shows the line (bit n: byte n): all ones after a fill, and only the ends of
                      instructions once one was decoded */
} code_entry;
code_entry code_cache_get(const code_cache *cache, unsigned set, unsigned way);
void code_cache_put(code_cache *cache, unsigned set, unsigned way, code_entry entry);

#endif
