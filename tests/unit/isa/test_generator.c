/* The generator must refuse a table that is wrong, and say where. Each case takes the real table, changes one
 * line, and runs the tool. */
#include <stdbool.h>
#include <unistd.h>

#include "../changed_table.h"

UNIT_FILE(path, "/tmp/p5-generator-XXXXXX");

static const char table[] = P5_SOURCE_DIR "/src/isa/instructions.tsv";

/* Runs the generator. Returns its exit status, and in `output` what it has printed. */
static int generate(const char *from, const char *result, char output[GENERATOR_OUTPUT_BYTES])
{
    char command[1000];
    snprintf(command, sizeof command, "'%s/instructions_gen' '%s' '%s' 2>&1", P5_BUILD_DIR, from, result);
    return output_of(command, output);
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
    char result[sizeof path + 2], output[GENERATOR_OUTPUT_BYTES], where[64];
    snprintf(result, sizeof result, "%s.c", path);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned line = change_table(path, table, "", cases[i].find, cases[i].replace);
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
}

TEST(test_right_table)
{
    char output[GENERATOR_OUTPUT_BYTES];
    assert_int_equal(generate(table, path, output), 0);
    assert_string_equal(output, "");
}
