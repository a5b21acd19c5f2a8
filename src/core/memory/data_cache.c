#include "core/memory/data_cache.h"

#include <string.h>

void data_cache_init(data_cache *cache, unsigned ways)
{
    memset(cache, 0, sizeof *cache);
    replacement_init(&cache->order, ways);
    cache->all_ways = (uint8_t)((1u << ways) - 1);
    for (unsigned way = 0; way < ways; way++) {
        cache->keep[way] = (uint8_t)cache->order.keep[way];
        cache->point[way] = (uint8_t)cache->order.point[way];
    }
    for (unsigned bits = 0; bits < sizeof cache->victim; bits++)
        cache->victim[bits] = (uint8_t)replacement_victim(&cache->order, bits);
    data_cache_invalidate(cache);
}

void data_cache_invalidate(data_cache *cache)
{
    for (unsigned set = 0; set < CACHE_SETS; set++)
        for (unsigned way = 0; way < CACHE_WAYS; way++)
            cache->tag[set][way] = CACHE_NO_TAG;
    data_cache_forget(cache);
    memset(cache->state, MESI_INVALID, sizeof cache->state);
    memset(cache->lru, 0, sizeof cache->lru);
}

void data_cache_forget(data_cache *cache)
{
    for (unsigned set = 0; set < CACHE_SETS; set++)
        cache->at_hand[set][0] = cache->at_hand[set][1] = CACHE_NO_TAG;
}

void data_cache_set_state(data_cache *cache, unsigned set, unsigned way, mesi state)
{
    cache->state[set][way] = (uint8_t)state;
    cache->at_hand[set][0] = cache->at_hand[set][1] = CACHE_NO_TAG;
    if (state == MESI_INVALID)
        cache->tag[set][way] = CACHE_NO_TAG;
}

cache_entry data_cache_get(const data_cache *cache, unsigned set, unsigned way)
{
    bool valid = cache->state[set][way] != MESI_INVALID;
    return (cache_entry){valid ? cache->tag[set][way] : 0, (mesi)cache->state[set][way], cache->lru[set]};
}

void data_cache_put(data_cache *cache, unsigned set, unsigned way, cache_entry entry)
{
    cache->tag[set][way] = entry.state != MESI_INVALID ? cache_tag(entry.tag) : CACHE_NO_TAG;
    cache->state[set][way] = (uint8_t)entry.state;
    cache->at_hand[set][0] = cache->at_hand[set][1] = CACHE_NO_TAG;
    cache->lru[set] = (uint8_t)(entry.lru & ((1u << (cache->order.ways - 1)) - 1));
}
