/* The event table against the manual's table 26-24, and lookup by name, alias and raw code. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "../unit.h"
#include "base/text.h"
#include "p5scope/core.h"
#include "p5tool/event.h"

enum { BOTH_FAMILIES = P5_FAMILY_P54C | P5_FAMILY_P55C };

/* Table 26-24 in short: what each code is on counters 0 and 1, by perfctr's name. One entry: on both
 * counters; '-' reserved. */
static const struct manual_row {
    const char *on_0, *on_1;
} manual[] = {
    [0x00] = {"data_read", NULL},
    [0x01] = {"data_write", NULL},
    [0x02] = {"data_tlb_miss", NULL},
    [0x03] = {"data_read_miss", NULL},
    [0x04] = {"data_write_miss", NULL},
    [0x05] = {"write_hit_to_m_or_e_state_lines", NULL},
    [0x06] = {"data_cache_lines_written_back", NULL},
    [0x07] = {"external_snoops", NULL},
    [0x08] = {"external_data_cache_snoop_hits", NULL},
    [0x09] = {"memory_accesses_in_both_pipes", NULL},
    [0x0a] = {"bank_conflicts", NULL},
    [0x0b] = {"misaligned_data_memory_or_io_references", NULL},
    [0x0c] = {"code_read", NULL},
    [0x0d] = {"code_tlb_miss", NULL},
    [0x0e] = {"code_cache_miss", NULL},
    [0x0f] = {"any_segment_register_loaded", NULL},
    [0x10] = {"-", "-"},
    [0x11] = {"-", "-"},
    [0x12] = {"branches", NULL},
    [0x13] = {"btb_hits", NULL},
    [0x14] = {"taken_branch_or_btb_hit", NULL},
    [0x15] = {"pipeline_flushes", NULL},
    [0x16] = {"instructions_executed", NULL},
    [0x17] = {"instructions_executed_v_pipe", NULL},
    [0x18] = {"bus_cycle_duration", NULL},
    [0x19] = {"write_buffer_full_stall_duration", NULL},
    [0x1a] = {"waiting_for_data_memory_read_stall_duration", NULL},
    [0x1b] = {"stall_on_write_to_an_e_or_m_state_line", NULL},
    [0x1c] = {"locked_bus_cycle", NULL},
    [0x1d] = {"io_read_or_write_cycle", NULL},
    [0x1e] = {"noncacheable_memory_reads", NULL},
    [0x1f] = {"pipeline_agi_stalls", NULL},
    [0x20] = {"-", "-"},
    [0x21] = {"-", "-"},
    [0x22] = {"flops", NULL},
    [0x23] = {"breakpoint_match_on_dr0_register", NULL},
    [0x24] = {"breakpoint_match_on_dr1_register", NULL},
    [0x25] = {"breakpoint_match_on_dr2_register", NULL},
    [0x26] = {"breakpoint_match_on_dr3_register", NULL},
    [0x27] = {"hardware_interrupts", NULL},
    [0x28] = {"data_read_or_write", NULL},
    [0x29] = {"data_read_miss_or_write_miss", NULL},
    [0x2a] = {"bus_ownership_latency", "bus_ownership_transfers"},
    [0x2b] = {"mmx_instructions_executed_u_pipe", "mmx_instructions_executed_v_pipe"},
    [0x2c] = {"cache_m_state_line_sharing", "cache_line_sharing"},
    [0x2d] = {"emms_instructions_executed", "transitions_between_mmx_and_fp_instructions"},
    [0x2e] = {"bus_utilization_due_to_processor_activity", "writes_to_noncacheable_memory"},
    [0x2f] = {"saturating_mmx_instructions_executed", "saturations_performed"},
    [0x30] = {"number_of_cycles_not_in_halt_state", "data_cache_tlb_miss_stall_duration"},
    [0x31] = {"mmx_instruction_data_reads", "mmx_instruction_data_read_misses"},
    [0x32] = {"floating_point_stalls_duration", "taken_branches"},
    [0x33] = {"d1_starvation_and_fifo_is_empty", "d1_starvation_and_only_one_instruction_in_fifo"},
    [0x34] = {"mmx_instruction_data_writes", "mmx_instruction_data_write_misses"},
    [0x35] = {"pipeline_flushes_due_to_wrong_branch_predictions",
              "pipeline_flushes_due_to_wrong_branch_predictions_resolved_in_wb_stage"},
    [0x36] = {"misaligned_data_memory_reference_on_mmx_instructions",
              "pipeline_stall_for_mmx_instruction_data_memory_reads"},
    [0x37] = {"mispredicted_or_unpredicted_returns", "predicted_returns"},
    [0x38] = {"mmx_multiply_unit_interlock", "movd_movq_store_stall_due_to_previous_mmx_operation"},
    [0x39] = {"returns", "-"},
    [0x3a] = {"btb_false_entries", "btb_miss_prediction_on_not_taken_branch"},
    [0x3b] = {"full_write_buffer_stall_duration_while_executing_mmx_instructions",
              "stall_on_mmx_instruction_write_to_e_or_m_state_line"},
    [0x3c] = {"-", "-"},
    [0x3d] = {"-", "-"},
    [0x3e] = {"-", "-"},
    [0x3f] = {"-", "-"},
};
enum { FIRST_MMX_CODE = 0x2a }; /* shaded in the table: only with MMX technology */

