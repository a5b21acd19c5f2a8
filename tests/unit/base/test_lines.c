/* Lines: the longest that is taken, one byte more, and a file that cannot be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/lines.h"

static void they_have_a_longest(void **state)
{
    (void)state;
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

static void a_folder_has_none(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_have_a_longest),
                                       cmocka_unit_test(a_folder_has_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
