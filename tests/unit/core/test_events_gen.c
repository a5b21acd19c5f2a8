/* The generator of the event tables: what is wrong with a table is found, with file and line. Each test
 * changes one line of the real table and runs the built generator on it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit.h"

typedef struct workspace {
    char folder[64];
    char *table;
} workspace;

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    enum { LARGEST = 1 << 20 };
    char *text = malloc(LARGEST);
    size_t size = fread(text, 1, LARGEST - 1, file);
    fclose(file);
    text[size] = '\0';
    return text;
}

/* Runs the generator on `text`; returns its exit status and its messages. */
static int generate(const workspace *w, const char *text, char **messages)
{
    char path[128];
    snprintf(path, sizeof path, "%s/events.tsv", w->folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    char command[900];
    snprintf(command, sizeof command,
             "cd %s && '%s/events_gen' events.tsv '" P5_SOURCE_DIR
             "/events/stalls.tsv' ids.h table.c 2>messages",
             w->folder, P5_BUILD_DIR);
    int status = system(command);
    snprintf(path, sizeof path, "%s/messages", w->folder);
    *messages = read_all(path);
    return status;
}

/* The table with the first `old` after `row` (the start of a row) replaced by `new`; *line gets the row's
 * number. */
static char *changed(const workspace *w, const char *row, const char *old, const char *new, unsigned *line)
{
    char start[64];
    snprintf(start, sizeof start, "\n%s", row);
    const char *at = strstr(w->table, start);
    assert_non_null(at);
    *line = 1;
    for (const char *c = w->table; c <= at; c++)
        *line += *c == '\n';
    at = strstr(at, old);
    assert_non_null(at);
    size_t before = (size_t)(at - w->table);
    size_t size = strlen(w->table) + strlen(new) + 1;
    char *text = malloc(size);
    snprintf(text, size, "%.*s%s%s", (int)before, w->table, new, at + strlen(old));
    return text;
}

TEST(the_real_table_is_accepted)
{
    const workspace *w = *state;
    char *messages;
    int status = generate(w, w->table, &messages);
    if (status != 0)
        fail_msg("expected success, got status %d: %s", status, messages);
    free(messages);
}

TEST(faults_are_found_with_their_line)
{
    const workspace *w = *state;
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
        unsigned line;
        char *text = changed(w, faults[i].row, faults[i].old, faults[i].new, &line);
        char *messages;
        int status = generate(w, text, &messages);
        /* A code out of order shows at the row after it. */
        if (strstr(faults[i].message, "after") != NULL || strcmp(faults[i].row, "2B\t") == 0)
            line++;
        char place[64];
        snprintf(place, sizeof place, "events.tsv:%u: error: ", line);
        if (status == 0 || strstr(messages, place) == NULL || strstr(messages, faults[i].message) == NULL)
            fail_msg("'%s' instead of '%s': expected '%s... %s', got status %d: %s", faults[i].new,
                     faults[i].old, place, faults[i].message, status, messages);
        free(messages);
        free(text);
    }
}

TEST(an_empty_table_is_found)
{
    char *messages;
    assert_int_not_equal(generate(*state, "", &messages), 0);
    assert_string_equal(messages, "events.tsv: error: the file is empty; its first row names the columns\n");
    free(messages);
}

TEST(a_missing_event_is_found)
{
    const workspace *w = *state;
    char *text = strdup(w->table);
    char *row = strstr(text, "\n3B\t1") + 1;
    char *messages;
    *row = '#';
    assert_int_not_equal(generate(w, text, &messages), 0);
    assert_non_null(strstr(messages, "38 events on both counters and 34 on one, expected 38 and 35"));
    free(messages);
    free(text);
}

static int open_workspace(void **state)
{
    workspace *w = calloc(1, sizeof *w);
    strcpy(w->folder, "/tmp/events-gen-XXXXXX");
    w->table = read_all(P5_SOURCE_DIR "/events/events.tsv");
    *state = w;
    return mkdtemp(w->folder) != NULL && w->table != NULL ? 0 : -1;
}

static int close_workspace(void **state)
{
    workspace *w = *state;
    static const char *const files[] = {"events.tsv", "ids.h", "table.c", "messages"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", w->folder, files[i]);
        remove(path);
    }
    rmdir(w->folder);
    free(w->table);
    free(w);
    return 0;
}

UNIT_FIXTURE(open_workspace, close_workspace);
