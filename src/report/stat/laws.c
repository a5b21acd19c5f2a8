/* Checks laws that counts obey whatever the guest does, because of what the events mean (manual 273204, Embedded Pentium
 * Processor Family Developer's Manual, table 26-24). A broken law is a fault of the model. A law holds at each privilege level and in
 * sum, unless its comment says otherwise. */
#include "p5tool/report.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BOTH = P5_FAMILY_P54C | P5_FAMILY_P55C,
    MMX = P5_FAMILY_P55C, /* the law has events that the P54C lacks */
    IN_SUM_ONLY = 1 << 15 /* a flag beside the families: see bus_cycle_duration below */
};

/* left RELATION right. A side is a sum of terms: [FACTOR*]NAME, where NAME is an event, clocks, stall.CAUSE (clocks that
 * the cause owns) or stalls (clocks of all owners, issue included). */
typedef struct law {
    unsigned families; /* P5_FAMILY_* for which it holds, and IN_SUM_ONLY */
    const char *left;
    const char *relation; /* "=" or "<=" */
    const char *right;
} law;

static const law laws[] = {
    /* Every clock has one owner: the CPI stack adds up. */
    {BOTH, "stalls", "=", "clocks"},
    {MMX, "number_of_cycles_not_in_halt_state + stall.halt", "=", "clocks"},
    /* Data references: each is a read or a write; each write hits a line in E or M, hits one in S, or misses.
     */
    {BOTH, "data_read + data_write", "=", "data_read_or_write"},
    {BOTH, "data_read_miss + data_write_miss", "=", "data_read_miss_or_write_miss"},
    {BOTH, "data_read_miss", "<=", "data_read"},
    {BOTH, "data_write_miss + write_hit_to_m_or_e_state_lines", "<=", "data_write"},
    {BOTH, "2*memory_accesses_in_both_pipes", "<=", "data_read_or_write"},
    /* Code references. */
    {BOTH, "code_cache_miss", "<=", "code_read"},
    {BOTH, "code_tlb_miss", "<=", "2*code_read"}, /* a fetch that faults counts twice: 242480, erratum 44 */
    /* Pipes: every instruction in V has a partner in U. */
    {BOTH, "2*instructions_executed_v_pipe", "<=", "instructions_executed"},
    {BOTH, "memory_accesses_in_both_pipes", "<=", "instructions_executed_v_pipe"},
    {BOTH, "instructions_executed", "<=", "2*clocks"},
    /* Branches: event 14h, taken_branch_or_btb_hit, counts branches that are taken or found in the BTB, or both. */
    {BOTH, "btb_hits", "<=", "taken_branch_or_btb_hit"},
    {BOTH, "taken_branch_or_btb_hit", "<=", "branches"},
    {MMX, "taken_branches", "<=", "taken_branch_or_btb_hit"},
    {MMX, "taken_branch_or_btb_hit", "<=", "taken_branches + btb_hits"},
    {MMX, "btb_miss_prediction_on_not_taken_branch",
     "<=", "pipeline_flushes_due_to_wrong_branch_predictions"},
    {MMX, "pipeline_flushes_due_to_wrong_branch_predictions", "<=", "pipeline_flushes"},
    {MMX, "pipeline_flushes_due_to_wrong_branch_predictions_resolved_in_wb_stage",
     "<=", "pipeline_flushes_due_to_wrong_branch_predictions"},
    /* Returns are predicted correctly, predicted wrongly, or not predicted. A wrongly predicted one is in both
     * predicted_returns and mispredicted_or_unpredicted_returns. */
    {MMX, "predicted_returns", "<=", "returns"},
    {MMX, "mispredicted_or_unpredicted_returns", "<=", "returns"},
    /* Event 39h, returns, also counts exceptions on a RET and interrupts just before one. Each of them flushes the
     * pipeline and is not a wrong prediction. */
    {MMX, "returns + pipeline_flushes_due_to_wrong_branch_predictions",
     "<=", "predicted_returns + mispredicted_or_unpredicted_returns + pipeline_flushes"},
    /* Durations within durations. The first law holds in sum and from a machine's beginning only: code is
     * fetched before the first clock of its level, and before counting begins after a fast-forward. */
    {BOTH | IN_SUM_ONLY, "bus_cycle_duration", "<=", "clocks"},
    {MMX, "bus_utilization_due_to_processor_activity", "<=", "bus_cycle_duration"},
    {MMX, "data_cache_tlb_miss_stall_duration", "<=", "waiting_for_data_memory_read_stall_duration"},
    {BOTH, "write_buffer_full_stall_duration", "<=", "clocks"},
    {BOTH, "waiting_for_data_memory_read_stall_duration", "<=", "clocks"},
    /* MMX instructions are instructions, and what they do is part of what all do. */
    {MMX, "mmx_instructions_executed_v_pipe", "<=", "instructions_executed_v_pipe"},
    {MMX, "mmx_instructions_executed_u_pipe + mmx_instructions_executed_v_pipe",
     "<=", "instructions_executed"},
    {MMX, "emms_instructions_executed", "<=", "mmx_instructions_executed_u_pipe"},
    {MMX, "saturating_mmx_instructions_executed",
     "<=", "mmx_instructions_executed_u_pipe + mmx_instructions_executed_v_pipe"},
    {MMX, "saturations_performed", "<=", "saturating_mmx_instructions_executed"},
    {MMX, "mmx_instruction_data_reads", "<=", "data_read"},
    {MMX, "mmx_instruction_data_read_misses", "<=", "data_read_miss"},
    {MMX, "mmx_instruction_data_read_misses", "<=", "mmx_instruction_data_reads"},
    {MMX, "mmx_instruction_data_writes", "<=", "data_write"},
    {MMX, "mmx_instruction_data_write_misses", "<=", "data_write_miss"},
    {MMX, "mmx_instruction_data_write_misses", "<=", "mmx_instruction_data_writes"},
    {MMX, "misaligned_data_memory_reference_on_mmx_instructions",
     "<=", "misaligned_data_memory_or_io_references"},
    {MMX, "pipeline_stall_for_mmx_instruction_data_memory_reads",
     "<=", "waiting_for_data_memory_read_stall_duration"},
    {MMX, "full_write_buffer_stall_duration_while_executing_mmx_instructions",
     "<=", "write_buffer_full_stall_duration"},
    {MMX, "stall_on_mmx_instruction_write_to_e_or_m_state_line",
     "<=", "stall_on_write_to_an_e_or_m_state_line"},
};
enum { LAW_COUNT = sizeof laws / sizeof laws[0] };

