/* Writes `stat -j` as JSON lines: a header, one object per event with the keys of perf and further ones, the CPI
 * stack, metrics, and a summary. */
#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "core/model/model.h"
#include "p5scope/version.h"
#include "report/stat/cpi_stack.h"
#include "report/json_writer.h"
#include "report/run_identity.h"
#include "report/stat/list.h"
#include "report/stat/metric.h"
#include "report/stat/stat_internal.h"

/* Writes the first line: what ran, with which model and options. */
static void write_header(json_writer *json, const p5_stat *stat)
{
    json_open_object(json);
    json_key_string(json, "p5scope", p5_version());
    json_key_unsigned(json, "model_revision", MODEL_REVISION);
    json_key_string(json, "model", p5_model_name(stat->model));
    json_key_double(json, "clock-mhz", p5_model_clock_mhz(stat->model));
    json_key_string(json, "options", stat->options);
    json_key_string(json, "command", stat->command);
    if (stat->guest_sha256 != NULL && stat->guest_sha256[0] != '\0')
        json_key_string(json, "guest-sha256", stat->guest_sha256);
    run_identity_write(json, stat->identity, stat->model);
    json_key_unsigned(json, "runs", stat->run_count);
    json_close_object(json);
}

/* In reports of intervals, writes the time at which the interval ended, in seconds. As in perf, it comes first. */
static void write_interval(json_writer *json, const p5_stat *stat)
{
    if (stat->interval != 0)
        json_key_double(json, "interval", stat->interval);
}

/* Writes perf's keys: the count as a string with six decimals, unit, event, the nanoseconds modelled, and the per cent
 * of them in which the event was counted. */
static void write_perf_keys(json_writer *json, const stat_report *report, double value, const char *unit,
                            const char *event)
{
    const p5_stat *stat = report->stat;
    char text[64];
    text_fixed(value, 6, text, sizeof text);
    write_interval(json, stat);
    json_key_string(json, "counter-value", text);
    json_key_string(json, "unit", unit);
    json_key_string(json, "event", event);
    json_key_unsigned(json, "event-runtime",
                      (uint64_t)llround(report->clocks.mean * 1e3 / p5_model_clock_mhz(stat->model)));
    json_key_double(json, "pcnt-running", 100);
}

void stat_json_number(json_writer *json, double value)
{
    if (value == floor(value) && value >= 0 && value < 0x1p63)
        json_unsigned(json, (uint64_t)value);
    else
        json_double(json, value);
}

/* Writes a count. Means of several runs can be fractions. */
static void write_count(json_writer *json, double value)
{
    json_key(json, "value");
    stat_json_number(json, value);
}

/* Writes an event, or the clocks, with the derived figure beside it. */
static void write_row(json_writer *json, stat_report *report, const stat_row *of)
{
    const p5_stat *stat = report->stat;
    const p5_selected *row = of->selected;
    stat_value value = stat_summary(stat, STAT_ROW, row);
    stat_metric beside;
    char mode[4];
    json_open_object(json);
    if (row->supported) {
        write_perf_keys(json, report, value.mean, row->event >= P5_SELECT_STALL ? "clocks" : "", row->name);
        write_count(json, value.mean);
    } else {
        write_interval(json, stat);
        json_key_string(json, "counter-value", "<not supported>");
        json_key_string(json, "event", row->name);
    }
    if (stat->run_count > 1)
        json_key_double(json, "variance", value.error_percent);
    json_key_string(json, "mode", event_mode_text(row, mode));
    const p5_event_info *event = p5_selected_event(row);
    if (event != NULL) {
        json_key_string(json, "ctr", event_counters_text(event->counters));
        json_key_unsigned(json, "code", event->code);
        json_key_string(json, "grade", event_grade_text(event->grade));
    }
    if (row->group != 0)
        json_key_unsigned(json, "group", row->group);
    if (stat_row_metric(report, of, &beside)) {
        json_key_double(json, "metric-value", beside.value);
        json_key_string(json, "metric-unit", beside.unit);
    }
    json_close_object(json);
}

