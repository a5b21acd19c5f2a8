/* The fast path must leave the same state as the exact path: the same random references, through the fast path with the
 * exact one where it does not apply, and through the exact path alone, give the same structures, times and counts. */
#include "same_state.h"

static unsigned usual_of(fixture *fast, fixture *exact, uint64_t seed, unsigned spread)
{
    unsigned usual = 0;
    for (unsigned n = 0; n < 100000; n++) {
        uint32_t x = unit_random(&seed);
        uint32_t address = (x >> 8 & 7) != 0 ? unit_random(&seed) % 0x1800 : unit_random(&seed) % spread;
        if ((x & 15) == 0) { /* code */
            code_answer a = {.hit = true}, b;
            memory_code(exact->memory, address, address, exact->now, &b);
            if (memory_code_usual(fast->memory, address, address, fast->now)) {
                counts_add(&fast->totals, P5_EVENT_CODE_READ, P5_CPL_KERNEL, 1, 1);
                for (unsigned part = 0; part < 4; part++)
                    a.ready[part] = fast->now;
            } else {
                memory_code(fast->memory, address, address, fast->now, &a);
            }
            assert_memory_equal(a.ready, b.ready, sizeof a.ready);
            continue;
        }
        static const uint8_t sizes[] = {1, 2, 4, 8};
        unsigned flags = (x >> 4 & 1) * P5_ACCESS_WRITE |
                         ((x >> 11 & 31) != 0 ? 0 : P5_ACCESS_WRITE_THROUGH) |
                         ((x >> 16 & 127) != 0 ? 0 : P5_ACCESS_LARGE_PAGE);
        uint8_t size = sizes[x >> 5 & 3];
        if ((x >> 23 & 7) != 0)
            address &= ~(uint32_t)(size - 1);
        p5_access access = fixture_access(address, size, flags);
        data_answer b = fixture_data(exact, address, size, flags);
        if (memory_data_usual(fast->memory, &access, fast->now)) {
            count_hit(fast, &access);
            usual++;
        } else {
            fixture_data(fast, address, size, flags);
        }
        if (fast->now != exact->now)
            fail_msg("reference %u of %#x: at %lu with the hot path, %lu without (%u misses)", n, address,
                     (unsigned long)fast->now, (unsigned long)exact->now, !b.hit);
        fast->now += x >> 26 & 3;
        exact->now = fast->now;
    }
    return usual;
}

TEST(hot_and_exact_path_agree)
{
    static const char *const models[] = {"p54c-100", "p54c-133", "p54c-166",
                                         "p55c-166", "p55c-200", "p55c-233"};
    static const unsigned spreads[] = {0x4000, 0x90000};
    for (unsigned i = 0; i < 24; i++) {
        const char *model = models[i % 6];
        FIXTURE(fast, model, i / 6 % 2, NULL);
        FIXTURE(exact, model, i / 6 % 2, NULL);
        unsigned usual = usual_of(&fast, &exact, i, spreads[i / 12]);
        if (usual < 20000)
            fail_msg("%s: only %u of 100000 references took the hot path", model, usual);
        fixture_settle(&fast);
        fixture_settle(&exact);
        same_state(model, &fast, &exact);
    }
}

/* If the hot path refuses, nothing has changed. */
TEST(refusal_changes_nothing)
{
    FIXTURE(f, "p55c-200", true, NULL);
    uint64_t seed = 1;
    static struct memory before;
    for (unsigned n = 0; n < 3000; n++) {
        p5_access access = fixture_access(unit_random(&seed) % 0x9000, 4, unit_random(&seed) & 1);
        memcpy(&before, f.memory, sizeof before);
        if (!memory_data_usual(f.memory, &access, f.now)) {
            assert_memory_equal(&before, f.memory, sizeof before);
            fixture_data(&f, access.linear, 4, access.flags);
        }
        f.now += 3;
    }
}

/* The first write to a page has its dirty bit to set: not usual, although the line is exclusive; the next one
 * is. */
TEST(first_write_to_a_page)
{
    FIXTURE(f, "p54c-133", true, NULL);
    const p5_access read = fixture_access(0x5004, 4, 0), write = fixture_access(0x5004, 4, P5_ACCESS_WRITE);
    assert_false(memory_has_page(f.memory, &read));
    fixture_data(&f, 0x5000, 4, 0);
    fixture_settle(&f);
    assert_true(memory_has_page(f.memory, &read));
    assert_false(memory_has_page(f.memory, &write));
    assert_false(memory_data_usual(f.memory, &write, f.now));
    fixture_data(&f, 0x5004, 4, P5_ACCESS_WRITE);
    assert_true(memory_has_page(f.memory, &write));
    assert_true(memory_data_usual(f.memory, &write, f.now));
}

