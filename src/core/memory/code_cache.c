/* The array of the L1 code cache: its rarer operations, and its snapshots (code_cache.h). */
#include "core/memory/code_cache.h"

#include <string.h>

void code_cache_init(code_cache *cache, unsigned ways)
{
    way_order_init(&cache->order, ways);
    code_cache_invalidate(cache);
}

/* Clears `mru`, so that each set's next hit updates the LRU bits. */
void code_cache_forget(code_cache *cache)
{
    for (unsigned set = 0; set <= CODE_NO_SET; set++)
        cache->mru[set] = CACHE_NO_TAG;
}

/* Makes all lines invalid, and clears end bits and LRU bits. */
void code_cache_invalidate(code_cache *cache)
{
    for (unsigned set = 0; set <= CODE_NO_SET; set++)
        for (unsigned way = 0; way < CACHE_WAYS; way++)
            cache->tag[set][way] = CACHE_NO_TAG;
    code_cache_forget(cache);
    memset(cache->ends, 0, sizeof cache->ends);
    memset(cache->lru, 0, sizeof cache->lru);
    cache->lru[CODE_NO_SET] = cache->order.point[0]; /* using the dummy set changes nothing */
}

/* Invalidates the line of `physical`. Returns false if it was absent. */
bool code_cache_drop(code_cache *cache, uint32_t physical)
{
    unsigned set = cache_set(physical);
    int way = code_cache_find(cache, physical);
    if (way < 0)
        return false;
    cache->tag[set][way] = cache->mru[set] = CACHE_NO_TAG;
    return true;
}

/* Sets the end bits in `mask`. Returns which of them were set before; 0 if the line is absent. */
uint32_t code_cache_mark_ends(code_cache *cache, uint32_t physical, uint32_t mask)
{
    int way = code_cache_find(cache, physical);
    if (way < 0)
        return 0;
    uint32_t *ends = &cache->ends[cache_set(physical)][way];
    uint32_t known = *ends & mask;
    *ends |= mask;
    return known;
}

/* Return and write an entry as the test registers see it. A line without decoded ends has `ends` 0 here, and all
 * ones in TR2. */
code_entry code_cache_get(const code_cache *cache, unsigned set, unsigned way)
{
    bool valid = cache->tag[set][way] != CACHE_NO_TAG;
    uint32_t ends = cache->ends[set][way];
    return (code_entry){valid ? cache->tag[set][way] : 0, valid, cache->lru[set],
                        ends != 0 ? ends : UINT32_MAX};
}

void code_cache_put(code_cache *cache, unsigned set, unsigned way, code_entry entry)
{
    cache->mru[set] = CACHE_NO_TAG;
    cache->tag[set][way] = entry.valid ? cache_tag(entry.tag) : CACHE_NO_TAG;
    cache->ends[set][way] = entry.ends == UINT32_MAX ? 0 : entry.ends;
    cache->lru[set] = (uint8_t)(entry.lru & ((1u << (cache->order.ways - 1)) - 1));
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* Refuses a snapshot with a tag that no line has, a line in a way that the cache does not have, or too many LRU
 * bits. An invalid way has CACHE_NO_TAG, which is not a multiple of CACHE_LINE. */
static void check_cache(const void *row, snapshot *s)
{
    const code_cache *cache = row;
    for (unsigned set = 0; set < CACHE_SETS; set++) {
        for (unsigned way = 0; way < CACHE_WAYS; way++) {
            uint32_t tag = cache->tag[set][way];
            bool valid = tag % CACHE_LINE == 0;
            if (valid ? way >= cache->order.ways : tag != CACHE_NO_TAG)
                snapshot_refuse(s, "code_cache.tag: %08Xh is not that of a line (set %u, way %u)", tag, set,
                                way);
        }
        if (cache->lru[set] >> (cache->order.ways - 1) != 0)
            snapshot_refuse(s, "code_cache.lru: %u is not what %u ways have", (unsigned)cache->lru[set],
                            cache->order.ways);
    }
}

/* CODE_NO_SET is not part of the processor, so it is not in snapshots. */
const snapshot_table code_cache_state = {
    SNAPSHOT(code_cache, "code_cache", FIELD_DERIVED(mru),
             FIELD_BITS_BUT_LAST([0][0], 0xfffff000u | CACHE_NO_TAG, tag), FIELD_ANY_OF([0][0], ends),
             FIELD_BITS_BUT_LAST([0], (1 << (CACHE_WAYS - 1)) - 1, lru), FIELD_DERIVED(order)),
    .partial = true, .check = check_cache};
