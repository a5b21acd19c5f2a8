/* Numbers as text: what the C library writes, digit by digit. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../unit.h"
#include "base/text.h"

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void same_fixed(double value, unsigned decimals)
{
    char expected[400], got[400];
    snprintf(expected, sizeof expected, "%.*f", (int)decimals, value);
    text_fixed(value, decimals, got, sizeof got);
    if (strcmp(expected, got) != 0)
        fail_msg("%a with %u decimals: expected %s, got %s", value, decimals, expected, got);
}

TEST(fixed_numbers_are_printfs)
{
    static const double values[] = {0,
                                    -0.0,
                                    0.5,
                                    1.5,
                                    2.5,
                                    0.125,
                                    0.375,
                                    0.0625,
                                    1e-3,
                                    5e-4,
                                    -1.25,
                                    9.995,
                                    9.9995,
                                    99.95,
                                    999.5,
                                    0x1p-64,
                                    1e-70,
                                    0x1p-65,
                                    0x1p52,
                                    0x1p52 - 1,
                                    0x1p63,
                                    1e15,
                                    1e22,
                                    1e300,
                                    1e-9,
                                    4.5e-9,
                                    0x1p-10,
                                    5e-324,
                                    (double)INFINITY,
                                    -(double)INFINITY,
                                    0.3,
                                    123456789.987654321};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        for (unsigned decimals = 0; decimals < 12; decimals++)
            same_fixed(values[i], decimals);
    uint64_t random = 1;
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t bits = next_random(&random);
        double any, half = (double)(bits % 100000) / 2048; /* often in the middle between two */
        memcpy(&any, &bits, sizeof any);
        same_fixed(any, i % 10);
        same_fixed(half, i % 10);
        same_fixed((double)(bits >> 40) / (double)(1 + (bits & 0xfffff)), i % 10); /* a rate */
    }
}

TEST(fixed_numbers_are_cut_off)
{
    char got[8];
    assert_string_equal(text_fixed(1234.5678, 4, got, sizeof got), "1234.56");
}

TEST(whole_numbers)
{
    static const struct {
        uint64_t value;
        const char *plain, *grouped;
    } cases[] = {{0, "0", "0"},
                 {9, "9", "9"},
                 {10, "10", "10"},
                 {100, "100", "100"},
                 {999, "999", "999"},
                 {1000, "1000", "1,000"},
                 {12345, "12345", "12,345"},
                 {1234567, "1234567", "1,234,567"},
                 {UINT64_MAX, "18446744073709551615", "18,446,744,073,709,551,615"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char plain[TEXT_UNSIGNED_BYTES + 1], grouped[27];
        *text_put_unsigned(plain, cases[i].value) = '\0';
        assert_string_equal(plain, cases[i].plain);
        assert_string_equal(text_grouped(cases[i].value, grouped, sizeof grouped), cases[i].grouped);
    }
    uint64_t random = 1;
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t value = next_random(&random) >> i % 64;
        char expected[32], got[32];
        snprintf(expected, sizeof expected, "%" PRIu64, value);
        *text_put_unsigned(got, value) = '\0';
        assert_string_equal(got, expected);
    }
}