static const char *manual_name(unsigned code, unsigned counter)
{
    return counter == 1 && manual[code].on_1 != NULL ? manual[code].on_1 : manual[code].on_0;
}

TEST(every_code_selects_what_the_manual_says)
{
    for (unsigned code = 0; code < 64; code++)
        for (unsigned counter = 0; counter < 2; counter++) {
            const char *expected = manual_name(code, counter);
            for (unsigned family = P5_FAMILY_P54C; family <= P5_FAMILY_P55C; family++) {
                int id = p5_event_by_code(code, counter, family);
                bool exists =
                    strcmp(expected, "-") != 0 && (code < FIRST_MMX_CODE || family == P5_FAMILY_P55C);
                const char *name = id < 0 ? "-" : p5_event_describe((enum p5_event)id)->name;
                if (strcmp(name, exists ? expected : "-") != 0)
                    fail_msg("code %02Xh on counter %u of family %u: expected %s, got %s", code, counter,
                             family, exists ? expected : "-", name);
            }
        }
    assert_int_equal(p5_event_by_code(64, 0, BOTH_FAMILIES), -1);
    assert_int_equal(p5_event_by_code(0, 2, BOTH_FAMILIES), -1);
}

/* The table says on which counters an event can be selected, and it can on exactly those. */
TEST(description_and_selection_agree)
{
    unsigned both = 0;
    unsigned one = 0;
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
        const p5_event_info *info = p5_event_describe((enum p5_event)i);
        assert_int_equal(info->id, i);
        for (unsigned counter = 0; counter < 2; counter++)
            for (unsigned code = 0; code < 64; code++) {
                bool selects = p5_event_by_code(code, counter, BOTH_FAMILIES) == (int)i;
                bool should = code == info->code && (info->counters & (1U << counter)) != 0;
                if (selects != should)
                    fail_msg("%s on counter %u by code %02Xh: expected %d, got %d", info->name, counter, code,
                             should, selects);
            }
        if (info->counters == (P5_ON_CTR0 | P5_ON_CTR1))
            both++;
        else
            one++;
        assert_int_equal(info->families, info->code < FIRST_MMX_CODE ? BOTH_FAMILIES : P5_FAMILY_P55C);
    }
    assert_int_equal(both, 38);
    assert_int_equal(one, 35);
    assert_int_equal(P5_EVENT_COUNT, 73);
}

/* Durations by table 26-24, with 30h/1 by its description. */
TEST(durations_are_the_manuals)
{
    static const struct {
        uint8_t code, counters;
    } durations[] = {{0x18, 3}, {0x19, 3}, {0x1a, 3}, {0x1b, 3}, {0x1f, 3}, {0x2a, 1}, {0x2e, 1}, {0x30, 1},
                     {0x30, 2}, {0x32, 1}, {0x36, 2}, {0x38, 1}, {0x38, 2}, {0x3b, 1}, {0x3b, 2}};
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
        const p5_event_info *info = p5_event_describe((enum p5_event)i);
        bool expected = false;
        for (size_t d = 0; d < sizeof durations / sizeof durations[0]; d++)
            expected |= durations[d].code == info->code && durations[d].counters == info->counters;
        if (info->duration != expected)
            fail_msg("%s: expected duration %d, got %d", info->name, expected, info->duration);
    }
}

