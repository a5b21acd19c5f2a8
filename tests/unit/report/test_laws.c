/* The laws of counts: they hold for counts that obey them, and each single disturbance is found. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "p5tool/report.h"
#include "report/stat/cpi_stack.h"

static void set(p5_counts *counts, enum p5_event event, uint64_t value)
{
    counts->increments[event][P5_CPL_USER] = value;
    counts->asserted[event][P5_CPL_USER] = value;
}

/* What a run could have counted: 1000 clocks, 900 instructions. */
static void plausible(p5_counts *counts)
{
    memset(counts, 0, sizeof *counts);
    counts->clocks[P5_CPL_USER] = 1000;
    counts->stalls[P5_STALL_ISSUE][P5_CPL_USER] = 700;
    counts->stalls[P5_STALL_AGI][P5_CPL_USER] = 290;
    counts->stalls[P5_STALL_HALT][P5_CPL_USER] = 10;
    set(counts, P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE, 990);
    set(counts, P5_EVENT_INSTRUCTIONS_EXECUTED, 900);
    set(counts, P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE, 200);
    set(counts, P5_EVENT_DATA_READ, 50);
    set(counts, P5_EVENT_DATA_WRITE, 30);
    set(counts, P5_EVENT_DATA_READ_OR_WRITE, 80);
    set(counts, P5_EVENT_DATA_READ_MISS, 5);
    set(counts, P5_EVENT_DATA_WRITE_MISS, 3);
    set(counts, P5_EVENT_DATA_READ_MISS_OR_WRITE_MISS, 8);
    set(counts, P5_EVENT_WRITE_HIT_TO_M_OR_E_STATE_LINES, 20);
    set(counts, P5_EVENT_BRANCHES, 100);
    set(counts, P5_EVENT_TAKEN_BRANCH_OR_BTB_HIT, 60);
    set(counts, P5_EVENT_TAKEN_BRANCHES, 55);
    set(counts, P5_EVENT_BTB_HITS, 50);
    set(counts, P5_EVENT_RETURNS, 10);
    set(counts, P5_EVENT_PREDICTED_RETURNS, 9);
    set(counts, P5_EVENT_MISPREDICTED_OR_UNPREDICTED_RETURNS, 2);
}

TEST(plausible_counts_obey)
{
    p5_counts counts;
    plausible(&counts);
    unsigned checked = 0;
    if (p5_laws_check(&counts, P5_FAMILY_P55C, false, stderr, &checked) != 0)
        fail_msg("the broken laws stand above");
    assert_true(checked > 73); /* one per event, and the laws between events */
}

/* Each line changes one number so that at least one law must break. */
TEST(each_disturbance_is_found)
{
    static const struct {
        int event; /* -1 clocks, -2 the stall AGI */
        uint64_t value;
    } disturbances[] = {
        {-1, 1001},
        {-2, 291},
        {P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE, 991},
        {P5_EVENT_DATA_READ, 51},
        {P5_EVENT_DATA_READ_OR_WRITE, 79},
        {P5_EVENT_DATA_WRITE_MISS, 4},
        {P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE, 451},
        {P5_EVENT_TAKEN_BRANCH_OR_BTB_HIT, 106},
        {P5_EVENT_BTB_HITS, 61},
        {P5_EVENT_TAKEN_BRANCHES, 61},
        {P5_EVENT_PREDICTED_RETURNS, 7},
        {P5_EVENT_MISPREDICTED_OR_UNPREDICTED_RETURNS, 11},
        {P5_EVENT_CODE_CACHE_MISS, 1},
        {P5_EVENT_MMX_INSTRUCTION_DATA_READS, 51},
        {P5_EVENT_SATURATIONS_PERFORMED, 1},
        {P5_EVENT_BUS_CYCLE_DURATION, 1001},
        {P5_EVENT_WRITE_HIT_TO_M_OR_E_STATE_LINES, 28},
        {P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS, 1},
    };
    for (size_t i = 0; i < sizeof disturbances / sizeof disturbances[0]; i++) {
        p5_counts counts;
        plausible(&counts);
        if (disturbances[i].event == -1)
            counts.clocks[P5_CPL_USER] = disturbances[i].value;
        else if (disturbances[i].event == -2)
            counts.stalls[P5_STALL_AGI][P5_CPL_USER] = disturbances[i].value;
        else
            set(&counts, (enum p5_event)disturbances[i].event, disturbances[i].value);
        if (p5_laws_check(&counts, P5_FAMILY_P55C, false, NULL, NULL) == 0)
            fail_msg("disturbance %zu broke no law", i);
    }
}

TEST(signals_and_maxima)
{
    p5_counts counts;
    plausible(&counts);
    counts.asserted[P5_EVENT_DATA_READ][P5_CPL_USER] = 25; /* two reads in each clock are possible */
    assert_int_equal(p5_laws_check(&counts, P5_FAMILY_P55C, false, NULL, NULL), 0);
    counts.asserted[P5_EVENT_DATA_READ][P5_CPL_USER] = 24; /* more than two are not */
    assert_int_equal(p5_laws_check(&counts, P5_FAMILY_P55C, false, NULL, NULL), 1);
    counts.asserted[P5_EVENT_DATA_READ][P5_CPL_USER] = 51; /* nor a signal without a read */
    assert_int_equal(p5_laws_check(&counts, P5_FAMILY_P55C, false, NULL, NULL), 1);
}

TEST(a_broken_law_shows_both_sides)
{
    p5_counts counts;
    plausible(&counts);
    set(&counts, P5_EVENT_DATA_READ_OR_WRITE, 81);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(p5_laws_check(&counts, P5_FAMILY_P55C, false, out, NULL), 2); /* at CPL 3 and in sum */
    fclose(out);
    assert_non_null(strstr(text, "data_read + data_write = data_read_or_write"));
    assert_non_null(strstr(text, "left                    80"));
    assert_non_null(strstr(text, "right                   81"));
    free(text);
}

/* Shares of 1/3 each cannot be written with one decimal, yet they must add up. */
TEST(stack_shares_add_up)
{
    static const uint64_t splits[][4] = {{1, 1, 1, 0},
                                         {1, 0, 0, 0},
                                         {333333, 333333, 333334, 1},
                                         {7, 7, 7, 7},
                                         {UINT64_MAX / 4, 3, 1, UINT64_MAX / 4}};
    for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++) {
        p5_counts counts;
        memset(&counts, 0, sizeof counts);
        for (unsigned k = 0; k < 4; k++)
            counts.stalls[k * 3][k & 1] = splits[i][k];
        cpi_share stack[P5_STALL_COUNT];
        size_t count = cpi_stack(&counts, stack);
        unsigned sum = 0;
        for (size_t k = 0; k < count; k++) {
            sum += stack[k].permille;
            assert_true(stack[k].clocks > 0);
            assert_true(k == 0 || stack[k - 1].clocks >= stack[k].clocks);
        }
        assert_int_equal(sum, 1000);
    }
    p5_counts nothing;
    memset(&nothing, 0, sizeof nothing);
    cpi_share stack[P5_STALL_COUNT];
    assert_int_equal(cpi_stack(&nothing, stack), 0);
}