enum { ALL_CPLS = 2 }; /* index of the last scope */
/* The privilege levels for which a law is checked. */
static const struct {
    unsigned mask;
    const char *name;
} scopes[ALL_CPLS + 1] = {
    {P5_CPL_MASK_SYSTEM, "CPL 0-2"}, {P5_CPL_MASK_USER, "CPL 3"}, {P5_CPL_MASK_ALL, "all CPLs"}};

/* The value of a law's side in each scope. */
typedef struct law_values {
    uint64_t in[ALL_CPLS + 1];
} law_values;

/* Adds a row of totals (one for each privilege class), times `factor`, to the value in each scope. */
static void add_totals(law_values *values, uint64_t factor, const uint64_t *totals)
{
    for (unsigned scope = 0; scope <= ALL_CPLS; scope++)
        values->in[scope] += factor * p5_counts_sum(totals, scopes[scope].mask);
}

/* Adds `factor` times the counts of a term's name. */
static void add_term(law_values *values, uint64_t factor, const char *name, const p5_counts *counts)
{
    if (strcmp(name, "clocks") == 0) {
        add_totals(values, factor, counts->clocks);
        return;
    }
    bool all_stalls = strcmp(name, "stalls") == 0;
    if (all_stalls || strncmp(name, "stall.", 6) == 0) {
        bool found = all_stalls;
        for (int cause = 0; cause < P5_STALL_COUNT; cause++) {
            if (!all_stalls && strcmp(name + 6, p5_stall_name((p5_stall)cause)) != 0)
                continue;
            add_totals(values, factor, counts->stalls[cause]);
            found = true;
        }
        assert(found);
        (void)found;
        return;
    }
    enum p5_event id;
    p5_status status = p5_event_find(name, &id, NULL);
    assert(status == P5_OK); /* the laws name only existing events */
    if (status == P5_OK)
        add_totals(values, factor, counts->increments[id]);
}

