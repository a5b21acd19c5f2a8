/* The generator of the event tables: what is wrong with a table is found, with file and line. Each test
 * changes one line of the real table and runs the built generator on it. */
#include "../changed_table.h"

UNIT_FILE(path, "/tmp/events-gen-XXXXXX.tsv");

static const char table[] = P5_SOURCE_DIR "/events/events.tsv";

/* Runs the generator on the table at `from`. Returns its exit status, and in `output` its messages. */
static int generate(const char *from, char output[GENERATOR_OUTPUT_BYTES])
{
    char command[1000];
    snprintf(command, sizeof command,
             "'%s/events_gen' '%s' '" P5_SOURCE_DIR "/events/stalls.tsv' '%s.h' '%s.c' 2>&1; status=$?; "
             "rm -f '%s.h' '%s.c'; exit $status",
             P5_BUILD_DIR, from, path, path, path, path);
    return output_of(command, output);
}

TEST(the_real_table_is_accepted)
{
    char output[GENERATOR_OUTPUT_BYTES];
    if (generate(table, output) != 0)
        fail_msg("%s", output);
}

TEST(faults_are_found_with_their_line)
{
    static const struct {
        const char *row, *old, *new, *message;
    } faults[] = {
        {"01\t", "data_write", "data_read", "'data_read' is already a name of the event in line"},
        {"01\t", "\t-\t", "\tData-Read\t", "'Data-Read' is already a name of the event in line"},
        {"01\t", "\t-\t", "\tp5-data-read\t", "'p5-data-read' is already a name of the event in line"},
        {"01\t", "\t-\t", "\tDATA_WRITE\t", "'DATA_WRITE' is already a name of the event in line"},
        {"01\t", "data_write", "Data_write", "'Data_write' is not of the form"},
        {"01\t", "data_write", "1data", "'1data' is not of the form"},
        {"01\t", "data_write", "data-write", "'data-write' is not of the form"},
        {"01\t", "01", "00", "code 00 is already taken on this counter"},
        {"01\t", "01", "41", "code '41'"},
        {"01\t", "01", "1", "code '1'"},
        {"01\t", "01", "3F", "code 02 after 3F"},
        {"01\t", "0 1", "1 0", "counters '1 0'"},
        {"2B\t", "0", "0 1", "code 2B is already taken"},
        {"01\t", "occurrence", "sometimes", "kind 'sometimes'"},
        {"01\t", "p54c p55c", "p6", "families 'p6'"},
        {"01\t", "\t2\t", "\t3\t", "max '3'"},
        {"01\t", "\tcache\t", "\tcaches\t", "group 'caches'"},
        {"01\t", "\tmemory\t", "\tmemories\t", "unit 'memories'"},
        {"01\t", "; per instruction; 3", "; per instruction", "not of the form 'formula; unit; decimals'"},
        {"01\t", "\texact\t", "\texactly\t", "grade 'exactly'"},
        {"01\t", "\tcache\t", "\tcache\t\t", "more than 15 columns"},
        {"01\t", "\tcache\t", "\tcache ", "14 columns"},
        {"01\t", "Data Write", "-", "must not be empty"},
        {"10\t", "reserved", "occurrence", "name '-'"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char output[GENERATOR_OUTPUT_BYTES], place[64];
        unsigned line = change_table(path, table, faults[i].row, faults[i].old, faults[i].new);
        /* A code out of order shows at the row after it. */
        if (strstr(faults[i].message, "after") != NULL || strcmp(faults[i].row, "2B\t") == 0)
            line++;
        snprintf(place, sizeof place, "%s:%u: error: ", path, line);
        const int status = generate(path, output);
        if (status == 0 || strstr(output, place) == NULL || strstr(output, faults[i].message) == NULL)
            fail_msg("'%s' instead of '%s': expected '%s... %s', got status %d: %s", faults[i].new,
                     faults[i].old, place, faults[i].message, status, output);
    }
}

TEST(an_empty_table_is_found)
{
    char output[GENERATOR_OUTPUT_BYTES];
    unit_write(path, "");
    assert_int_not_equal(generate(path, output), 0);
    assert_string_equal(output + strlen(path),
                        ": error: the file is empty; its first row names the columns\n");
}

TEST(a_missing_event_is_found)
{
    char output[GENERATOR_OUTPUT_BYTES];
    change_table(path, table, "3B\t1", "3B", "#3B");
    assert_int_not_equal(generate(path, output), 0);
    assert_non_null(strstr(output, "38 events on both counters and 34 on one, expected 38 and 35"));
}
