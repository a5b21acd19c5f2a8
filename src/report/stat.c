#include "report/stat.h"

#include <math.h>
#include <string.h>

#include "report/metric.h"

/* The derived figure beside an event. Durations without a row here show their share of the clocks. */
static const struct row_metric {
    const char *event;
    const char *formula;
    const char *unit;
    unsigned decimals;
} row_metrics[] = {
    {"instructions_executed", "clocks/instructions_executed", "CPI", 3},
    {"instructions_executed_v_pipe", "100*instructions_executed_v_pipe/instructions_executed",
     "% paired (V of all)", 1},
    {"data_read", "data_read/instructions_executed", "per instruction", 3},
    {"data_write", "data_write/instructions_executed", "per instruction", 3},
    {"data_read_or_write", "data_read_or_write/instructions_executed", "per instruction", 3},
    {"data_read_miss", "100*data_read_miss/data_read", "% of data reads", 2},
    {"data_write_miss", "100*data_write_miss/data_write", "% of data writes", 2},
    {"data_read_miss_or_write_miss", "100*data_read_miss_or_write_miss/data_read_or_write",
     "% of data references", 2},
    {"data_tlb_miss", "100*data_tlb_miss/data_read_or_write", "% of data references", 2},
    {"misaligned_data_memory_or_io_references",
     "100*misaligned_data_memory_or_io_references/data_read_or_write", "% of data references", 2},
    {"memory_accesses_in_both_pipes", "100*memory_accesses_in_both_pipes/instructions_executed_v_pipe",
     "% of pairs", 1},
    {"bank_conflicts", "100*bank_conflicts/memory_accesses_in_both_pipes", "% of accesses in both pipes", 1},
    {"code_cache_miss", "100*code_cache_miss/code_read", "% of code reads", 2},
    {"code_tlb_miss", "100*code_tlb_miss/code_read", "% of code reads", 2},
    {"branches", "100*branches/instructions_executed", "% of instructions", 1},
    {"btb_hits", "100*btb_hits/branches", "% of branches", 1},
    {"taken_branches", "100*taken_branches/branches", "% of branches", 1},
    {"pipeline_flushes", "100*pipeline_flushes/branches", "% of branches", 2},
    {"pipeline_flushes_due_to_wrong_branch_predictions",
     "100*pipeline_flushes_due_to_wrong_branch_predictions/branches", "% of branches mispredicted", 2},
    {"mispredicted_or_unpredicted_returns", "100*mispredicted_or_unpredicted_returns/returns", "% of returns",
     2},
    {"flops", "flops/clocks", "per clock", 3},
    {"mmx_instructions_executed_u_pipe", "100*mmx_instructions_executed_u_pipe/instructions_executed",
     "% of instructions", 1},
    {"mmx_instructions_executed_v_pipe", "100*mmx_instructions_executed_v_pipe/instructions_executed",
     "% of instructions", 1},
    {"saturations_performed", "100*saturations_performed/saturating_mmx_instructions_executed",
     "% of saturating instructions", 1},
    {"mmx_instruction_data_read_misses", "100*mmx_instruction_data_read_misses/mmx_instruction_data_reads",
     "% of MMX data reads", 2},
    {"mmx_instruction_data_write_misses", "100*mmx_instruction_data_write_misses/mmx_instruction_data_writes",
     "% of MMX data writes", 2},
};
enum { ROW_METRIC_COUNT = sizeof row_metrics / sizeof row_metrics[0] };

/* Mean, and the standard error of the mean in per cent of it, as `perf stat -r` shows it. */
static stat_value summarise(const p5_stat *stat, double (*of)(const p5_stat_run *run, const void *what),
                            const void *what)
{
    double sum = 0;
    for (size_t i = 0; i < stat->run_count; i++)
        sum += of(&stat->runs[i], what);
    stat_value result = {.mean = sum / (double)stat->run_count};
    double squares = 0;
    for (size_t i = 0; i < stat->run_count; i++) {
        double off = of(&stat->runs[i], what) - result.mean;
        squares += off * off;
    }
    if (stat->run_count > 1 && result.mean != 0) {
        double n = (double)stat->run_count;
        result.variance_percent = 100 * sqrt(squares / (n - 1) / n) / result.mean;
    }
    return result;
}

