/* divide.c against the division of a 64-bit host. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

uint64_t __udivmoddi4(uint64_t dividend, uint64_t divisor, uint64_t *remainder);
int64_t __divmoddi4(int64_t dividend, int64_t divisor, int64_t *remainder);

static void compare(uint64_t dividend, uint64_t divisor)
{
    uint64_t rest;
    int64_t signed_rest;
    if (divisor == 0)
        return;
    assert_int_equal(__udivmoddi4(dividend, divisor, &rest), dividend / divisor);
    assert_int_equal(rest, dividend % divisor);
    if (dividend == (uint64_t)INT64_MIN && divisor == UINT64_MAX) /* the one quotient that does not fit */
        return;
    assert_int_equal(__divmoddi4((int64_t)dividend, (int64_t)divisor, &signed_rest),
                     (int64_t)dividend / (int64_t)divisor);
    assert_int_equal(signed_rest, (int64_t)dividend % (int64_t)divisor);
}

/* Values around powers of two, where estimates of a quotient go wrong first. */
static void test_edges(void **state)
{
    (void)state;
    uint64_t edges[64 * 3];
    size_t count = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        for (uint64_t offset = 0; offset < 3; offset++)
            edges[count++] = ((uint64_t)1 << bit) - 1 + offset;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++)
            compare(edges[i], edges[j]);
    }
}

static void test_random(void **state)
{
    (void)state;
    uint64_t x = 1;
    for (int i = 0; i < 1000000; i++) {
        uint64_t pair[2];
        for (int j = 0; j < 2; j++) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            pair[j] = x >> (x >> 58); /* all magnitudes */
        }
        compare(pair[0], pair[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edges), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
