/* The code cache: fills, end bits (P54C), self-modifying code, and that no line is ever valid in both caches.
 */
#include "fixture.h"

static code_answer fetch(fixture *f, uint32_t address)
{
    code_answer answer;
    memory_code(f->memory, address, address, f->now, &answer);
    return answer;
}

TEST(end_bits_are_known_after_the_first_decode_until_refill)
{
    FIXTURE(f, "p54c-100", false, NULL);
    assert_int_equal(memory_end_bits(f.memory, 0x1000, 1u << 4), 0); /* not in the cache */
    fetch(&f, 0x1000);
    assert_int_equal(code_cache_get(&f.memory->code, 0, 0).ends, UINT32_MAX); /* TR2: all ones after a fill */
    assert_int_equal(memory_end_bits(f.memory, 0x1000, 1u << 4), 0);
    assert_int_equal(memory_end_bits(f.memory, 0x1010, 1u << 4 | 1u << 6), 1u << 4);
    assert_int_equal(code_cache_get(&f.memory->code, 0, 0).ends, 1u << 4 | 1u << 6);
    fetch(&f, 0x2000); /* way 1 */
    fetch(&f, 0x3000); /* LRU: replaces way 0 */
    fetch(&f, 0x1000);
    assert_int_equal(memory_end_bits(f.memory, 0x1000, 1u << 4), 0);
}

/* Burst order 10h, 18h, 0, 8 for a fetch at 16: parts 2 and 3 arrive before 0 and 1 (241428, burst orders).
 */
TEST(wanted_bytes_come_first)
{
    FIXTURE(f, "p55c-200", false, NULL);
    code_answer answer = fetch(&f, 0x1010);
    assert_false(answer.hit);
    assert_true(answer.ready[2] < answer.ready[3] && answer.ready[3] < answer.ready[0] &&
                answer.ready[0] < answer.ready[1]);
    uint64_t part1 = answer.ready[1];
    f.now += 1; /* the same line while it comes in: not a second miss */
    code_answer again = fetch(&f, 0x1000);
    assert_true(again.hit);
    assert_int_equal(again.ready[1], part1);
    assert_int_equal(fixture_event(&f, P5_EVENT_CODE_CACHE_MISS), 1);
    assert_int_equal(fixture_event(&f, P5_EVENT_CODE_READ), 2);
}

TEST(a_line_is_never_in_both_caches)
{
    static const char *const models[] = {"p54c-133", "p55c-200"};
    for (unsigned i = 0; i < 2; i++) {
        FIXTURE(f, models[i], false, NULL);
        uint64_t seed = 3;
        for (unsigned n = 0; n < 20000; n++) {
            uint32_t address = unit_random(&seed) % 0x3000 & ~3u;
            switch (unit_random(&seed) % 3) {
            case 0:
                fetch(&f, address);
                break;
            case 1:
                fixture_data(&f, address, 4, 0);
                break;
            default:
                fixture_data(&f, address, 4, P5_ACCESS_WRITE);
            }
            f.now += 5;
            if (code_cache_find(&f.memory->code, address) >= 0 &&
                data_cache_find(&f.memory->data, address) >= 0)
                fail_msg("%s: step %u: line %#x is in both caches", models[i], n, cache_line(address));
        }
    }
}

TEST(a_store_drops_the_code_line)
{
    FIXTURE(f, "p55c-200", false, NULL);
    fetch(&f, 0x4000);
    fixture_settle(&f);
    fixture_data(&f, 0x401c, 4, P5_ACCESS_WRITE);
    assert_int_equal(code_cache_find(&f.memory->code, 0x4000), -1);
}

/* A hit changes nothing only if the line is the one of its set that was hit last. */
TEST(a_second_hit_changes_nothing)
{
    static code_cache cache, before;
    code_cache_init(&cache, 4);
    for (uint32_t line = 0x1040; line <= 0x2040; line += 0x1000) {
        code_cache_fill(&cache, line);
        assert_false(code_cache_is_mru(&cache, line)); /* it may still be being filled */
    }
    for (unsigned n = 0; n < 4; n++) {
        const uint32_t line = n % 2 ? 0x1040 : 0x2040, other = 0x3080 - line;
        code_cache_hit(&cache, 2, (unsigned)code_cache_find(&cache, line));
        assert_true(code_cache_is_mru(&cache, line));
        assert_false(code_cache_is_mru(&cache, other));
        memcpy(&before, &cache, sizeof before);
        code_cache_hit(&cache, 2, (unsigned)code_cache_find(&cache, line));
        assert_memory_equal(&cache, &before, sizeof before);
    }
}

/* Looking up CACHE_NO_TAG in the dummy set hits, and using the way changes nothing. */
TEST(using_the_dummy_set_changes_nothing)
{
    for (unsigned ways = 2; ways <= CACHE_WAYS; ways *= 2) {
        static code_cache cache, before;
        code_cache_init(&cache, ways);
        memcpy(&before, &cache, sizeof before);
        assert_int_equal(code_cache_mru_differs(&cache, CODE_NO_SET, CACHE_NO_TAG), 0);
        const unsigned hits = code_cache_match(&cache, CODE_NO_SET, CACHE_NO_TAG);
        assert_int_not_equal(hits, 0);
        code_cache_hit_as(&cache, CODE_NO_SET, (unsigned)__builtin_ctz(hits), CACHE_NO_TAG);
        assert_memory_equal(&cache, &before, sizeof before);
    }
}
