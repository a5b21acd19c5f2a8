/* The array of the L1 data cache: its rarer operations, and its snapshots (data_cache.h). */
#include "core/memory/data_cache.h"

#include <string.h>

void data_cache_init(data_cache *cache, unsigned ways)
{
    memset(cache, 0, sizeof *cache);
    way_order_init(&cache->order, ways);
    data_cache_invalidate(cache);
}

/* Makes all lines invalid and all LRU bits 0. Writes nothing back. */
void data_cache_invalidate(data_cache *cache)
{
    for (unsigned set = 0; set < CACHE_SETS; set++)
        for (unsigned way = 0; way < CACHE_WAYS; way++)
            cache->tag[set][way] = CACHE_NO_TAG;
    data_cache_forget(cache);
    memset(cache->state, MESI_INVALID, sizeof cache->state);
    memset(cache->lru, 0, sizeof cache->lru);
}

/* Clears `mru` for all sets, so that the next hit of each updates the cache. */
void data_cache_forget(data_cache *cache)
{
    for (unsigned set = 0; set < CACHE_SETS; set++)
        data_cache_forget_set(cache, set);
}

/* Clears `mru` for the sets whose `page` is this entry of the data TLB. */
void data_cache_forget_page(data_cache *cache, unsigned entry)
{
    const uint8_t *const pages = cache->page, *const end = pages + CACHE_SETS;
    for (const uint8_t *p = pages; (p = memchr(p, (int)entry, (size_t)(end - p))) != NULL; p++)
        data_cache_forget_set(cache, (unsigned)(p - pages));
}

/* Changes the state of a valid line; MESI_INVALID frees its way. */
void data_cache_set_state(data_cache *cache, unsigned set, unsigned way, mesi state)
{
    cache->state[set][way] = (uint8_t)state;
    data_cache_forget_set(cache, set);
    if (state == MESI_INVALID)
        cache->tag[set][way] = CACHE_NO_TAG;
}

/* Makes the line of `physical` exclusive if it is present and shared. */
void data_cache_make_exclusive(data_cache *cache, uint32_t physical)
{
    const int way = data_cache_find(cache, physical);
    const unsigned set = cache_set(physical);
    if (way >= 0 && cache->state[set][way] == MESI_SHARED)
        data_cache_set_state(cache, set, (unsigned)way, MESI_EXCLUSIVE);
}

/* Return and write an entry as the test registers see it. */
cache_entry data_cache_get(const data_cache *cache, unsigned set, unsigned way)
{
    bool valid = cache->state[set][way] != MESI_INVALID;
    return (cache_entry){valid ? cache->tag[set][way] : 0, (mesi)cache->state[set][way], cache->lru[set]};
}

void data_cache_put(data_cache *cache, unsigned set, unsigned way, cache_entry entry)
{
    cache->tag[set][way] = entry.state != MESI_INVALID ? cache_tag(entry.tag) : CACHE_NO_TAG;
    cache->state[set][way] = (uint8_t)entry.state;
    data_cache_forget_set(cache, set);
    cache->lru[set] = (uint8_t)(entry.lru & ((1u << (cache->order.ways - 1)) - 1));
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* Refuses a snapshot in which this way's tag does not agree with its state. A valid tag is a multiple of CACHE_LINE; an
 * invalid way has CACHE_NO_TAG. Two ways may have the same tag: a test register can do that. */
static void check_line(const data_cache *cache, unsigned set, unsigned way, snapshot *s)
{
    uint32_t tag = cache->tag[set][way];
    bool valid = cache->state[set][way] != MESI_INVALID;
    if (valid != (tag % CACHE_LINE == 0) || (valid && way >= cache->order.ways) ||
        (!valid && tag != CACHE_NO_TAG))
        snapshot_refuse(s, "data_cache.tag: %08Xh is not that of a line in state %u (set %u, way %u)", tag,
                        (unsigned)cache->state[set][way], set, way);
}

/* Refuses a snapshot with lines or LRU bits that the cache cannot have. */
static void check_cache(const void *row, snapshot *s)
{
    const data_cache *cache = row;
    for (unsigned set = 0; set < CACHE_SETS; set++) {
        for (unsigned way = 0; way < CACHE_WAYS; way++)
            check_line(cache, set, way, s);
        if (cache->lru[set] >> (cache->order.ways - 1) != 0)
            snapshot_refuse(s, "data_cache.lru: %u is not what %u ways have", (unsigned)cache->lru[set],
                            cache->order.ways);
    }
}

const snapshot_table data_cache_state = {SNAPSHOT(data_cache, "data_cache", FIELD_DERIVED(mru, page),
                                                  FIELD_BITS_OF([0][0], 0xfffff000u | CACHE_NO_TAG, tag),
                                                  FIELD_MOST_OF([0][0], MESI_MODIFIED, state),
                                                  FIELD_BITS_OF([0], (1 << (CACHE_WAYS - 1)) - 1, lru),
                                                  FIELD_DERIVED(order)),
                                         .check = check_cache};
