/* PF on its own: how a remembered stretch moves the buffers of another past. */
#include "fixture.h"

#include "core/pipe/prefetch.h"

/* A stretch that fetches nothing moves only the buffers that it releases; the others were freed as many clocks earlier as it took. */
static void a_stretch_moves_what_it_releases(void **state)
{
    (void)state;
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
        prefetch_go_on(&other, &move, END - BEGIN);
        assert_int_equal(other.clock, -3 - 11);
        assert_int_equal(other.freed[0], -9 - 11);
        assert_int_equal(other.freed[1], -8 - 11);
        assert_int_equal(other.freed[2], two ? 20 - END : -6 - 11);
        assert_int_equal(other.freed[3], 20 - END);
        /* of its own past: where it ended */
        prefetch_ahead same = {
            .clock = 8 - BEGIN, .freed = {2 - BEGIN, 3 - BEGIN, 5 - BEGIN, 7 - BEGIN}, .used = 1};
        prefetch_go_on(&same, &move, END - BEGIN);
        for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
            assert_int_equal(same.freed[i], f.ahead.freed[i] - END);
    }
}

/* After a flush everything is new: a stretch then says where all buffers are. */
static void a_new_stream_is_complete(void **state)
{
    (void)state;
    prefetch f = {.ahead = {.clock = 8, .freed = {2, 3, 5, 7}, .used = 1}, .block = 5};
    prefetch_flush(&f, 30);
    prefetch_begin(&f, true);
    const prefetch_move move = prefetch_moved(&f, 40);
    assert_true(move.complete);
    const prefetch_ahead ahead = prefetch_complete(&move);
    assert_int_equal(ahead.clock, 29 - 40); /* the first block arrives in clock 30 */
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        assert_int_equal(ahead.freed[i], 29 - 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stretch_moves_what_it_releases),
        cmocka_unit_test(a_new_stream_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