static law_values side_values(const char *side, const p5_counts *counts)
{
    law_values sum = {0};
    while (*side != '\0') {
        uint64_t factor = 1;
        if (isdigit((unsigned char)*side)) {
            char *end;
            factor = strtoul(side, &end, 10);
            side = end + 1; /* the '*' */
        }
        char name[112];
        size_t length = strcspn(side, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, side);
        add_term(&sum, factor, name, counts);
        side += length;
        side += strspn(side, " +");
    }
    return sum;
}

/* Returns whether the law holds for the values of its sides in `scope`. Writes both to `out` (may be NULL) if not. */
static bool check_law(const law *rule, uint64_t left, uint64_t right, unsigned scope, FILE *out)
{
    bool holds = rule->relation[0] == '=' ? left == right : left <= right;
    if (!holds && out != NULL)
        fprintf(out, "law broken at %s: %s %s %s\n  left  %20" PRIu64 "\n  right %20" PRIu64 "\n",
                scopes[scope].name, rule->left, rule->relation, rule->right, left, right);
    return holds;
}

/* Checks the two totals of each event against each other. An event's signal is on in at most as many clocks as it counts, and it
 * counts at most max_per_clock in each of them. */
static unsigned check_totals(const p5_counts *counts, unsigned family, FILE *out, unsigned *checked)
{
    unsigned broken = 0;
    for (int id = 0; id < P5_EVENT_COUNT; id++) {
        const p5_event_info *event = p5_event_describe((enum p5_event)id);
        uint64_t increments = p5_counts_sum(counts->increments[id], P5_CPL_MASK_ALL);
        uint64_t asserted = p5_counts_sum(counts->asserted[id], P5_CPL_MASK_ALL);
        const char *rule = NULL;
        if ((event->families & family) == 0)
            continue;
        if (asserted > increments)
            rule = "an event's signal is on in no more clocks than it counts";
        else if (increments > asserted * event->max_per_clock)
            rule = "an event counts no more than its maximum in a clock";
        ++*checked;
        if (rule == NULL)
            continue;
        broken++;
        if (out != NULL)
            fprintf(out,
                    "law broken: %s: %s\n  counted  %20" PRIu64 "\n  clocks   %20" PRIu64
                    ", at most %u each\n",
                    event->name, rule, increments, asserted, event->max_per_clock);
    }
    return broken;
}

unsigned p5_laws_check(const p5_counts *counts, unsigned family, bool part, FILE *out, unsigned *checked)
{
    unsigned broken = 0;
    unsigned done = 0;
    for (size_t i = 0; i < LAW_COUNT; i++) {
        if ((laws[i].families & family) == 0 || (part && (laws[i].families & IN_SUM_ONLY) != 0))
            continue;
        law_values left = side_values(laws[i].left, counts), right = side_values(laws[i].right, counts);
        for (unsigned scope = (laws[i].families & IN_SUM_ONLY) != 0 ? ALL_CPLS : 0; scope <= ALL_CPLS;
             scope++, done++)
            if (!check_law(&laws[i], left.in[scope], right.in[scope], scope, out))
                broken++;
    }
    broken += check_totals(counts, family, out, &done);
    if (checked != NULL)
        *checked = done;
    return broken;
}
