/* Lines: the longest that is taken, one byte more, and a file that cannot be read. */
#include <stdlib.h>

#include "../unit.h"
#include "base/lines.h"

TEST(they_have_a_longest)
{
    for (int more = 0; more < 2; more++) {
        p5_error error = {0};
        FILE *file = tmpfile();
        assert_non_null(file);
        fputs("first\n\nlast", file);
        for (int i = 4; i < LINES_LONGEST + more; i++)
            putc('x', file);
        rewind(file);
        char *line = NULL;
        size_t room = 0;
        assert_int_equal(lines_next(&line, &room, file), 6);
        assert_string_equal(line, "first\n");
        assert_int_equal(lines_next(&line, &room, file), 1);
        assert_int_equal(lines_next(&line, &room, file), more ? -1 : LINES_LONGEST);
        if (!more)
            assert_int_equal(lines_next(&line, &room, file), -1);
        assert_int_equal(lines_end(file, &error), more ? P5_ERR_FORMAT : P5_OK);
        free(line);
        fclose(file);
    }
}

TEST(a_folder_has_none)
{
    p5_error error = {0};
    FILE *folder = fopen("/", "r");
    char *line = NULL;
    size_t room = 0;
    assert_non_null(folder);
    assert_int_equal(lines_next(&line, &room, folder), -1);
    assert_int_equal(lines_end(folder, &error), P5_ERR_IO);
    assert_string_equal(error.message, "cannot read the file: Is a directory");
    free(line);
    fclose(folder);
}
