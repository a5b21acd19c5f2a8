/* The L1 code cache: 128 sets of 32-byte lines, 2 ways (P54C) or 4 (P55C), valid or invalid. On the P54C
 * every byte has an end bit (TR2): decoding marks instruction boundaries, so that the next time two
 * instructions can issue together. */
#ifndef CORE_MEMORY_CODE_CACHE_H
#define CORE_MEMORY_CODE_CACHE_H

#include "core/memory/data_cache.h"

/* Behind all sets: its lines, CACHE_NO_TAG, are no lines, and always there and at hand. */
enum { CODE_NO_SET = CACHE_SETS };

typedef struct code_cache {
    /* By set: the tag whose hits change nothing here, or CACHE_NO_TAG. It is that of the line hit last, which
     * the LRU bits point away from already. */
    uint32_t at_hand[CACHE_SETS + 1];
    uint32_t tag[CACHE_SETS + 1][CACHE_WAYS]; /* physical address bits 31-12, or CACHE_NO_TAG */
    uint32_t ends[CACHE_SETS][CACHE_WAYS];    /* bytes known to be instruction ends since the fill */
    uint8_t lru[CACHE_SETS + 1];
    way_order order;
} code_cache;

void code_cache_init(code_cache *cache, unsigned ways);
extern const snapshot_table code_cache_state;
void code_cache_invalidate(code_cache *cache);
/* Of no line is known that its hits change nothing. */
void code_cache_forget(code_cache *cache);

/* 0: hits of the line of `tag` in this set change nothing. */
static inline uint32_t code_cache_moves(const code_cache *cache, unsigned set, uint32_t tag)
{
    return cache->at_hand[set] ^ tag;
}

/* A hit of `physical` that changes nothing. */
static inline bool code_cache_at_hand(const code_cache *cache, uint32_t physical)
{
    return code_cache_moves(cache, cache_set(physical), cache_tag(physical)) == 0;
}

/* Bit n is set if way n of this set holds the line of `tag`. */
static inline unsigned code_cache_match(const code_cache *cache, unsigned set, uint32_t tag)
{
    return cache_match(cache->tag[set], tag);
}

static inline int code_cache_find(const code_cache *cache, uint32_t physical)
{
    unsigned hits = code_cache_match(cache, cache_set(physical), cache_tag(physical));
    return hits != 0 ? __builtin_ctz(hits) : -1;
}

/* The LRU bits point away from `way`, whose line may still be on its way there. */
static inline void code_cache_used(code_cache *cache, unsigned set, unsigned way)
{
    cache->lru[set] = way_order_used(&cache->order, cache->lru[set], way);
    cache->at_hand[set] = CACHE_NO_TAG;
}

/* A hit of a line that is there, and stays at hand: that of `tag`. */
static inline void code_cache_hit_as(code_cache *cache, unsigned set, unsigned way, uint32_t tag)
{
    cache->lru[set] = way_order_used(&cache->order, cache->lru[set], way);
    cache->at_hand[set] = tag;
}

static inline void code_cache_hit(code_cache *cache, unsigned set, unsigned way)
{
    code_cache_hit_as(cache, set, way, cache->tag[set][way]);
}

/* Puts the line of `physical` there, in place of another one if no way is free; answers the way. Its end bits
 * are unknown. */
static inline unsigned code_cache_fill(code_cache *cache, uint32_t physical)
{
    unsigned set = cache_set(physical);
    unsigned way =
        way_order_victim(&cache->order, cache->lru[set], cache_match(cache->tag[set], CACHE_NO_TAG));
    cache->tag[set][way] = cache_tag(physical);
    cache->ends[set][way] = 0;
    code_cache_used(cache, set, way);
    return way;
}
/* Invalidates the line of `physical`; false if it was not there. */
bool code_cache_drop(code_cache *cache, uint32_t physical);
/* Marks the ends of `mask` as decoded; answers which of them were known before. 0 if the line is not there.
 */
uint32_t code_cache_ends(code_cache *cache, uint32_t physical, uint32_t mask);

/* The ends that have been decoded of the line in this place. */
static inline uint32_t code_cache_known_ends(const code_cache *cache, unsigned set, unsigned way)
{
    return cache->ends[set][way];
}

/* Raw access for the test registers: the state is MESI_SHARED (valid) or MESI_INVALID. `ends` is TR2's view
 * of the whole line: all ones after a fill, boundaries only once decoded. */
typedef struct code_entry {
    uint32_t tag;
    bool valid;
    uint8_t lru;
    uint32_t ends;
} code_entry;
code_entry code_cache_get(const code_cache *cache, unsigned set, unsigned way);
void code_cache_put(code_cache *cache, unsigned set, unsigned way, code_entry entry);

#endif
