/* What a report has beside the counts, found out once: the rows, the formula beside each, the metric groups.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/stat/stat.h"

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

static const p5_selected clocks = {
    .event = P5_SELECT_CLOCKS, .cpl_mask = P5_CPL_MASK_ALL, .supported = true, .name = "clocks"};

static p5_status plan_row(stat_row *row, const p5_selected *selected, p5_error *error)
{
    row->selected = selected;
    if (selected->event == P5_SELECT_CLOCKS || selected->asserted || !selected->supported)
        return P5_OK;
    const p5_event_info *event = p5_event_describe((enum p5_event)selected->event);
    for (size_t i = 0; i < ROW_METRIC_COUNT; i++) {
        if (strcmp(row_metrics[i].event, event->name) != 0)
            continue;
        row->unit = row_metrics[i].unit;
        row->decimals = row_metrics[i].decimals;
        return metric_formula_parse(row_metrics[i].formula, &row->formula, error);
    }
    if (!event->duration)
        return P5_OK;
    char formula[160];
    snprintf(formula, sizeof formula, "100*%s/clocks", event->name);
    row->unit = "% of clocks";
    row->decimals = 1;
    return metric_formula_parse(formula, &row->formula, error);
}

/* The selection, or clocks (which are no event, but everybody wants them) and every event of the model. */
static p5_status plan_rows(stat_plan *plan, const p5_stat *stat, p5_error *error)
{
    plan->everything = stat->selection == NULL || stat->no_events;
    const p5_selection *selection = plan->everything ? &plan->all : stat->selection;
    p5_status status = P5_OK;
    if (plan->everything && !stat->no_events)
        status = p5_selection_add(&plan->all, "all", p5_model_family(stat->model), error);
    if (status != P5_OK)
        return status;
    plan->rows = calloc(selection->count + 1, sizeof *plan->rows);
    if (plan->rows == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    plan->clocks.selected = &clocks;
    for (size_t i = 0; i < selection->count && status == P5_OK; i++)
        status = plan_row(&plan->rows[plan->row_count++], &selection->items[i], error);
    return status;
}

static p5_status plan_groups(stat_plan *plan, const p5_stat *stat, p5_error *error)
{
    size_t count = 0;
    while (stat->metric_groups != NULL && stat->metric_groups[count] != NULL)
        count++;
    plan->groups = calloc(count + 1, sizeof(metric_group *));
    if (plan->groups == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    p5_status status = P5_OK;
    for (size_t i = 0; i < count && status == P5_OK; i++) {
        status = metric_group_open(stat->metric_groups[i], &plan->groups[i], error);
        plan->group_count += status == P5_OK;
    }
    return status;
}

p5_status stat_plan_open(const p5_stat *stat, stat_plan **out, p5_error *error)
{
    *out = NULL;
    stat_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    p5_status status = plan_rows(plan, stat, error);
    if (status == P5_OK)
        status = plan_groups(plan, stat, error);
    if (status == P5_OK)
        *out = plan;
    else
        stat_plan_close(plan);
    return status;
}

void stat_plan_close(stat_plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; i < plan->row_count; i++)
        metric_formula_close(plan->rows[i].formula);
    for (size_t i = 0; i < plan->group_count; i++)
        metric_group_close(plan->groups[i]);
    p5_selection_free(&plan->all);
    free(plan->rows);
    free(plan->groups);
    free(plan);
}

/* ---- one report ---------------------------------------------------------------------------------------- */

p5_status stat_report_begin(stat_report *report, const p5_stat *stat, const stat_plan *plan, p5_error *error)
{
    *report = (stat_report){.stat = stat, .plan = plan};
    if (plan == NULL) {
        p5_status status = stat_plan_open(stat, &report->own, error);
        if (status != P5_OK)
            return status;
        report->plan = report->own;
    }
    stat_sum(stat, &report->sum);
    report->clocks = stat_clocks(stat);
    return P5_OK;
}

void stat_report_end(stat_report *report)
{
    stat_plan_close(report->own);
}

const double *stat_report_values(stat_report *report, unsigned cpl_mask)
{
    double *values = report->values[cpl_mask & P5_CPL_MASK_ALL];
    if ((report->known >> cpl_mask & 1) == 0)
        metric_values(&report->sum, cpl_mask, p5_model_clock_mhz(report->stat->model), values);
    report->known |= 1u << cpl_mask;
    return values;
}

bool stat_row_metric(stat_report *report, const stat_row *row, stat_metric *beside)
{
    if (row->formula == NULL)
        return false;
    *beside = (stat_metric){
        .value = metric_evaluate(row->formula, stat_report_values(report, row->selected->cpl_mask)),
        .decimals = row->decimals,
        .unit = row->unit};
    return isfinite(beside->value);
}
