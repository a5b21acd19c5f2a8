/* The special versions of a data reference, for which memory_data.c is compiled, must give the same answer and state as
 * the general version: the same random references go through both. */
#include "same_state.h"

/* Shared lines become exclusive when their writes have ended. */
static void write_through(p5_model *model)
{
    model->bus.write_back_lines = false;
}

static void no_errata(p5_model *model)
{
    model->errata = false;
    model->bus.ewbe = 3;
}

/* Asks it as nothing plain. */
static uint64_t ask_special(fixture *f, const p5_access *access, unsigned traits)
{
    f->memory->special = true;
    uint64_t answer = memory_ask(f->memory, access, f->now, traits);
    f->memory->special = false;
    return answer;
}

/* How many references were no usual hits. */
static unsigned go_both_ways(const char *model, fixture *shaped, fixture *special, uint64_t seed)
{
    static const uint8_t sizes[] = {1, 2, 4, 8};
    unsigned unusual = 0;
    for (unsigned n = 0; n < 60000; n++) {
        uint32_t x = unit_random(&seed), where = unit_random(&seed);
        uint32_t address = (x >> 8 & 3) != 0 ? where % 0x2000 : where % 0x90000;
        unsigned flags = (x >> 4 & 1) * P5_ACCESS_WRITE |
                         ((x >> 11 & 63) != 0 ? 0 : P5_ACCESS_WRITE_THROUGH) |
                         ((x >> 17 & 127) != 0 ? 0 : P5_ACCESS_CACHE_DISABLE);
        uint8_t size = sizes[x >> 5 & 3];
        if ((x >> 24 & 7) != 0)
            address &= ~(uint32_t)(size - 1);
        unsigned traits = (x & 1) * TRAIT_V_PIPE | ((x >> 23 & 63) == 0) * (unsigned)TRAIT_MMX |
                          ((x >> 1 & 3) == 0 ? PARTNER | (x >> 3 & 1) * PARTNER_SAME_KIND : 0u);
        p5_access access = fixture_access(address, size, flags);
        uint64_t a = memory_ask(shaped->memory, &access, shaped->now, traits);
        uint64_t b = ask_special(special, &access, traits);
        if (a != b)
            fail_msg("%s: reference %u of %#x: %#lx, as a special one %#lx", model, n, address,
                     (unsigned long)a, (unsigned long)b);
        unusual += a != DATA_USUAL;
        data_answer answer, other;
        memory_answered(shaped->memory, a, shaped->now, &answer);
        memory_answered(special->memory, b, special->now, &other);
        assert_int_equal(answer.done, other.done);
        special->now = shaped->now = answer.done + (x >> 28) * (x >> 28) / 8;
    }
    return unusual;
}

TEST(both_ways_agree)
{
    static const char *const models[] = {"p54c-100", "p54c-166", "p55c-200", "p55c-233"};
    static void (*const changes[])(p5_model * model) = {NULL, write_through, no_errata};
    for (unsigned i = 0; i < 24; i++) {
        const char *model = models[i % 4];
        FIXTURE(shaped, model, i / 4 % 2, changes[i / 8]);
        FIXTURE(special, model, i / 4 % 2, changes[i / 8]);
        unsigned unusual = go_both_ways(model, &shaped, &special, i);
        if (unusual < 5000)
            fail_msg("%s: only %u of 60000 references were not usual", model, unusual);
        same_state(model, &shaped, &special);
        fixture_settle(&shaped);
        fixture_settle(&special);
        same_state(model, &shaped, &special);
    }
}

