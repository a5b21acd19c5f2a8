/* The L1 data cache: 128 sets of 32-byte lines, 2 ways (P54C) or 4 (P55C), MESI. Tags are physical; the index
 * lies within the page offset. The cache holds no data; line contents are in the engine's memory. This file
 * keeps the array; memory_data.c and snoop.c decide when lines are filled, written through, snooped and
 * written back.
 *
 * The LRU bits are those of model/replacement.h. The tables in `order` say how a use changes the bits, and which way the
 * bits point to. A parameter `physical` may be any address in the line. */
#ifndef CORE_MEMORY_DATA_CACHE_H
#define CORE_MEMORY_DATA_CACHE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/snapshot.h"
#include "core/model/replacement.h"

enum {
    CACHE_LINE = 32, /* bytes */
    CACHE_SETS = 128,
    CACHE_WAYS = ORDER_WAYS /* of which the P54C uses the first two */
};

/* Encoded as in TR4's valid bits (manual, table 26-2). */
typedef enum mesi { MESI_INVALID, MESI_SHARED, MESI_EXCLUSIVE, MESI_MODIFIED } mesi;

typedef struct data_cache {
    /* For each set and kind of reference (0 read, 1 write), the line that was used last, as a place (see CACHE_PLACE). A
     * hit there changes nothing, because the LRU bits point away from the line already. For writes, the line must also
     * be modified and its page dirty already. CACHE_NOWHERE if there is no such line. */
    uint64_t mru[CACHE_SETS][2];
    uint8_t page[CACHE_SETS]; /* number of the data TLB's entry that translates the place in `mru`, or
                                 TLB_NO_ENTRY without paging */
    uint32_t tag[CACHE_SETS][CACHE_WAYS];  /* physical address bits 31-12, or CACHE_NO_TAG */
    uint8_t state[CACHE_SETS][CACHE_WAYS]; /* mesi */
    uint8_t lru[CACHE_SETS];               /* as TR4 shows it */
    way_order order;                       /* tables for the number of ways */
} data_cache;

/* Matches no page-aligned address. */
#define CACHE_NO_TAG 1u

/* The *place* of a reference is the physical address of its page (high half) and the linear one (low half). This mask
 * has their bits. In a set, each page has one line. CACHE_NOWHERE equals no place. */
#define CACHE_PLACE   0xfffff000fffff000u
#define CACHE_NOWHERE ((uint64_t)CACHE_NO_TAG << 32)

static inline unsigned cache_set(uint32_t physical)
{
    return (physical / CACHE_LINE) % CACHE_SETS;
}

static inline uint32_t cache_tag(uint32_t physical)
{
    return physical & 0xfffff000u;
}

static inline uint32_t cache_line(uint32_t physical)
{
    return physical & ~(uint32_t)(CACHE_LINE - 1);
}

/* Returns the physical address of the line in a valid way. */
static inline uint32_t data_cache_address(const data_cache *cache, unsigned set, unsigned way)
{
    assert(set < CACHE_SETS && way < CACHE_WAYS && cache->tag[set][way] != CACHE_NO_TAG);
    return cache->tag[set][way] + set * CACHE_LINE;
}

/* RESET: empties the cache and sets its number of ways, 2 or 4. */
void data_cache_init(data_cache *cache, unsigned ways);
/* The fields that are in snapshots. */
extern const snapshot_table data_cache_state;
/* Makes all lines invalid and all LRU bits 0. */
void data_cache_invalidate(data_cache *cache);
/* Clears `mru` for all sets, so that the next hit in each of them updates the cache. */
void data_cache_forget(data_cache *cache);
/* Clears `mru` for the sets in which it depends on entry number `entry` of the data TLB (`page`). Must be called when the
 * entry gets another translation. */
void data_cache_forget_page(data_cache *cache, unsigned entry);

/* Returns a mask in which bit n is set if tag n is `wanted`. Several bits can be set if `wanted` is CACHE_NO_TAG, or
 * if a test register has written a line into several ways.
 * Uses no host branches because the way that hits is not predictable. */
