/* Writes `stat` for people, in the layout of perf stat. A *row* is a line with the count of one event. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "p5scope/version.h"
#include "report/stat/cpi_stack.h"
#include "report/stat/list_internal.h"
#include "report/stat/metric.h"
#include "report/stat/stat_internal.h"

enum { VALUE_WIDTH = 18, NAME_WIDTH = 44 };

typedef struct text_report {
    FILE *out;
    const p5_stat *stat;
    const p5_stat_style *style;
    stat_report report;
    char interval[32]; /* what the rows of an interval begin with: its time; "" without intervals */
} text_report;

/* Returns true for the report on one screen: the main events only, and the largest causes of clocks. */
static bool is_brief(const text_report *in)
{
    return in->style->brief && in->report.plan->unselected && !in->stat->no_events;
}

/* Writes a number rounded to a whole one. */
static const char *whole_number(const text_report *in, double value, char *buffer, size_t size)
{
    uint64_t number = (uint64_t)llround(value);
    if (in->style->big_numbers)
        return text_grouped(number, buffer, size);
    *text_put_unsigned(buffer, number) = '\0';
    return buffer;
}

/* Write like printf's "%*s" and "%-*s" into room for `width` or the text. They return the end of the text. */
static char *put_right(char *to, size_t width, const char *text)
{
    for (size_t length = strlen(text); length < width; length++)
        *to++ = ' ';
    return stpcpy(to, text);
}

static char *put_left(char *to, size_t width, const char *text)
{
    char *end = stpcpy(to, text);
    while (end < to + width)
        *end++ = ' ';
    return end;
}

/* Writes the standard error, which perf calls variance; nothing for a single run. */
static const char *standard_error(const text_report *in, double percent, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if (in->stat->run_count > 1)
        snprintf(buffer, size, "  ( +- %5.2f%% )", percent);
    return buffer;
}

/* Writes the count, the name, and the derived figure. */
static char *put_count(text_report *in, const stat_row *of, char *to)
{
    enum { METRIC_WIDTH = 9 };
    const char *name = of->selected->name;
    char number[32];
    stat_value value = stat_summary(in->stat, STAT_ROW, of->selected);
    stat_metric beside;
    to = put_right(to, VALUE_WIDTH, whole_number(in, value.mean, number, sizeof number));
    to = stpcpy(to, "      ");
    if (stat_row_metric(&in->report, of, &beside)) {
        to = stpcpy(put_left(to, NAME_WIDTH, name), " #");
        to = put_right(to, METRIC_WIDTH, text_fixed(beside.value, beside.decimals, number, sizeof number));
        *to++ = ' ';
        to = stpcpy(to, beside.unit);
    } else {
        to = put_left(to, in->stat->run_count > 1 ? NAME_WIDTH : 0, name);
    }
    return stpcpy(to, standard_error(in, value.error_percent, number, sizeof number));
}

/* Writes a row. Intervals consist of rows, so this avoids printf for speed. */
static void write_row(text_report *in, const stat_row *of)
{
    enum { LINE_BYTES = 512 };
    char line[LINE_BYTES], *to = stpcpy(line, in->interval);
    if (of->selected->supported)
        to = put_count(in, of, to);
    else
        to = stpcpy(stpcpy(put_right(to, VALUE_WIDTH, "<not supported>"), "      "), of->selected->name);
    *to++ = '\n';
    fwrite(line, 1, (size_t)(to - line), in->out);
}

/* Writes a heading, in which `format` contains `text` as %s. */
static void write_heading(const text_report *in, const char *format, const char *text)
{
    fputs(in->style->colour ? "\n \033[1m" : "\n ", in->out);
    fprintf(in->out, format, text);
    fputs(in->style->colour ? "\033[0m\n" : "\n", in->out);
}

/* Returns true if the row's event is in the group (cache, tlb, ...). The row must not be the clocks. */
static bool of_group(const stat_row *row, const char *group)
{
    return strcmp(p5_event_describe((enum p5_event)row->selected->event)->group, group) == 0;
}

