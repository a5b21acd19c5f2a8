/* The 8254 by the rules of its data sheet. Time is the number of clock pulses; a count that is written after
 * pulse t is loaded with pulse t + 1. */
#include "../unit.h"
#include "machine/board/pit.h"

static pit after_reset(void)
{
    pit p;
    pit_reset(&p);
    return p;
}

static void start(pit *p, unsigned counter, unsigned mode, unsigned count, int64_t at)
{
    pit_write(p, PIT_CONTROL, (uint8_t)(counter << 6 | 0x30 | mode << 1), at);
    pit_write(p, (uint16_t)(PIT_COUNTER0 + counter), (uint8_t)count, at);
    pit_write(p, (uint16_t)(PIT_COUNTER0 + counter), (uint8_t)(count >> 8), at);
}

static unsigned read_count(pit *p, unsigned counter, int64_t at)
{
    pit_write(p, PIT_CONTROL, (uint8_t)(counter << 6), at); /* latch */
    unsigned low = pit_read(p, (uint16_t)(PIT_COUNTER0 + counter), at + 1000);
    return low | (unsigned)pit_read(p, (uint16_t)(PIT_COUNTER0 + counter), at + 2000) << 8;
}

/* OUT from pulse `from` on, one digit per pulse. */
static void expect_out(const pit *p, unsigned counter, int64_t from, const char *levels)
{
    for (int64_t i = 0; levels[i] != '\0'; i++)
        if (pit_out(p, counter, from + i) != (levels[i] == '1'))
            fail_msg("OUT after pulse %lld: expected %c", (long long)(from + i), levels[i]);
}

TEST(test_mode0)
{
    pit p = after_reset();
    start(&p, 0, 0, 4, 10);
    expect_out(&p, 0, 10,
               "00000"
               "111111"); /* N + 1 pulses after the write, and for good */
    assert_int_equal(15, pit_next_rise(&p, 0, 10));
    assert_true(pit_next_rise(&p, 0, 15) == PIT_NEVER);
    assert_int_equal(4, read_count(&p, 0, 11));
    assert_int_equal(1, read_count(&p, 0, 14));
    assert_int_equal(0xffff, read_count(&p, 0, 16)); /* it continues counting */
    pit_write(&p, PIT_COUNTER0, 9, 20);              /* the first byte takes OUT low and stops the count */
    expect_out(&p, 0, 20, "0000000000000000");
}

TEST(test_mode0_gate)
{
    pit p = after_reset();
    pit_set_gate(&p, 2, true, 0);
    start(&p, 2, 0, 4, 0);
    pit_set_gate(&p, 2, false, 3); /* loaded with pulse 1; two pulses counted */
    assert_int_equal(2, read_count(&p, 2, 3));
    assert_int_equal(2, read_count(&p, 2, 100));
    assert_true(pit_next_rise(&p, 2, 100) == PIT_NEVER);
    pit_set_gate(&p, 2, true, 100);
    assert_int_equal(102, pit_next_rise(&p, 2, 100));
}

TEST(test_mode1)
{
    pit p = after_reset();
    start(&p, 2, 1, 3, 0);
    expect_out(&p, 2, 0, "11111"); /* not triggered */
    pit_set_gate(&p, 2, true, 10);
    expect_out(&p, 2, 10, "1000111");
    pit_set_gate(&p, 2, false, 15); /* the gate falling does nothing */
    pit_set_gate(&p, 2, true, 20);
    pit_set_gate(&p, 2, false, 21);
    pit_set_gate(&p, 2, true, 22); /* retriggered: three pulses from here */
    expect_out(&p, 2, 22, "00001");
}

TEST(test_mode2)
{
    pit p = after_reset();
    start(&p, 0, 2, 3, 0);
    expect_out(&p, 0, 0, "1110110110"); /* low in the pulse before each reload */
    assert_int_equal(4, pit_next_rise(&p, 0, 0));
    assert_int_equal(7, pit_next_rise(&p, 0, 4));
    assert_int_equal(3, read_count(&p, 0, 1));
    assert_int_equal(2, read_count(&p, 0, 2));
    assert_int_equal(1, read_count(&p, 0, 3));
    assert_int_equal(3, read_count(&p, 0, 4));
    pit_write(&p, PIT_COUNTER0, 5, 5); /* a new count waits for the end of the period */
    pit_write(&p, PIT_COUNTER0, 0, 5);
    assert_int_equal(7, pit_next_rise(&p, 0, 5));
    assert_int_equal(12, pit_next_rise(&p, 0, 7));
    expect_out(&p, 0, 5,
               "10"
               "11110"
               "11110");
}

