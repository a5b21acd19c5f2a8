/* Inquire cycles of other bus masters: MESI result, pins, write-backs, events 7 and 8; internal snoops;
 * WBINVD and INVD. */
#include "fixture.h"

TEST(inquire_table)
{
    static const struct {
        mesi before;
        bool invalidate;
        mesi after;
        snoop_result result;
    } rows[] = {
        {MESI_INVALID, false, MESI_INVALID, SNOOP_MISS},
        {MESI_INVALID, true, MESI_INVALID, SNOOP_MISS},
        {MESI_SHARED, false, MESI_SHARED, SNOOP_HIT},
        {MESI_SHARED, true, MESI_INVALID, SNOOP_HIT},
        {MESI_EXCLUSIVE, false, MESI_SHARED, SNOOP_HIT},
        {MESI_EXCLUSIVE, true, MESI_INVALID, SNOOP_HIT},
        {MESI_MODIFIED, false, MESI_SHARED, SNOOP_HIT_MODIFIED},
        {MESI_MODIFIED, true, MESI_INVALID, SNOOP_HIT_MODIFIED},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        FIXTURE(f, "p55c-200", false, NULL);
        data_cache_put(&f.memory->data, 4, 3, (cache_entry){0x7000, rows[i].before, 0});
        uint64_t done;
        snoop_result result = memory_inquire(f.memory, 0x7090, rows[i].invalidate, 30, &done);
        if (result != rows[i].result || fixture_state(&f, 0x7080) != rows[i].after)
            fail_msg("row %u: result %d state %d, expected %d and %d", i, result, fixture_state(&f, 0x7080),
                     rows[i].result, rows[i].after);
        bool modified = rows[i].before == MESI_MODIFIED;
        assert_int_equal(done > 30, modified);
        assert_int_equal(fixture_event(&f, P5_EVENT_EXTERNAL_SNOOPS), 1);
        assert_int_equal(fixture_event(&f, P5_EVENT_EXTERNAL_DATA_CACHE_SNOOP_HITS),
                         rows[i].before != MESI_INVALID);
        assert_int_equal(fixture_event(&f, P5_EVENT_DATA_CACHE_LINES_WRITTEN_BACK), modified);
    }
}

/* A hit in the code cache alone drives HIT# but is no data cache hit; INV drops the line. */
TEST(inquire_of_code)
{
    for (unsigned invalidate = 0; invalidate < 2; invalidate++) {
        FIXTURE(f, "p54c-100", false, NULL);
        code_cache_fill(&f.memory->code, 0x3000);
        uint64_t done;
        assert_int_equal(memory_inquire(f.memory, 0x3004, invalidate, 0, &done), SNOOP_HIT);
        assert_int_equal(fixture_event(&f, P5_EVENT_EXTERNAL_DATA_CACHE_SNOOP_HITS), 0);
        assert_int_equal(code_cache_find(&f.memory->code, 0x3000) >= 0, !invalidate);
    }
}

/* An internal snoop, here of a code fetch, writes a modified line back, too, and is no external one. */
TEST(snoop_of_a_code_fetch)
{
    FIXTURE(f, "p55c-200", false, NULL);
    data_cache_put(&f.memory->data, 4, 3, (cache_entry){0x7000, MESI_MODIFIED, 0});
    code_answer answer;
    memory_code(f.memory, 0x7080, 0x7080, 30, &answer);
    assert_int_equal(fixture_state(&f, 0x7080), MESI_INVALID);
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_CACHE_LINES_WRITTEN_BACK), 1);
    assert_int_equal(fixture_event(&f, P5_EVENT_EXTERNAL_SNOOPS), 0);
    assert_int_equal(fixture_event(&f, P5_EVENT_EXTERNAL_DATA_CACHE_SNOOP_HITS), 0);
}

/* WBINVD writes every modified line back, one burst after the other; INVD none. Both leave nothing. */
TEST(wbinvd_and_invd)
{
    for (unsigned write_back = 0; write_back < 2; write_back++) {
        FIXTURE(f, "p55c-200", false, NULL);
        for (uint32_t n = 0; n < 10; n++)
            data_cache_put(&f.memory->data, n, n & 3,
                           (cache_entry){0x7000, n < 6 ? MESI_MODIFIED : MESI_EXCLUSIVE, 0});
        code_cache_fill(&f.memory->code, 0x3000);
        uint64_t done = write_back ? memory_wbinvd(f.memory, 0) : memory_invd(f.memory, 0);
        /* A burst of 2-1-1-1 and an idle clock: 6 bus clocks of 3, the last without the idle one. */
        assert_int_equal(done, write_back ? 6 * 6 * 3 - 3 : 0);
        assert_int_equal(fixture_event(&f, P5_EVENT_DATA_CACHE_LINES_WRITTEN_BACK), write_back ? 6 : 0);
        for (uint32_t n = 0; n < 10; n++)
            assert_int_equal(fixture_state(&f, 0x7000 + 32 * n), MESI_INVALID);
        assert_int_equal(code_cache_find(&f.memory->code, 0x3000), -1);
    }
}
