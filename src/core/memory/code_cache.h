/* The L1 code cache: 128 sets of 32-byte lines, 2 ways (P54C) or 4 (P55C), valid or invalid. On the P54C
 * every byte has an end bit (TR2): decoding marks instruction boundaries, so that the next time two
 * instructions can issue together. */
#ifndef CORE_MEMORY_CODE_CACHE_H
#define CORE_MEMORY_CODE_CACHE_H

#include "core/memory/data_cache.h"

/* Behind all sets: its lines are no lines, and always there. */
enum { CODE_NO_SET = CACHE_SETS };

typedef struct code_cache {
    uint32_t tag[CACHE_SETS + 1][CACHE_WAYS]; /* physical address bits 31-12, or CACHE_NO_TAG */
    uint32_t ends[CACHE_SETS][CACHE_WAYS];    /* bytes known to be instruction ends since the fill */
    uint8_t lru[CACHE_SETS + 1];
    uint64_t changes; /* grows whenever anything here changes; never 0 */
    uint8_t keep[CACHE_WAYS], point[CACHE_WAYS];
    replacement order;
} code_cache;

void code_cache_init(code_cache *cache, unsigned ways);
extern const snapshot_table code_cache_state;
void code_cache_invalidate(code_cache *cache);
/* Whatever was found before has to be looked at anew. */
static inline void code_cache_touch(code_cache *cache)
{
    cache->changes++;
}

static inline int code_cache_find(const code_cache *cache, uint32_t physical)
{
    unsigned hits = cache_match(cache->tag[cache_set(physical)], cache_tag(physical));
    return hits != 0 ? __builtin_ctz(hits) : -1;
}

static inline void code_cache_used(code_cache *cache, unsigned set, unsigned way)
{
    uint8_t lru = (uint8_t)((cache->lru[set] & cache->keep[way]) | cache->point[way]);
    cache->changes += lru != cache->lru[set]; /* without a branch: it is another answer for every line */
    cache->lru[set] = lru;
}

/* Puts the line of `physical` into the first invalid way, or the one that the LRU bits point to. Its end bits
 * are unknown. */
void code_cache_fill(code_cache *cache, uint32_t physical);
/* Invalidates the line of `physical`; false if it was not there. */
bool code_cache_drop(code_cache *cache, uint32_t physical);
/* Marks the ends of `mask` as decoded; answers which of them were known before. 0 if the line is not there.
 */
uint32_t code_cache_ends(code_cache *cache, uint32_t physical, uint32_t mask);

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