TEST(test_mode2_gate)
{
    pit p = after_reset();
    pit_set_gate(&p, 2, true, 0);
    start(&p, 2, 2, 4, 0);
    pit_set_gate(&p, 2, false, 4);
    expect_out(&p, 2, 4, "11111");
    pit_set_gate(&p, 2, true, 20); /* starts the period anew */
    expect_out(&p, 2, 20, "1111011101");
}

TEST(test_mode3)
{
    pit p = after_reset();
    start(&p, 0, 3, 5, 0); /* odd: one pulse longer high than low */
    expect_out(&p, 0, 1, "1110011100");
    start(&p, 0, 3, 4, 100);
    expect_out(&p, 0, 101, "11001100");
    assert_int_equal(105, pit_next_rise(&p, 0, 100));
    assert_int_equal(4, read_count(&p, 0, 101)); /* counts in twos */
    assert_int_equal(2, read_count(&p, 0, 102));
    assert_int_equal(4, read_count(&p, 0, 103));
    pit_write(&p, PIT_COUNTER0, 8, 105); /* taken over with the end of this half */
    pit_write(&p, PIT_COUNTER0, 0, 105);
    assert_int_equal(111, pit_next_rise(&p, 0, 105));
    expect_out(&p, 0, 105,
               "11"
               "0000"
               "11110000");
}

TEST(test_strobes)
{
    pit p = after_reset();
    start(&p, 0, 4, 3, 0);
    expect_out(&p, 0, 0, "111101111"); /* low for one pulse, N + 1 after the write */
    assert_int_equal(5, pit_next_rise(&p, 0, 0));
    start(&p, 2, 5, 3, 0);
    expect_out(&p, 2, 0, "1111111");
    pit_set_gate(&p, 2, true, 10);
    expect_out(&p, 2, 10, "111101111");
}

TEST(test_read_back)
{
    pit p = after_reset();
    start(&p, 0, 2, 1000, 0);
    pit_write(&p, PIT_CONTROL, 0xc2, 0);                   /* status and count of counter 0 */
    assert_int_equal(0xf4, pit_read(&p, PIT_COUNTER0, 0)); /* OUT, null count, both bytes, mode 2 */
    pit_read(&p, PIT_COUNTER0, 0);
    pit_read(&p, PIT_COUNTER0, 0);
    pit_write(&p, PIT_CONTROL, 0xc2, 101);
    pit_write(&p, PIT_CONTROL, 0xc2, 150); /* the second latch is ignored */
    assert_int_equal(0xb4, pit_read(&p, PIT_COUNTER0, 200));
    unsigned low = pit_read(&p, PIT_COUNTER0, 201), high = pit_read(&p, PIT_COUNTER0, 202);
    assert_int_equal(900, low | high << 8);
}

TEST(test_counting_ranges)
{
    pit p = after_reset();
    start(&p, 0, 2, 0, 0); /* 0 is 65536 */
    assert_int_equal(65537, pit_next_rise(&p, 0, 0));
    pit_write(&p, PIT_CONTROL, 0x35, 0); /* BCD */
    pit_write(&p, PIT_COUNTER0, 0x34, 0);
    pit_write(&p, PIT_COUNTER0, 0x12, 0);
    assert_int_equal(1235, pit_next_rise(&p, 0, 0));
    assert_int_equal(0x1200, read_count(&p, 0, 35));
    pit_write(&p, PIT_CONTROL, 0x14, 0); /* low byte only */
    pit_write(&p, PIT_COUNTER0, 7, 0);
    assert_int_equal(8, pit_next_rise(&p, 0, 0));
    assert_int_equal(7, pit_read(&p, PIT_COUNTER0, 1));
    assert_int_equal(6, pit_read(&p, PIT_COUNTER0, 2));
}

/* A loaded counter has a count. The check looks at the three counters of its own chip. */
TEST(test_snapshot)
{
    static const struct {
        bool loaded;
        unsigned count;
        bool good;
    } rows[] = {{false, 0, true}, {true, 1, true}, {true, 0, false}};
    for (unsigned i = 0; i < 4 * sizeof rows / sizeof *rows; i++) {
        const unsigned counter = i % 4, row = i / 4; /* 3: the first one of the next chip */
        pit chips[2] = {after_reset(), after_reset()};
        p5_error error = {0};
        snapshot s = {.loading = true, .error = &error};
        pit_counter *c = &chips[counter / PIT_COUNTERS].counters[counter % PIT_COUNTERS];
        c->loaded = rows[row].loaded;
        c->count = rows[row].count;
        pit_state.check(&chips[0], &s);
        if ((s.status == P5_OK) != (rows[row].good || counter == 3))
            fail_msg("counter %u, row %u: %s", counter, row, error.message);
    }
}
