/* Formulas and metric groups. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "report/stat/metric.h"

static p5_counts counts;
static const metric_source of_counts = {&counts, 1, P5_CPL_MASK_ALL, 100};

static double value_of(const char *text)
{
    metric_formula *f;
    p5_error error = {0};
    if (metric_formula_parse(text, &f, &error) != P5_OK)
        fail_msg("'%s': expected success, got '%s' at column %u", text, error.message, error.column);
    double value = metric_evaluate(f, &of_counts);
    metric_formula_close(f);
    return value;
}

TEST(whole_numbers)
{
    static const char *const whole[] = {"data_read", "data_read:uc - 2*data_read_miss", "-clocks",
                                        "1.5k*stall_agi", "bus_read_bytes + bus_written_bytes"};
    static const char *const fractions[] = {"data_read/2", "CPI", "seconds", "0.5*data_read",
                                            "100*seconds*clocks"};
    for (size_t i = 0; i < 2 * sizeof whole / sizeof whole[0]; i++) {
        const char *text = i % 2 == 0 ? whole[i / 2] : fractions[i / 2];
        metric_formula *f;
        if (metric_formula_parse(text, &f, NULL) != P5_OK || metric_formula_whole(f) != (i % 2 == 0))
            fail_msg("%s", text);
        metric_formula_close(f);
    }
}

TEST(arithmetic)
{
    memset(&counts, 0, sizeof counts);
    counts.increments[P5_EVENT_DATA_READ][P5_CPL_KERNEL] = 300;
    counts.increments[P5_EVENT_DATA_READ][P5_CPL_USER] = 100;
    counts.asserted[P5_EVENT_DATA_READ][P5_CPL_USER] = 90;
    counts.increments[P5_EVENT_DATA_READ_MISS][P5_CPL_USER] = 30;
    counts.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER] = 500;
    counts.increments[P5_EVENT_MMX_INSTRUCTIONS_EXECUTED_V_PIPE][P5_CPL_KERNEL] = 7;
    counts.clocks[P5_CPL_KERNEL] = 300;
    counts.clocks[P5_CPL_USER] = 700;
    counts.stalls[P5_STALL_AGI][P5_CPL_USER] = 12;
    counts.bus_bytes[1][P5_CPL_USER] = 64;
    static const struct {
        const char *text;
        double expected;
    } rows[] = {
        {"1", 1},
        {"2+3*4", 14},
        {"1.001k", 1001},
        {"0.067G", 67000000},
        {"(2+3)*4", 20},
        {"20-5-4", 11}, /* from the left */
        {"100/5/4", 5},
        {"2*-3", -6},
        {"--2", 2},
        {"-(1+1)*3", -6},
        {"1.5e2 + .5", 150.5},
        {"data_read", 400},
        {"100*data_read_miss/data_read", 7.5},
        {" 100 * DATA_READ_MISS / DATA_READ ", 7.5},
        {"data_read-data_read_miss", 370},
        {"clocks/data_read", 2.5},
        {"stall_agi/clocks", 0.012},
        {"r2b.1", 7},
        {"clocks/(1000000*seconds)", 100},
        {"bus_read_bytes + bus_written_bytes", 64},
        /* modifiers are those of event selections */
        {"data_read:u", 100},
        {"data_read:uc", 90},
        {"data_read:k/clocks:k", 1},
        {"stall_agi:k", 0},
        /* any spelling of an event, also with signs that are operators elsewhere */
        {"data-read-data-read-miss", 370},
        {"data read miss", 30},
        {"clocks-data-read", 600},
        {"CPI", 2},
        {"2*ipc+1", 2},
        {"cpi:u", 1.4},
        {"+2", 2},
        {"1.2k", 1200},
        {"3M/1.5M+1G", 1e9 + 2},
        {"0x10", 16},
        {"((((((((((1))))))))))", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (fabs(value_of(rows[i].text) - rows[i].expected) > 1e-12)
            fail_msg("'%s': expected %.15g, got %.15g", rows[i].text, rows[i].expected,
                     value_of(rows[i].text));
}

