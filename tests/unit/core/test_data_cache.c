/* The data cache's array: victim choice, LRU encodings of TR4 (manual, table 26-3), states. */
#include "fixture.h"

TEST(lru_of_two_ways_points_to_the_other_way)
{
    static data_cache cache;
    data_cache_init(&cache, 2);
    assert_int_equal(data_cache_get(&cache, 0, 0).tag, 0); /* an invalid way shows no address */
    data_cache_fill(&cache, 0, 0x1000, MESI_EXCLUSIVE);
    assert_int_equal(data_cache_get(&cache, 0, 0).lru, 1); /* points to way 1 */
    data_cache_fill(&cache, 1, 0x2000, MESI_EXCLUSIVE);
    assert_int_equal(data_cache_get(&cache, 0, 0).lru, 0);
    assert_int_equal(data_cache_victim(&cache, 0), 0);
    data_cache_used(&cache, 0, 0);
    assert_int_equal(data_cache_victim(&cache, 0), 1);
}

/* Table 26-3 for four ways: x00 way 0, x10 way 1, 0x1 way 2, 1x1 way 3 (bits 2..0). */
static unsigned tr4_points_to(unsigned lru)
{
    return (lru & 1) == 0 ? (lru >> 1 & 1) : 2 + (lru >> 2 & 1);
}

TEST(lru_of_four_ways_is_the_table_of_tr4)
{
    static data_cache cache;
    data_cache_init(&cache, 4);
    for (unsigned way = 0; way < 4; way++)
        data_cache_fill(&cache, way, 0x1000 * (way + 1), MESI_SHARED);
    for (unsigned lru = 0; lru < 8; lru++) {
        cache.lru[0] = (uint8_t)lru;
        if (data_cache_victim(&cache, 0) != tr4_points_to(lru))
            fail_msg("LRU %u: victim %u, table 26-3 says %u", lru, data_cache_victim(&cache, 0),
                     tr4_points_to(lru));
    }
}

/* A used way is never the next victim, and the untouched bit of the tree stays. */
TEST(use_points_away_and_keeps_the_other_half)
{
    static data_cache cache;
    data_cache_init(&cache, 4);
    for (unsigned lru = 0; lru < 8; lru++)
        for (unsigned way = 0; way < 4; way++) {
            cache.lru[5] = (uint8_t)lru;
            data_cache_used(&cache, 5, way);
            unsigned other = way < 2 ? 4 : 2; /* bit of the pair that was not used */
            assert_int_not_equal(tr4_points_to(cache.lru[5]), way);
            assert_int_equal(cache.lru[5] & 1, way < 2 ? 1 : 0);
            assert_int_equal(cache.lru[5] & other, lru & other);
        }
}

TEST(invalid_ways_are_taken_first_lowest_first)
{
    static data_cache cache;
    data_cache_init(&cache, 4);
    for (unsigned way = 0; way < 4; way++) {
        assert_int_equal(data_cache_victim(&cache, 9), way);
        data_cache_fill(&cache, way, 0x1000 * way + 9 * 32, MESI_EXCLUSIVE);
    }
    data_cache_set_state(&cache, 9, 2, MESI_INVALID);
    assert_int_equal(data_cache_victim(&cache, 9), 2);
    assert_int_equal(data_cache_find(&cache, 0x2000 + 9 * 32), -1);
    assert_int_equal(data_cache_find(&cache, 0x3000 + 9 * 32 + 31), 3);
}

TEST(raw_entries_come_back)
{
    static data_cache cache;
    data_cache_init(&cache, 4);
    cache_entry in = {.tag = 0x12345000, .state = MESI_MODIFIED, .lru = 6};
    data_cache_put(&cache, 77, 3, in);
    cache_entry out = data_cache_get(&cache, 77, 3);
    assert_int_equal(out.tag, in.tag);
    assert_int_equal(out.state, in.state);
    assert_int_equal(out.lru, in.lru);
    assert_int_equal(data_cache_find(&cache, 0x12345000 + 77 * 32), 3); /* the line is in the cache */
}

/* Against a naive set: lists of tags and the tree of the replacement written out. */
typedef struct naive {
    uint32_t tag[128][4];
    bool valid[128][4];
    unsigned b0[128], b1[128], b2[128];
} naive;

static unsigned naive_access(naive *n, unsigned ways, uint32_t address, bool *hit)
{
    unsigned set = address / 32 % 128, way = ways;
    for (unsigned i = 0; i < ways; i++)
        if (n->valid[set][i] && n->tag[set][i] == address / 4096)
            way = i;
    *hit = way < ways;
    for (unsigned i = 0; i < ways && way == ways; i++)
        if (!n->valid[set][i])
            way = i;
    if (way == ways)
        way = ways == 2 ? n->b0[set] : n->b0[set] == 0 ? n->b1[set] : 2 + n->b2[set];
    n->valid[set][way] = true;
    n->tag[set][way] = address / 4096;
    if (ways == 2) {
        n->b0[set] = 1 - way;
        return way;
    }
    n->b0[set] = way < 2;
    if (way < 2)
        n->b1[set] = way == 0;
    else
        n->b2[set] = way == 2;
    return way;
}

TEST(random_accesses_as_in_a_naive_cache)
{
    static const unsigned ways_of[] = {2, 4};
    for (unsigned i = 0; i < 2; i++) {
        static data_cache cache;
        static naive reference;
        memset(&reference, 0, sizeof reference);
        data_cache_init(&cache, ways_of[i]);
        uint64_t seed = 7;
        for (unsigned n = 0; n < 200000; n++) {
            uint32_t address = unit_random(&seed) % 0xc000;
            bool hit;
            unsigned expected = naive_access(&reference, ways_of[i], address, &hit);
            int way = data_cache_find(&cache, address);
            if ((way >= 0) != hit)
                fail_msg("access %u of %#x, %u ways: hit %d, expected %d", n, address, ways_of[i], way >= 0,
                         hit);
            if (way >= 0)
                data_cache_used(&cache, cache_set(address), (unsigned)way);
            else
                data_cache_fill(&cache, (unsigned)(way = (int)data_cache_victim(&cache, cache_set(address))),
                                address, MESI_EXCLUSIVE);
            if ((unsigned)way != expected)
                fail_msg("access %u of %#x, %u ways: way %d, expected %u", n, address, ways_of[i], way,
                         expected);
        }
    }
}
