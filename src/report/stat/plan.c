/* Makes the parts of a report that do not depend on counts: the rows, the formula of each, the metric
 * groups. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "report/stat/scan.h"
#include "report/stat/stat_internal.h"

/* The row `clocks`, which is shown without having been selected. */
static const p5_selected clocks = {
    .event = P5_SELECT_CLOCKS, .cpl_mask = P5_CPL_MASK_ALL, .supported = true, .name = "clocks"};

/* Plans a row. Its derived figure is the one of the event table (p5_event_info.figure); other events that count
 * durations, and causes of clocks, get their share of the clocks. */
static p5_status plan_row(stat_row *row, const p5_selected *selected, p5_error *error)
{
    row->selected = selected;
    if (selected->event == P5_SELECT_CLOCKS || selected->asserted || !selected->supported)
        return P5_OK;
    const p5_event_info *event = p5_selected_event(selected);
    if (event != NULL && event->figure != NULL) {
        row->unit = event->figure_unit;
        row->decimals = event->figure_decimals;
        return metric_formula_parse(event->figure, &row->formula, error);
    }
    if (event != NULL && !event->duration)
        return P5_OK;
    char formula[160], stall[SCAN_STALL_NAME];
    if (event != NULL) /* in clocks (:c), because an event may count 2 in a clock, as when both pipes wait */
        snprintf(formula, sizeof formula, "100*%s:c/clocks", event->name);
    else
        snprintf(formula, sizeof formula, "100*%s/clocks",
                 scan_stall_name((p5_stall)(selected->event - P5_SELECT_STALL), stall));
    row->unit = "% of clocks";
    row->decimals = 1;
    return metric_formula_parse(formula, &row->formula, error);
}

/* Plans the selected rows, or clocks (which are not an event) and every event of the model. */
static p5_status plan_rows(stat_plan *plan, const p5_stat *stat, p5_error *error)
{
    plan->unselected = stat->selection == NULL || stat->no_events;
    const p5_selection *selection = plan->unselected ? &plan->all : stat->selection;
    p5_status status = P5_OK;
    if (plan->unselected && !stat->no_events)
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
    report->clocks = stat_summary(stat, STAT_CLOCKS, NULL);
    return P5_OK;
}

void stat_report_end(stat_report *report)
{
    stat_plan_close(report->own);
}

double stat_report_value(const stat_report *report, const metric_formula *formula, unsigned cpl_mask)
{
    if ((metric_formula_families(formula) & p5_model_family(report->stat->model)) == 0)
        return (double)NAN;
    return metric_evaluate(formula, &(metric_source){.counts = &report->sum,
                                                     .runs = report->stat->run_count,
                                                     .cpl_mask = cpl_mask,
                                                     .clock_mhz = p5_model_clock_mhz(report->stat->model)});
}

bool stat_row_metric(const stat_report *report, const stat_row *row, stat_metric *beside)
{
    if (row->formula == NULL)
        return false;
    *beside = (stat_metric){.value = stat_report_value(report, row->formula, row->selected->cpl_mask),
                            .decimals = row->decimals,
                            .unit = row->unit};
    return isfinite(beside->value);
}
