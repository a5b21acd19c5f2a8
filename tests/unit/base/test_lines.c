/* Reading lines (base/lines.h): the longest line, longer ones, and a file that cannot be read. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "base/lines.h"

/* The last line, which begins with "last" and may end with a newline, has `length` bytes. */
TEST(a_line_has_at_most_lines_longest_bytes)
{
    for (int i = 0; i < 4; i++) {
        const bool fits = i % 2 == 0, newline = i >= 2;
        const int length = fits ? LINES_LONGEST : LINES_LONGEST + 1;
        p5_error error = {0};
        FILE *file = tmpfile();
        assert_non_null(file);
        fputs("first\n\nlast", file);
        for (int at = (int)strlen("last"); at < length; at++)
            putc(newline && at == length - 1 ? '\n' : 'x', file);
        rewind(file);
        char *line = NULL;
        size_t room = 0;
        assert_int_equal(lines_next(&line, &room, file), 6);
        assert_string_equal(line, "first\n");
        assert_int_equal(lines_next(&line, &room, file), 1);
        assert_int_equal(lines_next(&line, &room, file), fits ? LINES_LONGEST : -1);
        if (fits)
            assert_int_equal(lines_next(&line, &room, file), -1);
        assert_int_equal(lines_end(file, &error), fits ? P5_OK : P5_ERR_FORMAT);
        free(line);
        fclose(file);
    }
}

/* A directory can be opened but not read. */
TEST(a_directory_is_a_read_error)
{
    p5_error error = {0};
    FILE *directory = fopen("/", "r");
    char *line = NULL;
    size_t room = 0;
    assert_non_null(directory);
    assert_int_equal(lines_next(&line, &room, directory), -1);
    assert_int_equal(lines_end(directory, &error), P5_ERR_IO);
    assert_string_equal(error.message, "cannot read the file: Is a directory");
    free(line);
    fclose(directory);
}