TEST(descriptions_are_complete)
{
    static const char *const groups[] = {"cache", "tlb", "branch", "pipe", "fpu", "mmx", "bus", "system"};
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
        const p5_event_info *info = p5_event_describe((enum p5_event)i);
        for (const char *c = info->name; *c != '\0'; c++)
            if (!islower((unsigned char)*c) && *c != '_' && (c == info->name || !isdigit((unsigned char)*c)))
                fail_msg("%s is not a name for callgrind's readers", info->name);
        bool known = false;
        for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
            known |= strcmp(info->group, groups[g]) == 0;
        assert_true(known);
        assert_true(info->max_per_clock == 1 || info->max_per_clock == 2);
        assert_true(strlen(info->rule) > 20 && info->rule[strlen(info->rule) - 1] == '.');
        assert_true(strlen(info->title) > 0 && strlen(info->source) > 0);
        assert_non_null(info->remarks);
    }
}

static void expect_found(const char *name, unsigned expected)
{
    enum p5_event id = (enum p5_event)(P5_EVENT_COUNT - 1 - expected);
    p5_error error = {0};
    if (p5_event_find(name, &id, &error) != P5_OK || (unsigned)id != expected)
        fail_msg("'%s': expected %s, got %s (%s)", name, p5_event_describe((enum p5_event)expected)->name,
                 error.status == P5_OK ? p5_event_describe(id)->name : "nothing", error.message);
}

TEST(every_spelling_finds_its_event)
{
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
        const p5_event_info *info = p5_event_describe((enum p5_event)i);
        char text[128];
        expect_found(info->name, i);
        for (const char *const *alias = info->aliases; *alias != NULL; alias++)
            expect_found(*alias, i);
        size_t length = strlen(info->name);
        assert_true(length + 4 < sizeof text);
        for (size_t c = 0; c <= length; c++) /* perfctr */
            text[c] = (char)toupper((unsigned char)info->name[c]);
        expect_found(text, i);
        strcpy(text, "p5-"); /* FreeBSD */
        for (size_t c = 0; c <= length; c++)
            text[3 + c] = info->name[c] == '_' ? '-' : info->name[c];
        expect_found(text, i);
        snprintf(text, sizeof text, "r%02x.%d", info->code, info->counters == P5_ON_CTR1);
        expect_found(text, i);
        snprintf(text, sizeof text, "R%02X", info->code);
        if (info->counters == (P5_ON_CTR0 | P5_ON_CTR1))
            expect_found(text, i);
    }
}

TEST(names_of_other_tools)
{
    expect_found("Data read", P5_EVENT_DATA_READ); /* OpenBSD pctr */
    expect_found("AGI (Address Generation Interlock)", P5_EVENT_PIPELINE_AGI_STALLS);
    expect_found("clks_dcache_tlb_miss", P5_EVENT_DATA_CACHE_TLB_MISS_STALL_DURATION);           /* Solaris */
    expect_found("p5-bank-conflicts", P5_EVENT_BANK_CONFLICTS);                                  /* FreeBSD */
    expect_found("WRITE_HIT_TO_M-_OR_E-_STATE_LINES", P5_EVENT_WRITE_HIT_TO_M_OR_E_STATE_LINES); /* SDM */
    expect_found("MMX_INSTRUCTIONS_EXECUTED_U-PIPE", P5_EVENT_MMX_INSTRUCTIONS_EXECUTED_U_PIPE);
    expect_found("MOVD/MOVQ_STORE_STALL_DUE_TO_PREVIOUS_MMX_OPERATION",
                 P5_EVENT_MOVD_MOVQ_STORE_STALL_DUE_TO_PREVIOUS_MMX_OPERATION);
    expect_found("PIPELINE_ISTALL_FOR_MMX_INSTRUCTION_DATA_MEMORY_READS",
                 P5_EVENT_PIPELINE_STALL_FOR_MMX_INSTRUCTION_DATA_MEMORY_READS);
    expect_found("r39", P5_EVENT_RETURNS); /* counter 1 is reserved: nothing to confuse it with */
    expect_found("r2b.1", P5_EVENT_MMX_INSTRUCTIONS_EXECUTED_V_PIPE);
}