/* Writes the clocks of each stall cause, as means of the runs, and their shares of all clocks. */
static void write_cpi_stack(json_writer *json, const stat_report *report)
{
    cpi_share stack[P5_STALL_COUNT];
    size_t count = cpi_stack(&report->sum, stack);
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += stack[i].clocks;
    for (size_t i = 0; i < count; i++) {
        char name[SCAN_STALL_NAME];
        stat_value clocks = stat_summary(report->stat, STAT_STALL + stack[i].cause, NULL);
        json_open_object(json);
        write_perf_keys(json, report, clocks.mean, "clocks", scan_stall_name(stack[i].cause, name));
        write_count(json, clocks.mean);
        if (report->stat->run_count > 1)
            json_key_double(json, "variance", clocks.error_percent);
        json_key_string(json, "mode", "uk");
        json_key_double(json, "metric-value", 100.0 * (double)stack[i].clocks / (double)all);
        json_key_string(json, "metric-unit", "% of clocks");
        json_close_object(json);
    }
}

static void write_metric_group(json_writer *json, stat_report *report, const metric_group *group)
{
    for (size_t i = 0; i < group->metric_count; i++) {
        const metric *one = &group->metrics[i];
        json_open_object(json);
        write_interval(json, report->stat);
        json_key_string(json, "metric-group", group->name);
        json_key_string(json, "metric", one->name);
        json_key_double(json, "metric-value", stat_report_value(report, one->formula, P5_CPL_MASK_ALL));
        json_key_string(json, "metric-unit", one->unit);
        json_close_object(json);
    }
}

/* Writes the summary. `host` is separate because it is the only part that differs from run to run. */
static void write_summary(json_writer *json, const p5_stat *stat)
{
    double clocks = stat_summary(stat, STAT_CLOCKS, NULL).mean;
    double instructions = stat_summary(stat, STAT_INSTRUCTIONS, NULL).mean;
    double host = stat_summary(stat, STAT_HOST_SECONDS, NULL).mean;
    json_open_object(json);
    json_key_object(json, "summary");
    json_key_double(json, "clocks", clocks);
    json_key_double(json, "instructions", instructions);
    json_key_double(json, "seconds", clocks / (p5_model_clock_mhz(stat->model) * 1e6));
    json_key_unsigned(json, "permissive-instructions", stat_permissive(stat));
    if (stat->fast_forwarded != 0)
        json_key_unsigned(json, "fast-forwarded", stat->fast_forwarded);
    if (stat->region != NULL) {
        json_key_string(json, "region", stat->region);
        json_key_unsigned(json, "region-times", stat->region_times);
        if (stat->region_open)
            json_key_bool(json, "region-open", true);
    }
    if (stat->ending != NULL)
        json_key_string(json, "ending", stat->ending);
    json_close_object(json);
    json_key_object(json, "host");
    json_key_double(json, "seconds", host);
    json_key_double(json, "mips", stat_host_mips(stat));
    json_close_object(json);
    json_close_object(json);
}

static void write_interval_summary(json_writer *json, const p5_stat *stat)
{
    const uint64_t *clocks = stat->runs[0].counts.clocks;
    json_open_object(json);
    write_interval(json, stat);
    json_key_object(json, "summary");
    json_key_unsigned(json, "clocks", p5_counts_sum(clocks, P5_CPL_MASK_ALL));
    json_key_unsigned(json, "instructions", stat->runs[0].instructions);
    json_close_object(json);
    json_close_object(json);
}

void p5_stat_write_interval_json_footer(FILE *out, const p5_stat *stat)
{
    json_writer json;
    json_init(&json, out);
    write_summary(&json, stat);
}

void stat_write_interval_json_header(FILE *out, const p5_stat *stat)
{
    json_writer json;
    json_init(&json, out);
    write_header(&json, stat);
}

p5_status stat_write_json(FILE *out, const p5_stat *stat, const stat_plan *plan, p5_error *error)
{
    stat_report report;
    p5_status status = stat_report_begin(&report, stat, plan, error);
    if (status != P5_OK)
        return status;
    plan = report.plan;
    json_writer json;
    json_init(&json, out);
    if (stat->interval == 0)
        write_header(&json, stat);
    if (plan->unselected)
        write_row(&json, &report, &plan->clocks);
    for (size_t i = 0; i < plan->row_count; i++)
        write_row(&json, &report, &plan->rows[i]);
    if (plan->unselected && !stat->no_events)
        write_cpi_stack(&json, &report);
    for (size_t i = 0; i < plan->group_count; i++)
        write_metric_group(&json, &report, plan->groups[i]);
    stat_report_end(&report);
    if (stat->interval == 0)
        write_summary(&json, stat);
    else
        write_interval_summary(&json, stat);
    return error_unless_written(error, out, "the report");
}