/* While a line is being filled, hits of other lines continue (P54C: of other sets); those of the line itself
 * wait until it is in the array. */
TEST(hits_pass_by_a_fill)
{
    enum { LINE = 0x3000, SAME_SET = 0x5000, OTHER_SET = 0x5020 };
    for (unsigned p54c = 0; p54c < 2; p54c++) {
        FIXTURE(f, p54c ? "p54c-133" : "p55c-200", true, NULL);
        fixture_data(&f, SAME_SET, 4, 0);
        fixture_data(&f, OTHER_SET, 4, 0);
        fixture_data(&f, OTHER_SET, 4, P5_ACCESS_WRITE); /* the page is dirty */
        fixture_data(&f, LINE + 0x800, 4, 0);            /* the page has an entry */
        fixture_settle(&f);
        f.now += 1000;
        fixture_data(&f, LINE, 4, 0);
        assert_true(f.memory->data_fill.done > f.now);
        p5_access line = fixture_access(LINE + 4, 4, 0), same_set = fixture_access(SAME_SET, 4, 0);
        p5_access read = fixture_access(OTHER_SET, 4, 0),
                  write = fixture_access(OTHER_SET, 4, P5_ACCESS_WRITE);
        assert_false(memory_data_usual(f.memory, &line, f.now));
        assert_true(memory_data_usual(f.memory, &read, f.now));
        assert_true(memory_data_usual(f.memory, &write, f.now));
        assert_int_equal(memory_data_usual(f.memory, &same_set, f.now), !p54c);
        assert_true(memory_data_usual(f.memory, &line, f.memory->data_fill.done));
    }
}

/* A fetch of a line in the cache is usual in any page that has an entry, not only in the last one. While a line is being filled its fetches
 * are not usual, from the clock on at which it is complete they are. */
TEST(fetches_that_hit)
{
    static const char *const models[] = {"p54c-133", "p55c-200"};
    for (unsigned i = 0; i < 4; i++) {
        code_answer answer;
        FIXTURE(f, models[i % 2], i / 2, NULL);
        for (uint32_t page = 0x1000; page <= 0x3000; page += 0x1000) {
            fixture_settle(&f);
            memory_code(f.memory, page + page / 0x80, page + page / 0x80, f.now, &answer);
        }
        const uint64_t filled = f.memory->code_fill.done;
        assert_true(filled > f.now);
        assert_false(memory_code_usual(f.memory, 0x3060, 0x3060, filled - 1));
        assert_true(memory_code_usual(f.memory, 0x1020, 0x1020, filled - 1));
        assert_true(memory_code_usual(f.memory, 0x2040, 0x2040, filled - 1));
        assert_true(memory_code_usual(f.memory, 0x3060, 0x3060, filled));
        assert_true(memory_code_usual(f.memory, 0x1020, 0x1020, filled));
        assert_false(memory_code_usual(f.memory, 0x1080, 0x1080, filled)); /* another line */
        if (i / 2 != 0)
            assert_false(memory_code_usual(f.memory, 0x9020, 0x1020, filled)); /* another page */
    }
}

/* References of which it is known what they are like, at clocks at which nothing is under way: the line that
 * was used last in its set, by the page that it was used by, has a way of its own, also after another master
 * has looked at the line, taken it, or the page has lost its entry of the TLB to others, INVLPG or a flush.
 */
