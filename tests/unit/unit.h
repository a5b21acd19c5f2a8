/* What all unit tests share: cmocka, and tests that enter themselves in the list of their program. */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h> /* <cmocka.h> needs this and the next three */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Enters a test in the list. */
void unit_add(const char *name, CMUnitTestFunction test);

/* Enters a test that must fail. It runs only for unit_failures. */
void unit_add_failing(const char *name, CMUnitTestFunction test);

/* Runs the tests of FAILING_TEST in a process of their own. Checks that all of them fail and that they print each
 * line of `lines`, which ends with NULL. */
void unit_failures(const char *const *lines);

/* Sets the functions that run before the first test and after the last one. */
void unit_set_fixture(CMFixtureFunction set_up, CMFixtureFunction tear_down);

#define UNIT_TEST(name, add)                                                                                 \
    static void name(void **state);                                                                          \
    __attribute__((constructor)) static void unit_enter_##name(void)                                         \
    {                                                                                                        \
        add(#name, name);                                                                                    \
    }                                                                                                        \
    static void name(__attribute__((unused)) void **state)

/* TEST(name) {...} defines a test. The tests of a file run in the order of their definitions. `state` is cmocka's. */
#define TEST(name)         UNIT_TEST(name, unit_add)
#define FAILING_TEST(name) UNIT_TEST(name, unit_add_failing)

/* UNIT_FIXTURE(set_up, tear_down) stands once in a file whose tests need these functions. */
#define UNIT_FIXTURE(set_up, tear_down)                                                                      \
    __attribute__((constructor)) static void unit_enter_fixture(void)                                        \
    {                                                                                                        \
        unit_set_fixture(set_up, tear_down);                                                                 \
    }                                                                                                        \
    _Static_assert(1, "for the semicolon after UNIT_FIXTURE")

/* A variable that is declared with this is passed to `function`, by its address, at the end of its block. */
#define CLOSED_BY(function) __attribute__((cleanup(function)))

/* UNIT_FILE(path, "/tmp/name-XXXXXX") stands once in a file whose tests need a file. It defines `path`, which names the
 * file while tests run. The X become the rest of the name. */
#define UNIT_FILE(path, pattern)                                                                             \
    static char path[] = pattern;                                                                            \
    __attribute__((constructor)) static void unit_enter_file(void)                                           \
    {                                                                                                        \
        unit_set_file(path);                                                                                 \
    }                                                                                                        \
    _Static_assert(1, "for the semicolon after UNIT_FILE")

void unit_set_file(char *pattern);

/* Writes `text` to the file `path`. */
void unit_write(const char *path, const char *text);

/* Skips the test unless the shell finds all programs whose names stand in `programs`, with blanks in between. */
void unit_needs(const char *programs);

/* Writes a new file of `size` bytes. `path` ends in XXXXXX, which becomes the rest of its name. */
void unit_file(char *path, const void *bytes, size_t size);

/* Returns 31 random bits. The generator is linear congruential: a seed gives the same numbers on every host. */
static inline uint32_t unit_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

#endif