static double of_row(const p5_stat_run *run, const void *row)
{
    return (double)p5_selected_value(row, &run->counts);
}

static double of_host_seconds(const p5_stat_run *run, const void *what)
{
    (void)what;
    return run->host_seconds;
}

static double of_clocks(const p5_stat_run *run, const void *what)
{
    (void)what;
    return (double)(run->counts.clocks[P5_CPL_SYSTEM] + run->counts.clocks[P5_CPL_USER]);
}

static double of_instructions(const p5_stat_run *run, const void *what)
{
    (void)what;
    return (double)run->instructions;
}

stat_value stat_row_value(const p5_stat *stat, const p5_selected *row)
{
    return summarise(stat, of_row, row);
}

stat_value stat_host_seconds(const p5_stat *stat)
{
    return summarise(stat, of_host_seconds, NULL);
}

stat_value stat_clocks(const p5_stat *stat)
{
    return summarise(stat, of_clocks, NULL);
}

stat_value stat_instructions(const p5_stat *stat)
{
    return summarise(stat, of_instructions, NULL);
}

uint64_t stat_permissive(const p5_stat *stat)
{
    uint64_t most = 0;
    for (size_t i = 0; i < stat->run_count; i++)
        if (stat->runs[i].permissive > most)
            most = stat->runs[i].permissive;
    return most;
}

void stat_sum(const p5_stat *stat, p5_counts *sum)
{
    *sum = stat->runs[0].counts;
    for (size_t i = 1; i < stat->run_count; i++)
        p5_counts_add(sum, &stat->runs[i].counts);
}

static bool evaluate(const p5_stat *stat, unsigned cpl_mask, const char *formula, double *result)
{
    metric_formula *parsed;
    if (metric_formula_parse(formula, &parsed, NULL) != P5_OK)
        return false;
    p5_counts sum;
    stat_sum(stat, &sum);
    double values[METRIC_VARIABLES];
    metric_values(&sum, cpl_mask, p5_model_clock_mhz(stat->model), values);
    *result = metric_evaluate(parsed, values);
    metric_formula_close(parsed);
    return isfinite(*result);
}

bool stat_row_metric(const p5_stat *stat, const p5_selected *row, stat_metric *beside)
{
    if (row->event == P5_SELECT_CLOCKS || row->asserted || !row->supported)
        return false;
    const p5_event_info *event = p5_event_describe((enum p5_event)row->event);
    for (size_t i = 0; i < ROW_METRIC_COUNT; i++) {
        if (strcmp(row_metrics[i].event, event->name) != 0)
            continue;
        beside->unit = row_metrics[i].unit;
        beside->decimals = row_metrics[i].decimals;
        return evaluate(stat, row->cpl_mask, row_metrics[i].formula, &beside->value);
    }
    if (!event->duration)
        return false;
    char formula[160];
    snprintf(formula, sizeof formula, "100*%s/clocks", event->name);
    beside->unit = "% of clocks";
    beside->decimals = 1;
    return evaluate(stat, row->cpl_mask, formula, &beside->value);
}

const char *stat_mode_text(const p5_selected *row, char text[4])
{
    size_t length = 0;
    if (row->cpl_mask & P5_CPL_MASK_USER)
        text[length++] = 'u';
    if (row->cpl_mask & P5_CPL_MASK_SYSTEM)
        text[length++] = 'k';
    if (row->asserted)
        text[length++] = 'c';
    text[length] = '\0';
    return text;
}

p5_status stat_rows(const p5_stat *stat, p5_selection *all, const p5_selection **rows, p5_error *error)
{
    memset(all, 0, sizeof *all);
    *rows = all;
    if (stat->no_events)
        return P5_OK;
    if (stat->selection != NULL) {
        *rows = stat->selection;
        return P5_OK;
    }
    return p5_selection_add(all, "all", p5_model_family(stat->model), error);
}

p5_status p5_metric_group_check(const char *name, p5_error *error)
{
    metric_group *group;
    p5_status status = metric_group_open(name, &group, error);
    if (status == P5_OK)
        metric_group_close(group);
    return status;
}
