/* Event selections: grammar, modifiers, groups, and where an error points. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "p5tool/report.h"

static void select_ok(p5_selection *selection, const char *text, unsigned family)
{
    p5_error error;
    memset(selection, 0, sizeof *selection);
    if (p5_selection_add(selection, text, family, &error) != P5_OK)
        fail_msg("'%s' was refused: %s (column %u)", text, error.message, error.column);
}

/* Declares `name`, what `text` selects. It is freed at the end of its block. */
#define SELECTED(name, text, family)                                                                         \
    p5_selection CLOSED_BY(p5_selection_free) name;                                                          \
    select_ok(&name, text, family)

static size_t selected(const char *text, unsigned family)
{
    SELECTED(s, text, family);
    return s.count;
}

TEST(names_codes_and_modifiers)
{
    SELECTED(s, "data_read, DATA-WRITE:u ,r16:k,r2b.1:uk,r1f:c,clocks:u", P5_FAMILY_P55C);
    static const struct {
        int event;
        unsigned mask;
        bool asserted;
        const char *name;
    } expected[] = {
        {P5_EVENT_DATA_READ, P5_CPL_MASK_ALL, false, "data_read"},
        {P5_EVENT_DATA_WRITE, P5_CPL_MASK_USER, false, "data_write:u"},
        {P5_EVENT_INSTRUCTIONS_EXECUTED, P5_CPL_MASK_SYSTEM, false, "instructions_executed:k"},
        {P5_EVENT_MMX_INSTRUCTIONS_EXECUTED_V_PIPE, P5_CPL_MASK_ALL, false,
         "mmx_instructions_executed_v_pipe:uk"},
        {P5_EVENT_PIPELINE_AGI_STALLS, P5_CPL_MASK_ALL, true, "pipeline_agi_stalls:c"},
        {P5_SELECT_CLOCKS, P5_CPL_MASK_USER, false, "clocks:u"},
    };
    assert_int_equal(s.count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < s.count; i++) {
        assert_int_equal(s.items[i].event, expected[i].event);
        assert_int_equal(s.items[i].cpl_mask, expected[i].mask);
        assert_int_equal(s.items[i].asserted, expected[i].asserted);
        assert_string_equal(s.items[i].name, expected[i].name);
        assert_int_equal(s.items[i].group, 0);
        assert_true(s.items[i].supported);
    }
}

TEST(patterns_take_what_the_processor_has)
{
    assert_int_equal(selected("all", P5_FAMILY_P55C), 73); /* table 26-24: 38 on both counters, 35 on one */
    assert_int_equal(selected("all", P5_FAMILY_P54C), 38);
    SELECTED(s, "breakpoint_match_on_dr?_register:k", P5_FAMILY_P54C);
    assert_int_equal(s.count, 4);
    for (size_t i = 0; i < s.count; i++)
        assert_int_equal(s.items[i].cpl_mask, P5_CPL_MASK_SYSTEM);
    p5_selection CLOSED_BY(p5_selection_free) none = {0};
    assert_int_equal(p5_selection_add(&none, "mmx*", P5_FAMILY_P54C, NULL), P5_ERR_NAME);
    SELECTED(named, "r2b.0", P5_FAMILY_P54C); /* asked for by name: a row that says it is not supported */
    assert_false(named.items[0].supported);
}

TEST(causes_of_clocks_are_selected_like_events)
{
    SELECTED(s, "Stall-AGI:u", P5_FAMILY_P54C);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.items[0].event, P5_SELECT_STALL + P5_STALL_AGI);
    assert_int_equal(s.items[0].cpl_mask, P5_CPL_MASK_USER);
    assert_string_equal(s.items[0].name, "stall_agi:u");
    assert_null(p5_selected_event(&s.items[0]));
    assert_int_equal(selected("stalls", P5_FAMILY_P54C), P5_STALL_COUNT);
    /* Causes come after the events that match: two of the P55C begin with stall_, one of the P54C. */
    assert_int_equal(selected("stall_*", P5_FAMILY_P55C), 2 + P5_STALL_COUNT);
    assert_int_equal(selected("stall_data_*", P5_FAMILY_P55C), 2); /* data_read, data_tlb */
    assert_int_equal(selected("Stall-Data*", P5_FAMILY_P55C), 2);
    SELECTED(events, "*agi*", P5_FAMILY_P55C); /* no causes */
    assert_int_equal(events.count, 1);
    assert_int_equal(events.items[0].event, P5_EVENT_PIPELINE_AGI_STALLS);
    SELECTED(group, "{stall_agi,data_read,data_write}", P5_FAMILY_P55C);
    assert_true(p5_selection_fits_counters(&group, 1)); /* a cause needs no counter */
}

TEST(what_is_selected_again_is_one_row)
{
    SELECTED(s, "data_read,cycles,data_*,r00,clocks,data_read:u,DATA-READ:u", P5_FAMILY_P54C);
    unsigned found[2] = {0}; /* data_read, data_read:u */
    for (size_t i = 0; i < s.count; i++) {
        found[0] += strcmp(s.items[i].name, "data_read") == 0;
        found[1] += strcmp(s.items[i].name, "data_read:u") == 0;
    }
    assert_int_equal(found[0], 1);
    assert_int_equal(found[1], 1);
    assert_string_equal(s.items[0].name, "data_read"); /* in the order of the first time */
    assert_string_equal(s.items[1].name, "clocks");
    /* however modifiers are written */
    assert_int_equal(selected("flops:uc,flops:CU,flops,flops:uk,flops:c", P5_FAMILY_P54C), 3);
    SELECTED(groups, "{flops,data_read},flops,{flops,data_write}", P5_FAMILY_P54C);
    assert_int_equal(groups.count, 4);
    p5_selection_join_groups(&groups);
    assert_int_equal(groups.count, 3);
    assert_string_equal(groups.items[2].name, "data_write");
}

