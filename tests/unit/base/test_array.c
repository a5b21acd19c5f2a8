/* Searching in arrays that ascend. */
#include "../unit.h"
#include "base/array.h"

typedef struct range {
    char name;
    uint32_t start, end;
} range;

/* Every position among 0 to 9 elements: the search must find what counting finds. */
TEST(search_finds_the_first_that_is_not_less)
{
    static const range ranges[] = {{'a', 10, 20}, {'b', 20, 20}, {'c', 20, 30}, {'d', 31, 40},
                                   {'e', 40, 40}, {'f', 50, 60}, {'g', 60, 61}, {'h', 70, UINT32_MAX}};
    for (size_t count = 0; count <= sizeof ranges / sizeof ranges[0]; count++) {
        for (uint32_t value = 0; value < 80; value++) {
            size_t expected = 0;
            while (expected < count && ranges[expected].end < value)
                expected++;
            assert_int_equal(ARRAY_SEARCH(ranges, count, end, value), expected);
        }
    }
    assert_int_equal(ARRAY_SEARCH(ranges, 8, end, UINT32_MAX), 7);
    assert_int_equal(ARRAY_SEARCH(ranges, 8, end, UINT32_MAX + 1ull), 8); /* after every address */
    assert_int_equal(ARRAY_SEARCH((const range *)NULL, 0, end, 1), 0);
}

TEST(contains_knows_each_number)
{
    static const uint32_t numbers[] = {0, 3, 4, 0x80000000u, UINT32_MAX};
    for (size_t i = 0; i < 5; i++) {
        assert_true(array_contains(numbers, 5, numbers[i]));
        assert_false(array_contains(numbers, i, numbers[i]));
    }
    assert_false(array_contains(numbers, 5, 1));
    assert_false(array_contains(numbers, 5, 0x7fffffffu));
    assert_false(array_contains(NULL, 0, 0));
}
