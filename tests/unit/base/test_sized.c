/* Structs that begin with their size (src/base/sized.h): smaller and larger versions of the caller. */
#include <string.h>

#include "../unit.h"
#include "base/sized.h"

/* Three versions of one struct. The library has the second one. */
typedef struct earlier {
    size_t size;
    uint32_t a;
} earlier;
typedef struct current {
    size_t size;
    uint32_t a;
    uint32_t b;
    uint64_t c;
} current;
typedef struct later {
    size_t size;
    uint32_t a;
    uint32_t b;
    uint64_t c, d;
} later;

static p5_status take(current *to, const void *from, p5_error *error)
{
    return sized_copy_in(to, sizeof *to, from, "current", error);
}

TEST(members_that_the_caller_lacks_are_zero)
{
    struct {
        size_t size;
        uint32_t a, after;
    } from = {offsetof(current, b), 5, 6};
    current to;
    memset(&to, 0xff, sizeof to);
    assert_int_equal(take(&to, &from, NULL), P5_OK);
    assert_int_equal(to.size, sizeof to);
    assert_int_equal(to.a, 5);
    assert_int_equal(to.b, 0);
    assert_int_equal(to.c, 0);
}

TEST(unknown_members_must_be_zero)
{
    later from = {.size = sizeof from, .a = 1, .c = 3};
    current to;
    p5_error error = {0};
    assert_int_equal(take(&to, &from, &error), P5_OK);
    assert_int_equal(to.c, 3);
    from.d = UINT64_C(1) << 63;
    assert_int_equal(take(&to, &from, &error), P5_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "current"));
}

TEST(impossible_sizes_are_errors)
{
    static const size_t impossible[] = {0, 1, sizeof(size_t), SIZE_MAX};
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        current from = {.size = impossible[i]}, to;
        assert_int_equal(take(&to, &from, NULL), P5_ERR_STATE);
        assert_int_equal(sized_check(&from, "current", NULL), P5_ERR_STATE);
    }
}

TEST(no_struct_is_all_zero)
{
    current to, zero = {.size = sizeof zero};
    memset(&to, 0xff, sizeof to);
    assert_int_equal(take(&to, NULL, NULL), P5_OK);
    assert_memory_equal(&to, &zero, sizeof to);
}

TEST(results_stay_within_the_callers_size)
{
    const current from = {.size = sizeof from, .a = 1, .b = 2, .c = 3};
    struct {
        earlier result;
        uint64_t after;
    } to = {{.size = offsetof(earlier, a) + sizeof(uint32_t)}, 0x1234};
    sized_copy_out(&to, &from, sizeof from);
    assert_int_equal(to.result.a, 1);
    assert_int_equal(to.after, 0x1234);
    later large = {.size = sizeof large, .d = 7};
    sized_copy_out(&large, &from, sizeof from);
    assert_int_equal(large.size, sizeof large);
    assert_int_equal(large.c, 3);
    assert_int_equal(large.d, 7); /* the library does not know it */
}

TEST(arrays_have_the_callers_stride)
{
    const later from[2] = {{.size = sizeof *from, .a = 1}, {.size = sizeof *from, .a = 2}};
    current to;
    assert_int_equal(take(&to, sized_at(from, 1), NULL), P5_OK);
    assert_int_equal(to.a, 2);
}
