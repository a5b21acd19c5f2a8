/* include/p5scope/cmocka.h: its assertions pass where the counts are right, and say what is wrong where not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "p5scope/cmocka.h"
#include "p5tool/core.h"

/* Counts of nothing, and of 10 instructions in 12 clocks with 3 reads at CPL 3 and 1 at CPL 0. */
static p5_counts before, after;

static void fill(void)
{
    after.clocks[P5_CPL_USER] = 11;
    after.clocks[P5_CPL_KERNEL] = 1;
    after.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER] = 10;
    after.increments[P5_EVENT_DATA_READ][P5_CPL_USER] = 3;
    after.increments[P5_EVENT_DATA_READ][P5_CPL_KERNEL] = 1;
    after.stalls[P5_STALL_AGI][P5_CPL_USER] = 2;
}

static void right(void **state)
{
    (void)state;
    p5_assert_event(&before, &after, P5_EVENT_DATA_READ, 4);
    p5_assert_event_at(&before, &after, P5_AT_USER, P5_EVENT_DATA_READ, 3);
    p5_assert_event_at(&before, &after, P5_AT_SYSTEM, P5_EVENT_DATA_READ, 1);
    p5_assert_event_between(&before, &after, P5_EVENT_DATA_READ, 4, 9);
    p5_assert_event(&after, &after, P5_EVENT_DATA_READ, 0);
    p5_assert_clocks(&before, &after, 12);
    p5_assert_clocks_between(&before, &after, 12, 12);
    p5_assert_stall(&before, &after, P5_STALL_AGI, 2);
}

static void wrong_event(void **state)
{
    (void)state;
    p5_assert_event(&before, &after, P5_EVENT_DATA_READ, 5);
}
static void wrong_level(void **state)
{
    (void)state;
    p5_assert_event_at(&before, &after, P5_AT_USER, P5_EVENT_DATA_READ, 4);
}
static void wrong_clocks(void **state)
{
    (void)state;
    p5_assert_clocks_between(&before, &after, 13, 20);
}
static void wrong_stall(void **state)
{
    (void)state;
    p5_assert_stall(&before, &after, P5_STALL_AGI, 0);
}

/* Runs the program again so that only the failing tests run, and reads what it prints. */
static void says(const char *program, const char *const *lines)
{
    char command[4096], text[16384];
    snprintf(command, sizeof command, "'%s' fail 2>&1", program);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    size_t size = fread(text, 1, sizeof text - 1, out);
    text[size] = '\0';
    assert_int_not_equal(pclose(out), 0);
    for (; *lines != NULL; lines++)
        if (strstr(text, *lines) == NULL)
            fail_msg("expected\n%s\nin\n%s", *lines, text);
}

static char self[2048];

static void failures_are_readable(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "data_read: expected 5, came 4 (CPL 0-2: 1, CPL 3: 3), in 12 clocks and 10 instructions",
        "data_read at CPL 3: expected 4, came 3 (CPL 0-2: 1, CPL 3: 3), in 12 clocks and 10 instructions",
        "clocks: expected 13 to 20, came 12 (CPL 0-2: 1, CPL 3: 11), in 12 clocks and 10 instructions",
        "agi: expected 0, came 2 (CPL 0-2: 0, CPL 3: 2), in 12 clocks and 10 instructions",
        "test_cmocka_header.c:",
        "4 FAILED TEST(S)",
        NULL};
    says(self, lines);
}

int main(int argc, char **argv)
{
    (void)argv;
    fill();
    const struct CMUnitTest failing[] = {cmocka_unit_test(wrong_event), cmocka_unit_test(wrong_level),
                                         cmocka_unit_test(wrong_clocks), cmocka_unit_test(wrong_stall)};
    if (argc > 1)
        return cmocka_run_group_tests(failing, NULL, NULL);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    const struct CMUnitTest tests[] = {cmocka_unit_test(right), cmocka_unit_test(failures_are_readable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