TEST(expected_hits_agree)
{
    static const char *const models[] = {"p54c-133", "p55c-200"};
    for (unsigned i = 0; i < 4; i++) {
        FIXTURE(fast, models[i % 2], i / 2 % 2, NULL);
        FIXTURE(exact, models[i % 2], i / 2 % 2, NULL);
        uint64_t seed = i, done;
        unsigned hits = 0;
        for (unsigned n = 0; n < 60000; n++) {
            static const uint8_t sizes[] = {1, 2, 4, 8};
            uint32_t x = unit_random(&seed), where = unit_random(&seed);
            uint32_t address = where % ((x >> 22 & 3) != 0 ? 0x3000 : 0x80000) & 0x7f07fu; /* of four sets */
            uint8_t size = sizes[x >> 5 & 3];
            if ((x >> 24 & 15) != 0)
                address &= ~(uint32_t)(size - 1);
            p5_access access = fixture_access(address, size, x & P5_ACCESS_WRITE);
            const data_expected expected = memory_expect(&access);
            if (memory_data_expected(fast.memory, &access, &expected)) {
                count_hit(&fast, &access);
                hits++;
            } else {
                fixture_data(&fast, address, size, access.flags);
            }
            fixture_data(&exact, address, size, access.flags);
            exact.now += 1000;
            fast.now = exact.now;
            if ((x >> 8 & 15) == 0) {
                memory_inquire(fast.memory, address, (x & 2) != 0, fast.now, &done);
                memory_inquire(exact.memory, address, (x & 2) != 0, exact.now, &done);
                exact.now = fast.now = done + 1000;
            }
            if ((x >> 12 & 1023) == 0) {
                memory_load_cr3(fast.memory);
                memory_load_cr3(exact.memory);
            }
            if ((x >> 12 & 127) == 1) {
                memory_invlpg(fast.memory, address);
                memory_invlpg(exact.memory, address);
            }
        }
        if (hits < 15000)
            fail_msg("%s: only %u of 60000 references were expected hits", models[i % 2], hits);
        fixture_settle(&fast);
        fixture_settle(&exact);
        same_state(models[i % 2], &fast, &exact);
    }
}

/* A line stays at hand while others of other sets are used; its page does not, when so many others are used
 * that the TLB has no entry for it any more. Which of them takes its entry is all the same. */
TEST(place_is_lost_with_its_page)
{
    enum { HERE = 0x5040, ELSEWHERE = 0x80, PAGES = 600 };
    static const char *const models[] = {"p54c-133", "p55c-200"};
    for (unsigned i = 0; i < 4; i++) {
        const unsigned flags = i / 2 ? P5_ACCESS_WRITE : 0;
        FIXTURE(f, models[i % 2], true, NULL);
        fixture_data(&f, HERE, 4, 0);
        fixture_data(&f, HERE, 4, flags);
        f.now += 1000;
        const p5_access access = fixture_access(HERE, 4, flags);
        const data_expected expected = memory_expect(&access);
        for (unsigned n = 0; n < 2; n++) /* the second one is at hand */
            assert_true(memory_data_expected(f.memory, &access, &expected));
        for (unsigned page = 8; page < PAGES; page++)
            fixture_data(&f, page * 0x1000 + ELSEWHERE, 4, 0);
        f.now += 1000;
        assert_false(memory_data_expected(f.memory, &access, &expected));
        const uint64_t misses = f.totals.increments[P5_EVENT_DATA_TLB_MISS][P5_CPL_KERNEL];
        fixture_data(&f, HERE, 4, flags);
        assert_int_equal(f.totals.increments[P5_EVENT_DATA_TLB_MISS][P5_CPL_KERNEL], misses + 1);
        f.now += 1000;
        for (unsigned n = 0; n < 2; n++)
            assert_true(memory_data_expected(f.memory, &access, &expected));
    }
}

/* A misaligned hit is made at once only if misaligned references are expected, and of these nothing else needs to be known. Otherwise
 * the hot path refuses it. */
TEST(misaligned_hits_are_expected)
{
    FIXTURE(f, "p55c-200", false, NULL);
    fixture_data(&f, 0x5040, 4, 0);
    f.now += 1000;
    const p5_access aligned = fixture_access(0x5040, 4, 0), misaligned = fixture_access(0x5042, 4, 0);
    const data_expected reads = memory_expect(&aligned), any_misaligned = {.misaligned = true}, any = {0};
    assert_false(memory_hits_unexpected(f.memory, &misaligned, &reads));
    assert_false(memory_hits_unexpected(f.memory, &misaligned, &any));
    assert_int_equal(fixture_event(&f, P5_EVENT_MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES), 0);
    assert_true(memory_hits_unexpected(f.memory, &misaligned, &any_misaligned));
    assert_int_equal(fixture_event(&f, P5_EVENT_MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES), 1);
}

/* Without paging a place at hand needs no page; with it, it does. */
TEST(paging_begins)
{
    FIXTURE(f, "p55c-200", false, NULL);
    fixture_data(&f, 0x5040, 4, 0);
    f.now += 1000;
    const p5_access access = fixture_access(0x5040, 4, 0);
    const data_expected expected = memory_expect(&access);
    for (unsigned n = 0; n < 2; n++)
        assert_true(memory_data_expected(f.memory, &access, &expected));
    memory_set_control(f.memory, &(p5_control){.size = sizeof(p5_control), .paging = true});
    assert_false(memory_data_expected(f.memory, &access, &expected));
}
