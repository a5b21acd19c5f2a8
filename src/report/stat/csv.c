/* Writes `stat -x SEP`: the fields of `perf stat -x`. Values are never quoted. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/stat/cpi_stack.h"
#include "report/stat/metric.h"
#include "report/stat/stat_internal.h"

typedef struct csv {
    FILE *out;
    const p5_stat *stat;
    const char *separator;
    bool line_started; /* the current line has a field */
    stat_report report;
    char interval[32]; /* seconds at the end of the interval, in each of its rows */
    char run_time[32]; /* nanoseconds modelled, in all rows */
} csv;

/* Starts a line. An interval's rows begin with the time at which it ended. */
static void start_line(csv *to)
{
    to->line_started = true;
    if (to->stat->interval == 0)
        return;
    fputs(to->interval, to->out);
    fputs(to->separator, to->out);
}

/* Writes one field. A separator or line end in it would shift the following fields, so it becomes a blank. */
static void field(csv *to, const char *text)
{
    if (to->line_started)
        fputs(to->separator, to->out);
    else
        start_line(to);
    if (strstr(text, to->separator) == NULL && strchr(text, '\n') == NULL) {
        fputs(text, to->out);
        return;
    }
    size_t length = strlen(to->separator);
    while (*text != '\0') {
        if (length > 0 && strncmp(text, to->separator, length) == 0) {
            fputc(' ', to->out);
            text += length;
        } else {
            fputc(*text == '\n' ? ' ' : *text, to->out);
            text++;
        }
    }
}

static void number_field(csv *to, double value, unsigned decimals)
{
    char text[64];
    field(to, text_fixed(value, decimals, text, sizeof text));
}

static void end_line(csv *to)
{
    fputc('\n', to->out);
    to->line_started = false;
}

/* Writes a count. Means of several runs can be fractions; the value of one run is a whole number. */
static void value_field(csv *to, double value)
{
    number_field(to, value, floor(value) == value ? 0 : 6);
}

/* Writes the fields between a value and its metric. `error_percent` is written for several runs only. */
static void middle_fields(csv *to, const char *unit, const char *name, double error_percent)
{
    field(to, unit);
    field(to, name);
    if (to->stat->run_count > 1) {
        char text[32];
        snprintf(text, sizeof text, "%.2f%%", error_percent);
        field(to, text);
    }
    field(to, to->run_time); /* modelled ns, because events are always counted */
    field(to, "100.00");     /* per cent of the time in which the event was counted */
}

/* Writes an event, or the clocks, with the derived figure beside it. */
static void write_row(csv *to, const stat_row *of)
{
    const p5_selected *row = of->selected;
    stat_value value = stat_summary(to->stat, STAT_ROW, row);
    stat_metric beside;
    if (row->supported)
        value_field(to, value.mean);
    else
        field(to, "<not supported>");
    middle_fields(to, row->event >= P5_SELECT_STALL ? "clocks" : "", row->name, value.error_percent);
    if (stat_row_metric(&to->report, of, &beside)) {
        number_field(to, beside.value, beside.decimals);
        field(to, beside.unit);
    } else {
        field(to, "");
        field(to, "");
    }
    end_line(to);
}

/* Writes the clocks of each stall cause, as means of the runs. */
static void write_cpi_stack(csv *to)
{
    cpi_share stack[P5_STALL_COUNT];
    size_t count = cpi_stack(&to->report.sum, stack);
    for (size_t i = 0; i < count; i++) {
        char name[SCAN_STALL_NAME];
        stat_value value = stat_summary(to->stat, STAT_STALL + stack[i].cause, NULL);
        value_field(to, value.mean);
        middle_fields(to, "clocks", scan_stall_name(stack[i].cause, name), value.error_percent);
        number_field(to, stack[i].permille / 10.0, 1);
        field(to, "% of clocks");
        end_line(to);
    }
}

/* Writes a line for each metric, in which only the last two fields, metric_value and metric_unit, are not empty. */
static void write_metric_group(csv *to, const metric_group *group)
{
    for (size_t i = 0; i < group->metric_count; i++) {
        const metric *one = &group->metrics[i];
        double value = stat_report_value(&to->report, one->formula, P5_CPL_MASK_ALL);
        char unit[160];
        snprintf(unit, sizeof unit, "%s%s%s", one->unit, one->unit[0] != '\0' ? " " : "", one->name);
        /* value, unit, event, variance (several runs only), run_time_ns, percent_running */
        for (int empty = to->stat->run_count > 1 ? 6 : 5; empty > 0; empty--)
            field(to, "");
        if (isfinite(value))
            number_field(to, value, 6);
        else
            field(to, "");
        field(to, unit);
        end_line(to);
    }
}

/* Writes the names of the fields. */
static void write_header(csv *to, bool interval)
{
    if (interval)
        field(to, "time");
    field(to, "value");
    field(to, "unit");
    field(to, "event");
    if (to->stat->run_count > 1)
        field(to, "variance");
    field(to, "run_time_ns");
    field(to, "percent_running");
    field(to, "metric_value");
    field(to, "metric_unit");
    end_line(to);
}

void stat_write_interval_csv_header(FILE *out, const p5_stat *stat, const p5_stat_style *style)
{
    csv to = {.out = out, .stat = stat, .separator = style->separator};
    stat_write_comment(out, stat, true);
    if (style->header)
        write_header(&to, true);
}

p5_status stat_write_csv(FILE *out, const p5_stat *stat, const stat_plan *plan, const p5_stat_style *style,
                         p5_error *error)
{
    csv to = {.out = out, .stat = stat, .separator = style->separator};
    p5_status status = stat_report_begin(&to.report, stat, plan, error);
    if (status != P5_OK)
        return status;
    plan = to.report.plan;
    snprintf(to.interval, sizeof to.interval, "%.9f", stat->interval);
    snprintf(to.run_time, sizeof to.run_time, "%.0f",
             to.report.clocks.mean * 1e3 / p5_model_clock_mhz(stat->model));
    /* Intervals have these lines once: stat_write_interval_csv_header. */
    if (stat->interval == 0)
        stat_write_comment(out, stat, false);
    if (stat->interval == 0 && style->header)
        write_header(&to, false);
    if (plan->unselected)
        write_row(&to, &plan->clocks);
    for (size_t i = 0; i < plan->row_count; i++)
        write_row(&to, &plan->rows[i]);
    if (plan->unselected && !stat->no_events)
        write_cpi_stack(&to);
    for (size_t i = 0; i < plan->group_count; i++)
        write_metric_group(&to, plan->groups[i]);
    stat_report_end(&to.report);
    return error_unless_written(error, out, "the report");
}