TEST(division_by_zero_is_not_a_number)
{
    memset(&counts, 0, sizeof counts);
    counts.clocks[P5_CPL_USER] = 5;
    static const char *const texts[] = {"0/0", "clocks/data_read", "1 + clocks/data_read", "-1/0",
                                        "1/(clocks-5)"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char buffer[32];
        assert_true(isnan(value_of(texts[i])));
        assert_string_equal(metric_text(value_of(texts[i]), 2, buffer, sizeof buffer), "-");
    }
    char buffer[32];
    assert_string_equal(metric_text(value_of("data_read/clocks"), 2, buffer, sizeof buffer), "0.00");
    assert_string_equal(metric_text(-1234.5678, 1, buffer, sizeof buffer), "-1234.6");
}

TEST(faults_have_a_column)
{
    static const struct {
        const char *text;
        p5_status status;
        unsigned column;
        const char *message;
    } rows[] = {
        {"", P5_ERR_SYNTAX, 1, "expected a number"},
        {"1+", P5_ERR_SYNTAX, 3, "expected a number"},
        {"1 + * 2", P5_ERR_SYNTAX, 5, "expected a number"},
        {"(1+2", P5_ERR_SYNTAX, 5, "')'"},
        {"1+2)", P5_ERR_SYNTAX, 4, "end of the formula"},
        {"1 2", P5_ERR_SYNTAX, 3, "end of the formula"},
        {"2clocks", P5_ERR_SYNTAX, 2, "operator"},
        {"clocks/data_raed", P5_ERR_NAME, 8, "data_raed"},
        {"clocks^2", P5_ERR_SYNTAX, 7, "end of the formula"},
        {"r2b", P5_ERR_NAME, 1, "counter 0 and another"},
        {"1e999", P5_ERR_RANGE, 1, "too large"},
        {"()", P5_ERR_SYNTAX, 2, "expected a number"},
        {"3kx", P5_ERR_SYNTAX, 3, "operator"},
        {"1+clocks:", P5_ERR_SYNTAX, 10, "modifier is missing"},
        {"1+clocks:x", P5_ERR_SYNTAX, 10, "a modifier is u"},
        {"seconds:c", P5_ERR_SYNTAX, 1, "for events only"},
        {"clocks:c", P5_ERR_SYNTAX, 1, "for events only"},
        {"1+CPI:c", P5_ERR_SYNTAX, 3, "for events only"},
        {"cpi-x", P5_ERR_NAME, 5, "'x'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        metric_formula *f;
        p5_error error;
        p5_status status = metric_formula_parse(rows[i].text, &f, &error);
        if (status != rows[i].status || error.column != rows[i].column ||
            strstr(error.message, rows[i].message) == NULL)
            fail_msg("'%s': expected status %d column %u '%s', got %d column %u '%s'", rows[i].text,
                     rows[i].status, rows[i].column, rows[i].message, status, error.column, error.message);
        assert_null(f);
        assert_int_equal(metric_formula_parse(rows[i].text, &f, NULL), rows[i].status);
    }
}

TEST(deep_nesting_is_refused)
{
    static char text[200001];
    static const char *const bricks[] = {"(", "-", "1-(", "1+2*("};
    for (size_t b = 0; b < sizeof bricks / sizeof bricks[0]; b++) {
        size_t length = 0;
        while (length + 10 < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s", bricks[b]);
        metric_formula *f;
        p5_error error;
        assert_int_equal(metric_formula_parse(text, &f, &error), P5_ERR_SYNTAX);
        assert_non_null(strstr(error.message, "nested too deeply"));
    }
    /* Long is not deep. */
    size_t length = 0;
    while (length + 10 < sizeof text)
        length += (size_t)snprintf(text + length, sizeof text - length, "1+");
    snprintf(text + length, sizeof text - length, "1");
    assert_true(value_of(text) == (double)(length / 2 + 1));
}

/* Variables are means over the runs whose counts are added, at the privilege levels that are asked for. */
TEST(values_are_means_of_the_levels)
{
    static const struct {
        const char *text;
        unsigned cpl_mask;
        double expected;
    } rows[] = {
        {"clocks", P5_CPL_MASK_ALL, 500},       {"clocks", P5_CPL_MASK_USER, 350},
        {"branches", P5_CPL_MASK_ALL, 21.5},    {"branches", P5_CPL_MASK_SYSTEM, 1.5},
        {"branches:u", P5_CPL_MASK_SYSTEM, 20}, {"stall_halt", P5_CPL_MASK_ALL, 4.5},
        {"stall_halt", P5_CPL_MASK_USER, 0},    {"1000000*seconds", P5_CPL_MASK_ALL, 5},
        {"clocks-400", P5_CPL_MASK_ALL, 100},
    };
    memset(&counts, 0, sizeof counts);
    counts.clocks[P5_CPL_KERNEL] = 300;
    counts.clocks[P5_CPL_USER] = 700;
    counts.increments[P5_EVENT_BRANCHES][P5_CPL_KERNEL] = 3;
    counts.increments[P5_EVENT_BRANCHES][P5_CPL_USER] = 40;
    counts.stalls[P5_STALL_HALT][P5_CPL_KERNEL] = 9;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        metric_formula *f;
        assert_int_equal(metric_formula_parse(rows[i].text, &f, NULL), P5_OK);
        double value = metric_evaluate(f, &(metric_source){&counts, 2, rows[i].cpl_mask, 100});
        if (fabs(value - rows[i].expected) > 1e-12)
            fail_msg("'%s': expected %.15g, got %.15g", rows[i].text, rows[i].expected, value);
        metric_formula_close(f);
    }
}

TEST(a_group_file)
{
    static const char text[] = "# a comment\n"
                               "SHORT  Reads\r\n"
                               "\n"
                               "EVENTSET\n"
                               "data_read\n"
                               "DATA_READ_MISS\n"
                               "r31.0\n"
                               "METRICS\n"
                               "Miss rate [%]  100 * data_read_miss / data_read\n"
                               "Reads per MMX read\tdata_read/mmx_instruction_data_reads  \n"
                               "As likwid writes it [x/s] data_read/seconds\n"
                               "LONG\n"
                               "First line.\n"
                               "# METRICS are prose here.\n";
    metric_group *g;
    p5_error error = {0};
    if (metric_group_parse("reads", "reads.txt", text, &g, &error) != P5_OK)
        fail_msg("expected success, got '%s' at line %u", error.message, error.line);
    assert_string_equal(g->name, "reads");
    assert_string_equal(g->summary, "Reads");
    assert_string_equal(g->description, "First line.\n# METRICS are prose here.\n");
    assert_int_equal(g->variable_count, 3);
    assert_int_equal(g->variables[1], P5_EVENT_DATA_READ_MISS);
    assert_int_equal(g->families, P5_FAMILY_P55C); /* because of the MMX event */
    assert_int_equal(g->metric_count, 3);
    assert_string_equal(g->metrics[0].name, "Miss rate");
    assert_string_equal(g->metrics[0].unit, "%");
    assert_string_equal(g->metrics[0].text, "100 * data_read_miss / data_read");
    assert_int_equal(metric_formula_families(g->metrics[0].formula), P5_FAMILY_P54C | P5_FAMILY_P55C);
    assert_true(metric_formula_uses(g->metrics[0].formula, P5_EVENT_DATA_READ));
    assert_false(metric_formula_uses(g->metrics[0].formula, P5_EVENT_DATA_WRITE));
    assert_string_equal(g->metrics[1].name, "Reads per MMX read");
    assert_string_equal(g->metrics[1].unit, "");
    assert_int_equal(metric_formula_families(g->metrics[1].formula), P5_FAMILY_P55C);
    assert_string_equal(g->metrics[2].name, "As likwid writes it");
    assert_string_equal(g->metrics[2].unit, "x/s");
    metric_group_close(g);
}

TEST(faults_have_line_and_column)
{
    static const struct {
        const char *text, *message;
        unsigned line, column;
    } rows[] = {
        {"SHORT  a\nMETRICS\nname  1+\n", "expected a number", 3, 9},
        {"SHORT  a\nEVENTSET\ndata_read\n\nMETRICS\nm [%]  data_raed/2\n", "data_raed", 6, 8},
        {"SHORT  a\nEVENTSET\ndata_raed\n", "data_raed", 3, 1},
        {"SHORT  a\nEVENTSET\ndata_read data_write\n", "no event", 3, 1},
        {"SHORT  a\nEVENTSET\ndata_read\ndata-read\n", "already", 4, 1},
        {"SHORT  a\nMETRICS\nm  2*data_read\n", "uses data_read, which is not in the EVENTSET", 3, 4},
        {"SHORT  a\nEVENTSET\ndata_read\nMETRICS\nm  clocks\n", "uses clocks, which", 5, 4},
        {"SHORT  a\nMETRICS\nword\n", "expected a name", 3, 5},
        {"SHORT  a\nMETRICS\n[%]  1\n", "no name", 3, 1},
        {"SHORT  a\nMETRICS\nm  1\nm [%]  2\n", "of that name", 4, 1},
        {"SHORT  a\nSHORT  b\n", "second SHORT", 2, 1},
        {"SHORT  a\nsomething\n", "expected SHORT", 2, 1},
        {"METRICS\nm  1\n", "no SHORT", 2, 0},
        {"SHORT  a\n", "no METRICS", 1, 0},
        {"", "no SHORT", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        metric_group *g;
        p5_error error = {0};
        assert_int_not_equal(metric_group_parse("g", "g.txt", rows[i].text, &g, &error), P5_OK);
        assert_null(g);
        if (error.line != rows[i].line || error.column != rows[i].column ||
            strcmp(error.where, "g.txt") != 0 || strstr(error.message, rows[i].message) == NULL)
            fail_msg("row %zu: expected g.txt:%u:%u '%s', got %s:%u:%u '%s'", i, rows[i].line, rows[i].column,
                     rows[i].message, error.where, error.line, error.column, error.message);
        assert_int_not_equal(metric_group_parse("g", "g.txt", rows[i].text, &g, NULL), P5_OK);
    }
}

/* The groups that come with the program parse, and use all of their events. */
TEST(built_in_groups)
{
    static const char *const names[] = {"branch",   "bus",           "cache",   "fpu",   "mmx",
                                        "overview", "overview_p54c", "pairing", "stall", "tlb"};
    size_t count = 0;
    for (const embedded_file *file = metric_builtin_groups(); file->name != NULL; file++, count++) {
        assert_true(count < sizeof names / sizeof names[0]);
        assert_string_equal(file->name, names[count]);
        assert_int_equal(file->size, strlen(file->text));
        metric_group *g;
        p5_error error = {0};
        if (metric_group_open(file->name, &g, &error) != P5_OK)
            fail_msg("%s:%u:%u: %s %s", error.where, error.line, error.column, error.message, error.hint);
        for (size_t v = 0; v < g->variable_count; v++) {
            bool used = false;
            for (size_t m = 0; m < g->metric_count; m++)
                used |= metric_formula_uses(g->metrics[m].formula, g->variables[v]);
            if (!used)
                fail_msg("group %s: no metric uses variable %u of the EVENTSET", g->name, g->variables[v]);
        }
        assert_true(strlen(g->description) > 0);
        metric_group_close(g);
    }
    assert_int_equal(count, sizeof names / sizeof names[0]);
}

/* The embedded text is the file, byte for byte. */
TEST(embedding_keeps_the_text)
{
    for (const embedded_file *file = metric_builtin_groups(); file->name != NULL; file++) {
        char path[300];
        snprintf(path, sizeof path, "%s/events/metrics/%s.txt", P5_SOURCE_DIR, file->name);
        FILE *source = fopen(path, "rb");
        assert_non_null(source);
        for (size_t i = 0; i < file->size; i++)
            assert_int_equal((unsigned char)file->text[i], fgetc(source));
        assert_int_equal(fgetc(source), EOF);
        fclose(source);
    }
}

TEST(groups_by_name)
{
    metric_group *g;
    p5_error error;
    assert_int_equal(metric_group_open("cahce", &g, &error), P5_ERR_NAME);
    assert_non_null(strstr(error.hint, "'cache'"));
    assert_int_equal(metric_group_open("./no-such-file", &g, &error), P5_ERR_IO);
    assert_string_equal(error.where, "./no-such-file");
    assert_int_equal(metric_group_open(P5_SOURCE_DIR "/events/metrics/tlb.txt", &g, &error), P5_OK);
    assert_string_equal(g->name, "tlb");
    metric_group_close(g);
    metric_group_close(NULL);
}

/* Names of variables do not hide one another. */
TEST(variables_are_distinct)
{
    unsigned variable;
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
        assert_int_equal(metric_variable_find(p5_event_describe((enum p5_event)i)->name, &variable, NULL),
                         P5_OK);
        assert_int_equal(variable, i);
    }
    for (unsigned i = 0; i < P5_STALL_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "stall_%s", p5_stall_name((p5_stall)i));
        assert_int_equal(metric_variable_find(name, &variable, NULL), P5_OK);
        assert_int_equal(variable, METRIC_STALL + i);
    }
}
