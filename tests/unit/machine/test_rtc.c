/* The MC146818A by the rules of its data sheet. */
#include <time.h>

#include "../unit.h"
#include "machine/board/rtc.h"

enum { A = 10, B, C, D, SECOND = RTC_HZ, UPDATE_END = 65 };

static rtc started(int64_t epoch)
{
    rtc r;
    rtc_reset(&r, epoch, 1u << 20);
    return r;
}

static uint8_t get(rtc *r, uint8_t cell)
{
    r->index = cell;
    return rtc_read(r, r->seen);
}

static void set(rtc *r, uint8_t cell, uint8_t value)
{
    r->index = cell;
    rtc_write(r, value);
}

static void expect_time(rtc *r, const uint8_t *cells)
{
    static const uint8_t order[7] = {RTC_CENTURY, 9, 8, 7, 4, 2, 0};
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(cells[i], get(r, order[i]));
}

TEST(test_formats)
{
    rtc r = started(946684799); /* 1999-12-31 23:59:59 */
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

TEST(test_update_in_progress)
{
    rtc r = started(0);
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

TEST(test_set_stops_the_clock)
{
    rtc r = started(0);
    set(&r, B, 0x92); /* SET also takes the update interrupt's enable away */
    assert_int_equal(0x82, get(&r, B));
    set(&r, 0, 0x30);
    rtc_advance(&r, 10 * SECOND);
    assert_int_equal(0x30, get(&r, 0));
    set(&r, B, 0x02);
    rtc_advance(&r, 11 * SECOND + UPDATE_END);
    assert_int_equal(0x32, get(&r, 0)); /* those that ended after 10 s and 11 s */
}

/* The data sheet's "divider control": bits 6 and 5 of register A hold the divider in reset, and the first update
 * cycle begins half a second after its end. */
TEST(test_divider_reset)
{
    rtc r = started(0);
    const uint64_t held = SECOND + 10000, released = 5 * SECOND + 20000, first = released + SECOND / 2;
    rtc_advance(&r, held);
    set(&r, A, 0x76);
    set(&r, 0, 0x30);
    set(&r, B, 0x42);
    get(&r, C);
    assert_true(rtc_next(&r) == UINT64_MAX);
    rtc_advance(&r, released);
    assert_int_equal(0x30, get(&r, 0));
    assert_int_equal(0, get(&r, C));
    assert_int_equal(0x76, get(&r, A)); /* no update is in progress */
    set(&r, A, 0x26);
    assert_int_equal(released + 32, rtc_next(&r)); /* the periodic interrupt of 1024 Hz */
    set(&r, B, 0x12);
    assert_int_equal(first + UPDATE_END, rtc_next(&r));
    rtc_advance(&r, first - 9);
    assert_int_equal(0x26, get(&r, A));
    rtc_advance(&r, first - 8);
    assert_int_equal(0xa6, get(&r, A));
    rtc_advance(&r, first + UPDATE_END);
    assert_int_equal(0x31, get(&r, 0));
    rtc_advance(&r, first + UPDATE_END + SECOND - 1);
    assert_int_equal(0x31, get(&r, 0));
    rtc_advance(&r, first + UPDATE_END + SECOND);
    assert_int_equal(0x32, get(&r, 0));
    set(&r, A, 0x26); /* not a reset */
    get(&r, C);
    assert_int_equal(first + UPDATE_END + 2 * SECOND, rtc_next(&r));
}

TEST(test_periodic)
{
    rtc r = started(0);
    set(&r, B, 0x42);
    assert_int_equal(32, rtc_next(&r)); /* rate 6: 1024 Hz */
    rtc_advance(&r, 31);
    assert_false(rtc_interrupt(&r));
    rtc_advance(&r, 32);
    assert_true(rtc_interrupt(&r));
    assert_int_equal(0xc0, get(&r, C));
    assert_false(rtc_interrupt(&r)); /* the read cleared it */
    assert_int_equal(64, rtc_next(&r));
}

TEST(test_update_interrupt)
{
    rtc r = started(0); /* 00:00:00 */
    set(&r, B, 0x12);
    assert_int_equal(SECOND + UPDATE_END, rtc_next(&r));
    rtc_advance(&r, SECOND + UPDATE_END); /* 00:00:01 */
    assert_int_equal(0xd0, get(&r, C));   /* with the flag of the periodic one, which is not enabled */
}

/* Every day of five centuries, each at another second, and its weekday, against the host's calendar. */
TEST(test_calendar)
{
    for (int64_t day = -25000; day < 160000; day++) {
        const int64_t epoch = day * DAY_SECONDS + (day + 25000) * 7919 % DAY_SECONDS;
        const time_t host = (time_t)epoch;
        struct tm t;
        gmtime_r(&host, &t);
        date own = date_of_epoch(epoch);
        if (own.year != t.tm_year + 1900 || own.month != t.tm_mon + 1 || own.day != t.tm_mday ||
            own.weekday != t.tm_wday + 1 || own.hour != t.tm_hour || own.minute != t.tm_min ||
            own.second != t.tm_sec)
            fail_msg("day %lld: %d-%d-%d", (long long)day, own.year, own.month, own.day);
        assert_true(date_epoch(&own) == epoch);
    }
}

/* What is written to the cells of the time is read from them in either format; numbers that no month or weekday has become 1. */
TEST(test_written_time)
{
    static const struct {
        uint8_t b, cell, written, read;
    } rows[] = {{2, 0, 0x59, 0x59}, {2, 2, 0x47, 0x47},    {2, 4, 0x23, 0x23}, {2, 6, 7, 7},
                {2, 6, 1, 1},       {2, 6, 8, 1},          {2, 6, 0, 1},       {2, 7, 0x31, 0x31},
                {2, 8, 0x12, 0x12}, {2, 8, 1, 1},          {2, 8, 0x13, 1},    {2, 8, 0, 1},
                {2, 9, 0x98, 0x98}, {2, 0x32, 0x20, 0x20}, {6, 0, 59, 59},     {6, 4, 23, 23},
                {6, 9, 98, 98},     {0, 4, 0x12, 0x12},    {0, 4, 0x92, 0x92}, {0, 4, 0x01, 0x01},
                {0, 4, 0x81, 0x81}, {0, 4, 0x91, 0x91},    {4, 4, 0x8b, 0x8b}, {4, 4, 12, 12},
                {4, 4, 0x8c, 0x8c}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rtc r = started(946684799);
        set(&r, B, rows[i].b);
        set(&r, rows[i].cell, rows[i].written);
        if (get(&r, rows[i].cell) != rows[i].read)
            fail_msg("row %u: cell %u is %02x", i, rows[i].cell, get(&r, rows[i].cell));
    }
    rtc r; /* hours of both formats are the same hours: 12 is midnight, 12 PM is noon */
    static const uint8_t hours[][2] = {{0x12, 0x00}, {0x01, 0x01}, {0x11, 0x11},
                                       {0x92, 0x12}, {0x81, 0x13}, {0x91, 0x23}};
    for (unsigned i = 0; i < sizeof hours / sizeof hours[0]; i++) {
        r = started(0);
        set(&r, B, 0);
        set(&r, 4, hours[i][0]);
        set(&r, B, 2);
        assert_int_equal(get(&r, 4), hours[i][1]);
    }
}

/* The alarm comes with the update to its time, within a day. */
TEST(test_alarm_times)
{
    static const struct {
        uint8_t b, hour, minute, second;
        int64_t after; /* seconds after 10:20:30; -1: never */
    } rows[] = {{0x22, 0x10, 0x20, 0x31, 1},     {0x22, 0x10, 0x20, 0x30, 86400}, /* not at once */
                {0x22, 0x10, 0x21, 0x00, 30},    {0x22, 0x11, 0x20, 0x30, 3600},
                {0x22, 0x09, 0x59, 0x59, 85169}, {0x22, 0x23, 0x59, 0x59, 49169},
                {0x22, 0xff, 0x10, 0x05, 2975},  {0x22, 0xc0, 0xc0, 0x29, 59},
                {0x22, 0x11, 0xff, 0xff, 2370},  {0x22, 0xbf, 0xff, 0xff, -1},
                {0x26, 11, 20, 30, 3600},        {0x20, 0x81, 0x20, 0x30, 10800}, /* 1 PM */
                {0x22, 0x10, 0x60, 0x00, -1},    {0x22, 0x24, 0x00, 0x00, -1}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rtc r = started(10 * 3600 + 20 * 60 + 30);
        set(&r, A, 0x20);
        set(&r, 1, rows[i].second);
        set(&r, 3, rows[i].minute);
        set(&r, 5, rows[i].hour);
        set(&r, B, rows[i].b);
        const uint64_t next = rtc_next(&r);
        if (rows[i].after < 0 ? next != UINT64_MAX : next != (uint64_t)rows[i].after * SECOND + UPDATE_END)
            fail_msg("row %u: after %lld pulses", i, (long long)next);
        if (rows[i].after < 0)
            continue;
        rtc_advance(&r, next - 1);
        assert_false(rtc_interrupt(&r));
        rtc_advance(&r, next);
        assert_int_equal(get(&r, C), 0xb0); /* the interrupt's, the alarm's and the update's flag */
    }
}

/* Midnight counts the weekday as it was set, and days that the month does not have become those of the next one. */
TEST(test_midnight)
{
    rtc r = started(951782399); /* 2000-02-28 23:59:59 */
    set(&r, 6, 7);
    rtc_advance(&r, SECOND + UPDATE_END);
    expect_time(&r, (const uint8_t[]){0x20, 0x00, 0x02, 0x29, 0x00, 0x00, 0x00});
    assert_int_equal(get(&r, 6), 1);
    set(&r, 7, 0x31); /* of February */
    rtc_advance(&r, 2 * SECOND + UPDATE_END);
    expect_time(&r, (const uint8_t[]){0x20, 0x00, 0x03, 0x02, 0x00, 0x00, 0x01});
    rtc_advance(&r, (uint64_t)3 * 86400 * SECOND + UPDATE_END);
    assert_int_equal(get(&r, 6), 3); /* two midnights later */
}

TEST(test_rates)
{
    static const uint16_t hz[16] = {0, 256, 128, 8192, 4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2};
    for (uint8_t rate = 0; rate < 16; rate++) {
        rtc r = started(0);
        set(&r, A, 0x20 | rate);
        set(&r, B, 0x42);
        assert_true(rtc_next(&r) == (hz[rate] != 0 ? (uint64_t)SECOND / hz[rate] : UINT64_MAX));
    }
}

/* Cells as a BIOS leaves them: drives, equipment, sizes, and the sum of 10h to 2Dh. */
TEST(test_cells)
{
    static const struct {
        uint32_t bytes;
        unsigned extended, high;
        uint8_t types[2], hard_disks;
        uint8_t diskette_cell, disk_cell, equipment; /* 10h, 12h, 14h */
    } sizes[] = {{1u << 20, 0, 0, {0, 0}, 0, 0x00, 0x00, 0x0e},
                 {2u << 20, 1024, 0, {4, 0}, 0, 0x40, 0x00, 0x0f},
                 {16u << 20, 15 * 1024, 0, {4, 2}, 0, 0x42, 0x00, 0x4f},
                 {17u << 20, 16 * 1024, 16, {1, 0}, 1, 0x10, 0xf0, 0x0f},
                 {32u << 20, 31 * 1024, 16 * 16, {0, 0}, 0, 0x00, 0x00, 0x0e},
                 {65u << 20, 0xffff, 49 * 16, {0, 0}, 2, 0x00, 0xff, 0x0e},
                 {3u << 30, 0xffff, 3056 * 16, {0, 0}, 1, 0x00, 0xf0, 0x0e}};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        rtc r;
        unsigned sum = 0;
        rtc_reset(&r, 0, sizes[i].bytes);
        rtc_set_drives(&r, sizes[i].types, sizes[i].hard_disks);
        assert_int_equal(get(&r, 0x10), sizes[i].diskette_cell);
        assert_int_equal(get(&r, 0x12), sizes[i].disk_cell);
        assert_int_equal(get(&r, 0x14), sizes[i].equipment);
        assert_int_equal(get(&r, 0x19), sizes[i].hard_disks > 0 ? 47 : 0);
        assert_int_equal(get(&r, 0x1a), sizes[i].hard_disks > 1 ? 47 : 0);
        assert_int_equal(get(&r, 0x15) | get(&r, 0x16) << 8, 640);
        assert_int_equal(get(&r, 0x17) | get(&r, 0x18) << 8, sizes[i].extended);
        assert_int_equal(get(&r, 0x30) | get(&r, 0x31) << 8, sizes[i].extended);
        assert_int_equal(get(&r, 0x34) | get(&r, 0x35) << 8, sizes[i].high);
        for (uint8_t cell = 0x10; cell < 0x2e; cell++)
            sum += get(&r, cell);
        assert_int_equal(get(&r, 0x2e) << 8 | get(&r, 0x2f), sum);
        for (uint8_t cell = C; cell <= D; cell++) { /* cannot be written */
            set(&r, cell, 0x5a);
            assert_int_equal(get(&r, cell), cell == D ? 0x80 : 0);
        }
        set(&r, A, 0xff);
        assert_int_equal(get(&r, A), 0x7f);
        set(&r, 0x40, 0x5a); /* no clock and no size: what a guest writes stays */
        assert_int_equal(get(&r, 0x40), 0x5a);
    }
}
