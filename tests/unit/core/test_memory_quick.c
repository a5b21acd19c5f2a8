/* memory_quick.c must leave and answer what memory_data.c leaves and answers: the same random references go
 * through both. */
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

static uint64_t quick_of(fixture *f, const p5_access *access, unsigned partner, bool v_pipe)
{
    if ((access->flags & P5_ACCESS_WRITE) != 0)
        return memory_quick_write(f->memory, access, f->now, partner, v_pipe);
    return memory_quick_read(f->memory, access, f->now, partner);
}

static data_answer exact_of(fixture *f, const p5_access *access, unsigned partner, bool v_pipe)
{
    data_answer answer;
    memory_set_partner(f->memory, partner);
    memory_set_pipe(f->memory, v_pipe);
    memory_data(f->memory, access, f->now, LOCK_NONE, false, &answer);
    return answer;
}

/* How many references were quick and no usual hits. */
static unsigned go_both_ways(const char *model, fixture *quick, fixture *exact, uint64_t seed)
{
    static const uint8_t sizes[] = {1, 2, 4, 8};
    unsigned answered = 0;
    for (unsigned n = 0; n < 60000; n++) {
        uint32_t x = fixture_random(&seed), where = fixture_random(&seed);
        uint32_t address = (x >> 8 & 3) != 0 ? where % 0x2000 : where % 0x90000;
        unsigned flags = (x >> 4 & 1) * P5_ACCESS_WRITE |
                         ((x >> 11 & 63) != 0 ? 0 : P5_ACCESS_WRITE_THROUGH) |
                         ((x >> 17 & 127) != 0 ? 0 : P5_ACCESS_CACHE_DISABLE);
        uint8_t size = sizes[x >> 5 & 3];
        if ((x >> 24 & 15) != 0)
            address &= ~(uint32_t)(size - 1);
        bool v_pipe = (x & 1) != 0;
        unsigned partner = (x >> 1 & 3) == 0 ? PARTNER | (x >> 3 & 1) * PARTNER_SAME_KIND : 0;
        p5_access access = fixture_access(address, size, flags);
        if (memory_data_usual(exact->memory, &access, exact->now)) {
            if (!memory_data_usual(quick->memory, &access, quick->now))
                fail_msg("%s: reference %u is usual on one way only", model, n);
        } else {
            uint64_t answer = quick_of(quick, &access, partner, v_pipe);
            data_answer b = exact_of(exact, &access, partner, v_pipe);
            if (answer == QUICK_USUAL)
                fail_msg("%s: reference %u of %#x is not usual", model, n, address);
            if (answer == QUICK_NOT) {
                data_answer a = exact_of(quick, &access, partner, v_pipe);
                assert_int_equal(a.done, b.done);
            } else {
                answered++;
                if ((b.tlb | b.misaligned | b.locked | b.io) != 0 ||
                    answer != memory_quick_pack(b.read, b.write_buffer, b.write_order, b.hit))
                    fail_msg("%s: reference %u of %#x: %#lx; exactly: read %u, buffer %u, order %u, hit %d",
                             model, n, address, (unsigned long)answer, b.read, b.write_buffer, b.write_order,
                             b.hit);
            }
            exact->now = quick->now = b.done;
        }
        exact->now = quick->now += (x >> 28) * (x >> 28) / 8;
    }
    return answered;
}

static void both_ways_agree(void **state)
{
    (void)state;
    static const char *const models[] = {"p54c-100", "p54c-166", "p55c-200", "p55c-233"};
    static void (*const changes[])(p5_model * model) = {NULL, write_through, no_errata};
    for (unsigned i = 0; i < 24; i++) {
        const char *model = models[i % 4];
        fixture quick, exact;
        fixture_open(&quick, model, i / 4 % 2, changes[i / 8]);
        fixture_open(&exact, model, i / 4 % 2, changes[i / 8]);
        unsigned answered = go_both_ways(model, &quick, &exact, i);
        if (answered < 5000)
            fail_msg("%s: only %u of 60000 references were quick", model, answered);
        same_state(model, &quick, &exact);
        fixture_settle(&quick);
        fixture_settle(&exact);
        same_state(model, &quick, &exact);
        fixture_close(&quick);
        fixture_close(&exact);
    }
}

/* A usual hit is told from others and leaves what memory_data_usual leaves. */
static void usual_hits_are_usual(void **state)
{
    (void)state;
    fixture quick, usual;
    fixture_open(&quick, "p55c-200", true, NULL);
    fixture_open(&usual, "p55c-200", true, NULL);
    uint64_t seed = 5;
    unsigned hits = 0;
    for (unsigned n = 0; n < 20000; n++) {
        uint32_t x = fixture_random(&seed);
        p5_access access = fixture_access(fixture_random(&seed) % 0x5000 & ~3u, 4, x & P5_ACCESS_WRITE);
        bool hit = memory_data_usual(usual.memory, &access, usual.now);
        uint64_t answer = quick_of(&quick, &access, 0, false);
        assert_int_equal(answer == QUICK_USUAL, hit);
        hits += hit;
        if (!hit) {
            usual.now = exact_of(&usual, &access, 0, false).done;
            if (answer == QUICK_NOT)
                exact_of(&quick, &access, 0, false);
        }
        quick.now = usual.now += 2;
    }
    assert_true(hits > 5000);
    same_state("p55c-200", &quick, &usual);
    fixture_close(&quick);
    fixture_close(&usual);
}

/* Where somebody has to be told of bus cycles, or the cache is held still, nothing is quick. */
static void some_look_on(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, "p55c-200", false, NULL);
    fixture_data(&f, 0x5000, 4, 0); /* an address that is known to be cacheable */
    p5_access access = fixture_access(0x4000, 4, 0);
    memory_set_control(f.memory, &(p5_control){.cache_disable = true});
    assert_int_equal(quick_of(&f, &access, 0, false), QUICK_NOT);
    memory_set_control(f.memory, &(p5_control){.data_cache_inhibit = true});
    assert_int_equal(quick_of(&f, &access, 0, false), QUICK_NOT);
    memory_set_control(f.memory, &(p5_control){0});
    assert_true(quick_of(&f, &access, 0, false) > QUICK_USUAL);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_agree),
        cmocka_unit_test(usual_hits_are_usual),
        cmocka_unit_test(some_look_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
