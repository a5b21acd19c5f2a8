/* The MC146818A by the rules of its data sheet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/board/rtc.h"

enum { A = 10, B, C, D, SECOND = RTC_HZ, UPDATE_END = 65 };

static uint8_t get(rtc *r, uint8_t cell)
{
    r->index = cell;
    return rtc_read(r, r->seen);
}

static void set(rtc *r, uint8_t cell, uint8_t value)
{
    r->index = cell;
    rtc_write(r, value, r->seen);
}

static void expect_time(rtc *r, const uint8_t *cells)
{
    static const uint8_t order[7] = {RTC_CENTURY, 9, 8, 7, 4, 2, 0};
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(cells[i], get(r, order[i]));
}

static void test_dates(void **state)
{
    (void)state;
    for (int64_t epoch = -1; epoch < INT64_C(5000000000); epoch += 86399 * 3) {
        date t = date_of_epoch(epoch);
        assert_true(date_epoch(&t) == epoch);
    }
    date leap = date_of_epoch(951782400); /* 2000-02-29, a Tuesday */
    assert_int_equal(2000, leap.year);
    assert_int_equal(2, leap.month);
    assert_int_equal(29, leap.day);
    assert_int_equal(3, leap.weekday);
}

static void test_formats(void **state)
{
    (void)state;
    rtc r;
    rtc_reset(&r, 946684799, 64u << 20); /* 1999-12-31 23:59:59 */
    expect_time(&r, (const uint8_t[]){0x19, 0x99, 0x12, 0x31, 0x23, 0x59, 0x59});
    set(&r, B, 0x06); /* binary */
    assert_int_equal(23, get(&r, 4));
    assert_int_equal(59, get(&r, 0));
    set(&r, B, 0x00); /* 12 hours, BCD */
    assert_int_equal(0x91, get(&r, 4));
    set(&r, B, 0x02);
    rtc_advance(&r, UPDATE_END + SECOND - 1); /* the first second has gone, but the update is under way */
    expect_time(&r, (const uint8_t[]){0x19, 0x99, 0x12, 0x31, 0x23, 0x59, 0x59});
    rtc_advance(&r, UPDATE_END + 2 * SECOND);
    rtc_advance(&r, UPDATE_END + 2 * SECOND);
    expect_time(&r, (const uint8_t[]){0x20, 0x00, 0x01, 0x01, 0x00, 0x00, 0x01});
}

static void test_update_in_progress(void **state)
{
    (void)state;
    rtc r;
    rtc_reset(&r, 0, 1u << 20);
    rtc_advance(&r, SECOND - 9);
    assert_int_equal(0x26, get(&r, A));
    rtc_advance(&r, SECOND - 8); /* 244 us before */
    assert_int_equal(0xa6, get(&r, A));
    rtc_advance(&r, SECOND + UPDATE_END - 1);
    assert_int_equal(0xa6, get(&r, A));
    uint8_t before = get(&r, 0);
    rtc_advance(&r, SECOND + UPDATE_END);
    assert_int_equal(0x26, get(&r, A));
    assert_int_equal(before + 1, get(&r, 0));
}

static void test_set_stops_the_clock(void **state)
{
    (void)state;
    rtc r;
    rtc_reset(&r, 0, 1u << 20);
    set(&r, B, 0x92); /* SET also takes the update interrupt's enable away */
    assert_int_equal(0x82, get(&r, B));
    set(&r, 0, 0x30);
    rtc_advance(&r, 10 * SECOND);
    assert_int_equal(0x30, get(&r, 0));
    set(&r, B, 0x02);
    rtc_advance(&r, 11 * SECOND + UPDATE_END);
    assert_int_equal(0x32, get(&r, 0)); /* those that ended after 10 s and 11 s */
}

static void test_periodic(void **state)
{
    (void)state;
    rtc r;
    rtc_reset(&r, 0, 1u << 20);
    set(&r, B, 0x42);
    assert_int_equal(32, rtc_next(&r)); /* rate 6: 1024 Hz */
    rtc_advance(&r, 31);
    assert_false(rtc_interrupt(&r));
    rtc_advance(&r, 32);
    assert_true(rtc_interrupt(&r));
    assert_int_equal(0xc0, get(&r, C));
    assert_false(rtc_interrupt(&r)); /* the read cleared it */
    assert_int_equal(64, rtc_next(&r));
    set(&r, A, 0x2f); /* 2 Hz */
    assert_int_equal(16384, rtc_next(&r));
    set(&r, A, 0x21); /* 256 Hz */
    assert_int_equal(128, rtc_next(&r));
    set(&r, A, 0x20);
    assert_true(rtc_next(&r) == UINT64_MAX);
}

static void test_update_and_alarm(void **state)
{
    (void)state;
    rtc r;
    rtc_reset(&r, 0, 1u << 20); /* 00:00:00 */
    set(&r, B, 0x12);
    assert_int_equal(SECOND + UPDATE_END, rtc_next(&r));
    rtc_advance(&r, SECOND + UPDATE_END); /* 00:00:01 */
    assert_int_equal(0xd0, get(&r, C));   /* with the flag of the periodic one, which is not enabled */
    set(&r, 1, 0x05);
    set(&r, 3, 0xc0); /* any minute, any hour */
    set(&r, 5, 0xff);
    set(&r, B, 0x22);
    assert_int_equal(5 * SECOND + UPDATE_END, rtc_next(&r)); /* the update to second 5 */
    rtc_advance(&r, 5 * SECOND + UPDATE_END - 1);
    assert_false(rtc_interrupt(&r));
    rtc_advance(&r, 5 * SECOND + UPDATE_END);
    assert_int_equal(0xf0, get(&r, C));
    assert_int_equal((uint64_t)65 * SECOND + UPDATE_END, rtc_next(&r)); /* a minute later */
    set(&r, 1, 0x77);                                                   /* no such second */
    assert_true(rtc_next(&r) == UINT64_MAX);
}

static void test_memory_size(void **state)
{
    (void)state;
    rtc r;
    rtc_reset(&r, 0, 32u << 20);
    assert_int_equal(640, get(&r, 0x15) | get(&r, 0x16) << 8);
    assert_int_equal(31 * 1024, get(&r, 0x30) | get(&r, 0x31) << 8);
    assert_int_equal(16 * 16, get(&r, 0x34) | get(&r, 0x35) << 8);
    assert_int_equal(0x80, get(&r, D));
    set(&r, 0x40, 0x5a);
    assert_int_equal(0x5a, get(&r, 0x40));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_update_in_progress),
        cmocka_unit_test(test_set_stops_the_clock),
        cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_update_and_alarm),
        cmocka_unit_test(test_memory_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