static inline unsigned cache_match(const uint32_t tag[CACHE_WAYS], uint32_t wanted)
{
    _Static_assert(CACHE_WAYS == 4, "four tags are compared");
#ifdef __SSE2__
    __m128i equal = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)tag), _mm_set1_epi32((int)wanted));
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(equal));
#else
    return (unsigned)(tag[0] == wanted) | (unsigned)(tag[1] == wanted) << 1 |
           (unsigned)(tag[2] == wanted) << 2 | (unsigned)(tag[3] == wanted) << 3;
#endif
}

/* Returns the way that holds `physical`, or -1. */
static inline int data_cache_find(const data_cache *cache, uint32_t physical)
{
    unsigned hits = cache_match(cache->tag[cache_set(physical)], cache_tag(physical));
    return hits != 0 ? __builtin_ctz(hits) : -1;
}

/* Clears `mru` for a set. */
static inline void data_cache_forget_set(data_cache *cache, unsigned set)
{
    cache->mru[set][0] = cache->mru[set][1] = CACHE_NOWHERE;
}

/* Makes the LRU bits point away from `way`. Clears `mru` for the set, which may have another line. */
static inline void data_cache_used(data_cache *cache, unsigned set, unsigned way)
{
    assert(set < CACHE_SETS && way < CACHE_WAYS);
    cache->lru[set] = way_order_used(&cache->order, cache->lru[set], way);
    data_cache_forget_set(cache, set);
}

/* Makes the LRU bits point away from `way`, which a reference to `place` has hit, and records the place in `mru`.
 * `entry` is the data TLB's entry for its page, and `dirty` whether that page's dirty bit is set (true without
 * paging). */
static inline void data_cache_used_at(data_cache *cache, unsigned set, unsigned way, uint64_t place,
                                      unsigned entry, bool dirty)
{
    assert(set < CACHE_SETS && way < CACHE_WAYS && entry <= UINT8_MAX);
    cache->lru[set] = way_order_used(&cache->order, cache->lru[set], way);
    cache->mru[set][0] = place;
    cache->mru[set][1] = dirty && cache->state[set][way] == MESI_MODIFIED ? place : CACHE_NOWHERE;
    cache->page[set] = (uint8_t)entry;
}

/* Records a write hit of an E or M line. */
static inline void data_cache_written(data_cache *cache, unsigned set, unsigned way)
{
    assert(cache->state[set][way] >= MESI_EXCLUSIVE); /* others need a bus cycle */
    cache->state[set][way] = MESI_MODIFIED;
}

/* Returns the way that a new line of `set` takes: the first invalid one, or the one to be replaced. */
static inline unsigned data_cache_victim(const data_cache *cache, unsigned set)
{
    return way_order_victim(&cache->order, cache->lru[set], cache_match(cache->tag[set], CACHE_NO_TAG));
}

/* Fills the line of `physical` into `way` in `state`, most recently used. */
static inline void data_cache_fill(data_cache *cache, unsigned way, uint32_t physical, mesi state)
{
    assert(way < CACHE_WAYS && data_cache_find(cache, physical) < 0 && state != MESI_INVALID);
    unsigned set = cache_set(physical);
    cache->tag[set][way] = cache_tag(physical);
    cache->state[set][way] = (uint8_t)state;
    data_cache_used(cache, set, way);
}

/* Changes the state of a valid line, and clears `mru` for the set. MESI_INVALID frees the way. */
void data_cache_set_state(data_cache *cache, unsigned set, unsigned way, mesi state);
/* Makes the line exclusive if it is present and shared, after a write-through cycle for it with WB/WT# high. */
void data_cache_make_exclusive(data_cache *cache, uint32_t physical);

/* An entry and the LRU bits of its set, as the test registers read and write them (TR4, TR5). */
typedef struct cache_entry {
    uint32_t tag; /* physical address bits 31-12; 0 if the line is invalid, which has no tag */
    mesi state;
    uint8_t lru;
} cache_entry;
cache_entry data_cache_get(const data_cache *cache, unsigned set, unsigned way);
void data_cache_put(data_cache *cache, unsigned set, unsigned way, cache_entry entry);

#endif
