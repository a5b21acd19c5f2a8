/* Runs the tests that a program's source defines with TEST, or, with an argument, those of FAILING_TEST. */
#include "unit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct test_list {
    struct CMUnitTest tests[64];
    size_t count;
} test_list;

static test_list expected_to_pass, expected_to_fail;
static CMFixtureFunction set_up, tear_down;
static char *temporary; /* of UNIT_FILE */

static void append(test_list *list, const char *name, CMUnitTestFunction test)
{
    assert(list->count < sizeof list->tests / sizeof list->tests[0]);
    list->tests[list->count++] = (struct CMUnitTest){.name = name, .test_func = test};
}

void unit_add(const char *name, CMUnitTestFunction test)
{
    append(&expected_to_pass, name, test);
}

void unit_add_failing(const char *name, CMUnitTestFunction test)
{
    append(&expected_to_fail, name, test);
}

void unit_set_fixture(CMFixtureFunction before_all, CMFixtureFunction after_all)
{
    set_up = before_all;
    tear_down = after_all;
}

void unit_set_file(char *pattern)
{
    temporary = pattern;
}

void unit_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

void unit_needs(const char *programs)
{
    char command[100];
    snprintf(command, sizeof command, "for i in %s; do command -v $i || exit; done >/dev/null 2>&1",
             programs);
    if (system(command) != 0) {
        print_message("%s: not all installed, skipped\n", programs);
        skip();
    }
}

void unit_file(char *path, const void *bytes, size_t size)
{
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, bytes, size), size);
    assert_int_equal(close(file), 0);
}

void unit_failures(const char *const *lines)
{
    char self[2048], command[2100], text[16384], count[32];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    snprintf(command, sizeof command, "'%s' fail 2>&1", self);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    assert_int_not_equal(pclose(out), 0);
    for (; *lines != NULL; lines++)
        if (strstr(text, *lines) == NULL)
            fail_msg("expected\n%s\nin\n%s", *lines, text);
    snprintf(count, sizeof count, "%zu FAILED TEST(S)", expected_to_fail.count);
    if (strstr(text, count) == NULL)
        fail_msg("expected\n%s\nin\n%s", count, text);
}

int main(int argc, char **argv)
{
    const test_list *list = argc > 1 ? &expected_to_fail : &expected_to_pass;
    if (list->count == 0) {
        fprintf(stderr, "%s: has no tests\n", argv[0]);
        return EXIT_FAILURE;
    }
    if (temporary != NULL) {
        const int file = mkstemps(temporary, (int)strlen(strstr(temporary, "XXXXXX") + 6));
        if (file < 0 || close(file) != 0) {
            perror(temporary);
            return EXIT_FAILURE;
        }
    }
    const int status = _cmocka_run_group_tests(argv[0], list->tests, list->count, set_up, tear_down);
    if (temporary != NULL)
        unlink(temporary);
    return status;
}
