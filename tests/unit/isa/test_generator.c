/* The generator must refuse a table that is wrong, and say where. Each case takes the real table, changes one
 * line, and runs the tool. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit.h"

enum { LINE_BYTES = 2048, OUTPUT_BYTES = 4096 };

static const char table[] = P5_SOURCE_DIR "/src/isa/instructions.tsv";

/* Copies the table to `path`; `find` (which must occur) becomes `replace` in the first line that has it.
 * Returns that line's number. */
static unsigned copy_with(const char *path, const char *find, const char *replace)
{
    char line[LINE_BYTES];
    unsigned number = 0, changed = 0;
    FILE *in = fopen(table, "r"), *out = fopen(path, "w");
    assert_non_null(in);
    assert_non_null(out);
    while (fgets(line, sizeof line, in) != NULL) {
        number++;
        char *found = changed == 0 ? strstr(line, find) : NULL;
        if (found == NULL) {
            fputs(line, out);
            continue;
        }
        changed = number;
        fprintf(out, "%.*s%s%s", (int)(found - line), line, replace, found + strlen(find));
    }
    fclose(in);
    fclose(out);
    if (changed == 0)
        fail_msg("the table has no '%s'", find);
    return changed;
}

/* Runs the generator; returns its exit status and what it printed. */
static int generate(const char *path, const char *result, char *output)
{
    char command[3 * LINE_BYTES];
    snprintf(command, sizeof command, "'%s/instructions_gen' '%s' '%s' 2>&1", P5_BUILD_DIR, path, result);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(output, 1, OUTPUT_BYTES - 1, pipe);
    output[length] = '\0';
    while (fgetc(pipe) != EOF)
        continue;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(test_wrong_tables)
{
    static const struct {
        const char *find, *replace, *message;
        bool whole_file; /* the complaint is of the whole, not of the line */
    } cases[] = {
        {"F8\tCLC", "37\tCLC", "opcode 37 is claimed by line", false},
        {"37\tAAA", "# 37\tAAA", "no row for opcode 37", true},
        {"DE D9\tFCOMPP", "# DE D9\tFCOMPP", "no row for opcode DE D9", true},
        {"37\tAAA", "66\tAAA", "66 is a prefix", false},
        {"37\tAAA", "3x\tAAA", "'3x' is not an opcode byte or range", false},
        {"37\tAAA\t-\tp5\t1\t3", "37\tAAA\t-\tp5\t1\t0", "no instruction takes 0 clocks", false},
        {"37\tAAA\t-\tp5\t1\t3", "37\tAAA\t-\tp5\t1\t", "column 'clocks' is empty", false},
        {"37\tAAA\t-\tp5\t1\t3\t-\tnp", "37\tAAA\t-\tp5\t1\t3\t-\tvu",
         "column 'pair': 'vu' is not one of its words", false},
        {"37\tAAA\t-\tp5", "37\tAAA\t-\tp7", "column 'models': 'p7' is not one of its words", false},
        {"37\tAAA\t-\tp5", "37\tAAA\tp5", "24 columns instead of 25", false},
        {"rep:1,6", "rep:1", "rep takes 2 arguments, not 1", false},
        {"rep:1,6", "rap:1,6", "there is no rule 'rap'", false},
        {"two_strings,cmps", "cmps,fnop", "column 'traits': 'fnop' is the second word for the engine", false},
        {"two_strings,cmps", "two_strings,comps", "column 'traits': 'comps' is not one of its words", false},
        {"\tload\t", "\tstore\t", "column 'data': does not fit the unit", false},
    };
    char path[] = "/tmp/p5-generator-XXXXXX";
    unit_file(path, "", 0);
    char result[sizeof path + 2], output[OUTPUT_BYTES], where[LINE_BYTES];
    snprintf(result, sizeof result, "%s.c", path);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned line = copy_with(path, cases[i].find, cases[i].replace);
        int status = generate(path, result, output);
        if (cases[i].whole_file)
            snprintf(where, sizeof where, "%s: ", path);
        else
            snprintf(where, sizeof where, "%s:%u: ", path, line);
        if (status == 0)
            fail_msg("'%s' was accepted", cases[i].replace);
        if (strstr(output, cases[i].message) == NULL || strstr(output, where) == NULL)
            fail_msg("'%s': expected '%s...%s', got: %s", cases[i].replace, where, cases[i].message, output);
        if (access(result, F_OK) == 0)
            fail_msg("'%s': a table was written all the same", cases[i].replace);
    }
    unlink(path);
}

TEST(test_right_table)
{
    char path[] = "/tmp/p5-generator-XXXXXX", output[OUTPUT_BYTES];
    unit_file(path, "", 0);
    assert_int_equal(generate(table, path, output), 0);
    assert_string_equal(output, "");
    unlink(path);
}
