/* Write buffers: entries by pipe or pooled, stalls when full, and reads behind buffered writes. */
#include "fixture.h"

TEST(entries_of_the_pipes)
{
    write_buffer w;
    write_buffer_init(&w, 2, true);
    assert_int_equal(write_buffer_next(&w, false), 0);
    assert_int_equal(write_buffer_next(&w, true), 1);
    write_buffer_take(&w, 0, 100, 0, false);
    assert_int_equal(write_buffer_next(&w, false), 0); /* U has no other */
    assert_int_equal(write_buffer_first_free(&w), 0);
    write_buffer_take(&w, 1, 120, 0, false);
    assert_int_equal(write_buffer_first_free(&w), 100);
    assert_int_equal(w.drained, 120);

    write_buffer_init(&w, 4, false);
    for (unsigned i = 0; i < 4; i++) {
        unsigned entry = write_buffer_next(&w, i % 2 != 0);
        assert_int_equal(w.free_at[entry], 0); /* an unused one each time, whatever the pipe */
        write_buffer_take(&w, entry, 100 + i, 0, false);
    }
    assert_int_equal(write_buffer_first_free(&w), 100);
}

/* A P55C's fifth write miss in a row waits for the first to end on the bus; the four before do not wait. Bus:
 * asked 1 clock after EX, so ADS# in bus clock 1 (core 3); 2 bus clocks of write: ends at core 9. */
TEST(the_fifth_store_stalls)
{
    FIXTURE(f, "p55c-200", false, NULL);
    for (unsigned i = 0; i < 4; i++) {
        data_answer answer = fixture_data(&f, 0x1000 + 8 * i, 4, P5_ACCESS_WRITE);
        assert_int_equal(answer.write_buffer, 0);
        assert_false(answer.hit);
    }
    assert_int_equal(f.now, 0);
    data_answer answer = fixture_data(&f, 0x1020, 4, P5_ACCESS_WRITE);
    assert_int_equal(answer.write_buffer, 9);
    assert_int_equal(fixture_event(&f, P5_EVENT_WRITE_BUFFER_FULL_STALL_DURATION), 9);
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_WRITE_MISS), 5);
}

/* P54C: the second store of the U pipe waits although V's buffer is free; one of V does not. */
TEST(a_pipe_has_one_buffer)
{
    FIXTURE(f, "p54c-133", false, NULL);
    assert_int_equal(fixture_data(&f, 0x1000, 4, P5_ACCESS_WRITE).write_buffer, 0);
    f.traits = TRAIT_V_PIPE;
    assert_int_equal(fixture_data(&f, 0x1008, 4, P5_ACCESS_WRITE).write_buffer, 0);
    f.traits = 0;
    assert_true(fixture_data(&f, 0x1010, 4, P5_ACCESS_WRITE).write_buffer > 0);
}

/* Steady store misses cost one bus write each: the boards' measured 9.0, 7.6, 10.3 and 7.5 clocks, tolerance
 * 3 % (refresh). */
TEST(steady_store_misses)
{
    static const struct {
        const char *model;
        double measured;
    } cases[] = {{"p55c-200", 9.0}, {"p54c-100", 7.6}, {"p54c-133", 10.3}, {"p54c-166", 7.5}};
    for (unsigned i = 0; i < 4; i++) {
        FIXTURE(f, cases[i].model, false, NULL);
        uint64_t start = 0;
        for (unsigned n = 0; n < 420; n++) {
            if (n == 20)
                start = f.now;
            fixture_data(&f, 0x1020, 4, P5_ACCESS_WRITE);
            f.now++;
        }
        double clocks = (double)(f.now - start) / 400;
        if (clocks < cases[i].measured * 0.97 || clocks > cases[i].measured * 1.03)
            fail_msg("%s: %.2f clocks per store, measured %.2f", cases[i].model, clocks, cases[i].measured);
    }
}

/* A read miss goes to the bus after the buffered writes, a read hit does not wait. */
TEST(reads_and_buffered_writes)
{
    FIXTURE(f, "p55c-200", false, NULL);
    fixture_data(&f, 0x2000, 4, 0);
    fixture_settle(&f);
    f.now += (3 - f.now % 3) % 3;
    uint64_t start = f.now;
    fixture_data(&f, 0x3000, 4, P5_ACCESS_WRITE); /* bus clocks 1-2, idle 3 */
    assert_int_equal(fixture_data(&f, 0x2000, 4, 0).done, start);
    data_answer miss = fixture_data(
        &f, 0x4000, 4, 0); /* ADS# in bus clock 4; not in L2; DRAM page closed after the idle time */
    assert_int_equal(miss.done - start, 3 * (4 + f.model->dram.closed) + f.model->latency.bus_to_use);
}