static void expect_error(const char *name, p5_status status, const char *in_message, const char *in_hint)
{
    enum p5_event id;
    p5_error error;
    assert_int_equal(p5_event_find(name, &id, &error), status);
    assert_int_equal(error.status, status);
    if (strstr(error.message, in_message) == NULL || strstr(error.hint, in_hint) == NULL)
        fail_msg("'%s': expected message with '%s' and hint with '%s', got '%s' / '%s'", name, in_message,
                 in_hint, error.message, error.hint);
}

TEST(misspelt_names_get_a_hint)
{
    expect_error("data_raed", P5_ERR_NAME, "'data_raed'", "'data_read'");
    expect_error("instruction_executed", P5_ERR_NAME, "instruction_executed", "'instructions_executed'");
    expect_error("agi", P5_ERR_NAME, "'agi'", "pipeline_agi_stalls");
    expect_error("stall_agi", P5_ERR_NAME, "'stall_agi'", "pipeline_agi_stalls");
    expect_error("clocks", P5_ERR_NAME, "'clocks'", "number_of_cycles_not_in_halt_state");
    expect_error("cycles", P5_ERR_NAME, "'cycles'", "number_of_cycles_not_in_halt_state");
    expect_error("brnches", P5_ERR_NAME, "brnches", "'branches'");
    expect_error("", P5_ERR_NAME, "''", "");
    expect_error("nothing_like_any_event_at_all", P5_ERR_NAME, "nothing_like", "");
    /* One letter left out of any name: the name is among those offered. */
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
        const char *name = p5_event_describe((enum p5_event)i)->name;
        char text[128];
        size_t cut = strlen(name) / 2;
        snprintf(text, sizeof text, "%.*s%s", (int)cut, name, name + cut + 1);
        enum p5_event id;
        p5_error error;
        assert_int_equal(p5_event_find(text, &id, &error), P5_ERR_NAME);
        char quoted[140];
        snprintf(quoted, sizeof quoted, "'%s'", name);
        if (strstr(error.hint, quoted) == NULL)
            fail_msg("'%s': expected a hint of %s, got '%s'", text, quoted, error.hint);
    }
    assert_int_equal(p5_event_find("data_raed", &(enum p5_event){0}, NULL), P5_ERR_NAME);
}

TEST(raw_codes_that_do_not_name_one_event)
{
    expect_error("r2b", P5_ERR_NAME, "2Bh", "r2b.1 is mmx_instructions_executed_v_pipe");
    expect_error("r10", P5_ERR_NAME, "reserved", "");
    expect_error("r3f", P5_ERR_NAME, "3Fh", "");
    expect_error("r39.1", P5_ERR_NAME, "counter 1", "r39.0 is returns");
    expect_error("r40", P5_ERR_RANGE, "40h", "");
    expect_error("rfff", P5_ERR_RANGE, "FFFh", "");
    expect_error("r2b.2", P5_ERR_NAME, "r2b.2", "");
    expect_error("r2b.", P5_ERR_NAME, "r2b.", "");
    expect_error("r", P5_ERR_NAME, "'r'", "");
}

TEST(reserved_codes_are_listed)
{
    size_t count;
    const p5_event_reserved *reserved = p5_event_reserved_codes(&count);
    for (unsigned code = 0; code < 0x3c; code++)
        for (unsigned counter = 0; counter < 2; counter++) {
            bool listed = false;
            for (size_t i = 0; i < count; i++)
                listed |= reserved[i].code == code && (reserved[i].counters & (1U << counter)) != 0;
            bool expected = strcmp(manual_name(code, counter), "-") == 0;
            if (listed != expected)
                fail_msg("code %02Xh on counter %u: expected reserved %d, got %d", code, counter, expected,
                         listed);
        }
}

TEST(stall_causes_have_distinct_names)
{
    for (int i = 0; i < P5_STALL_COUNT; i++) {
        const char *name = p5_stall_name((p5_stall)i);
        assert_non_null(name);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(name, p5_stall_name((p5_stall)j));
    }
    assert_string_equal(p5_stall_name(P5_STALL_AGI), "agi");
    assert_string_equal(p5_stall_name(P5_STALL_DATA_READ), "data_read");
    assert_non_null(p5_stall_name(P5_STALL_COUNT));
}
