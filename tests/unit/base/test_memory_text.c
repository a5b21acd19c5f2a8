/* Streams that collect a text in memory. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "base/memory_text.h"

TEST(keeps_what_was_written)
{
    memory_text memory;
    assert_true(memory_text_open(&memory));
    fprintf(memory.out, "%d clocks", 3);
    char *text = memory_text_end(&memory);
    assert_string_equal(text, "3 clocks");
    assert_int_equal(memory.size, 8);
    free(text);
}

/* /dev/full stands for memory that is out: closing the stream fails. */
TEST(drops_a_text_that_is_not_complete)
{
    memory_text memory = {.out = fopen("/dev/full", "w"), .text = strdup("te")};
    fputs("text", memory.out);
    assert_null(memory_text_end(&memory));
    assert_null(memory.text);
}

TEST(ends_without_a_stream)
{
    memory_text memory = {0};
    assert_null(memory_text_end(&memory));
}