TEST(groups_share_modifiers_and_counters)
{
    SELECTED(
        s,
        "{data_read,data_write:k}:u,flops,{r2b.0, r2d.0},{data_read,data_write,flops},{clocks,r2b.0,r2b.1}",
        P5_FAMILY_P55C);
    assert_int_equal(s.items[0].group, 1);
    assert_int_equal(s.items[0].cpl_mask, P5_CPL_MASK_USER);
    assert_int_equal(s.items[1].group, 1);
    assert_int_equal(s.items[1].cpl_mask, P5_CPL_MASK_SYSTEM); /* its own modifier goes before the group's */
    assert_int_equal(s.items[2].group, 0);
    assert_int_equal(s.items[3].group, 2);
    assert_int_equal(s.groups, 4);
    assert_true(p5_selection_fits_counters(&s, 1));
    assert_false(p5_selection_fits_counters(&s, 2)); /* both need CTR0 */
    assert_false(p5_selection_fits_counters(&s, 3)); /* three events, two counters */
    assert_true(p5_selection_fits_counters(&s, 4));  /* the clocks have the TSC */
}

TEST(errors_point_at_the_spot)
{
    static const struct {
        const char *text;
        unsigned column;
        p5_status status;
    } wrong[] = {
        {"data_raed", 1, P5_ERR_NAME},
        {"flops,data_raed:u", 7, P5_ERR_NAME},
        {"flops, nope", 8, P5_ERR_NAME},
        {"flops:x", 7, P5_ERR_SYNTAX},
        {"flops:", 7, P5_ERR_SYNTAX},
        {"", 1, P5_ERR_SYNTAX},
        {"flops,,clocks", 7, P5_ERR_SYNTAX},
        {"flops,", 7, P5_ERR_SYNTAX},
        {"{flops", 1, P5_ERR_SYNTAX},
        {"{flops,nope}", 8, P5_ERR_NAME},
        {"{flops}clocks", 8, P5_ERR_SYNTAX},
        {"flops}", 6, P5_ERR_SYNTAX},
        {"r2b", 1, P5_ERR_NAME},
        {"r40", 1, P5_ERR_RANGE},
        {"zz*", 1, P5_ERR_NAME},
        {"stall_nothing", 1, P5_ERR_NAME},
        {"stall_agi:uc", 12, P5_ERR_SYNTAX}, /* a cause has no signal of its own */
        {"flops,clocks:c", 14, P5_ERR_SYNTAX},
        {"{flops:u{", 9, P5_ERR_SYNTAX},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        p5_selection CLOSED_BY(p5_selection_free) s = {0};
        p5_error error = {0};
        p5_status status = p5_selection_add(&s, wrong[i].text, P5_FAMILY_P55C, &error);
        if (status != wrong[i].status || error.column != wrong[i].column)
            fail_msg("'%s': status %d at column %u (%s), expected %d at column %u", wrong[i].text,
                     (int)status, error.column, error.message, (int)wrong[i].status, wrong[i].column);
        assert_true(error.message[0] != '\0');
    }
}

TEST(values_are_of_the_selected_levels)
{
    p5_counts counts;
    memset(&counts, 0, sizeof counts);
    counts.clocks[P5_CPL_KERNEL] = 1000;
    counts.clocks[P5_CPL_USER] = 20;
    counts.increments[P5_EVENT_FLOPS][P5_CPL_KERNEL] = 7;
    counts.increments[P5_EVENT_FLOPS][P5_CPL_USER] = 30;
    counts.asserted[P5_EVENT_FLOPS][P5_CPL_KERNEL] = 5;
    counts.asserted[P5_EVENT_FLOPS][P5_CPL_USER] = 400;
    counts.stalls[P5_STALL_AGI][P5_CPL_KERNEL] = 11;
    counts.stalls[P5_STALL_AGI][P5_CPL_USER] = 4;
    static const uint64_t expected[] = {37, 30, 7, 405, 400, 5, 1020, 20, 1000, 15, 4, 11};
    SELECTED(s,
             "flops,flops:u,flops:k,flops:c,flops:cu,flops:kc,clocks,clocks:u,clocks:k,stall_agi,"
             "stall_agi:u,stall_agi:k",
             P5_FAMILY_P54C);
    assert_int_equal(s.count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < s.count; i++)
        assert_int_equal(p5_selected_value(&s.items[i], &counts), expected[i]);
}

TEST(numbers_as_users_write_them)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"1200", 1200},      {"0x4b0", 1200}, {"4B0h", 1200},    {"64K", 64000}, {"2G", UINT64_C(2000000000)},
        {"1e6", 1000000},    {"2.5e3", 2500}, {"1.5M", 1500000}, {"3k", 3000},   {"1.001k", 1001},
        {"0.067G", 67000000}};
    static const char *const bad[] = {"",     "x", "-1",  "1.5",     "12q", "1e400", "0x",    " 1",
                                      "1e-3", "k", "0.5", "1.0005k", "+1",  "1 ",    "0x1p3", "0x10k"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t value = 0;
        assert_true(p5_parse_number(good[i].text, &value));
        assert_int_equal(value, good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t value;
        if (p5_parse_number(bad[i], &value))
            fail_msg("'%s' was taken for a number", bad[i]);
    }
    uint64_t bytes;
    assert_true(p5_parse_size("64K", &bytes)); /* memory comes in powers of two */
    assert_int_equal(bytes, 65536);
    assert_true(p5_parse_size("2G", &bytes));
    assert_int_equal(bytes, UINT64_C(1) << 31);
    assert_false(p5_parse_size("1.5M", &bytes));
}
