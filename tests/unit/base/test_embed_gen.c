/* The generator of embedded files writes texts and names as C strings. It says what is wrong with its input or its output, and
 * then leaves no output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit.h"

/* Runs shell commands, in which $gen is the generator, in a new folder. Their output must contain `expected`. */
static void expect(const char *commands, const char *expected)
{
    char folder[] = "/tmp/p5scope-embed-XXXXXX", line[1024], output[1024];
    assert_non_null(mkdtemp(folder));
    snprintf(line, sizeof line, "exec 2>&1; cd %s; gen='%s/embed_gen'; %s", folder, P5_BUILD_DIR, commands);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    pclose(pipe);
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
    if (strstr(output, expected) == NULL)
        fail_msg("'%s' wrote '%s', expected '%s'", commands, output, expected);
}

TEST(test_input)
{
    expect("echo text >in; $gen out.c files in && grep -c text out.c", "1\n");
    expect("$gen out.c files in; ls", "in: No such file or directory\n");
    expect("mkdir in; $gen out.c files in; ls", "in: Is a directory\nin\n");
    expect("printf 'a\\0' >in; $gen out.c files in; ls", "in: not a text file: byte 1 is 0\nin\n");
}

/* In a C string a quote and a backslash have a backslash before them, and so has ?, two of which could begin a trigraph. */
TEST(test_strings)
{
    expect("printf 'a\"\\\\?\?/' >'q\".txt'; $gen out.c files 'q\".txt'; grep '^ *\"a' out.c",
           "\"a\\\"\\\\\\?\\?/\",\n");
    expect("echo >'q\".txt'; $gen out.c files 'q\".txt'; grep '^ *{\"' out.c", "{\"q\\\"\",\n");
}

TEST(test_output)
{
    expect("echo text >in; $gen none/out.c files in", "none/out.c: No such file or directory\n");
    expect("echo text >in; trap '' XFSZ; ulimit -f 0; $gen out.c files in; ls",
           "out.c: File too large\nin\n");
}
