/* Streams that collect a text in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory_text.h"

static void keeps_what_was_written(void **state)
{
    (void)state;
    memory_text memory;
    assert_true(memory_text_open(&memory));
    fprintf(memory.out, "%d clocks", 3);
    char *text = memory_text_end(&memory);
    assert_string_equal(text, "3 clocks");
    assert_int_equal(memory.size, 8);
    free(text);
}

/* /dev/full stands for memory that is out: closing the stream fails. */
static void drops_a_text_that_is_not_complete(void **state)
{
    (void)state;
    memory_text memory = {.out = fopen("/dev/full", "w"), .text = strdup("te")};
    fputs("text", memory.out);
    assert_null(memory_text_end(&memory));
    assert_null(memory.text);
}

static void ends_without_a_stream(void **state)
{
    (void)state;
    memory_text memory = {0};
    assert_null(memory_text_end(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_what_was_written),
                                       cmocka_unit_test(drops_a_text_that_is_not_complete),
                                       cmocka_unit_test(ends_without_a_stream)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