/* memory_ask recognises a usual hit and leaves the state that memory_data_usual leaves. */
TEST(usual_hits_are_usual)
{
    FIXTURE(asked, "p55c-200", true, NULL);
    FIXTURE(usual, "p55c-200", true, NULL);
    uint64_t seed = 5;
    unsigned hits = 0;
    for (unsigned n = 0; n < 20000; n++) {
        uint32_t x = unit_random(&seed);
        p5_access access = fixture_access(unit_random(&seed) % 0x5000 & ~3u, 4, x & P5_ACCESS_WRITE);
        bool hit = memory_data_usual(usual.memory, &access, usual.now);
        uint64_t answer = memory_ask(asked.memory, &access, asked.now, 0);
        assert_int_equal(answer == DATA_USUAL, hit);
        hits += hit;
        if (!hit) {
            assert_int_equal(memory_ask(usual.memory, &access, usual.now, 0), answer);
            data_answer came;
            memory_answered(usual.memory, answer, usual.now, &came);
            usual.now = came.done;
        }
        asked.now = usual.now += 2;
    }
    assert_true(hits > 5000);
    same_state("p55c-200", &asked, &usual);
}

/* The special version for misaligned hits leaves the state, counts and answers of memory_ask. */
TEST(misaligned_hits_are_alike)
{
    static const uint8_t sizes[] = {2, 4, 8};
    static const char *const models[] = {"p55c-200", "p54c-133"};
    for (unsigned i = 0; i < 4; i++) {
        FIXTURE(asked, models[i % 2], true, i < 2 ? NULL : no_errata);
        FIXTURE(usual, models[i % 2], true, i < 2 ? NULL : no_errata);
        uint64_t seed = i;
        unsigned hits = 0, others = 0;
        for (unsigned n = 0; n < 30000; n++) {
            const uint32_t x = unit_random(&seed);
            const p5_access access =
                fixture_access(unit_random(&seed) % 0x5000, sizes[(x >> 8) % 3], x & P5_ACCESS_WRITE);
            const bool free = memory_is_free(usual.memory, &access, usual.now);
            const bool hit = free && memory_hits_misaligned(usual.memory, &access);
            const uint64_t answer = memory_ask(asked.memory, &access, asked.now, 0);
            if (hit)
                assert_true(answer == memory_misaligned_hit(asked.memory));
            else
                assert_true(memory_ask(usual.memory, &access, usual.now, 0) == answer);
            hits += hit;
            others += !hit && memory_misaligned(&access);
            data_answer came;
            memory_answered(asked.memory, answer, asked.now, &came);
            asked.now = usual.now = came.done + (x >> 28);
        }
        assert_true(hits > 2000 && others > 500);
        same_state(models[i % 2], &asked, &usual);
        fixture_settle(&asked);
        fixture_settle(&usual);
        same_state(models[i % 2], &asked, &usual);
    }
}

/* With an observer of bus cycles, or a frozen cache, the fast versions do not apply. */
TEST(some_look_on)
{
    FIXTURE(f, "p55c-200", false, NULL);
    memory_set_control(f.memory, &(p5_control){.size = sizeof(p5_control), .cache_disable = true});
    assert_true(f.memory->special);
    memory_set_control(f.memory, &(p5_control){.size = sizeof(p5_control), .data_cache_inhibit = true});
    assert_true(f.memory->special);
    memory_set_control(f.memory, &(p5_control){.size = sizeof(p5_control)});
    assert_false(f.memory->special);
}

/* What an answer in a word says. */
TEST(words_are_read_as_written)
{
    const uint64_t most = (1u << DATA_CLOCK_BITS) - 1;
    data_answer a, b;
    data_out_of_word(
        data_in_word(&(data_waits){.read = most, .write_order = most, .tlb = 1, .misaligned = 20}, true,
                     false),
        100, &a);
    assert_int_equal(a.read, most);
    assert_int_equal(a.write_buffer, 0);
    assert_int_equal(a.write_order, most);
    assert_int_equal(a.tlb, 1);
    assert_int_equal(a.misaligned, 20);
    assert_int_equal(a.done, 100 + 2 * most + 21);
    assert_true(a.hit && !a.is_misaligned);
    data_out_of_word(data_in_word(&(data_waits){.write_buffer = most, .tlb = most}, false, true), 0, &b);
    assert_int_equal(b.write_buffer, most);
    assert_int_equal(b.tlb, most);
    assert_int_equal(b.read | b.write_order | b.misaligned, 0);
    assert_true(b.is_misaligned && !b.hit);
}
