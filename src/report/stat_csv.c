/* `stat -x SEP`: the fields of perf stat (as its program writes them). Values are never quoted. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "p5scope/version.h"
#include "report/cpi_stack.h"
#include "report/metric.h"
#include "report/stat.h"

typedef struct csv {
    FILE *out;
    const p5_stat *stat;
    const char *separator;
    bool line_started;
} csv;

/* The first field of an interval's rows: when it ended. */
static void start_line(csv *to)
{
    to->line_started = true;
    if (to->stat->interval != 0)
        fprintf(to->out, "%.9f%s", to->stat->interval, to->separator);
}

/* Writes one field. A separator or line end inside would shift the fields behind it: it becomes a blank. */
static void field(csv *to, const char *text)
{
    if (to->line_started)
        fputs(to->separator, to->out);
    else
        start_line(to);
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

static void number_field(csv *to, double value, int decimals)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    field(to, text);
}

static void end_line(csv *to)
{
    fputc('\n', to->out);
    to->line_started = false;
}

/* Means of several runs can be fractions; the value of one run is a whole number. */
static void value_field(csv *to, double value)
{
    number_field(to, value, floor(value) == value ? 0 : 6);
}

static void middle_fields(csv *to, const char *unit, const char *name, double variance)
{
    field(to, unit);
    field(to, name);
    if (to->stat->run_count > 1) {
        char text[32];
        snprintf(text, sizeof text, "%.2f%%", variance);
        field(to, text);
    }
    double mhz = p5_model_clock_mhz(to->stat->model);
    number_field(to, stat_clocks(to->stat).mean * 1e3 / mhz, 0); /* modelled ns: always counted, */
    field(to, "100.00");                                         /* so all of the time */
}

static void write_row(csv *to, const p5_selected *row)
{
    stat_value value = stat_row_value(to->stat, row);
    stat_metric beside;
    if (row->supported)
        value_field(to, value.mean);
    else
        field(to, "<not supported>");
    middle_fields(to, "", row->name, value.variance_percent);
    if (stat_row_metric(to->stat, row, &beside)) {
        number_field(to, beside.value, (int)beside.decimals);
        field(to, beside.unit);
    } else {
        field(to, "");
        field(to, "");
    }
    end_line(to);
}

static void write_cpi_stack(csv *to)
{
    p5_counts sum;
    stat_sum(to->stat, &sum);
    cpi_share stack[P5_STALL_COUNT];
    size_t count = cpi_stack(&sum, P5_CPL_MASK_ALL, stack);
    for (size_t i = 0; i < count; i++) {
        char name[48];
        snprintf(name, sizeof name, "stall_%s", p5_stall_name(stack[i].cause));
        value_field(to, (double)stack[i].clocks / (double)to->stat->run_count);
        middle_fields(to, "clocks", name, 0);
        number_field(to, stack[i].permille / 10.0, 1);
        field(to, "% of clocks");
        end_line(to);
    }
}

/* Further metrics leave the fields before the metric's empty. */
static p5_status write_metric_group(csv *to, const char *name, p5_error *error)
{
    metric_group *group;
    p5_status status = metric_group_open(name, &group, error);
    if (status != P5_OK)
        return status;
    p5_counts sum;
    stat_sum(to->stat, &sum);
    double values[METRIC_VARIABLES];
    metric_values(&sum, P5_CPL_MASK_ALL, p5_model_clock_mhz(to->stat->model), values);
    for (size_t i = 0; i < group->metric_count; i++) {
        const metric *one = &group->metrics[i];
        double value = metric_evaluate(one->formula, values);
        char unit[160];
        snprintf(unit, sizeof unit, "%s%s%s", one->unit, one->unit[0] != '\0' ? " " : "", one->name);
        for (int empty = to->stat->run_count > 1 ? 6 : 5; empty > 0; empty--)
            field(to, "");
        if (isfinite(value))
            number_field(to, value, 6);
        else
            field(to, "");
        field(to, unit);
        end_line(to);
    }
    metric_group_close(group);
    return P5_OK;
}

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

static void write_comment(FILE *out, const p5_stat *stat)
{
    fprintf(out, "# p5scope %s, model %s at %g MHz, options: %s, guest: %s\n", p5_version(),
            p5_model_name(stat->model), p5_model_clock_mhz(stat->model), stat->options, stat->command);
    if (stat->fast_forwarded != 0)
        fprintf(out, "# fast-forwarded %llu instructions first: structures warmed, nothing counted\n",
                (unsigned long long)stat->fast_forwarded);
    if (stat->region != NULL)
        fprintf(out, "# counted in the region %s only (%llu times)\n", stat->region,
                (unsigned long long)stat->region_times);
    if (stat->ending != NULL)
        fprintf(out, "# %s\n", stat->ending);
}

void p5_stat_write_interval_csv_header(FILE *out, const p5_stat *stat, const p5_stat_style *style)
{
    csv to = {.out = out, .stat = stat, .separator = style->separator};
    write_comment(out, stat);
    if (style->header)
        write_header(&to, true);
}

p5_status p5_stat_write_csv(FILE *out, const p5_stat *stat, const p5_stat_style *style, p5_error *error)
{
    csv to = {.out = out, .stat = stat, .separator = style->separator};
    p5_selection all;
    const p5_selection *rows;
    p5_status status = stat_rows(stat, &all, &rows, error);
    if (status != P5_OK)
        return status;
    if (stat->interval == 0)
        write_comment(out, stat);
    if (stat->interval == 0 && style->header)
        write_header(&to, false);
    if (rows == &all) { /* clocks are no event, but everybody wants them */
        static const p5_selected clocks = {
            .event = P5_SELECT_CLOCKS, .cpl_mask = P5_CPL_MASK_ALL, .supported = true, .name = "clocks"};
        write_row(&to, &clocks);
    }
    for (size_t i = 0; i < rows->count; i++)
        write_row(&to, &rows->items[i]);
    if (rows == &all && !stat->no_events)
        write_cpi_stack(&to);
    p5_selection_free(&all);
    for (const char *const *name = stat->metric_groups; name != NULL && *name != NULL && status == P5_OK;
         name++)
        status = write_metric_group(&to, *name, error);
    if (status == P5_OK && ferror(out))
        status = error_set(error, P5_ERR_IO, "cannot write the report");
    return status;
}
