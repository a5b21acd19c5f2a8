/* The parts of a value change dump: time lines, changes of the bus. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/trace/vcd_bus.h"
#include "report/trace/vcd_time.h"

/* xorshift64: the same numbers on every host. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static vcd_digits digits;

/* A time is written once, as its decimal digits without leading zeros, also where a digit is added. */
static void times_are_decimal(void **state)
{
    (void)state;
    vcd_digits_make(&digits);
    vcd_time time = {.digits = &digits};
    uint64_t random = 88172645463325252u, clock = 0;
    static const uint64_t jumps[] = {1, 8,     1, 89, 1,     899,       1,        8999,
                                     1, 89999, 1, 3,  10000, 123456789, 1u << 31, UINT64_C(1) << 50};
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t more =
            i < sizeof jumps / sizeof *jumps ? jumps[i] : next_random(&random) % (i % 100 ? 50 : 30000);
        char text[VCD_TIME_BYTES], expected[VCD_TIME_BYTES];
        memset(text, '?', sizeof text);
        char *end = vcd_time_put(&time, text, clock + more);
        assert_in_range((uintptr_t)end, (uintptr_t)text, (uintptr_t)(text + sizeof text - 1));
        *end = '\0';
        snprintf(expected, sizeof expected, "#%" PRIu64 "\n", clock + more);
        assert_string_equal(text, more != 0 ? expected : "");
        clock += more;
    }
    char text[VCD_TIME_BYTES];
    assert_ptr_equal(vcd_time_put(&time, text, clock - 5), text); /* it has been reached already */
    time = (vcd_time){.digits = &digits};
    *vcd_time_put(&time, text, UINT64_MAX) = '\0';
    assert_string_equal(text, "#18446744073709551615\n");
}

/* Both ends of a span are written as times are one by one, as long as both fit into the room of one. */
static void spans(void **state)
{
    (void)state;
    vcd_digits_make(&digits);
    vcd_time plain = {.digits = &digits};
    uint64_t random = 521288629, clock = VCD_TIME_LOW - 10;
    unsigned fit = 0;
    for (unsigned i = 0; i < 200000; i++) {
        clock += 1 + next_random(&random) % (i % 1000 ? 900 : i < 100000 ? 100000000 : UINT64_C(1) << 56);
        char text[2 * VCD_TIME_BYTES], expected[2 * VCD_TIME_BYTES];
        char *at = stpcpy(vcd_time_put(&plain, expected, clock), "1&\n");
        uint64_t until = clock + 1 + next_random(&random) % 50;
        vcd_span span;
        bool near = until < plain.end, fits = vcd_span_make(&span, &plain, "\n1&\n", "\n0&\n");
        assert_int_equal(fits, plain.end <= 100000000000); /* "#", 11 digits, "\n1&\n": twice is 32 */
        vcd_time before = plain;
        strcpy(vcd_time_put(&plain, at, until), "0&\n");
        if (near && fits) {
            *vcd_span_put(&span, &before, text, clock, until) = '\0';
            assert_string_equal(text, expected);
            fit++;
        }
        clock = until;
    }
    assert_in_range(fit, 90000, 110000);
}

/* One use. */
static void use(vcd_bus *bus, uint64_t from, uint64_t to, bool own)
{
    const p5_bus_use noted = {from, own ? to : to | P5_BUS_OTHER};
    assert_true(vcd_bus_add(bus, &noted, 1));
}

static void expect(vcd_bus *bus, uint64_t limit, uint64_t clock, bool busy, bool other)
{
    vcd_levels levels = {0};
    assert_true(vcd_bus_take(bus, limit, &levels));
    assert_int_equal(levels.clock, clock);
    assert_int_equal(levels.busy, busy);
    assert_int_equal(levels.other, other);
}

/* The bus stays busy from one use to the next if there is no clock between them. */
static void uses_that_touch(void **state)
{
    (void)state;
    vcd_bus bus;
    vcd_levels levels;
    vcd_bus_init(&bus, 4);
    use(&bus, 10, 20, true);
    use(&bus, 20, 26, false);
    use(&bus, 26, 30, true);
    use(&bus, 32, 34, true);
    expect(&bus, 100, 10, true, false);
    assert_false(vcd_bus_take(&bus, 20, &levels));
    expect(&bus, 21, 20, true, true);
    expect(&bus, 100, 26, true, false);
    expect(&bus, 100, 30, false, false);
    expect(&bus, 100, 32, true, false);
    expect(&bus, 100, 34, false, false);
    assert_false(vcd_bus_take(&bus, UINT64_MAX, &levels));
    vcd_bus_free(&bus);
}

/* Bus clock n begins at half core clock n * half_ratio, and is high for its first half: with 2.5 core clocks
 * in one of the bus, edges at 0, 1.25, 2.5, 3.75, 5 ... are seen at the next core clock. */
static void bus_clock_edges(void **state)
{
    (void)state;
    static const unsigned expected[] = {0, 2, 3, 4, 5, 7, 8, 9, 10};
    vcd_bus bus;
    vcd_bus_init(&bus, 5);
    vcd_bus_clock_start(&bus, 0);
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        vcd_levels levels = {0};
        assert_true(vcd_bus_take(&bus, 11, &levels));
        assert_int_equal(levels.clock, expected[i]);
        assert_int_equal(levels.bus_clock, i % 2 == 0);
    }
    vcd_bus_clock_stop(&bus);
    vcd_levels levels;
    assert_false(vcd_bus_take(&bus, UINT64_MAX, &levels));
    vcd_bus_free(&bus);
}

/* Whether the short way is taken or not, the same times are busy, whatever the limits are. */
static void short_way(void **state)
{
    (void)state;
    enum { USES = 20000 };
    vcd_bus slow, fast;
    vcd_bus_init(&slow, 4);
    vcd_bus_init(&fast, 4);
    uint64_t random = 362436069, clock = 100, limit = 0;
    unsigned whole = 0, single = 0;
    vcd_levels a = {0}, b = {0};
    for (unsigned i = 0; i < USES; i++) {
        uint64_t from = clock + next_random(&random) % 3 * 5, to = from + 1 + next_random(&random) % 20;
        bool own = next_random(&random) % 16 != 0;
        use(&slow, from, to, own);
        use(&fast, from, to, own);
        clock = to;
        if (next_random(&random) % 8 != 0)
            continue;
        limit += next_random(&random) % (clock - limit); /* what comes next begins behind it */
        for (;;) {
            uint64_t up, down;
            vcd_uses uses = vcd_bus_uses(&fast, limit, 1);
            if (vcd_uses_take(&uses, &up, &down)) {
                fast.next = uses.next;
                do
                    assert_true(vcd_bus_take(&slow, limit, &a));
                while (!a.busy);
                assert_int_equal(a.clock, up);
                do
                    assert_true(vcd_bus_take(&slow, limit, &a));
                while (a.busy);
                assert_int_equal(a.clock, down);
                b = a;
                whole++;
                continue;
            }
            bool more = vcd_bus_take(&fast, limit, &b);
            assert_int_equal(vcd_bus_take(&slow, limit, &a), more);
            if (!more)
                break;
            assert_memory_equal(&a, &b, sizeof a);
            single++;
        }
    }
    assert_true(whole > USES / 10 && single > USES / 10);
    vcd_bus_free(&slow);
    vcd_bus_free(&fast);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_decimal), cmocka_unit_test(spans),     cmocka_unit_test(uses_that_touch),
        cmocka_unit_test(bus_clock_edges),   cmocka_unit_test(short_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