/* Returns how many events of the group the model has (the P54C has none of mmx). *zeros gets how many of them are 0. */
static size_t count_rows(const text_report *in, const char *group, size_t *zeros)
{
    const stat_plan *plan = in->report.plan;
    size_t count = 0;
    *zeros = 0;
    for (size_t i = 0; i < plan->row_count; i++)
        if (of_group(&plan->rows[i], group)) {
            count++;
            *zeros += stat_summary(in->stat, STAT_ROW, plan->rows[i].selected).mean == 0;
        }
    return count;
}

/* Writes the rows of a group of events below its name; nothing if the model has none of them. */
static void write_group(text_report *in, const char *group)
{
    const stat_plan *plan = in->report.plan;
    bool first = true;
    for (size_t i = 0; i < plan->row_count; i++) {
        if (!of_group(&plan->rows[i], group))
            continue;
        if (first)
            write_heading(in, "%s:", group);
        first = false;
        write_row(in, &plan->rows[i]);
    }
}

/* Writes the groups. Those whose events are all 0 share one line. */
static void write_groups(text_report *in)
{
    enum { MOST = 16 /* groups */ };
    const char *empty[MOST];
    size_t count = 0;
    for (const char *const *group = event_groups; *group != NULL; group++) {
        size_t zeros, rows = count_rows(in, *group, &zeros);
        if (in->style->zeros || zeros < rows)
            write_group(in, *group);
        else if (rows > 0)
            empty[count++] = *group;
    }
    if (count == 0)
        return;
    fputs("\n All ", in->out);
    for (size_t i = 0; i < count; i++)
        fprintf(in->out, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", empty[i]);
    fputs(" events are zero (-v lists them).\n", in->out);
}

/* The events of the report on one screen, in its order. */
static const enum p5_event main_events[] = {P5_EVENT_INSTRUCTIONS_EXECUTED,
                                            P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE,
                                            P5_EVENT_DATA_READ_OR_WRITE,
                                            P5_EVENT_DATA_READ_MISS_OR_WRITE_MISS,
                                            P5_EVENT_DATA_TLB_MISS,
                                            P5_EVENT_CODE_CACHE_MISS,
                                            P5_EVENT_BRANCHES,
                                            P5_EVENT_PIPELINE_FLUSHES,
                                            P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS};

static void write_main_events(text_report *in)
{
    const stat_plan *plan = in->report.plan;
    bool p55c = p5_model_family(in->stat->model) == P5_FAMILY_P55C;
    for (size_t i = 0; i < sizeof main_events / sizeof main_events[0]; i++) {
        if (main_events[i] == P5_EVENT_PIPELINE_FLUSHES && p55c)
            continue; /* mispredictions follow, which only the P55C counts */
        for (size_t row = 0; row < plan->row_count; row++)
            if (plan->rows[row].selected->event == (int)main_events[i])
                write_row(in, &plan->rows[row]);
    }
}

/* Writes what to look at next: the largest cause of clocks besides issue and HLT, or pairing if that is too small. */
static void write_next(const text_report *in)
{
    enum { WORTH = 100 /* permille of the clocks */ };
    cpi_share stack[P5_STALL_COUNT];
    size_t count = cpi_stack(&in->report.sum, stack), at = 0;
    while (at < count && (stack[at].cause == P5_STALL_ISSUE || stack[at].cause == P5_STALL_HALT))
        at++;
    write_heading(in, "%s", "what to look at next:");
    if (at < count && stack[at].permille >= WORTH) {
        const char *name = p5_stall_name(stack[at].cause);
        fprintf(in->out,
                "   p5scope explain %-16s  what it is (%u.%u %% of the clocks), and how to avoid it\n", name,
                stack[at].permille / 10, stack[at].permille % 10);
        fprintf(in->out, "   p5scope report -e stall_%-8s  where it is, after 'p5scope record GUEST'\n",
                name);
    } else {
        fprintf(in->out,
                "   p5scope annotate                  which instructions do not pair, and why, after "
                "'p5scope record GUEST'\n");
    }
    fprintf(in->out, "   p5scope stat -d GUEST             all events, causes of clocks and metrics\n");
}

/* Writes a line of the CPI stack. `instructions` 0: there is no CPI. */
static void write_share(const text_report *in, const char *name, double clocks, unsigned permille,
                        double instructions)
{
    char number[32];
    fprintf(in->out, "%*s      %-*s #%7u.%u %%", VALUE_WIDTH, whole_number(in, clocks, number, sizeof number),
            NAME_WIDTH, name, permille / 10, permille % 10);
    if (instructions > 0)
        fprintf(in->out, " %8.3f CPI", clocks / instructions);
    fputc('\n', in->out);
}

/* Writes the CPI stack: the contribution of each cause to the clocks per instruction. */
static void write_cpi_stack(const text_report *in)
{
    enum { LARGEST = 5 /* causes in the brief report; one line sums up the others */ };
    const p5_counts *sum = &in->report.sum;
    cpi_share stack[P5_STALL_COUNT];
    size_t count = cpi_stack(sum, stack);
    double runs = (double)in->stat->run_count;
    double instructions =
        (double)p5_counts_sum(sum->increments[P5_EVENT_INSTRUCTIONS_EXECUTED], P5_CPL_MASK_ALL) /
        runs; /* as event 16h counts them, so that it is the CPI shown above */
    double all = 0;
    char number[32];
    write_heading(in, "%s", "where the clocks went (CPI stack):");
    size_t shown = in->style->brief && count > LARGEST + 1 ? LARGEST : count;
    double others = 0;
    unsigned permille = 1000;
    for (size_t i = 0; i < count; i++) {
        double clocks = (double)stack[i].clocks / runs;
        all += clocks;
        if (i >= shown) {
            others += clocks;
            continue;
        }
        permille -= stack[i].permille;
        write_share(in, p5_stall_name(stack[i].cause), clocks, stack[i].permille, instructions);
    }
    if (shown < count) {
        snprintf(number, sizeof number, "%zu others", count - shown);
        write_share(in, number, others, permille, instructions);
    }
    if (count > 0)
        write_share(in, "clocks", all, 1000, instructions);
}

static void write_metric_group(text_report *in, const metric_group *group)
{
    if (in->stat->interval == 0)
        write_heading(in, "%s:", group->summary);
    for (size_t i = 0; i < group->metric_count; i++) {
        const metric *one = &group->metrics[i];
        char buffer[32];
        bool supported = (metric_formula_families(one->formula) & p5_model_family(in->stat->model)) != 0;
        double value = stat_report_value(&in->report, one->formula, P5_CPL_MASK_ALL);
        bool whole = metric_formula_whole(one->formula), count = whole && value >= 0 && value < 0x1p63;
        const char *text = count ? whole_number(in, value, buffer, sizeof buffer)
                                 : metric_text(value, whole ? 0 : 3, buffer, sizeof buffer);
        fprintf(in->out, "%s%*s %-4s %s\n", in->interval, VALUE_WIDTH, supported ? text : "<not supported>",
                one->unit, one->name);
    }
}

/* Writes the clocks, the modelled time, and the time and speed of the host. */
static void write_times(const text_report *in)
{
    stat_value clocks = in->report.clocks;
    stat_value host = stat_summary(in->stat, STAT_HOST_SECONDS, NULL);
    double mhz = p5_model_clock_mhz(in->stat->model);
    char number[32];
    fprintf(in->out, "\n%*s clocks", VALUE_WIDTH, whole_number(in, clocks.mean, number, sizeof number));
    fputs(standard_error(in, clocks.error_percent, number, sizeof number), in->out);
    fprintf(in->out, "\n%*.9f seconds modelled at %g MHz\n%s", VALUE_WIDTH, clocks.mean / (mhz * 1e6), mhz,
            is_brief(in) ? "" : "\n");
    fprintf(in->out, "%*.9f seconds on the host", VALUE_WIDTH, host.mean);
    if (host.mean > 0)
        fprintf(in->out, ", %.1f MIPS", stat_host_mips(in->stat));
    fprintf(in->out, "%s\n", standard_error(in, host.error_percent, number, sizeof number));
}

/* Writes each run with its distance from the mean, like perf stat --table. */
static void write_table(const text_report *in)
{
    stat_value clocks = in->report.clocks;
    char number[32];
    fprintf(in->out, "\n # Table of individual measurements (clocks):\n");
    for (size_t i = 0; i < in->stat->run_count; i++) {
        const uint64_t *parts = in->stat->runs[i].counts.clocks;
        double value = (double)p5_counts_sum(parts, P5_CPL_MASK_ALL);
        fprintf(in->out, "%*s (%+.0f)\n", VALUE_WIDTH, whole_number(in, value, number, sizeof number),
                value - clocks.mean);
    }
    fprintf(in->out, "\n # Final result:\n%*s +- %.0f clocks  ( +- %5.2f%% )\n", VALUE_WIDTH,
            whole_number(in, clocks.mean, number, sizeof number), clocks.mean * clocks.error_percent / 100,
            clocks.error_percent);
}

void stat_write_interval_text_header(FILE *out)
{
    fprintf(out, "#           time             counts      events\n");
}

static void write_rows(text_report *in)
{
    for (size_t i = 0; i < in->report.plan->row_count; i++)
        write_row(in, &in->report.plan->rows[i]);
}

static void write_metric_groups(text_report *in)
{
    for (size_t i = 0; i < in->report.plan->group_count; i++)
        write_metric_group(in, in->report.plan->groups[i]);
}

/* Writes the lines above the rows. */
static void write_title(const text_report *in)
{
    FILE *out = in->out;
    const p5_stat *stat = in->stat;
    fprintf(out, "\n Performance counter stats for '%s'", stat->command);
    if (stat->run_count > 1)
        fprintf(out, " (%zu runs)", stat->run_count);
    fprintf(out, ":\n p5scope %s, model %s (%s at %g MHz)%s%s\n", p5_version(), p5_model_name(stat->model),
            event_families_text(p5_model_family(stat->model)), p5_model_clock_mhz(stat->model),
            stat->options[0] != '\0' ? ", options: " : "", stat->options);
    if (stat->fast_forwarded != 0)
        fprintf(
            out,
            " Fast-forwarded %llu instructions first: caches, TLBs and branch predictor warmed, no clocks or "
            "events counted\n",
            (unsigned long long)stat->fast_forwarded);
    if (stat->region != NULL)
        stat_write_region(out, " Counted", stat);
    if (stat->ending != NULL)
        fprintf(out, " %s\n", stat->ending);
}

/* Writes the report of whole runs, not of an interval. */
static void write_run(text_report *in)
{
    write_title(in);
    if (is_brief(in)) {
        fputc('\n', in->out);
        write_main_events(in);
        write_cpi_stack(in);
        write_next(in);
    } else if (in->report.plan->unselected) {
        write_groups(in);
        if (!in->stat->no_events)
            write_cpi_stack(in);
    } else {
        fputc('\n', in->out);
        write_rows(in);
    }
    write_metric_groups(in);
    write_times(in);
    if (in->style->table)
        write_table(in);
    if (stat_permissive(in->stat) > 0)
        fprintf(in->out, "\n %" PRIu64 " instructions of later processors were executed (--isa=permissive)\n",
                stat_permissive(in->stat));
    fputc('\n', in->out);
}

p5_status stat_write_text(FILE *out, const p5_stat *stat, const stat_plan *plan, const p5_stat_style *style,
                          p5_error *error)
{
    text_report in = {.out = out, .stat = stat, .style = style};
    p5_status status = stat_report_begin(&in.report, stat, plan, error);
    if (status != P5_OK)
        return status;
    if (stat->interval != 0) {
        snprintf(in.interval, sizeof in.interval, "%16.9f ", stat->interval);
        write_rows(&in);
        write_metric_groups(&in);
        if (stat->no_events)
            write_row(&in, &in.report.plan->clocks);
    } else {
        write_run(&in);
    }
    stat_report_end(&in.report);
    return error_unless_written(error, out, "the report");
}
