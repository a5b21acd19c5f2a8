/* PF on its own: how a remembered stretch moves the buffers of another past. */
#include "fixture.h"

#include "model_timing.h"
#include "core/pipe/pipe.h"

/* A stretch that fetches nothing moves only the buffers that it releases; the others were freed as many clocks earlier as it took. */
TEST(a_stretch_moves_what_it_releases)
{
    for (unsigned two = 0; two < 2; two++) {
        enum { BEGIN = 10, END = 21 };
        prefetch f = {.ahead = {.clock = 8, .freed = {2, 3, 5, 7}, .used = 1}, .block = 5};
        const op taken = {.two_blocks = two != 0};
        prefetch_begin(&f, true);
        prefetch_release(&f, &taken, 20);
        const prefetch_move move = prefetch_moved(&f, END);
        assert_false(move.complete);
        assert_int_equal(move.fetched, 0);
        prefetch_ahead other = {.clock = -3, .freed = {-9, -8, -6, -5}, .used = 1};
        prefetch_advance(&other, &move, END - BEGIN);
        assert_int_equal(other.clock, -3 - 11);
        assert_int_equal(other.freed[0], -9 - 11);
        assert_int_equal(other.freed[1], -8 - 11);
        assert_int_equal(other.freed[2], two ? 20 - END : -6 - 11);
        assert_int_equal(other.freed[3], 20 - END);
        /* of its own past: where it ended */
        prefetch_ahead same = {
            .clock = 8 - BEGIN, .freed = {2 - BEGIN, 3 - BEGIN, 5 - BEGIN, 7 - BEGIN}, .used = 1};
        prefetch_advance(&same, &move, END - BEGIN);
        for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
            assert_int_equal(same.freed[i], f.ahead.freed[i] - END);
    }
}

/* After a flush everything is new: a stretch then says where all buffers are. */
TEST(a_new_stream_is_complete)
{
    prefetch f = {.ahead = {.clock = 8, .freed = {2, 3, 5, 7}, .used = 1}, .block = 5};
    prefetch_flush(&f, 30);
    prefetch_begin(&f, true);
    const prefetch_move move = prefetch_moved(&f, 40);
    assert_true(move.complete);
    const prefetch_ahead ahead = prefetch_complete(&move);
    assert_int_equal(ahead.clock, 29 - 40); /* the first block is fetched in clock 30 */
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        assert_int_equal(ahead.freed[i], 29 - 40);
}

static bool hit(void *context, uint32_t linear, uint64_t asked, code_answer *answer)
{
    (void)context, (void)linear, (void)asked, (void)answer;
    return true;
}

/* A stretch of whole blocks, after `past`: each is released `wait` clocks after the one before. Returns how far PF is
 * ahead at the end. */
static prefetch_ahead run_blocks(prefetch_ahead past, unsigned blocks, int64_t wait, prefetch_move *move)
{
    const pipe_resolver resolver = {.code = hit};
    pipe_deltas deltas = {0};
    pipe p = {.timing = timing_of(P5_FAMILY_P55C), .resolver = &resolver, .deltas = &deltas};
    p.prefetch = (prefetch){.ahead = past, .block = 5};
    prefetch_begin(&p.prefetch, true);
    for (unsigned i = 0; i < blocks; i++) {
        const op taken = {.last_block = 6 + i};
        prefetch_fetch(&p, &taken);
        p.now += wait;
        prefetch_release(&p.prefetch, &taken, p.now);
    }
    *move = prefetch_moved(&p.prefetch, p.now);
    return pipe_ahead(&p);
}

/* The same stretch after another past: what it did to one past tells what it does to the other. The decoders are slower
 * than PF and take their blocks at the same clocks. */
TEST(another_past_moves_alike)
{
    static const prefetch_ahead pasts[] = {
        {.clock = -1, .freed = {-4, -3, -2, -1}, .used = 1},
        {.clock = -9, .freed = {-9, -9, -9, -9}, .used = 1},
        {.clock = -7, .freed = {-6, -5, -2, 0}, .used = 1},
        {.clock = -100000, .freed = {-100003, -100002, -100001, -100000}, .used = 1}, /* after a REP string */
    };
    static const int64_t waits[] = {1, 3, 5, 40000};
    enum { PASTS = sizeof pasts / sizeof pasts[0], MOST = 9 };
    for (unsigned blocks = 0; blocks <= MOST; blocks++)
        for (unsigned n = 0; n < sizeof waits / sizeof *waits; n++)
            for (unsigned i = 0; i < PASTS * PASTS; i++) {
                const int64_t wait = waits[n];
                prefetch_move move, unused;
                run_blocks(pasts[i / PASTS], blocks, wait, &move);
                const prefetch_ahead expected = run_blocks(pasts[i % PASTS], blocks, wait, &unused);
                prefetch_ahead ahead = pasts[i % PASTS];
                prefetch_advance(&ahead, &move, blocks * wait);
                assert_int_equal(ahead.clock, expected.clock);
                assert_memory_equal(ahead.freed, expected.freed, sizeof ahead.freed);
            }
}
