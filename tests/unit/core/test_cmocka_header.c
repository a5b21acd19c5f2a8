/* include/p5scope/cmocka.h: its assertions pass where the counts are right, and say what is wrong where not.
 */

#include "../unit.h"
#include "p5scope/cmocka.h"
#include "p5tool/core.h"

/* 10 instructions in 12 clocks with 3 reads at CPL 3 and 1 at CPL 0. */
static const p5_counts before;
static const p5_counts after = {
    .clocks = {[P5_CPL_USER] = 11, [P5_CPL_KERNEL] = 1},
    .increments = {[P5_EVENT_INSTRUCTIONS_EXECUTED] = {[P5_CPL_USER] = 10},
                   [P5_EVENT_DATA_READ] = {[P5_CPL_USER] = 3, [P5_CPL_KERNEL] = 1}},
    .stalls = {[P5_STALL_AGI] = {[P5_CPL_USER] = 2}},
};

TEST(right)
{
    p5_assert_event(&before, &after, P5_EVENT_DATA_READ, 4);
    p5_assert_event_at(&before, &after, P5_AT_USER, P5_EVENT_DATA_READ, 3);
    p5_assert_event_at(&before, &after, P5_AT_SYSTEM, P5_EVENT_DATA_READ, 1);
    p5_assert_event_between(&before, &after, P5_EVENT_DATA_READ, 4, 9);
    p5_assert_event(&after, &after, P5_EVENT_DATA_READ, 0);
    p5_assert_clocks(&before, &after, 12);
    p5_assert_clocks_between(&before, &after, 12, 12);
    p5_assert_stall(&before, &after, P5_STALL_AGI, 2);
}

FAILING_TEST(wrong_event)
{
    p5_assert_event(&before, &after, P5_EVENT_DATA_READ, 5);
}
FAILING_TEST(wrong_level)
{
    p5_assert_event_at(&before, &after, P5_AT_USER, P5_EVENT_DATA_READ, 4);
}
FAILING_TEST(wrong_clocks)
{
    p5_assert_clocks_between(&before, &after, 13, 20);
}
FAILING_TEST(wrong_stall)
{
    p5_assert_stall(&before, &after, P5_STALL_AGI, 0);
}

TEST(failures_are_readable)
{
    static const char *const lines[] = {
        "data_read: expected 5, came 4 (CPL 0-2: 1, CPL 3: 3), in 12 clocks and 10 instructions",
        "data_read at CPL 3: expected 4, came 3 (CPL 0-2: 1, CPL 3: 3), in 12 clocks and 10 instructions",
        "clocks: expected 13 to 20, came 12 (CPL 0-2: 1, CPL 3: 11), in 12 clocks and 10 instructions",
        "agi: expected 0, came 2 (CPL 0-2: 0, CPL 3: 2), in 12 clocks and 10 instructions",
        "test_cmocka_header.c:",
        NULL};
    unit_failures(lines);
}
